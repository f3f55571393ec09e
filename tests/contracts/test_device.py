"""What a space on a device promises, down to ties, and what it says to bad input."""

import sys

import numpy as np
import pytest
import scipy.sparse as sp
from tensors import DENSE, FORMS, csr, every_device, every_form, row_major, torch_on

from handful import FGMClassifier
from handful.sizes import changed_sizes
from handful.sources.device.active import ActiveOnDevice, DeviceColumns
from handful.sources.device.matrix import DeviceMatrix
from handful.sources.device.pairs import DensePairsOnDevice
from handful.spaces import DenseSpace, Polynomial
from handful.spaces.active import ActiveColumns
from handful.validation import sources as checks

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")
every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
every_count = pytest.mark.parametrize("n_outputs", [1, 3, 6])


def matrix(dtype=np.float64, shape=(700, 53)):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    X[rng.random(shape) < 0.3] = 0.0
    X[:, [4, 9, 20]] = X[:, [1]]  # ties
    return X.astype(dtype)


def space_of(tensor, unit=None, weight=None):
    return DeviceMatrix(tensor).space(unit, 1, weight)


@every_device
@every_form
@every_dtype
@every_count
@pytest.mark.parametrize("unit", [None, "norm", "std"])
def test_top_and_columns(device, form, dtype, n_outputs, unit):
    X = matrix(dtype)
    rng = np.random.default_rng(1)
    a, weight = rng.standard_normal((len(X), n_outputs)), rng.uniform(0.5, 2.0, len(X))
    reference = DenseSpace(X.astype(np.float64), unit, weight)
    space = space_of(FORMS[form](torch_on(device), X, device), unit, weight)
    assert space.dtype == dtype
    close = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-11}
    for k, exclude in ((1, None), (7, np.array([1, 20, 3])), (60, None), (0, None)):
        ids, scores = space.top(a, k, exclude)
        expected_ids, expected = reference.top(a, k, exclude)
        np.testing.assert_array_equal(ids, expected_ids)
        np.testing.assert_allclose(scores, expected, **close)
    np.testing.assert_allclose(space.scores(a), reference.scores(a), **close)
    np.testing.assert_allclose(space.dots(a), reference.dots(a), atol=1e-4)
    some = np.array([7, 0, 52, 9])
    columns = space.columns(some)
    columns = columns if isinstance(columns, np.ndarray) else columns.toarray()
    np.testing.assert_allclose(columns, reference.columns(some), rtol=1e-12)
    np.testing.assert_allclose(space.rows_of(some).cpu().numpy(), columns.T)


@every_device
@pytest.mark.parametrize("form", DENSE)
def test_float32_sums_keep_their_digits(device, form):
    X = np.full((200_001, 3), 0.1, dtype=np.float32)
    X[:, 1] = -0.3
    space = space_of(DENSE[form](torch_on(device), X, device))
    exact = X.astype(np.float64).sum(axis=0)
    np.testing.assert_allclose(space.dots(np.ones((len(X), 1)))[:, 0], exact, rtol=5e-6)


@every_device
@every_form
def test_small_blocks_change_nothing(device, form):
    torch = torch_on(device)
    X = matrix()
    a = np.random.default_rng(1).standard_normal((len(X), 2))
    whole = space_of(FORMS[form](torch, X, device)).dots(a)
    with changed_sizes(device_block_bytes=5000, torch_rows_on_cpu=17, torch_rows_on_gpu=17):
        parts = space_of(FORMS[form](torch, X, device)).dots(a)
    np.testing.assert_allclose(parts, whole, rtol=1e-10)


class OnSomeDevice(DeviceMatrix):
    """A dense tensor on a device that is fast at float64, or not."""

    def __init__(self, X, in_float64):
        super().__init__(X)
        self.in_float64 = in_float64

    def pair_search(self):
        return DensePairsOnDevice(self.space(None, 1, None), self.in_float64)


@every_device
@every_dtype
@every_count
@pytest.mark.parametrize("in_float64", [True, False])
@pytest.mark.parametrize("nonnegative", [True, False])
@changed_sizes(device_tile_columns=8, device_panel_columns=24, device_tile_rows=128)
def test_pairs_equal_those_of_the_array(device, dtype, n_outputs, in_float64, nonnegative):
    torch = torch_on(device)
    X = matrix(dtype, (500, 61))
    X = np.abs(X) if nonnegative else X
    X[:, 30:] *= np.float32(0.05)  # tiles that need not be looked at
    a = np.random.default_rng(1).standard_normal((len(X), n_outputs))
    reference = Polynomial(gamma=0.7).on(X)
    space = Polynomial(gamma=0.7).on(OnSomeDevice(row_major(torch, X, device), in_float64))
    exclude = reference.top(a, 5)[0][[0, 3]]
    for k, passed in ((1, None), (20, None), (20, exclude), (300, None)):
        ids, scores = space.top(a, k, passed)
        expected_ids, expected = reference.top(a, k, passed)
        np.testing.assert_allclose(scores, expected, rtol=1e-9)
        np.testing.assert_array_equal(ids, expected_ids)


