"""Files of AnnData are used where they are: dense, by rows and by columns."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from annotated import write_h5ad
from stores import convert_file

from handful import FGMClassifier, GreedyRLSClassifier, open_store
from handful.io import read_table
from handful.sizes import changed_sizes
from handful.spaces import Polynomial, resolve_space
from handful.validation.store import StoreError

pytest.importorskip("h5py", reason="h5py reads h5ad files; it is in the extra anndata")
NAMES = [f"gene {j}" for j in range(40)]
FORMS = {"dense": np.asarray, "csr": sp.csr_array, "csc": sp.csc_array}
every_form = pytest.mark.parametrize("form", FORMS)


def draw():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, (90, 40)).astype(np.float32)
    codes = (X[:, 3] + X[:, 20] > X[:, 30] + 0.5).astype(np.int8)
    return X, codes


@pytest.fixture
def small_blocks():
    with changed_sizes(block_entries=300):
        yield


def write(path, form):
    X, codes = draw()
    write_h5ad(
        path,
        FORMS[form](X),
        NAMES,
        kind=(codes, ["B cell", "T cell"]),
        depth=X.sum(axis=1),
        batch=np.where(codes, "one", "two"),
    )
    return FORMS[form](X), np.where(codes, "T cell", "B cell")


@every_form
def test_the_answer_of_the_matrix(form, tmp_path, small_blocks):
    X, y = write(tmp_path / "a.h5ad", form)
    file = open_store(tmp_path / "a.h5ad", target="kind")
    np.testing.assert_array_equal(file.y, y)
    assert len(file.starts) > 3
    a = np.random.default_rng(1).standard_normal((90, 2))
    weight = np.arange(90.0)
    for unit in (None, "norm", "std"):
        options = {"unit": unit, "sample_weight": weight, "n_jobs": 2}
        space, expected = (resolve_space(one, **options) for one in (file, X))
        np.testing.assert_allclose(space.scores(a), expected.scores(a), rtol=1e-5)
        np.testing.assert_allclose(space.dots(a), expected.dots(a), atol=1e-3)
    for estimator in (
        FGMClassifier(3, C="fast"),
        FGMClassifier(2, groups=np.arange(40) // 4, C="fast"),
        GreedyRLSClassifier(3),
    ):
        expected = estimator.fit(X, y)
        ids, weights = expected.support_ids_, expected.weights_
        model = estimator.fit(file, file.y)
        np.testing.assert_array_equal(model.support_ids_, ids)
        np.testing.assert_allclose(model.weights_, weights, rtol=1e-4)
        assert list(model.feature_names_in_) == NAMES
        np.testing.assert_array_equal(
            model.predict(pickle.loads(pickle.dumps(file))), model.predict(X)
        )


@every_form
def test_it_becomes_a_store(form, tmp_path):
    X, y = write(tmp_path / "a.h5ad", form)
    store = convert_file(tmp_path / "a.h5ad", tmp_path / "a.store", target="kind", memory=5000)
    columns = resolve_space(store).columns(np.arange(40))
    dense = [part.toarray() if sp.issparse(part) else part for part in (columns, X)]
    np.testing.assert_array_equal(*dense)
    np.testing.assert_array_equal(store.y, y)
    assert list(store.feature_names) == NAMES
    model = FGMClassifier(2, space=Polynomial(), C="fast").fit(store, store.y)
    assert len(model.support_ids_) == 2


def test_targets(tmp_path):
    X, _ = write(tmp_path / "a.h5ad", "csr")
    np.testing.assert_allclose(
        open_store(tmp_path / "a.h5ad", target="depth").y, X.sum(axis=1), rtol=1e-6
    )
    assert set(open_store(tmp_path / "a.h5ad", target="batch").y) == {"one", "two"}
    assert open_store(tmp_path / "a.h5ad").y is None
    table = read_table(tmp_path / "a.h5ad", "kind", only=["gene 7", "gene 2"])
    np.testing.assert_array_equal(table.X.toarray(), X.toarray()[:, [7, 2]])


def test_an_object_of_anndata(tmp_path):
    ad = pytest.importorskip("anndata", reason="anndata is not installed; h5py alone reads files")
    X, y = write(tmp_path / "raw.h5ad", "csr")
    data = ad.AnnData(sp.csr_matrix(X))
    data.var_names = NAMES
    data.obs["kind"] = y
    data.write_h5ad(tmp_path / "a.h5ad")
    expected = FGMClassifier(3, C="fast").fit(X, y)
    backed = ad.read_h5ad(tmp_path / "a.h5ad", backed="r")
    for form in (data, backed, open_store(tmp_path / "a.h5ad", target="kind")):
        model = FGMClassifier(3, C="fast").fit(form, y)
        np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
        assert list(model.feature_names_in_) == NAMES
        np.testing.assert_array_equal(model.predict(form), expected.predict(X))
    np.testing.assert_array_equal(open_store(tmp_path / "a.h5ad", target="kind").y, y)


def test_bad_files_are_one_sentence(tmp_path):
    import h5py

    path = tmp_path / "a.h5ad"
    X, y = write(path, "csr")
    for target, message in [("kin", "did you mean 'kind'"), ("zzz", "it has 'kind', 'depth'")]:
        with pytest.raises(StoreError, match=message):
            open_store(path, target=target)
    with pytest.raises(TypeError, match="pairs of a AnnotatedFile cannot be searched"):
        FGMClassifier(3, space=Polynomial(), C="fast").fit(open_store(path), y)
    with h5py.File(path, "r+") as file:
        file["X/indices"][5] = 4000
    with pytest.raises(StoreError, match="damaged"):
        FGMClassifier(3, C="fast").fit(open_store(path), y)
    with h5py.File(path, "r+") as file:
        file["X/indices"][5] = X.indices[5]
        file["X/data"][5] = np.nan
    row, column = np.searchsorted(X.indptr, 5, side="right") - 1, X.indices[5]
    with pytest.raises(ValueError, match=rf"NaN or infinity \(row {row}, column 'gene {column}'\)"):
        FGMClassifier(3, C="fast").fit(open_store(path), y)
    with h5py.File(path, "r+") as file:
        file["X/indptr"][5] = 10**6
    with pytest.raises(StoreError, match="do not rise"):
        open_store(path)
    with h5py.File(path, "r+") as file:
        file["obs/kind/codes"][5] = -1
        del file["X"]
    with pytest.raises(StoreError, match="no matrix X"):
        open_store(path)
    path.write_bytes(b"not HDF5")
    with pytest.raises(StoreError, match="not a readable h5ad file"):
        open_store(path)
    with pytest.raises(StoreError, match="does not exist"):
        open_store(tmp_path / "b.h5ad")


# On one of the files that seed 7 spoils the HDF5 library spends seconds.
@pytest.mark.parametrize("seed", [8, pytest.param(7, marks=pytest.mark.exhaustive)])
def test_spoilt_files_are_read_or_refused_in_one_sentence(tmp_path, seed):
    path = tmp_path / "a.h5ad"
    write(path, "csr")
    content, rng, sentences = path.read_bytes(), np.random.default_rng(seed), []
    for _ in range(40):
        spoilt = bytearray(content)
        for place in rng.integers(0, len(content), 30):
            spoilt[place] = rng.integers(256)
        path.write_bytes(spoilt[: rng.integers(1, 2 * len(content))])
        try:
            resolve_space(open_store(path, target="kind")).scores(np.ones(90))
        except ValueError as error:
            sentences.append(str(error))
    assert len(sentences) > 10
    assert all(str(path) in sentence and "\n" not in sentence for sentence in sentences)
