"""Tensors give the same model as arrays: torch on the CPU, and on a GPU where there is one."""

import numpy as np
import pytest
import scipy.sparse as sp
from equivalence.same import assert_same_model, coefficients, draw, every_case, every_mode, fit
from tensors import FORMS, every_device, every_form, row_major, torch_on

from handful import FGMClassifier, GreedyRLSClassifier, GreedyRLSRegressor, MultiTaskLassoInf
from handful.sources.device.active import ActiveOnDevice
from handful.sources.device.matrix import DeviceMatrix
from handful.spaces import Polynomial

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")


class ManyRows(DeviceMatrix):
    """A dense tensor whose active columns stay on the device, as those of many rows on a GPU do."""

    def space(self, unit, n_threads, sample_weight):
        space = super().space(unit, n_threads, sample_weight)
        space.active_kind = ActiveOnDevice
        return space


@every_device
@every_form
@every_case
@every_mode
def test_format(device, form, loss, n_classes, mode):
    X, y = draw(n_classes)
    tensor = FORMS[form](torch_on(device), X, device)
    expected = fit(X, y, mode, loss, C=2.0)
    model = fit(tensor, y, mode, loss, C=2.0)
    assert_same_model(model, expected)
    np.testing.assert_allclose(model.predict(tensor), expected.predict(X), atol=1e-2)
    columns = (model.transform(tensor), expected.transform(X))
    np.testing.assert_array_equal(*(sp.csc_array(part).toarray() for part in columns))


@every_device
@every_case
@every_mode
@pytest.mark.parametrize("options", [{}, {"scale": "norm"}, {"include": [5, 7]}])
def test_active_problem_on_the_device(device, loss, n_classes, mode, options):
    X, y = draw(n_classes)
    tensor = ManyRows(row_major(torch_on(device), X, device))
    expected, model = (fit(data, y, mode, loss, C=2.0, **options) for data in (X, tensor))
    assert_same_model(model, expected)


@every_device
@every_mode
@pytest.mark.parametrize("solver", ["apg", "mkl", "ksupport"])
def test_named_solvers_on_the_device(device, mode, solver):
    X, y = draw(2)
    tensor = ManyRows(row_major(torch_on(device), X, device))
    options = {"solver": solver, "tol": 1e-3}
    expected, model = (fit(data, y, mode, "squared_hinge", **options) for data in (X, tensor))
    assert_same_model(model, expected, tolerance=1e-2)


@every_device
@every_mode
@pytest.mark.parametrize("on_device", [False, True])
def test_groups(device, mode, on_device):
    X, y = draw(2)
    groups = [np.arange(j, min(j + 4, X.shape[1])) for j in range(0, X.shape[1], 3)]  # they overlap
    tensor = row_major(torch_on(device), X, device)
    tensor = ManyRows(tensor) if on_device else tensor
    expected, model = (fit(data, y, mode, "squared_hinge", groups=groups) for data in (X, tensor))
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-5)
    if mode == "exactly k":
        np.testing.assert_array_equal(model.group_support_, expected.group_support_)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-5)


@every_device
@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("form", ["row_major", "column_major", "csc"])
@every_mode
def test_short_floats_are_taken_at_their_value(device, name, form, mode):
    torch = torch_on(device)
    X, y = draw(2)
    short = torch.from_numpy(X).to(getattr(torch, name))
    X = short.to(torch.float64).numpy()
    tensor = FORMS[form](torch, X, device).to(short.dtype)
    assert_same_model(fit(tensor, y, mode, "logistic"), fit(X, y, mode, "logistic"), tolerance=1e-5)


@every_device
def test_measures(device):
    X, y = draw(2)
    tensor = row_major(torch_on(device), X, device)
    options = {"loss": "f1", "n_features_to_select": 4}
    expected, model = (FGMClassifier(**options).fit(data, y) for data in (X, tensor))
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=3e-3)