@every_device
@pytest.mark.parametrize("factor", [1e-60, 1e60])
@pytest.mark.parametrize("in_float64", [True, False])
def test_pairs_of_very_large_and_small_numbers(device, factor, in_float64):
    torch = torch_on(device)
    X = matrix()
    a = np.random.default_rng(1).standard_normal(len(X))
    ids, scores = Polynomial(include_linear=False).on(X).top(a, 10)
    far = OnSomeDevice(row_major(torch, X * factor, device), in_float64)
    far = Polynomial(include_linear=False).on(far)
    far_ids, far_scores = far.top(a, 10)
    np.testing.assert_array_equal(far_ids, ids)
    np.testing.assert_allclose(far_scores, scores * factor**4, rtol=1e-9)


@every_device
def test_active_columns_are_those_in_memory(device):
    torch = torch_on(device)
    X = matrix()
    rng = np.random.default_rng(2)
    weight = rng.uniform(0.5, 2.0, len(X))
    expected = ActiveColumns(DenseSpace(X), np.array([3, 8]), weight)
    active = ActiveOnDevice(space_of(row_major(torch, X, device)), np.array([3, 8]), weight)
    steps = [
        lambda columns: columns.add(np.array([8, 40, 2, 17])),
        lambda columns: columns.keep(np.array([0, 2, 3])),
        lambda columns: columns.add(np.arange(10)),
        lambda columns: columns.replace(np.array([5, 6, 7])),
    ]
    for step in steps:
        for columns in (active, expected):
            step(columns)
        np.testing.assert_array_equal(active.ids, expected.ids)
        np.testing.assert_allclose(active.squared_norms, expected.squared_norms)
        np.testing.assert_array_equal(active.matrix.rows.cpu().numpy().T, expected.matrix)


@every_device
def test_products_of_active_columns(device):
    torch = torch_on(device)
    X = matrix()[:300, :12]
    rng = np.random.default_rng(3)
    a, weights, d = rng.standard_normal((300, 2)), rng.standard_normal((12, 2)), rng.random(300)
    columns = DeviceColumns(row_major(torch, X.T, device))
    assert columns.shape == X.shape
    assert columns.T.shape == X.T.shape
    np.testing.assert_allclose(columns @ weights, X @ weights)
    np.testing.assert_allclose(columns @ weights[:, 0], X @ weights[:, 0])
    np.testing.assert_allclose(columns.T @ a, X.T @ a)
    np.testing.assert_allclose((columns * weights[:, 0]) @ weights, X * weights[:, 0] @ weights)
    for some in (slice(2, 5), np.array([7, 1])):
        np.testing.assert_allclose(columns[:, some].T @ a, X[:, some].T @ a)
    gram, sums = columns.weighted_gram(d)
    np.testing.assert_allclose(gram, X.T @ (d[:, None] * X), atol=1e-12)
    np.testing.assert_allclose(sums, X.T @ d)


