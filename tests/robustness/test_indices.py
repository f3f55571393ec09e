"""Indices of sparse matrices are looked at before any compiled loop follows them.

Every case runs in a process of its own: where the check is missing, it may crash.
"""

import os

import numpy as np
import pytest
import tensors
from attack import matrices
from attack.runner import run_case
from scipy import sparse

from handful import Bags, FGMClassifier
from handful.estimators import _inputs
from handful.io import InputError, read_table
from handful.validation.indices import checked, in_range, pointers_rise

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a crash must not end the tests")
X, Y, _ = matrices.draw(np.random.default_rng(0))


def spoilt(form, seed):
    matrix = sparse.csr_array(X).asformat(form)
    matrices.spoil(matrix, np.random.default_rng(seed))
    return matrix


@pytest.mark.parametrize("form", matrices.FORMATS)
def test_no_estimator_follows_them(form):
    def fit_all(seed, folder):
        for number, estimator in enumerate(matrices.estimators()):
            matrices.refused(lambda one=estimator, n=number: one.fit(spoilt(form, n), Y))

    assert run_case("matrices", fit_all, 0) is None


@pytest.mark.parametrize("form", matrices.FORMATS)
def test_nor_do_predictions_and_bags(form):
    def use(seed, folder):
        model = FGMClassifier(2, C="fast").fit(X, Y)
        for number in range(6):
            matrices.refused(lambda n=number: model.predict(spoilt(form, n)))
            matrices.refused(lambda n=number: Bags(spoilt(form, n), np.arange(24) // 2))

    assert run_case("matrices", use, 0) is None


def test_a_sound_matrix_is_looked_at_once(monkeypatch):
    """And a dense one, which scikit-learn checks, not at all."""
    looked_at = []  # nothing public shows how often
    monkeypatch.setattr(_inputs, "checked", lambda given: looked_at.append(given) or given)
    FGMClassifier(2, C="fast").fit(X, Y)
    assert not looked_at
    for form in matrices.FORMATS:
        FGMClassifier(2, C="fast").fit(sparse.csr_array(X).asformat(form), Y)
    assert [given.format for given in looked_at] == [*matrices.FORMATS]


def test_a_look_leaves_all_as_it_is():
    for form in matrices.FORMATS:
        given = sparse.csr_array(X).asformat(form)
        assert (checked(given) is given) == (form != "lil")
        np.testing.assert_array_equal(given.toarray(), X)


@pytest.mark.parametrize(
    ("indptr", "is_sound"),
    [
        ([0, 2, 4], True),
        ([0, 0, 4], True),
        ([1, 2, 4], False),
        ([0, 2, 3], False),
        ([0, 5, 4], False),
        ([0, -1, 4], False),
        ([0, 4], False),
        ([0, 2**63 - 1, 4], False),
        ([0.0, 2.0, 4.0], False),
    ],
)
def test_pointers(indptr, is_sound):
    assert pointers_rise(np.array(indptr), 2, 4) == is_sound


def test_pointers_are_compared_and_not_subtracted():
    indptr = np.array([0, 2**62, -(2**63) + 2**62, -(2**62), 4])
    assert not pointers_rise(indptr, 4, 4)
    assert in_range(np.array([0, 4]), 5)
    assert not in_range(np.array([0, 5]), 5)
    assert not in_range(np.array([0, -1]), 2**62)
    assert not in_range(np.array([0.0]), 5)
    assert in_range(np.array([], dtype=np.int32), 0)


@pytest.mark.parametrize("kind", ["u8", "f8", "i8"])
def test_parts_in_a_file(kind, tmp_path):
    S = sparse.csr_array(np.eye(3))
    parts = {
        "X_data": S.data,
        "X_indices": S.indices.astype(kind),
        "X_indptr": S.indptr.astype("i8"),
    }
    path = tmp_path / "a.npz"
    np.savez(path, **parts, X_shape=[3, 3], y=[0, 1, 0])
    if kind == "f8":
        with pytest.raises(InputError, match="are not whole numbers"):
            read_table(path, "y")
        return
    np.testing.assert_array_equal(read_table(path, "y").X.toarray(), np.eye(3))
    np.savez(path, **parts | {"X_indptr": [0, 2**62, -(2**62), 3]}, X_shape=[3, 3], y=[0, 1, 0])
    with pytest.raises(InputError, match="indices point outside of it"):
        read_table(path, "y")


@tensors.every_device
@pytest.mark.parametrize("form", tensors.SPARSE)
@pytest.mark.parametrize("part", ["indices", "pointers"])
def test_tensors_too(device, form, part):
    """torch makes sparse tensors of any indices, and only some of its functions look."""
    torch = tensors.torch_on(device)
    good = tensors.SPARSE[form](torch, X, device)
    FGMClassifier(2, C="fast").fit(good, Y)
    for odd in (-1, 24, 10**6):
        if good.layout is torch.sparse_coo:
            indices, values = good.coalesce().indices().clone(), good.coalesce().values()
            indices[0 if part == "indices" else 1, 3] = odd
            bad = torch.sparse_coo_tensor(indices, values, good.shape, check_invariants=False)
        else:
            by_columns = good.layout is torch.sparse_csc
            make = torch.sparse_csc_tensor if by_columns else torch.sparse_csr_tensor
            names = (
                ("ccol_indices", "row_indices") if by_columns else ("crow_indices", "col_indices")
            )
            indptr, indices = (getattr(good, name)().clone() for name in names)
            (indices if part == "indices" else indptr)[3] = 10**6 if part == "pointers" else odd
            bad = make(indptr, indices, good.values(), good.shape, check_invariants=False)
        with pytest.raises(ValueError, match="whose indices point outside of it"):
            FGMClassifier(2, C="fast").fit(bad, Y)
