"""Groups: how they are read, found to be nested, and scanned; against plain loops."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from handful.kernels.groups import tree_top
from handful.spaces import CSCSpace, CSRSpace, DenseSpace, GroupedSpace, make_groups
from handful.spaces.groups.space import ActiveGroups, activate

N_FEATURES = 12


def slow_scores(groups, factors, scores):
    return np.array(
        [f**2 * scores[np.asarray(g)].sum() for g, f in zip(groups, factors, strict=True)]
    )


def slow_top(groups, factors, scores, k, exclude=()):
    values = slow_scores(groups, factors, scores)
    order = sorted(range(len(groups)), key=lambda g: (-values[g], g))
    return [g for g in order if values[g] > 0 and g not in exclude][:k]


def flat_top(made, scores, k, exclude=()):
    """The same groups, scored one after the other without any skipping."""
    values = np.array(
        [
            made.factors[g] ** 2
            * sum(scores[made.members[made.starts[g] : made.stops[g]]].tolist())
            for g in range(len(made))
        ]
    )
    order = sorted(range(len(made)), key=lambda g: (-values[g], g))
    best = [g for g in order if values[g] > 0 and g not in exclude][:k]
    return best, values[best]


@st.composite
def forests(draw):
    """Nested or disjoint groups: intervals that split again and again, over shuffled features."""
    shuffled = draw(st.permutations(range(N_FEATURES)))
    groups = []

    def split(low, high, depth):
        if high - low < 1 or depth > 4:
            return
        if draw(st.booleans()):
            groups.append([shuffled[i] for i in range(low, high)])
            if draw(st.booleans()):
                groups.append([shuffled[i] for i in range(low, high)])  # twice the same
        middle = draw(st.integers(low, high))
        split(low, middle, depth + 1)
        split(middle, high, depth + 1)

    split(0, N_FEATURES, 0)
    return draw(st.permutations(groups)) or [[0]]


overlapping = st.lists(
    st.lists(st.integers(0, N_FEATURES - 1), min_size=1, max_size=6, unique=True),
    min_size=1,
    max_size=8,
)
score_lists = st.lists(
    st.sampled_from([0.0, 1.0, 2.0, 0.25, 1e-9, 7.0]), min_size=N_FEATURES, max_size=N_FEATURES
)


def with_lonely(groups):
    inside = set().union(*map(set, groups))
    return [*groups, *([j] for j in range(N_FEATURES) if j not in inside)]


class TestScan:
    @given(forests(), score_lists, st.integers(1, 20), st.data())
    @settings(max_examples=150, deadline=None)
    def test_pruned_equals_flat_on_a_forest(self, groups, scores, k, data):
        weights = data.draw(
            st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(groups), max_size=len(groups))
        )
        made = make_groups(groups, weights, N_FEATURES)
        assert made.walk is not None
        assert len(made.members) == N_FEATURES  # every feature once, whatever the nesting
        scores = np.array(scores)
        exclude = data.draw(st.sets(st.integers(0, len(made) - 1), max_size=3))
        ids, best = made.top(scores, k, np.array(sorted(exclude), dtype=np.int64))
        expected_ids, expected = flat_top(made, scores, k, exclude)
        assert ids.tolist() == expected_ids
        np.testing.assert_array_equal(best, expected)
        full = with_lonely(groups)
        factors = weights + [1.0] * (len(full) - len(groups))
        np.testing.assert_allclose(best, slow_scores(full, factors, scores)[ids], rtol=1e-12)

    @given(overlapping, score_lists, st.integers(1, 20))
    @settings(max_examples=150, deadline=None)
    def test_any_overlap(self, groups, scores, k):
        made = make_groups(groups, None, N_FEATURES)
        full = with_lonely(groups)
        scores = np.array(scores)
        ids, best = made.top(scores, k, np.empty(0, dtype=np.int64))
        np.testing.assert_allclose(
            best, np.sort(slow_scores(full, np.ones(len(full)), scores))[::-1][: len(best)]
        )
        assert len(ids) == min(k, np.count_nonzero(slow_scores(full, np.ones(len(full)), scores)))
        crossing = any(
            set(a) & set(b) and not (set(a) <= set(b) or set(b) <= set(a))
            for a in groups
            for b in groups
        )
        assert (made.walk is None) is crossing

    def test_most_of_a_tree_is_skipped(self):
        n_features = 4096
        groups = [
            np.arange(start, start + width)
            for width in (4096, 512, 64, 8, 1)
            for start in range(0, n_features, width)
        ]
        made = make_groups(groups, None, n_features)
        scores = np.full(n_features, 1e-6)
        scores[100:108] = 1.0
        squared = made.factors**2
        passed = np.zeros(len(made), dtype=bool)
        ids, _, n_scored = tree_top(
            scores,
            made.members,
            made.starts,
            made.stops,
            squared,
            made.walk,
            made.ends,
            made.ceilings,
            3,
            passed,
        )
        assert ids.tolist() == slow_top(groups, np.ones(len(groups)), scores, 3)
        assert n_scored < 40 < len(made) / 100

    @pytest.mark.exhaustive
    def test_a_million_groups_over_a_hundred_thousand_features(self):
        """Ten chains of nested halves: the lists have 17 million entries, the structure 100,000."""
        n_features = 100_000
        half = [
            np.arange(start, min(start + width, n_features))
            for width in (2**p for p in range(17))
            for start in range(0, n_features, width)
        ]
        groups = half * 5
        assert len(groups) >= 1_000_000
        made = make_groups(groups, None, n_features)
        assert made.walk is not None
        assert made.members.nbytes == 8 * n_features
        scores = np.random.default_rng(0).random(n_features) ** 50
        ids, best = made.top(scores, 12, np.empty(0, dtype=np.int64))
        running = np.append(0.0, np.cumsum(scores))
        starts = np.array([group[0] for group in groups])
        stops = np.array([group[-1] + 1 for group in groups])
        sums = running[stops] - running[starts]
        np.testing.assert_allclose(best, np.sort(sums)[::-1][:12])
        np.testing.assert_allclose(sums[ids], best)


class TestReading:
    def test_labels_of_any_kind(self):
        for labels in (["b", "a", "b"], [7, 3, 7], np.array([2.5, 0.5, 2.5])):
            made = make_groups(labels, None, 3)
            assert [sorted(made.features_of(np.array([g])).tolist()) for g in (0, 1)] == [
                [1],
                [0, 2],
            ]
            assert made.labels == sorted(set(np.asarray(labels).tolist()))

    def test_a_feature_in_no_group_is_its_own(self):
        made = make_groups([[4, 1], np.array([2])], None, 6)
        sets = [sorted(made.features_of(np.array([g])).tolist()) for g in range(len(made))]
        assert sets == [[1, 4], [2], [0], [3], [5]]

    def test_a_repeated_id_counts_once(self):
        assert make_groups([[1, 1, 0]], None, 2).sizes.tolist() == [2]

    @pytest.mark.parametrize(
        ("weights", "expected"),
        [
            (None, [1, 1, 1]),
            ("size", [2**-0.5, 1, 1]),
            ([3.0, 0.5], [3, 0.5, 1]),
        ],
    )
    def test_weights(self, weights, expected):
        np.testing.assert_allclose(make_groups([[0, 2], [1]], weights, 4).factors, expected)

    def test_weights_by_label(self):
        made = make_groups(["b", "a", "b"], {"a": 2.0, "b": 3.0}, 3)
        assert made.factors.tolist() == [2.0, 3.0]

    @pytest.mark.parametrize(
        ("groups", "weights", "message"),
        [
            ([[0], []], None, "groups has an empty group at position 1; leave it out"),
            ([[0], [1, 9]], None, "feature id 9 in the group at position 1; ids go from 0 to 3"),
            ([[0], [-1]], None, "feature id -1 in the group at position 1"),
            ([[0.5]], None, "groups must hold arrays of feature ids; the group at position 0"),
            (["a", "b"], None, "one label for each of the 4 features.*got 2 labels"),
            (np.array(["a", 1, 2, "b"], dtype=object), None, "labels of different types"),
            (["a", "b", None, None], None, "no label for feature 2; give it one, of its own"),
            (["a", np.nan, "b", np.nan], None, "no label for feature 1; give it one, of its own"),
            ([0.0, 1.0, 1.0, np.nan], None, "no label for feature 3; give it one, of its own"),
            (pd.array([0, None, 1, 1], "Int64"), None, "no label for feature 1; give it one"),
            (pd.Categorical([None, "a", "b", "b"]), None, "no label for feature 0; give it one"),
            ([[0], [1]], [1.0, 0.0], "group_weights must be finite and above 0; group 1 has 0"),
            (
                [[0], [1]],
                [1.0, np.inf],
                "group_weights must be finite and above 0; group 1 has inf",
            ),
            ([[0], [1]], [1.0], "group_weights must hold one number for each of the 2 groups"),
            ([[0], [1]], "root", "group_weights must be one of None, 'size'; got 'root'"),
            (
                [[0], [1]],
                {"a": 1.0},
                "group_weights can be a dictionary only when groups holds labels",
            ),
            (["a", "a", "b", "b"], {"a": 1.0}, "group_weights has no weight for the group 'b'"),
        ],
    )
    def test_bad_groups(self, groups, weights, message):
        with pytest.raises(ValueError, match=message) as caught:
            make_groups(groups, weights, 4)
        assert "\n" not in str(caught.value)


OVERLAPPING = [[0, 1, 2], [2, 3], [5, 6, 7, 8], [8, 9, 10], [3, 11]]
FORMS = {"dense": DenseSpace, "CSR": CSRSpace, "CSC": CSCSpace}


def spaces(weights=(1.0, 2.0, 0.5, 1.5, 3.0)):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((20, N_FEATURES)) * (rng.random((20, N_FEATURES)) < 0.7)
    groups = make_groups(OVERLAPPING, weights, N_FEATURES)
    return X, {
        "dense": GroupedSpace(DenseSpace(X), groups),
        "CSR": GroupedSpace(CSRSpace(sp.csr_array(X)), groups),
        "CSC": GroupedSpace(CSCSpace(sp.csc_array(X)), groups),
    }


@pytest.mark.parametrize("form", FORMS)
class TestSpace:
    def test_scores_are_those_of_the_columns(self, form):
        _, forms = spaces()
        space = forms[form]
        a = np.random.default_rng(0).standard_normal((20, 2))
        ids, scores = space.top(a, 6, exclude=np.array([1]))
        assert 1 not in ids
        for group, score in zip(ids, scores, strict=True):
            dots = space.columns(np.array([group])).T @ a
            assert (dots**2).sum() == pytest.approx(score)
        assert (np.diff(scores) <= 0).all()

    def test_shared_columns_are_stored_once_and_act_like_copies(self, form):
        X, forms = spaces()
        space = forms[form]
        active = activate(space, np.array([3]))
        assert isinstance(active, ActiveGroups)
        assert active.add(np.array([1, 0, 2, 3])).tolist() == [1, 2, 3, 0]
        active.keep(np.array([0, 2, 3]))
        copies = space.columns(active.ids)
        copies = copies.toarray() if sp.issparse(copies) else copies
        lazy = active.matrix
        assert lazy.shape == copies.shape == (20, 10)
        assert active.widths.tolist() == [3, 3, 4]
        assert lazy.left.shape == (20, 9)  # column 8 is in two groups
        rng = np.random.default_rng(0)
        weights, a = rng.standard_normal((10, 2)), rng.standard_normal((20, 2))
        factors = np.arange(10.0)
        np.testing.assert_allclose(lazy @ weights, copies @ weights)
        np.testing.assert_allclose(lazy.T @ a, copies.T @ a)
        np.testing.assert_allclose(lazy[:, [1, 5]].T @ a, copies[:, [1, 5]].T @ a)
        np.testing.assert_allclose((lazy * factors) @ weights, (copies * factors) @ weights)
        np.testing.assert_allclose(active.squared_norms, (copies**2).sum(axis=0))
        ids, summed = active.model(weights)
        np.testing.assert_allclose(X[:, ids] @ summed, copies @ weights)

    def test_other_groups_have_another_fingerprint(self, form):
        _, one = spaces()
        _, same = spaces()
        _, other = spaces(weights=(1.0, 2.0, 0.5, 1.5, 2.0))
        assert one[form].fingerprint() == same[form].fingerprint() != other[form].fingerprint()


def test_disjoint_groups_of_weight_one_are_plain_columns():
    X = np.random.default_rng(0).standard_normal((9, 6))
    space = GroupedSpace(DenseSpace(X), make_groups([0, 1, 0, 2, 1, 2], None, 6))
    active = activate(space, np.array([2, 0]))
    assert isinstance(active.matrix, np.ndarray)
    np.testing.assert_array_equal(active.matrix, X[:, [3, 5, 0, 2]])