class TestBadInput:
    def fit(self, X, y=None, **options):
        y = np.arange(len(X)) % 2 if y is None else y
        return FGMClassifier(2, **options).fit(X, y)

    @every_device
    @every_form
    @pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
    @pytest.mark.parametrize("options", [{}, {"exclude": [7]}, {"groups": np.arange(53) // 2}])
    def test_not_finite(self, device, form, value, word, options):
        X = matrix()
        X[211, 7] = value
        tensor = FORMS[form](torch_on(device), X, device)
        with pytest.raises(ValueError, match=rf"contains {word} \(row 211, column 7\)"):
            self.fit(tensor, **options)

    @every_device
    def test_not_finite_in_pairs_and_predictions(self, device):
        torch = torch_on(device)
        X = matrix()[:, :10]
        y = X[:, 3] > 0
        model = FGMClassifier(2, C="fast").fit(row_major(torch, X, device), y)
        X[5, 3] = np.nan
        tensor = row_major(torch, X, device)
        with pytest.raises(ValueError, match=r"NaN \(row 5, column 3\)"):
            self.fit(tensor, y, space=Polynomial())
        with pytest.raises(ValueError, match=r"NaN \(row 5, column 3\)"):
            model.predict(tensor)
        assert "support_ids_" in vars(model)

    @every_device
    def test_too_large_to_compute_with(self, device):
        X = np.full((10, 3), 3e38, dtype=np.float32)
        with pytest.raises(ValueError, match="too large to compute with"):
            self.fit(row_major(torch_on(device), X, device), np.arange(10) % 3 % 2)

    @every_device
    @pytest.mark.parametrize("name", ["int64", "bool", "complex64"])
    def test_other_types(self, device, name):
        torch = torch_on(device)
        X = torch.ones((10, 3), device=device).to(getattr(torch, name))
        with pytest.raises(ValueError, match="float32 or float64"):
            self.fit(X)

    def test_shapes(self):
        torch = torch_on("cpu")
        X = torch.randn(10, 3, dtype=torch.float64)
        with pytest.raises(ValueError, match="rows and columns"):
            self.fit(X[:, :, None], np.arange(10) % 2)
        with pytest.raises(ValueError, match="one entry for each of the 10 rows"):
            self.fit(X, np.arange(9) % 2)
        model = self.fit(X)
        with pytest.raises(ValueError, match="expecting 3 features"):
            model.predict(X[:, :2])

    def test_other_devices_and_layouts(self):
        torch = torch_on("cpu")
        with pytest.raises(ValueError, match=r"'meta'.*CUDA"):
            self.fit(torch.empty((10, 3), device="meta"), np.arange(10) % 2)
        with pytest.raises(TypeError, match=r"sparse_bsr.*to_sparse_csc"):
            self.fit(torch.eye(4).to_sparse_bsr((2, 2)), np.arange(4) % 2)

    def test_mixed_devices(self):
        torch = torch_on("cpu")
        one, other = torch.device("cuda:0"), torch.device("cuda:1")
        with pytest.raises(ValueError, match="X is on the device 'cuda:0' and y on 'cuda:1'"):
            checks.check_same_device(one, other, "y")
        checks.check_same_device(one, torch.device("cpu"), "y")
        with pytest.raises(ValueError, match="'cuda:0' and 'cuda:1'; move them to one device"):
            checks.check_one_device({"cuda:1", "cuda:0"})
        X = torch.randn(10, 3, dtype=torch.float64)
        with pytest.raises(ValueError, match="and y on 'meta'"):
            self.fit(X, torch.empty(10, device="meta"))

    def test_out_of_memory_says_the_size(self, monkeypatch):
        torch = torch_on("cpu")
        space = space_of(torch.randn(10, 3, dtype=torch.float64))

        def fail(*args):
            raise torch.OutOfMemoryError("CUDA out of memory.")

        monkeypatch.setattr(torch.Tensor, "index_select", fail)
        with pytest.raises(MemoryError, match=r"needs 1.49e-07 GiB on the GPU, of which 0 GiB"):
            space.rows_of(np.array([0, 1]))

    def test_out_of_memory_on_a_gpu(self):
        torch = torch_on("cuda")
        X = torch.randn((70_000, 40), device="cuda")
        y = (X[:, 3] + X[:, 5] > 0).int()
        torch.cuda.set_per_process_memory_fraction(
            (torch.cuda.memory_reserved() + 2**22) / torch.cuda.mem_get_info()[1]
        )
        try:
            with pytest.raises(MemoryError, match=r"GiB on the GPU, of which .* are free"):
                FGMClassifier(20, C="fast").fit(X, y)
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0)
        assert len(FGMClassifier(20, C="fast").fit(X, y).support_ids_) == 20

    def test_cupy_without_torch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(
            ImportError, match="computes on GPUs with torch, which is not installed"
        ):
            DeviceMatrix(np.eye(3))


def test_gradients_are_left_alone():
    torch = torch_on("cpu")
    X = torch.randn(60, 5, dtype=torch.float64, requires_grad=True)
    model = FGMClassifier(2, C="fast").fit(X, (X[:, 3] > 0).numpy())
    assert 3 in model.support_ids_
    assert X.grad is None


def test_tensors_in_cross_validation():
    torch = torch_on("cpu")
    from sklearn.model_selection import cross_val_score

    X = matrix()
    y = X[:, 3] + X[:, 8] > 0
    scores = cross_val_score(FGMClassifier(2, C="fast"), torch.from_numpy(X), y, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(FGMClassifier(2, C="fast"), X, y, cv=3))


def test_sparse_columns_come_sorted():
    torch = torch_on("cpu")
    X = matrix()
    columns = space_of(csr(torch, X, "cpu")).columns(np.array([5, 2]))
    again = sp.csc_array((columns.data, columns.indices, columns.indptr), shape=columns.shape)
    assert again.has_sorted_indices
    np.testing.assert_array_equal(columns.toarray(), X[:, [5, 2]])
