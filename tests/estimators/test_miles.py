"""MILES: exactly k instances of bags, for any loss or measure."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from some_bags import FORMS, dense, forms

from handful import Bags, FGMClassifier, MILESClassifier
from handful.datasets import make_bags
from handful.spaces import BagSimilarity
from handful.spaces.bags.standardizing import SAMPLE

DATA = make_bags(n_bags=60, mean_size=4, n_features=5, n_test_bags=60, random_state=0)


def fitted(X=DATA.bags, y=DATA.y, k=4, **options):
    return MILESClassifier(k, **{"C": "fast"} | options).fit(X, y)


def three_classes():
    """Bags of two concepts, and bags of none."""
    data = make_bags(n_bags=90, mean_size=4, n_features=3, n_concepts=1, random_state=1)
    other = data.bags.instances.copy()
    labels = np.where(data.y > 0, "near", "none").astype(object)
    moved = np.arange(90) % 4 == 0
    rows = np.flatnonzero(data.witnesses & np.repeat(moved, data.bags.sizes))
    other[rows] = other[rows] - data.concepts[0] + np.array([4.0, -4.0, 4.0])
    labels[moved] = "far"
    return Bags.of_sizes(other, data.bags.sizes), labels.astype(str)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_model(form):
    bags = list(DATA.bags)
    X, options = forms(bags)[form]
    one, model = fitted(), fitted(X, **options)
    np.testing.assert_array_equal(model.support_ids_, one.support_ids_)
    np.testing.assert_allclose(model.weights_, one.weights_, rtol=1e-6)
    np.testing.assert_allclose(model.decision_function(X), one.decision_function(bags), atol=1e-7)


def beside_the_embedding(k, **options):
    """MILES, and FGM on all similarities written down."""
    written = BagSimilarity().on(DATA.bags).columns(np.arange(DATA.bags.n_instances))
    plain = FGMClassifier(k, max_rounds=4, **{"C": "fast"} | options).fit(written, DATA.y)
    return fitted(k=k, max_rounds=4, **options), plain


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("k", [4, None])
def test_equals_fgm_on_the_written_down_embedding(loss, k):
    model, plain = beside_the_embedding(k, loss=loss)
    np.testing.assert_array_equal(model.support_ids_, plain.support_ids_)
    np.testing.assert_allclose(model.weights_, plain.weights_, rtol=1e-5, atol=1e-8)
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-6)
    assert model.dual_gap_ == pytest.approx(plain.dual_gap_, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize("loss", ["f1", "prbep", "roc_auc"])
def test_equals_fgm_on_the_written_down_embedding_under_a_measure(loss):
    """Up to the tolerance of a solver for losses with kinks. C="auto" is ten times that of FGM."""
    model, plain = beside_the_embedding(4, loss=loss, C=0.5)
    np.testing.assert_array_equal(model.support_ids_, plain.support_ids_)
    assert model.objective_ == pytest.approx(plain.objective_, rel=2e-3)


@pytest.mark.parametrize(
    ("loss", "factor"), [("squared_hinge", 1.0), ("f1", 10.0), ("prbep", 10.0)]
)
def test_automatic_C_is_larger_under_a_measure(loss, factor):
    model, plain = beside_the_embedding(4, loss=loss)
    np.testing.assert_allclose(model.C_, factor * plain.C_, rtol=1e-6)


def test_finds_the_witnesses_and_predicts():
    model = fitted()
    assert len(model.support_ids_) == 4
    assert DATA.witnesses[DATA.bags.locate(model.selected_instances_)].sum() >= 2
    assert model.score(DATA.test_bags, DATA.test_y) > 0.9


def test_says_which_instances_were_chosen():
    ids = [f"bag {b:02}" for b in range(60)]
    bags = Bags(DATA.bags.instances, np.repeat(ids, DATA.bags.sizes))
    model = fitted(bags)
    for (bag, row), values in zip(model.selected_instances_, model.prototypes_, strict=True):
        np.testing.assert_array_equal(bags[ids.index(bag)][row], values)
    assert model.get_feature_names_out()[0] == "{}[{}]".format(*model.selected_instances_[0])


def test_bags_of_weight_zero_are_not_there():
    weight = (np.arange(60) % 3 > 0).astype(float)
    model = MILESClassifier(4, C="fast").fit(DATA.bags, DATA.y, sample_weight=weight)
    left = weight > 0
    fewer = MILESClassifier(4, C="fast").fit(DATA.bags[left], DATA.y[left])
    assert model.selected_instances_ == fewer.selected_instances_
    assert all(weight[bag] for bag, _ in model.selected_instances_)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize(
    "options",
    [{}, {"n_candidates": 300, "random_state": 0}, {"k": None, "max_rounds": 3}],
    ids=["k", "candidates", "plain"],
)
def test_the_order_of_bags_does_not_matter(options, is_sparse):
    """Neither to what is chosen, nor to gamma, which is that of a sample, nor to the columns."""
    data = make_bags(n_bags=150, mean_size=9, n_features=5, n_test_bags=20, random_state=2)
    assert data.bags.n_instances > SAMPLE
    instances = sp.csr_array(data.bags.instances) if is_sparse else data.bags.instances
    bags = Bags.of_sizes(instances, data.bags.sizes)
    order = np.random.default_rng(0).permutation(150)
    one, other = fitted(bags, data.y, **options), fitted(bags[order], data.y[order], **options)
    assert one.selected_instances_ == other.selected_instances_
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_array_equal(dense(one.prototypes_), dense(other.prototypes_))
    np.testing.assert_array_equal(one.get_support(), other.get_support())
    assert other.gamma_ == pytest.approx(one.gamma_, rel=1e-9)
    for method in ("transform", "decision_function"):
        expected, found = (getattr(model, method)(data.test_bags) for model in (one, other))
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_the_order_of_bags_does_not_matter_under_a_measure():
    """Of so few bags models are solved to the last digit; each of three classes chooses its own."""
    bags, y = three_classes()
    few = np.arange(48)
    order = np.random.default_rng(0).permutation(few)
    one, other = (
        fitted(bags[some], y[some], k=3, loss="f1", max_rounds=3, per_class=True)
        for some in (few, order)
    )
    assert one.selected_instances_ == other.selected_instances_
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-6, atol=1e-9)
    for output, ids in zip(one.weights_, one.class_support_ids_, strict=True):
        np.testing.assert_array_equal(one.support_ids_[output != 0], ids)


@pytest.mark.parametrize("loss", ["squared_hinge", "f1"])
def test_instance_scores_add_up_to_the_decision(loss):
    model = fitted(loss=loss)
    decision = model.decision_function(DATA.test_bags)
    scores = model.instance_scores(DATA.test_bags)
    assert [len(one) for one in scores] == DATA.test_bags.sizes.tolist()
    sums = [one.sum() + model.intercept_[0] for one in scores]
    np.testing.assert_allclose(sums, decision, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(model.instance_scores(DATA.test_bags[3]), scores[3])


def test_instance_scores_point_at_the_witness():
    model = fitted(k=6)
    scores = np.concatenate(model.instance_scores(DATA.test_bags))
    places = DATA.test_bags.offsets
    found = [
        DATA.test_witnesses[start + np.argmax(scores[start:stop])]
        for start, stop, label in zip(places[:-1], places[1:], DATA.test_y, strict=True)
        if label > 0
    ]
    assert np.mean(found) > 0.8


def test_several_classes_share_instances():
    bags, y = three_classes()
    model = fitted(bags, y, k=5)
    assert model.weights_.shape == (3, 5)
    assert model.score(bags, y) > 0.8
    scores = model.instance_scores(bags[0])
    assert scores.shape == (len(dense(bags[0])), 3)
    np.testing.assert_allclose(
        scores.sum(axis=0) + model.intercept_, model.decision_function([bags[0]])[0]
    )


def test_several_classes_under_a_measure_share_instances():
    bags, y = three_classes()
    model = fitted(bags, y, k=5, loss="f1", max_rounds=4)
    assert len(model.selected_instances_) == len(model.support_ids_) == 5
    assert model.weights_.shape == (3, 5)
    assert model.score(bags, y) > 0.8


def test_bags_may_have_several_labels():
    bags, y = three_classes()
    labels = (y[:, None] == np.unique(y)).astype(int)
    model = fitted(bags, labels, k=5)
    np.testing.assert_array_equal(model.support_ids_, fitted(bags, y, k=5).support_ids_)
    assert model.predict(bags).shape == labels.shape


def test_several_classes_under_a_measure_choose_their_own():
    bags, y = three_classes()
    model = fitted(bags, y, k=3, loss="f1", max_rounds=4, per_class=True)
    assert [len(ids) for ids in model.class_support_ids_] == [3, 3, 3]
    assert len(model.selected_instances_) == len(model.support_ids_)
    assert model.score(bags, y) > 0.8


def test_sparse_equals_dense():
    rng = np.random.default_rng(0)
    instances = np.where(rng.random((200, 30)) < 0.1, rng.random((200, 30)), 0.0)
    ids, y = np.repeat(np.arange(50), 4), np.arange(50) % 2
    instances[np.repeat(y, 4).astype(bool) & (np.arange(200) % 4 == 0), 3] = 1.0
    one = fitted(Bags(instances, ids), y)
    other = fitted(Bags(sp.csr_array(instances), ids), y)
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-6)
    assert sp.issparse(other.prototypes_)
    np.testing.assert_allclose(
        other.decision_function(Bags(instances, ids)),
        one.decision_function(Bags(instances, ids)),
        atol=1e-7,
    )


def test_grid_search_and_cross_validation_split_bags():
    scores = cross_val_score(MILESClassifier(4, C="fast"), DATA.bags, DATA.y, cv=3)
    assert scores.mean() > 0.8
    search = GridSearchCV(
        MILESClassifier(C="fast"), {"n_features_to_select": [2, 4], "gamma": ["scale", 0.5]}, cv=3
    )
    search.fit(DATA.bags, DATA.y)
    assert search.best_estimator_.score(DATA.test_bags, DATA.test_y) > 0.8
    on_list = cross_val_score(MILESClassifier(4, C="fast"), list(DATA.bags), DATA.y, cv=3)
    np.testing.assert_allclose(on_list, scores)


def test_representation_for_any_other_estimator():
    chain = make_pipeline(MILESClassifier(6, C="fast"), LogisticRegression(C=100.0)).fit(
        DATA.bags, DATA.y
    )
    assert chain.score(DATA.test_bags, DATA.test_y) > 0.9


@pytest.mark.parametrize("form", ["Bags", "list", "pandas rows", "polars rows", "pandas nested"])
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_names_the_instances(form, container):
    X, options = forms(list(DATA.bags))[form]
    model = fitted(X, **options).set_output(transform=container)
    table = model.transform(X)
    assert type(table).__module__.startswith(container)
    assert list(table.columns) == list(model.get_feature_names_out())
    assert table.shape == (60, 4)


def test_conventions():
    model = MILESClassifier(4, gamma=0.5, bag_column="b", C="fast")
    assert clone(model).get_params() == model.get_params()
    assert "space" not in model.get_params()
    for call in (model.predict, model.transform, model.instance_scores):
        with pytest.raises(NotFittedError):
            call(DATA.bags)
    assert not hasattr(model, "selected_instances_")
    assert not hasattr(model, "gamma_")
    fit = fitted(gamma=0.5)
    assert fit.n_features_in_ == 5
    assert fit.gamma_ == 0.5
    assert not hasattr(fit, "coef_")
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.predict(DATA.bags), fit.predict(DATA.bags))
    assert fit.get_support().sum() == 4
    assert fit.get_support().shape == (DATA.bags.n_instances,)


def test_names_of_columns():
    X, options = forms(list(DATA.bags))["pandas rows"]
    model = fitted(X, **options)
    assert model.feature_names_in_.tolist() == ["f0", "f1", "f2", "f3", "f4"]
    with pytest.raises(ValueError, match="column 0 of X is named 'f1'"):
        model.predict(X[["f1", "f0", "f2", "f3", "f4", "bag"]])
    refit = model.set_params(bag_column=None).fit(DATA.bags, DATA.y)
    assert not hasattr(refit, "feature_names_in_")


def test_few_candidates():
    model = fitted(n_candidates=40, random_state=0)
    assert len(model.support_ids_) == 4
    again = fitted(n_candidates=40, random_state=0)
    assert model.selected_instances_ == again.selected_instances_
    assert model.space_.random_state == 0


@pytest.mark.parametrize("options", [{}, {"per_class": True, "max_rounds": 2}])
def test_candidates_are_drawn_once_in_a_fit(options):
    """Every round, class and number of features has the same; another fit has others."""
    bags, y = three_classes()
    settings = {"C": "fast", "n_candidates": 40, **options}
    model = MILESClassifier(2, random_state=None, **settings).fit(bags, y)
    seed = model.space_.random_state
    # A fit with that one seed throughout is the same fit: no part of it had another.
    same = MILESClassifier(2, random_state=seed, **settings).fit(bags, y)
    assert np.array_equal(same.support_ids_, model.support_ids_)
    assert np.array_equal(same.weights_, model.weights_)
    paths = model.fit_path(bags, y, [2, 3])
    [of_path] = {one.space_.random_state for one in paths.values()}
    assert of_path != seed
    same = MILESClassifier(2, random_state=of_path, **settings).fit_path(bags, y, [2, 3])
    for k, one in paths.items():
        assert np.array_equal(same[k].support_ids_, one.support_ids_)


def test_a_source_of_seeds_is_asked_only_where_something_is_drawn():
    random = np.random.RandomState(0)
    fitted(random_state=random)
    assert random.randint(1000) == np.random.RandomState(0).randint(1000)
    one, other = (fitted(n_candidates=40, random_state=np.random.RandomState(3)) for _ in range(2))
    assert one.selected_instances_ == other.selected_instances_


def test_include_and_exclude_are_rows_of_instances():
    best = fitted().selected_instances_[:2]
    (seventh,) = zip(*DATA.bags.places(np.array([7])), strict=True)
    model = fitted(include=[7], exclude=DATA.bags.locate(best))
    assert seventh in model.selected_instances_
    assert not set(best) & set(model.selected_instances_)
    mask = np.arange(DATA.bags.n_instances) == 7
    np.testing.assert_array_equal(fitted(include=mask).support_ids_, fitted(include=7).support_ids_)


def test_equal_instances_are_included_and_excluded_as_one():
    """The second of two is reported as the first."""
    bags = Bags.of_sizes(np.tile(DATA.bags.instances, (2, 1)), np.tile(DATA.bags.sizes, 2))
    y, n_instances = np.tile(DATA.y, 2), DATA.bags.n_instances
    model = fitted(bags, y, include=[7, n_instances + 7])
    assert len(model.support_ids_) == 4
    assert 7 in bags.locate(model.selected_instances_)
    best = bags.locate(fitted(bags, y).selected_instances_)
    other = fitted(bags, y, exclude=best + n_instances)
    assert not np.isin(best, bags.locate(other.selected_instances_)).any()
    with pytest.raises(ValueError, match=r"feature bag1\[2\] is in include and in exclude"):
        fitted(bags, y, include=[7], exclude=[n_instances + 7])


def test_repeated_bags_have_the_same_ids():
    """And the same model as bags of that weight."""
    repeated = DATA.bags[np.repeat(np.arange(60), 2)]
    one = MILESClassifier(4, C="fast").fit(DATA.bags, DATA.y, sample_weight=np.full(60, 2.0))
    other = fitted(repeated, np.repeat(DATA.y, 2))
    np.testing.assert_array_equal(one.support_ids_, other.support_ids_)
    np.testing.assert_array_equal(one.prototypes_, other.prototypes_)
    np.testing.assert_allclose(one.weights_, other.weights_, rtol=1e-5)
    assert other.get_support().shape == (DATA.bags.n_instances,)


def test_checkpoint_resumes(tmp_path):
    whole = fitted()
    for _ in range(2):
        model = fitted(checkpoint=tmp_path / "fit.npz")
        np.testing.assert_array_equal(model.support_ids_, whole.support_ids_)
        np.testing.assert_allclose(model.weights_, whole.weights_)
    with pytest.raises(ValueError, match="belongs to other data"):
        fitted(checkpoint=tmp_path / "fit.npz", gamma=3.0)
