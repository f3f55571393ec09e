"""Dictionaries of atoms for bags: what a fit gives, from every form of bags."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks
from some_bags import FORMS, forms

from handful import Bags, DictionaryMILClassifier
from handful.datasets import make_bags
from handful.io import InputError, load_model, save_model
from handful.measures import FBeta
from handful.status import Status

DATA = make_bags(n_bags=60, mean_size=3, n_features=3, n_concepts=1, n_test_bags=60, random_state=0)
SETTINGS = [
    {"n_atoms": 2, "loss": "accuracy"},
    {"n_atoms": 2, "loss": "squared_hinge"},
    {"n_atoms": 2, "loss": "logistic", "init": "kmeans"},
]


def fitted(X=DATA.bags, y=DATA.y, n_atoms=6, **options):
    options = {"random_state": 0, "max_iter": 15, **options}
    return DictionaryMILClassifier(n_atoms, **options).fit(X, y)


def checked(settings, max_iter=3):
    options = {"max_iter": max_iter, "random_state": 0}
    return [DictionaryMILClassifier(**options, **setting) for setting in settings]


@parametrize_with_checks(checked(SETTINGS[:1], max_iter=2))
@pytest.mark.filterwarnings("ignore:n_atoms=20 is more than")
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.exhaustive
@parametrize_with_checks([DictionaryMILClassifier(), *checked(SETTINGS[1:])])
@pytest.mark.filterwarnings("ignore:n_atoms=20 is more than")
def test_scikit_learn_check_of_other_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_fewer_different_instances_than_atoms_are_all_taken(init, n_classes):
    bags, y = [np.array([[k, 0.0], [0.0, k % 2]]) for k in range(6)], np.arange(6) % n_classes
    n_different = len(np.unique(np.concatenate(bags), axis=0))
    model = DictionaryMILClassifier(init=init, max_iter=2, random_state=0)
    with pytest.warns(UserWarning, match=f"n_atoms=20 is more than the {n_different}") as caught:
        model.fit(bags, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    n_dictionaries = 1 if n_classes == 2 else n_classes
    assert len(model.dictionary_) == n_different * n_dictionaries
    assert model.weights_.shape == (n_dictionaries, n_different * n_dictionaries)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_model(form):
    bags = list(DATA.bags)
    X, options = forms(bags)[form]
    one = fitted(loss="squared_hinge", max_iter=3)
    model = fitted(X, loss="squared_hinge", max_iter=3, **options)
    np.testing.assert_allclose(model.dictionary_, one.dictionary_, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(model.decision_function(X), one.decision_function(bags), atol=1e-5)


def test_the_order_of_bags_does_not_matter():
    order = np.random.default_rng(0).permutation(60)
    one = fitted(loss="squared_hinge", max_iter=3)
    other = fitted(DATA.bags[order], DATA.y[order], loss="squared_hinge", max_iter=3)
    np.testing.assert_allclose(other.dictionary_, one.dictionary_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(other.transform(DATA.test_bags), one.transform(DATA.test_bags))


@pytest.mark.parametrize("loss", ["f1", "accuracy", "squared_hinge", FBeta(beta=2.0)])
def test_finds_the_concepts(loss):
    model = fitted(loss=loss, max_iter=40, n_init=2)
    assert model.score(DATA.test_bags, DATA.test_y) > 0.9
    start = fitted(loss=loss, max_iter=0)
    assert start.n_iter_ == 0
    assert model.objective_ < 0.7 * start.objective_


def test_a_measure_of_rankings_calls_as_many_positive_as_there_are():
    model = fitted(loss="prbep")
    assert (model.predict(DATA.bags) == model.classes_[1]).sum() == (
        DATA.y == model.classes_[1]
    ).sum()


def test_the_threshold_of_a_ranking_counts_weights():
    weight = 1.0 + (np.arange(60) % 4)
    model = DictionaryMILClassifier(6, loss="roc_auc", max_iter=3, random_state=0)
    model.fit(DATA.bags, DATA.y, sample_weight=weight)
    called = model.predict(DATA.bags) == model.classes_[1]
    wanted = weight[model.classes_[1] == DATA.y].sum()
    order = np.argsort(model.decision_function(DATA.bags)[called])
    last = weight[called][order[0]]  # the last one called positive may have copies on both sides
    assert wanted - last < weight[called].sum() < wanted + last
    repeated = np.repeat(np.arange(60), weight.astype(int))
    other = DictionaryMILClassifier(6, loss="roc_auc", max_iter=0, random_state=0)
    start = clone(other).fit(DATA.bags, DATA.y, sample_weight=weight)
    other.fit(DATA.bags[repeated], DATA.y[repeated])
    # Not the labels: a bag whose copies are on both sides lies on the border itself.
    np.testing.assert_allclose(
        start.decision_function(DATA.bags), other.decision_function(DATA.bags), atol=1e-9
    )


def test_transform_is_the_similarity_of_bags():
    model = fitted(scale="raw", gamma=0.3)
    by_hand = [
        [max(np.exp(-0.3 * np.sum((row - atom) ** 2)) for row in bag) for atom in model.dictionary_]
        for bag in DATA.bags
    ]
    found = model.transform(DATA.bags)
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    np.testing.assert_allclose(
        found @ model.weights_[0] + model.intercept_, model.decision_function(DATA.bags)
    )


def test_columns_in_other_units_give_the_same_model():
    factors = np.array([1.0, 1000.0, 0.01])
    one = fitted(loss="squared_hinge", max_iter=3)
    other = fitted(DATA.bags.scaled(factors), loss="squared_hinge", max_iter=3)
    np.testing.assert_allclose(other.dictionary_, one.dictionary_ * factors, rtol=1e-5)


def test_instance_scores_point_at_the_witnesses():
    model = fitted(loss="squared_hinge", max_iter=40)
    witnesses = np.split(DATA.witnesses, DATA.bags.offsets[1:-1])
    hits = [
        witness[np.argmax(scores)]
        for witness, scores in zip(witnesses, model.instance_scores(DATA.bags), strict=True)
        if witness.any()
    ]
    assert np.mean(hits) > 0.8
    bag = DATA.bags[0]
    total = model.instance_scores(bag).sum() + model.intercept_[0]
    assert total == pytest.approx(model.decision_function([bag])[0])


def test_the_lowest_of_several_starts_is_kept():
    several = fitted(loss="squared_hinge", n_init=4)
    singles = [record.objective for record in several.history_]
    assert several.objective_ <= min(singles) * (1 + 1e-9)
    assert len({record.phase for record in several.history_}) == 4
    assert several.n_iter_ == len(several.history_)


def test_the_same_seed_gives_the_same_model():
    np.testing.assert_array_equal(fitted().dictionary_, fitted().dictionary_)
    assert (fitted(random_state=1).dictionary_ != fitted().dictionary_).any()


def test_atoms_may_start_anywhere():
    where = np.zeros((2, 3)) + np.array([[0.5], [-0.5]])
    stay = fitted(n_atoms=2, init=where, max_iter=0)
    np.testing.assert_allclose(stay.dictionary_, where)
    assert (fitted(n_atoms=2, init=where).dictionary_ != where).any()


def test_a_flat_objective_stops_early():
    model = fitted(loss="squared_hinge", max_iter=500, tol=0.05)
    assert model.status_ is Status.FLAT
    assert model.n_iter_ < 500
    assert fitted(max_iter=2).status_ is Status.MAX_MOVES


def three_classes():
    y = np.where(DATA.y == DATA.y.max(), "near", "none")
    instances = DATA.bags.instances.copy()
    far = np.arange(60) % 4 == 0
    instances[np.repeat(far, DATA.bags.sizes)] += 4.0
    y[far] = "far"
    return Bags.of_sizes(instances, DATA.bags.sizes), y


@pytest.mark.parametrize("loss", ["f1", "squared_hinge"])
def test_more_classes_have_a_dictionary_each(loss):
    bags, y = three_classes()
    model = fitted(bags, y, n_atoms=4, loss=loss)
    assert model.dictionary_.shape == (12, 3)
    assert model.decision_function(bags).shape == (60, 3)
    assert (model.weights_[0, 4:] == 0).all()
    assert model.score(bags, y) > 0.8
    assert (np.diff(model.objective_path_) <= 0).all()
    assert model.instance_scores(bags[0]).shape == (len(bags[0]), 3)


def test_weight_zero_is_a_bag_that_is_not_there():
    weight = np.ones(60)
    weight[::5] = 0.0
    left = np.flatnonzero(weight)
    options = {"loss": "squared_hinge", "random_state": 0, "max_iter": 5}
    one = DictionaryMILClassifier(4, **options).fit(DATA.bags, DATA.y, sample_weight=weight)
    other = DictionaryMILClassifier(4, **options).fit(DATA.bags[left], DATA.y[left])
    np.testing.assert_allclose(one.dictionary_, other.dictionary_)


@pytest.mark.parametrize("loss", ["f1", "accuracy", "roc_auc", "squared_hinge"])
def test_a_weight_is_that_many_bags_to_the_last_bit(loss):
    """Steps of atoms make much of little: without the same sums there would be another dictionary."""
    weight = np.random.default_rng(0).integers(0, 4, 60)
    repeated = np.random.default_rng(1).permutation(np.repeat(np.arange(60), weight))
    model = DictionaryMILClassifier(4, loss=loss, max_iter=20, random_state=0)
    one = clone(model).fit(DATA.bags, DATA.y, sample_weight=weight)
    other = clone(model).fit(DATA.bags[repeated], DATA.y[repeated])
    np.testing.assert_array_equal(one.dictionary_, other.dictionary_)
    np.testing.assert_array_equal(one.weights_, other.weights_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)


def test_a_measure_without_weights_takes_bags_that_are_there_twice():
    twice = np.concatenate([np.arange(60), np.arange(10)])
    model = fitted(DATA.bags[twice], DATA.y[twice], loss="prbep", max_iter=2)
    assert model.predict(DATA.bags).shape == (60,)
    with pytest.raises(ValueError, match="prbep is not defined for weighted samples"):
        model.fit(DATA.bags, DATA.y, sample_weight=np.arange(60.0))


def test_grid_search_pipeline_and_conventions():
    model = DictionaryMILClassifier(10, loss="squared_hinge", max_iter=10, random_state=0)
    assert clone(model).get_params() == model.get_params()
    for call in (model.predict, model.transform, model.instance_scores):
        with pytest.raises(NotFittedError):
            call(DATA.bags)
    assert cross_val_score(model, list(DATA.bags), DATA.y, cv=3).mean() > 0.7
    search = GridSearchCV(model, {"gamma": ["scale", 0.5]}, cv=2).fit(DATA.bags, DATA.y)
    assert search.best_estimator_.score(DATA.test_bags, DATA.test_y) > 0.7
    chain = make_pipeline(model, LogisticRegression(C=100.0)).fit(DATA.bags, DATA.y)
    assert chain.score(DATA.test_bags, DATA.test_y) > 0.7
    fit = fitted()
    again = pickle.loads(pickle.dumps(fit))
    np.testing.assert_array_equal(again.predict(DATA.bags), fit.predict(DATA.bags))


@pytest.mark.parametrize("form", ["Bags", "list", "pandas rows"])
def test_set_output_names_the_atoms(form):
    X, options = forms(list(DATA.bags))[form]
    model = fitted(X, max_iter=2, **options).set_output(transform="pandas")
    table = model.transform(X)
    assert list(table.columns) == [f"dictionarymilclassifier{k}" for k in range(6)]
    assert table.shape == (60, 6)


def test_steps_are_told_and_printed(capsys):
    told = []
    model = fitted(max_iter=3, verbose=told.append)
    assert told == list(model.history_)
    assert capsys.readouterr().out == ""
    fitted(max_iter=3, verbose=True)
    assert capsys.readouterr().out.count("start 1") == 3


def test_an_interrupt_ends_with_a_model():
    def stop(record):
        if record.number == 2:
            signal_self()

    def signal_self():
        import os
        import signal

        os.kill(os.getpid(), signal.SIGINT)

    bags, y = three_classes()
    model = fitted(bags, y, n_atoms=3, max_iter=20, n_init=3, verbose=stop)
    assert model.status_ is Status.INTERRUPTED
    assert model.n_iter_ == 2
    assert model.predict(bags).shape == (60,)
    assert model.weights_.shape == (3, 9)


def test_model_file(tmp_path):
    path = tmp_path / "model.handful"
    bags, y = three_classes()
    for model, data in ((fitted(), DATA.bags), (fitted(bags, y, n_atoms=3), bags)):
        save_model(model, path)
        again = load_model(path)
        np.testing.assert_array_equal(again.decision_function(data), model.decision_function(data))
        np.testing.assert_array_equal(again.transform(data), model.transform(data))
        assert again.history_ == model.history_


def test_model_file_that_does_not_fit_together(tmp_path):
    for name, value in {
        "dictionary_": np.zeros((6, 2)),
        "weights_": np.zeros((1, 5)),
        "scale_": np.zeros(3),
        "gamma_": -1.0,
    }.items():
        model = fitted(max_iter=1)
        setattr(model, name, value)
        save_model(model, tmp_path / "bad.handful")
        with pytest.raises(InputError, match="does not make sense"):
            load_model(tmp_path / "bad.handful")
