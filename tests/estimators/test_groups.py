"""Groups through the estimators: what is counted, reported and equal."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from handful import FGMClassifier, FGMRegressor, GreedyRLSClassifier

N_GROUPS, SIZE, TRUE = 40, 4, [3, 17, 30]
OVERLAPPING = [list(range(start, start + 6)) for start in range(0, 150, 4)]
LABELS = np.repeat(np.arange(N_GROUPS), SIZE)


def draw(n_samples=250):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n_samples, N_GROUPS * SIZE))
    X[rng.random(X.shape) < 0.3] = 0.0
    weights = np.where(np.isin(LABELS, TRUE), rng.choice([-1.0, 1.0], len(LABELS)), 0.0)
    return X, X @ weights


def as_lists(labels):
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


class TestResult:
    def test_counts_are_of_groups(self):
        X, signal = draw()
        model = FGMClassifier(3, groups=LABELS, C="fast").fit(X, signal > 0)
        assert model.group_support_.dtype == np.int64
        assert model.group_support_.tolist() == TRUE
        assert model.support_ids_.tolist() == np.flatnonzero(np.isin(LABELS, TRUE)).tolist()
        assert model.get_support().sum() == model.transform(X).shape[1] == 3 * SIZE
        assert model.coef_.shape == (1, N_GROUPS * SIZE)
        np.testing.assert_allclose(
            model.decision_function(X), X @ model.coef_[0] + model.intercept_[0]
        )

    def test_plain_machine_counts_groups_too(self):
        X, signal = draw()
        model = FGMClassifier(groups=LABELS, budget=2, max_rounds=3).fit(X, signal > 0)
        assert 2 <= len(model.group_support_) <= 6
        assert len(model.support_ids_) == SIZE * len(model.group_support_)
        assert [record.n_active <= 2 * record.number for record in model.history_] == [True] * len(
            model.history_
        )

    def test_labels_in_any_form_are_the_same_groups(self):
        X, signal = draw()
        y = signal > 0
        one = FGMClassifier(3, groups=LABELS, C="fast").fit(X, y)
        names = np.array([f"g{label:02d}" for label in LABELS])
        for groups in (names, names.tolist(), as_lists(LABELS), LABELS.astype(float)):
            other = FGMClassifier(3, groups=groups, C="fast").fit(X, y)
            np.testing.assert_array_equal(one.group_support_, other.group_support_)
            np.testing.assert_allclose(one.weights_, other.weights_)
        assert other.group_labels_[other.group_support_].tolist() == TRUE

    def test_groups_of_one_are_plain_features(self):
        X, signal = draw()
        for solver in ("auto", "ksupport", "apg", "mkl"):
            one = FGMRegressor(5, solver=solver, C="fast").fit(X, signal)
            other = FGMRegressor(5, solver=solver, groups=np.arange(X.shape[1]), C="fast")
            other.fit(X, signal)
            np.testing.assert_array_equal(one.support_ids_, other.group_support_)
            np.testing.assert_allclose(one.weights_, other.weights_)
            assert one.objective_ == other.objective_

    def test_include_and_exclude_are_groups(self):
        X, signal = draw()
        names = np.array([f"g{label:02d}" for label in LABELS])
        model = FGMClassifier(3, groups=names, include=["g05"], exclude=["g17"], C="fast")
        model.fit(X, signal > 0)
        assert 5 in model.group_support_
        assert 17 not in model.group_support_
        assert len(model.group_support_) == 3

    def test_more_than_two_classes_share_groups(self):
        X, signal = draw()
        y = np.digitize(signal, np.quantile(signal, [0.33, 0.66]))
        model = FGMClassifier(3, groups=LABELS, C="fast").fit(X, y)
        assert model.group_support_.tolist() == TRUE
        assert model.weights_.shape == (3, 3 * SIZE)

    def test_a_later_fit_without_groups_forgets_them(self):
        X, signal = draw()
        model = FGMClassifier(3, groups=LABELS, C="fast").fit(X, signal > 0)
        model.set_params(groups=None).fit(X, signal > 0)
        assert not hasattr(model, "group_support_")


@pytest.mark.parametrize("solver", ["auto", "ksupport", "apg", "mkl"])
class TestEquivalence:
    def test_sparse_equals_dense(self, solver):
        X, signal = draw(150)
        for groups in (LABELS, OVERLAPPING):
            models = [
                FGMClassifier(3, groups=groups, group_weights="size", solver=solver, C="fast").fit(
                    data, signal > 0
                )
                for data in (X, sp.csr_array(X), sp.csc_array(X))
            ]
            for model in models[1:]:
                np.testing.assert_array_equal(models[0].group_support_, model.group_support_)
                np.testing.assert_allclose(models[0].weights_, model.weights_, rtol=1e-6, atol=1e-9)

    def test_overlap_equals_copied_columns(self, solver):
        X, signal = draw(150)
        copied = np.hstack([X[:, group] for group in OVERLAPPING])
        rest = np.setdiff1d(np.arange(X.shape[1]), np.concatenate(OVERLAPPING))
        labels = np.repeat(np.arange(len(OVERLAPPING)), 6)
        labels = np.append(labels, len(OVERLAPPING) + np.arange(len(rest)))
        shared = FGMClassifier(3, groups=OVERLAPPING, solver=solver, C="fast").fit(X, signal > 0)
        apart = FGMClassifier(3, groups=labels, solver=solver, C="fast")
        apart.fit(np.hstack([copied, X[:, rest]]), signal > 0)
        np.testing.assert_array_equal(shared.group_support_, apart.group_support_)
        assert shared.objective_ == pytest.approx(apart.objective_, rel=1e-6)
        np.testing.assert_allclose(
            shared.decision_function(X),
            apart.decision_function(np.hstack([copied, X[:, rest]])),
            rtol=1e-4,
            atol=1e-5,
        )

    def test_weight_two_is_the_row_twice(self, solver):
        X, signal = draw(80)
        weight = np.random.default_rng(0).integers(0, 3, 80)
        twice = np.repeat(np.arange(80), weight)
        one = FGMClassifier(2, groups=OVERLAPPING, solver=solver, C="fast")
        one.fit(X, signal > 0, sample_weight=weight)
        other = FGMClassifier(2, groups=OVERLAPPING, solver=solver, C="fast")
        other.fit(X[twice], signal[twice] > 0)
        np.testing.assert_array_equal(one.group_support_, other.group_support_)
        np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-5, atol=1e-7)


class TestOneHotGroups:
    @staticmethod
    def table(n_rows=300):
        rng = np.random.default_rng(0)
        table = pd.DataFrame(
            {
                "age": rng.normal(40, 10, n_rows),
                "home_town": rng.choice(["old_york", "new_york", "rome"], n_rows),
                "home": rng.choice(["flat", "house"], n_rows),
                "pet": rng.choice(["cat", "dog", "none_at_all"], n_rows),
                "noise": rng.normal(size=n_rows),
            }
        )
        return table, (table["home_town"] == "rome") ^ (table["pet"] == "cat")

    def test_a_categorical_column_is_one_group(self):
        table, y = self.table()
        encode = make_column_transformer(
            (OneHotEncoder(sparse_output=False), ["home_town", "home", "pet"]),
            (StandardScaler(), ["age", "noise"]),
        ).set_output(transform="pandas")
        model = make_pipeline(encode, FGMClassifier(2, groups="columns", C="fast")).fit(table, y)
        selector = model[-1]
        families = selector.group_labels_[selector.group_support_].tolist()
        assert families == ["onehotencoder__home_town", "onehotencoder__pet"]
        assert set(selector.group_labels_) == {
            "onehotencoder__home_town",
            "onehotencoder__home",
            "onehotencoder__pet",
            "standardscaler__age",
            "standardscaler__noise",
        }
        assert len(selector.support_ids_) == 6

    def test_without_names_it_says_what_to_do(self):
        table, y = self.table()
        with pytest.raises(
            ValueError, match="needs the names of the columns; give X as a data frame"
        ):
            FGMClassifier(groups="columns").fit(table[["age", "noise"]].to_numpy(), y)

    def test_columns_that_can_both_be_filled_are_no_group(self):
        table = pd.DataFrame({"a_x": [1, 0, 1, 0.0], "a_y": [1, 1, 0, 0.0], "b_z": [2, 3, 1, 0.0]})
        model = FGMClassifier(1, groups="columns", C="fast").fit(table, [0, 1, 0, 1])
        assert model.group_labels_.tolist() == ["a_x", "a_y", "b_z"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": "families"}, "groups must be one label per feature.*got 'families'"),
        ({"groups": [1, 2]}, "one label for each of the 160 features"),
        ({"groups": [[0, 1], []]}, "empty group at position 1"),
        ({"group_weights": "size"}, "group_weights needs groups"),
        ({"groups": LABELS, "group_weights": [1.0]}, "one number for each of the 40 groups"),
        (
            {"groups": LABELS, "n_features_to_select": 41},
            "more than the 40 columns and groups of columns",
        ),
    ],
)
def test_bad_input(options, message):
    X, signal = draw(30)
    with pytest.raises(ValueError, match=message) as caught:
        FGMClassifier(**options).fit(X, signal > 0)
    assert "\n" not in str(caught.value)


def test_a_series_in_another_order_is_refused():
    X, signal = draw(60)
    table = pd.DataFrame(X).add_prefix("f")
    labels = pd.Series(LABELS, index=table.columns)
    model = FGMClassifier(3, groups=labels, C="fast").fit(table, signal > 0)
    expected = FGMClassifier(3, groups=LABELS, C="fast").fit(table, signal > 0)
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    mask = pd.Series(LABELS == 3, index=table.columns)
    prices = pd.Series(1.0, index=table.columns)
    weights = pd.Series(1.0, index=range(N_GROUPS))
    for wrong in (
        FGMClassifier(3, groups=labels[::-1]),
        FGMClassifier(3, groups=LABELS, group_weights=weights[::-1]),
        FGMClassifier(3, include=mask[::-1]),
        GreedyRLSClassifier(3, groups=labels[::-1]),
        GreedyRLSClassifier(3, feature_costs=prices[::-1], max_cost=2.0),
        GreedyRLSClassifier(3, groups=LABELS, group_costs=weights[::-1], max_cost=2.0),
    ):
        sentence = "is a Series in another order: at position 0 its index has .*, so reindex it"
        with pytest.raises(ValueError, match=sentence):
            wrong.fit(table, signal > 0)
