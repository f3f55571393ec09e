"""The joint objective of dictionaries: its gradient, and that it never rises."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from handful import Bags, DictionaryMILClassifier
from handful.datasets import make_bags
from handful.losses import SquaredHinge, resolve_loss
from handful.methods.dictionary.objective import JointObjective
from handful.methods.fgm.solvers import Target
from handful.spaces.bags.distances import BagDistances

DATA = make_bags(n_bags=24, mean_size=3, n_features=3, n_test_bags=0, random_state=3)
SIGNS = np.where(DATA.y == DATA.y.max(), 1.0, -1.0)
REAL = Path(os.environ.get("HANDFUL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def problem(loss, penalty=0.1, instances=DATA.bags.instances, C=1.0):
    loss = resolve_loss(loss, "classification")
    loss = loss.of_samples(SIGNS, np.ones(len(SIGNS)))
    target = Target(loss, SIGNS[:, None], np.full((len(SIGNS), 1), C), loss.has_threshold)
    bags = Bags.of_sizes(instances, DATA.bags.sizes)
    center = DATA.bags.instances.mean(axis=0)
    return JointObjective(BagDistances(bags), target, 0.3, penalty, center)


def finite_differences(value, atoms, step=1e-5):
    gradient = np.empty_like(atoms)
    for place in np.ndindex(*atoms.shape):
        moved = [atoms.copy(), atoms.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        gradient[place] = (value(moved[0]) - value(moved[1])) / (2.0 * step)
    return gradient


def away_from_ties():
    """Atoms to which no bag has two instances that are equally near."""
    rng = np.random.default_rng(0)
    atoms = rng.standard_normal((4, 3))
    for bag in DATA.bags:
        squared = ((bag[:, None] - atoms) ** 2).sum(axis=2)
        if len(bag) > 1:
            two = np.sort(squared, axis=0)[:2]
            assert (two[1] - two[0]).min() > 1e-4
    return atoms


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_gradient_with_the_best_classifier_equals_finite_differences(loss):
    task, atoms = problem(loss), away_from_ties()
    found = task.gradient(task.fit(atoms, tol=1e-12))
    expected = finite_differences(lambda d: task.fit(d, tol=1e-12).objective, atoms)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("loss", ["f1", "prbep"])
def test_gradient_under_a_measure_equals_finite_differences(loss):
    # A risk has kinks in the predictions, but its least value over classifiers bends smoothly where
    # the mixture of labelings is unique. What is left is the gap of the bundle.
    task, atoms = problem(loss, C=0.05), away_from_ties()[:2]
    found = task.gradient(task.fit(atoms, tol=1e-6))
    expected = finite_differences(lambda d: task.fit(d, tol=1e-6).objective, atoms, 1e-3)
    np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.01 * np.abs(expected).max())


def test_sparse_instances_have_the_same_objective_and_gradient():
    dense, atoms = problem("squared_hinge"), away_from_ties()
    sparse = problem("squared_hinge", instances=sp.csr_array(DATA.bags.instances))
    one, other = dense.fit(atoms), sparse.fit(atoms)
    assert other.objective == pytest.approx(one.objective, rel=1e-9)
    np.testing.assert_allclose(sparse.gradient(other), dense.gradient(one), rtol=1e-6, atol=1e-9)


def test_objective_is_what_the_formula_says():
    model = DictionaryMILClassifier(
        4, loss=SquaredHinge(), C=2.0, dictionary_penalty=0.1, scale="raw", random_state=0
    ).fit(DATA.bags, DATA.y)
    z = model.decision_function(DATA.bags)
    slack = np.maximum(0.0, 1.0 - SIGNS * z)
    away = model.dictionary_ - DATA.bags.instances.mean(axis=0)
    by_hand = (
        0.5 * np.sum(model.weights_**2) + 0.05 * np.sum(away**2) + 2.0 * 0.5 * np.sum(slack**2)
    )
    assert model.objective_ == pytest.approx(by_hand, rel=1e-8)
    assert model.objective_path_[-1] == pytest.approx(by_hand, rel=1e-8)


LOSSES = ["f1", "accuracy", "prbep", "prec@50%", "roc_auc", "squared_hinge", "logistic"]


def assert_never_rises(model):
    path = model.objective_path_
    assert len(path) > 3
    assert (np.diff(path) <= 0.0).all()
    assert path[-1] < 0.9 * path[0]


@pytest.mark.parametrize("init", ["random", "kmeans"])
@pytest.mark.parametrize("loss", LOSSES)
def test_objective_never_rises(loss, init):
    data = make_bags(n_bags=60, mean_size=4, n_features=5, n_test_bags=0, random_state=0)
    model = DictionaryMILClassifier(
        6, loss=loss, init=init, max_iter=15, dictionary_penalty=1e-2, random_state=0
    ).fit(data.bags, data.y)
    assert_never_rises(model)


@pytest.mark.parametrize("loss", ["f1", "prbep", "squared_hinge"])
@pytest.mark.parametrize("name", ["musk1", "musk2", "elephant"])
def test_objective_never_rises_on_real_bags(name, loss):
    file = REAL / "mil" / f"{name}.npz"
    if not file.exists():
        pytest.skip(f"needs the data of {name}: {file} (HANDFUL_DATA names the folder)")
    with np.load(file) as data:
        bags, y = Bags(data["X"], data["bag"]), data["bag_y"]
    assert_never_rises(
        DictionaryMILClassifier(10, loss=loss, max_iter=6, random_state=0).fit(bags, y)
    )