@every_device
@pytest.mark.parametrize("loss", ["squared_hinge", "f1", "roc_auc"])
@pytest.mark.parametrize("several", ["classes", "labels"])
def test_one_budget(device, loss, several):
    X, y = draw(3)
    targets = y if several == "classes" else (y[:, None] == np.unique(y)).astype(int)
    tensor = row_major(torch_on(device), X, device)
    expected, model = (
        FGMClassifier(4, loss=loss, C="fast").fit(data, targets) for data in (X, tensor)
    )
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    assert model.objective_ == pytest.approx(expected.objective_, rel=3e-3)


@every_device
@pytest.mark.parametrize("form", ["row_major", "column_major", "csr"])
@every_case
def test_pairs(device, form, loss, n_classes):
    X, y = draw(n_classes)
    X = X[:, :12]
    tensor = FORMS[form](torch_on(device), X, device)
    expected, model = (
        fit(data, y, "exactly k", loss, space=Polynomial(gamma=0.5)) for data in (X, tensor)
    )
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.predict(tensor), expected.predict(X), atol=1e-6)


@every_device
@every_form
@pytest.mark.parametrize(
    "options",
    [{}, {"groups": np.arange(30) // 3}, {"alpha": [0.1, 10.0], "alpha_per_output": True}],
)
def test_greedy_rls(device, form, options):
    X, y = draw(3)
    tensor = FORMS[form](torch_on(device), X, device)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    for estimator in (GreedyRLSClassifier(5, **options), GreedyRLSRegressor(5, **options)):
        expected = estimator.fit(X, y, sample_weight=weight)
        order, errors = expected.selection_order_, expected.loo_errors_
        weights = coefficients(expected)
        model = estimator.fit(tensor, y, sample_weight=weight)
        np.testing.assert_array_equal(model.selection_order_, order)
        np.testing.assert_allclose(model.loo_errors_, errors, rtol=1e-8)
        np.testing.assert_allclose(coefficients(model), weights, atol=1e-8)


@every_device
@pytest.mark.parametrize("form", ["row_major", "csc"])
def test_lasso_of_several_tasks(device, form):
    X, _ = draw(1)
    Y = X[:, [3, 7, 12]] @ np.array([[1.0, 2.0], [3.0, 0.0], [0.0, -1.0]])
    tensor = FORMS[form](torch_on(device), X, device)
    expected, model = (MultiTaskLassoInf(0.1).fit(data, Y) for data in (X, tensor))
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-6)


@every_device
@every_mode
def test_targets_and_weights_may_be_tensors(device, mode):
    torch = torch_on(device)
    X, y = draw(2)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    expected = fit(X, y, mode, "logistic", weight)
    tensors = [torch.from_numpy(array).to(device) for array in (X, y, weight)]
    model = fit(tensors[0], tensors[1], mode, "logistic", tensors[2])
    assert_same_model(model, expected)


@every_device
def test_cupy(device):
    torch_on(device)
    if device == "cpu":
        pytest.skip("CuPy has arrays on GPUs only")
    cupy = pytest.importorskip("cupy", reason="needs CuPy, which is not installed")
    import cupyx.scipy.sparse as cupy_sparse

    X, y = draw(2)
    expected = fit(X, y, "exactly k", "squared_hinge")
    dense = cupy.asarray(X)
    for data in (dense, cupy_sparse.csr_matrix(dense), cupy_sparse.csc_matrix(dense)):
        model = fit(data, cupy.asarray(y), "exactly k", "squared_hinge")
        assert_same_model(model, expected)
        np.testing.assert_array_equal(model.predict(data), expected.predict(X))


@every_device
@every_mode
def test_checkpoint(device, mode, tmp_path):
    X, y = draw(2)
    tensor = row_major(torch_on(device), X, device)
    whole = fit(tensor, y, mode, "logistic")
    saved = fit(tensor, y, mode, "logistic", checkpoint=tmp_path / "fit.npz")
    again = fit(tensor, y, mode, "logistic", checkpoint=tmp_path / "fit.npz")
    np.testing.assert_array_equal(saved.weights_, whole.weights_)
    np.testing.assert_array_equal(again.weights_, whole.weights_)
    with pytest.raises(ValueError, match="other data or other parameters"):
        fit(tensor.flip(1), y, mode, "logistic", checkpoint=tmp_path / "fit.npz")
