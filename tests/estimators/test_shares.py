"""``n_features_to_select`` between 0 and 1 is a share of what there is to select from."""

import numpy as np
import pytest
from every_estimator import OF_BAGS, WITH_K, quick, small_data
from problems import N_FEATURES, two_classes

from handful import (
    FGMClassifier,
    GreedyRLSClassifier,
    RFSClassifier,
    load_model,
    save_model,
)
from handful.spaces import Polynomial
from handful.validation import n_wanted

X, Y = two_classes()


def fitted(name, k, **options):
    return quick(name, k, **options).fit(*small_data(name))


@pytest.mark.parametrize("name", WITH_K)
def test_a_share_is_the_number_that_it_stands_for(name, tmp_path):
    n_there = N_FEATURES
    if name in OF_BAGS:
        n_there = len(np.unique(small_data(name)[0].instances, axis=0))
    k = int(0.07 * n_there)
    assert k > 1
    model, expected = fitted(name, 0.07, verbose=False), fitted(name, k)
    np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    assert len(model.support_ids_) == k
    assert model.n_features_to_select == 0.07
    save_model(model, tmp_path / "m.handful")
    assert load_model(tmp_path / "m.handful").n_features_to_select == 0.07


@pytest.mark.parametrize("name", WITH_K)
@pytest.mark.parametrize("wrong", [0.0, 1.0, 1.5, -0.1, np.nan, True, "half"])
def test_what_is_neither_number_nor_share(name, wrong):
    sentence = (
        "^n_features_to_select must be a whole number of at least 1, a share between 0 and 1, or"
    )
    with pytest.raises(ValueError, match=sentence):
        fitted(name, wrong)


@pytest.mark.parametrize(
    ("share", "n_there", "expected"),
    [(0.5, 10, 5), (0.19, 10, 1), (0.001, 10, 1), (0.999, 10, 9), (np.float32(0.5), 7, 3)],
)
def test_the_whole_part_and_at_least_one(share, n_there, expected):
    assert n_wanted(share, n_there) == expected


def test_groups_and_made_features_are_what_is_counted():
    groups = np.arange(N_FEATURES) // 3
    for model in (
        FGMClassifier(0.1, C="fast", groups=groups),
        GreedyRLSClassifier(0.1, groups=groups),
    ):
        assert len(model.fit(X, Y).group_support_) == 2
    few = X[:, :5]
    n_pairs = 5 + 5 * 6 // 2
    model = FGMClassifier(0.25, C="fast", space=Polynomial()).fit(few, Y)
    assert len(model.support_ids_) == n_pairs // 4


def test_instances_that_may_be_drawn_are_counted():
    model = fitted("MILESClassifier", 0.25, n_candidates=20)
    assert len(model.support_ids_) == 5


def test_a_share_that_exclude_leaves_no_room_for():
    with pytest.raises(ValueError, match="=54 is more than the 50 features that are left of 60"):
        FGMClassifier(0.9, exclude=np.arange(10)).fit(X, Y)


def test_fewer_useful_features_than_the_share():
    some = np.zeros((len(X), 10))
    some[:, :3] = X[:, :3]
    for model in (FGMClassifier(0.5, C="fast"), GreedyRLSClassifier(0.5)):
        with pytest.warns(UserWarning, match="Only 3 of the 5 features asked for"):
            model.fit(some, Y)


@pytest.mark.parametrize("name", ["FGMClassifier", "GreedyRLSClassifier"])
def test_a_checkpoint_is_of_the_number(name, tmp_path):
    path = tmp_path / "fit.npz"
    expected = fitted(name, 0.1, checkpoint=path)
    model = fitted(name, 6, checkpoint=path)
    np.testing.assert_array_equal(model.weights_, expected.weights_)
    with pytest.raises(ValueError, match="other data or other parameters"):
        fitted(name, 0.2, checkpoint=path)


@pytest.mark.parametrize(
    ("groups", "n_choices"),
    [
        (None, N_FEATURES),
        (np.arange(N_FEATURES) // 3, 20),
        ([np.arange(10), np.arange(5, 20)], 42),
    ],
    ids=["columns", "labels", "lists"],
)
def test_a_shorter_model_may_be_a_share_too(groups, n_choices):
    model = fitted("GreedyRLSClassifier", 0.3, groups=groups)
    shorter = model.truncate(0.1)
    assert shorter.n_features_to_select == 0.1
    assert len(shorter.selection_order_) == n_choices // 10
    np.testing.assert_array_equal(shorter.weights_, model.truncate(n_choices // 10).weights_)
    with pytest.raises(
        ValueError, match=f"n_features_to_select must be .* to {len(model.loo_errors_)}"
    ):
        model.truncate(0.9)


def test_a_shorter_model_has_its_own_number():
    model = fitted("GreedyRLSClassifier", 0.1)
    assert model.truncate(2).n_features_to_select == 2


def test_tags_know_that_a_share_may_be_one_feature():
    for model in (FGMClassifier(0.5), GreedyRLSClassifier(0.5), RFSClassifier(0.5)):
        assert model.__sklearn_tags__().classifier_tags.poor_score
