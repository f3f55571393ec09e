"""The generators: sizes, truth, reproducibility, and what bad arguments get."""

import numpy as np
import pytest
from scipy import sparse

from handful.datasets import (
    make_demo,
    make_grouped_linear,
    make_sparse_linear,
    make_x1,
    make_x3,
)

SMALL = {"n_samples": 60, "n_features": 300, "n_informative": 8, "n_test_samples": 40}
DENSITIES = [1.0, 0.5, 0.02]


def same_matrix(left, right):
    if sparse.issparse(left):
        return all(
            np.array_equal(getattr(left, part), getattr(right, part))
            for part in ("indptr", "indices", "data")
        )
    return np.array_equal(left, right)


def labels_of_truth(data, X):
    w = np.zeros(X.shape[1])
    w[data.true_ids] = data.true_weights
    return np.where(X.astype(np.float64) @ w > 0, 1, -1)


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shapes_and_types(density, dtype):
    data = make_sparse_linear(**SMALL, density=density, dtype=dtype, random_state=0)
    assert data.X_train.shape == (60, 300)
    assert data.X_test.shape == (40, 300)
    assert data.X_train.dtype == data.X_test.dtype == dtype
    assert data.y_train.shape == (60,)
    assert data.y_test.shape == (40,)
    assert data.true_ids.dtype == np.int64
    assert data.true_weights.dtype == np.float64
    assert sparse.issparse(data.X_train) == (density < 1)
    assert data.feature_names is None


@pytest.mark.parametrize("density", DENSITIES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_truth_reproduces_every_label(density, dtype):
    data = make_sparse_linear(**SMALL, density=density, dtype=dtype, random_state=3)
    np.testing.assert_array_equal(labels_of_truth(data, data.X_train), data.y_train)
    np.testing.assert_array_equal(labels_of_truth(data, data.X_test), data.y_test)
    assert set(data.y_train) == {-1, 1}


def test_truth_is_ascending_distinct_and_positive():
    data = make_sparse_linear(**SMALL, random_state=1)
    assert len(data.true_ids) == len(data.true_weights) == 8
    assert np.all(np.diff(data.true_ids) > 0)
    assert data.true_ids[0] >= 0
    assert data.true_ids[-1] < 300
    assert np.all((data.true_weights > 0) & (data.true_weights < 1))


def test_weightings_are_powers_of_the_same_weights_on_the_same_rows():
    one, two, three = (
        make_sparse_linear(**SMALL, weighting=kind, random_state=5) for kind in ("I", "II", "III")
    )
    np.testing.assert_allclose(two.true_weights, one.true_weights**0.3)
    np.testing.assert_allclose(three.true_weights, one.true_weights**3)
    np.testing.assert_array_equal(two.true_ids, one.true_ids)
    np.testing.assert_array_equal(three.X_train, one.X_train)


@pytest.mark.parametrize("density", [0.003, 0.1, 0.5, 0.9])
def test_density_is_within_three_sigma_and_rows_are_in_canonical_form(density):
    n_rows, n_columns = 400, 5000
    X = make_sparse_linear(
        n_rows, n_columns, density=density, n_test_samples=0, random_state=7
    ).X_train
    sigma = np.sqrt(n_rows * n_columns * density * (1 - density))
    assert abs(X.nnz - n_rows * n_columns * density) < 3 * sigma
    assert X.has_canonical_format
    assert np.all(X.data != 0)


def test_every_column_and_row_is_filled_at_the_same_rate():
    X = make_sparse_linear(2000, 50, 5, density=0.3, n_test_samples=0, random_state=2).X_train
    per_column = X.count_nonzero(axis=0)
    per_row = X.count_nonzero(axis=1)
    assert np.all(np.abs(per_column - 600) < 5 * np.sqrt(2000 * 0.3 * 0.7))
    assert per_row.var() == pytest.approx(50 * 0.3 * 0.7, rel=0.2)


@pytest.mark.parametrize("density", [1.0, 0.4])
def test_entries_are_standard_normal(density):
    X = make_sparse_linear(300, 1000, density=density, n_test_samples=0, random_state=11).X_train
    values = X.data if sparse.issparse(X) else X.ravel()
    assert abs(values.mean()) < 4 / np.sqrt(values.size)
    assert values.var() == pytest.approx(1, abs=6 * np.sqrt(2 / values.size))
    assert np.mean(np.abs(values) < 1) == pytest.approx(0.6827, abs=0.005)


@pytest.mark.parametrize("density", DENSITIES)
def test_same_seed_same_data_other_seed_other_data(density):
    first, again, other = (
        make_sparse_linear(**SMALL, density=density, random_state=seed) for seed in (4, 4, 5)
    )
    assert same_matrix(first.X_train, again.X_train)
    assert same_matrix(first.X_test, again.X_test)
    np.testing.assert_array_equal(first.true_weights, again.true_weights)
    assert not same_matrix(first.X_train, other.X_train)
    assert not same_matrix(first.X_train[:40], first.X_test)


@pytest.mark.parametrize("make_state", [np.random.default_rng, np.random.RandomState])
def test_generators_as_seed_are_repeatable_and_move_on(make_state):
    state = make_state(9)
    first = make_sparse_linear(**SMALL, random_state=state)
    second = make_sparse_linear(**SMALL, random_state=state)
    again = make_sparse_linear(**SMALL, random_state=make_state(9))
    np.testing.assert_array_equal(first.X_train, again.X_train)
    assert not np.array_equal(first.X_train, second.X_train)


@pytest.mark.parametrize("density", DENSITIES)
def test_float32_is_float64_rounded(density):
    double, single = (
        make_sparse_linear(**SMALL, density=density, dtype=dtype, random_state=6)
        for dtype in (np.float64, np.float32)
    )
    assert same_matrix(double.X_train.astype(np.float32), single.X_train)


@pytest.mark.parametrize("density", DENSITIES)
def test_training_rows_do_not_depend_on_the_number_of_test_rows(density):
    options = {**SMALL, "density": density, "random_state": 8}
    with_test = make_sparse_linear(**options)
    without = make_sparse_linear(**{**options, "n_test_samples": 0})
    assert same_matrix(with_test.X_train, without.X_train)
    assert without.X_test.shape == (0, 300)
    assert without.y_test.shape == (0,)


def test_a_row_that_holds_no_informative_entry_is_labelled_minus_one():
    data = make_sparse_linear(500, 1000, 5, density=0.01, n_test_samples=0, random_state=0)
    empty = data.X_train[:, data.true_ids].count_nonzero(axis=1) == 0
    assert empty.sum() > 400
    assert np.all(data.y_train[empty] == -1)


def test_a_matrix_without_any_entry():
    data = make_sparse_linear(3, 4, 2, density=1e-300, n_test_samples=2, random_state=0)
    assert data.X_train.nnz == 0
    assert data.X_train.shape == (3, 4)
    np.testing.assert_array_equal(data.y_train, -1)


def test_x1_has_the_size_of_the_paper():
    data = make_x1("II", dtype=np.float32, random_state=0)
    assert data.X_train.shape == data.X_test.shape == (4096, 4096)
    assert data.true_ids.shape == (400,)
    assert abs(np.mean(data.y_train)) < 0.1


def test_sparse_x3_has_the_size_of_the_paper():
    data = make_x3(density=0.005, dtype=np.float32, random_state=0)
    assert data.X_train.shape == (8192, 100_000)
    assert data.X_test.shape == (4096, 100_000)
    assert data.X_train.indices.dtype == np.int32
    expected = 8192 * 100_000 * 0.005
    assert abs(data.X_train.nnz - expected) < 3 * np.sqrt(expected)


def test_demo_is_the_same_every_time_and_has_names():
    data, again = make_demo(), make_demo()
    np.testing.assert_array_equal(data.X_train, again.X_train)
    np.testing.assert_array_equal(labels_of_truth(data, data.X_test), data.y_test)
    assert len(set(data.feature_names)) == len(data.feature_names) == data.X_train.shape[1] == 5000
    assert len(data.true_ids) == 10
    assert np.all(np.abs(data.true_weights) >= 0.5)
    assert set(np.sign(data.true_weights)) == {-1, 1}


def test_data_cannot_be_reassigned():
    data = make_demo(5, 10, 2, n_test_samples=0)
    with pytest.raises(AttributeError):
        data.y_train = None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_samples": 0}, "n_samples"),
        ({"n_samples": 2.5}, "n_samples"),
        ({"n_features": 0}, "n_features"),
        ({"n_features": "many"}, "n_features"),
        ({"n_informative": 301}, "n_informative"),
        ({"n_informative": 0}, "n_informative"),
        ({"n_test_samples": -1}, "n_test_samples"),
        ({"weighting": "IV"}, "weighting"),
        ({"density": 0.0}, "density"),
        ({"density": 1.5}, "density"),
        ({"density": float("nan")}, "density"),
        ({"dtype": np.int64}, "dtype"),
        ({"dtype": "fraction"}, "dtype"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_bad_arguments_get_one_sentence_that_names_them(change, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_sparse_linear(**{**SMALL, **change})
    text = str(caught.value)
    assert "\n" not in text
    assert repr(next(iter(change.values()))) in text


# ----------------------------------------------------------------- groups

GROUPED = {"n_samples": 60, "n_groups": 40, "group_size": 5, "n_informative_groups": 3}


@pytest.mark.parametrize("density", DENSITIES)
def test_groups_are_neighbours_and_decide(density):
    data = make_grouped_linear(**GROUPED, density=density, n_test_samples=30, random_state=0)
    assert data.X_train.shape == (60, 200)
    assert data.X_test.shape == (30, 200)
    np.testing.assert_array_equal(data.groups, np.arange(200) // 5)
    np.testing.assert_array_equal(np.unique(data.groups[data.true_ids]), data.true_groups)
    assert len(data.true_groups) == 3
    assert len(data.true_ids) == 15
    np.testing.assert_array_equal(labels_of_truth(data, data.X_train), data.y_train)
    np.testing.assert_array_equal(labels_of_truth(data, data.X_test), data.y_test)


def test_grouped_seed_decides_everything():
    one = make_grouped_linear(**GROUPED, random_state=7)
    two = make_grouped_linear(**GROUPED, random_state=7, dtype=np.float32)
    assert same_matrix(one.X_train.astype(np.float32), two.X_train)
    np.testing.assert_array_equal(one.true_groups, two.true_groups)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_groups": 0}, "n_groups"),
        ({"group_size": 0}, "group_size"),
        ({"n_informative_groups": 41}, "n_informative_groups"),
    ],
)
def test_grouped_bad_numbers(wrong, message):
    with pytest.raises(ValueError, match=message):
        make_grouped_linear(**{**GROUPED, **wrong})
