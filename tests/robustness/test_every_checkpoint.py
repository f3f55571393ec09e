"""Every estimator that has a checkpoint: a fit that was stopped after any round goes on to the identical result."""

import inspect
import signal

import numpy as np
import pytest
import scipy.sparse as sp
from every_estimator import BAGS, ESTIMATORS, MODELS, OUTPUTS, SCORE, THREE, TWO, X
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ShuffleSplit

from handful import (
    DictionaryMILClassifier,
    DirectSparsityClassifier,
    MILESClassifier,
    MultiTaskLassoInf,
    RFSClassifier,
    RFSRegressor,
    SVMPerfClassifier,
)
from handful.history import History
from handful.sizes import changed_sizes
from handful.status import Status

RNG = np.random.default_rng(1)
WIDE = RNG.standard_normal((40, 60))
WIDE[:, :12] = X[::2]
SPARSE = np.where(np.abs(X) > 0.7, X, 0.0)
NOISY = SCORE + 6.0 * RNG.standard_normal(len(X)) > 0
#: More ways to go from round to round than tests of what all estimators have in common need.
MORE = {
    "direct, hard": (DirectSparsityClassifier(4, margin="hard"), WIDE, THREE[::2]),
    # The same samples with other labels: no weights keep their margins.
    "direct, projected": (
        DirectSparsityClassifier(4, margin="hard"),
        np.vstack([WIDE, WIDE[:9]]),
        np.r_[THREE[::2], (THREE[:18:2] + 1) % 3],
    ),
    "direct, hard in vain": (DirectSparsityClassifier(margin="hard"), X[:, :3], TWO),
    "direct, p of a list": (DirectSparsityClassifier(4, p=[0.5, 1.0]), X, THREE),
    "direct, price of the intercept": (
        DirectSparsityClassifier(p=1.0, penalize_intercept=True),
        X + 1.0,
        TWO,
    ),
    "direct, own refit": (DirectSparsityClassifier(4, refit=LogisticRegression()), X, TWO),
    "RFS, tall": (RFSClassifier(4, alpha=3.0), np.tile(X, (10, 1)), np.tile(TWO, 10)),
    "RFS, alpha of a list": (RFSRegressor(4, alpha=[1.0, 10.0]), X, OUTPUTS),
    "dictionary, classes and starts": (
        DictionaryMILClassifier(3, n_init=2, max_iter=5, random_state=1),
        BAGS,
        THREE[::2],
    ),
    "dictionary, clusters": (
        DictionaryMILClassifier(
            3, loss="squared_hinge", init="kmeans", n_init=2, max_iter=12, random_state=0
        ),
        BAGS,
        TWO[::2],
    ),
    "dictionary, given atoms": (DictionaryMILClassifier(2, init=X[:2], tol=1e-9), BAGS, TWO[::2]),
    "lasso, wide": (MultiTaskLassoInf(n_features_to_select=9), WIDE, OUTPUTS[::2]),
    "lasso, copies": (
        MultiTaskLassoInf(n_features_to_select=4),
        np.hstack([X, 2.0 * X[:, 4:]]),
        OUTPUTS,
    ),
    "RFS, one output": (RFSRegressor(4, alpha=3.0, refit=True), X, SCORE),
    # Cuts in bytes where columns are fewer than samples, a sample is right or wrong, and there are no weights; else as numbers.
    "all features, C": (SVMPerfClassifier(C=30.0, fit_intercept=True), X, TWO),
    "all features, classes": (SVMPerfClassifier(C=3.0, fit_intercept=True), X, THREE),
    "all features, sparse": (
        SVMPerfClassifier("accuracy", fit_intercept=True),
        sp.csr_array(SPARSE),
        TWO,
    ),
    "all features, sparse classes": (SVMPerfClassifier("roc_auc"), sp.csc_array(SPARSE), THREE),
    "all features, wide": (SVMPerfClassifier("accuracy", C=0.03), WIDE, TWO[::2]),
    "all features, wide classes": (
        SVMPerfClassifier(C=0.01, fit_intercept=True),
        sp.csr_array(WIDE),
        THREE[::2],
    ),
    "all features, weights": (
        SVMPerfClassifier(class_weight="balanced", fit_intercept=True),
        X,
        NOISY,
    ),
    "all features, best first": (SVMPerfClassifier("prec@15", C=3.0), X, NOISY),
    "all features, few steps": (SVMPerfClassifier("prbep", C=3.0, max_iter=9), X, THREE),
}
HAVING = {
    name: model
    for name, model in {**MODELS, **MORE}.items()
    if "checkpoint" in inspect.signature(type(model[0])).parameters
    and not getattr(model[0], "per_class", False)  # each class has a file of its own
}
every_model = pytest.mark.parametrize("name", HAVING)


class Stopped(Exception):  # noqa: N818 - no error
    """As if the process had been killed: the round is saved."""


def fitted(name, path=None, last=None):
    """Fit, until the round with the number ``last`` has been saved; return the model and the rounds that were told."""
    model, features, y = HAVING[name]
    seen = []

    def tell(record):
        seen.append(record.number)
        if record.number == last:
            raise Stopped

    model = clone(model).set_params(checkpoint=path, verbose=tell)
    if last is None:
        return model.fit(features, y), seen
    with pytest.raises(Stopped):
        model.fit(features, y)
    return model, seen


def attributes(model):
    """All that was fitted, but for times and for what users gave."""
    found = {name: value for name, value in vars(model).items() if name.endswith("_")}
    found |= {name: getattr(model, name) for name in ("weights_", "intercept_", "n_iter_")}
    return {name: plain(value) for name, value in found.items()}


def plain(value):
    if isinstance(value, History):
        return [(r.number, r.phase, r.n_active, r.objective, r.bound) for r in value]
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (np.ndarray, np.generic, float)):
        value = np.asarray(value)
        return value.shape, value.tolist() if value.dtype == object else value.tobytes()
    known = (int, str, bool, Status, type(None))
    return value if isinstance(value, known) else type(value)


def identical(model, expected):
    """To the last bit, or as near as similarities are that were made in other company: a product of matrices
    is rounded as their shapes want it.
    """
    if isinstance(model, MILESClassifier):
        np.testing.assert_array_equal(model.support_ids_, expected.support_ids_)
        np.testing.assert_allclose(model.weights_, expected.weights_, rtol=1e-9)
        assert [r.phase for r in model.history_] == [r.phase for r in expected.history_]
        return
    one, other = attributes(model), attributes(expected)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


@pytest.fixture(scope="module")
def uninterrupted():
    """Each fit without a checkpoint, made once."""
    known = {}

    def get(name):
        if name not in known:
            known[name], _ = fitted(name)
        return known[name]

    return get


def last_saved(model):
    """The number of the last round that is saved: a refit is made again."""
    return len(model.history_) - (model.history_[-1].phase == "refit")


def test_every_estimator_with_a_checkpoint_is_here():
    having = {
        cls for cls in ESTIMATORS.values() if "checkpoint" in inspect.signature(cls).parameters
    }
    assert {type(model) for model, *_ in HAVING.values()} >= {
        cls for cls in having if "estimator" not in inspect.signature(cls).parameters
    }


@every_model
def test_a_stopped_fit_goes_on_to_the_last_bit(name, tmp_path, uninterrupted, fewer):
    expected = uninterrupted(name)
    n_rounds = last_saved(expected)
    assert n_rounds > 1, "nothing to take up"
    for number in range(1, n_rounds + 1, n_rounds // max(1, fewer(n_rounds))):
        path = tmp_path / f"c{number}"
        fitted(name, path, number)
        model, seen = fitted(name, path)
        identical(model, expected)
        assert seen == list(range(number + 1, len(expected.history_) + 1))


@pytest.mark.exhaustive
@every_model
def test_one_round_in_each_fit(name, tmp_path, uninterrupted):
    expected, path = uninterrupted(name), tmp_path / "c"
    for number in range(1, last_saved(expected) + 1):
        assert fitted(name, path, number)[1] == [number]
    identical(fitted(name, path)[0], expected)


@every_model
def test_a_complete_fit_again_is_done_at_once(name, tmp_path, uninterrupted):
    expected, path = uninterrupted(name), tmp_path / "c"
    model, seen = fitted(name, path)
    identical(model, expected)
    assert seen == list(range(1, len(expected.history_) + 1))
    content = path.read_bytes()
    model, seen = fitted(name, path)
    identical(model, expected)
    assert seen == list(range(last_saved(expected) + 1, len(expected.history_) + 1))
    assert path.read_bytes() == content


@every_model
def test_after_ctrl_c_it_goes_on(name, tmp_path, uninterrupted):
    expected, path = uninterrupted(name), tmp_path / "c"
    model, features, y = HAVING[name]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupted = clone(model).set_params(
            checkpoint=path,
            verbose=lambda record: record.number == 2 and signal.raise_signal(signal.SIGINT),
        )
        assert interrupted.fit(features, y).status_ is Status.INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    identical(fitted(name, path)[0], expected)


def other_parameters(model):
    """Other values of parameters that decide the result."""
    other = {"tol": 0.3, "max_iter": 7, "C": 0.7, "alpha": 0.9, "budget": 4, "n_atoms": 2}
    given = model.get_params()
    return {name: value for name, value in other.items() if given.get(name, value) != value}


@every_model
def test_another_fit_is_refused(name, tmp_path):
    model, features, y = HAVING[name]
    path = tmp_path / "c"
    fitted(name, path, 1)
    content = path.read_bytes()
    refused = pytest.raises(ValueError, match="c belongs to other data or other parameters; remove")
    others = [(features, y, {one: value}) for one, value in other_parameters(model).items()]
    others += [(features, y[::-1], {}), (features[::-1], y, {})]
    assert len(others) > 2
    for other_features, targets, parameters in others:
        again = clone(model).set_params(checkpoint=path, **parameters)
        with refused:
            again.fit(other_features, targets)
        assert not hasattr(again, "status_")
    assert path.read_bytes() == content


@every_model
def test_a_damaged_file_is_refused(name, tmp_path, uninterrupted, fewer):
    """Cut short, bytes changed, or arrays missing: refused, or harmless."""
    expected, path = uninterrupted(name), tmp_path / "c"
    fitted(name, path, 2)
    content = path.read_bytes()
    with np.load(path) as file:
        arrays = dict(file)
    cannot = "cannot be read: it is damaged or not a checkpoint"
    for length in np.linspace(0, len(content) - 2, fewer(20, part=4)).astype(int):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match=cannot):
            fitted(name, path)
    for where in np.linspace(0, len(content) - 1, fewer(60, part=4)).astype(int):
        changed = bytearray(content)
        changed[where] ^= 0x55
        path.write_bytes(changed)
        try:
            model, _ = fitted(name, path)
        except ValueError as error:
            assert cannot in str(error) or "belongs to other data" in str(error)  # noqa: PT017
        else:
            identical(model, expected)
    for missing in [*arrays][:: len(arrays) // fewer(len(arrays), part=3)]:
        np.savez(path, **{one: array for one, array in arrays.items() if one != missing})
        (tmp_path / "c.npz").replace(path)
        with pytest.raises(ValueError, match=cannot):
            fitted(name, path)


def test_hard_margins_are_not_tried_again(uninterrupted):
    """What is taken up are projected margins, or soft ones, and that hard ones cannot be kept."""
    projected, soft = uninterrupted("direct, projected"), uninterrupted("direct, hard in vain")
    assert (projected.margin_, projected.feasible_, projected.status_) == (
        "projected",
        False,
        Status.PROJECTED,
    )
    assert (soft.margin_, soft.feasible_, soft.status_) == ("soft", False, Status.SOFTENED)


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (DirectSparsityClassifier(4, p=[0.3, 0.5, 0.8, 1.0]), TWO),
        (RFSRegressor(alpha=[1, 3]), SCORE),
    ],
)
def test_what_folds_chose_is_not_chosen_again(model, y, tmp_path):
    """Folds that are drawn anew might choose another value."""
    path = tmp_path / "c"
    model.set_params(cv=ShuffleSplit(2, test_size=0.3), checkpoint=path)
    first = clone(model).fit(X, y)
    identical(clone(model).fit(X, y), first)


def test_an_interrupt_among_folds_saves_nothing(tmp_path):
    """What some folds choose, all might not."""

    class Interrupting(ShuffleSplit):
        def split(self, X, y=None, groups=None):
            signal.raise_signal(signal.SIGINT)
            return super().split(X, y, groups)

    path = tmp_path / "c"
    model = RFSRegressor(alpha=[1, 3], cv=Interrupting(2), checkpoint=path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert model.fit(X, SCORE).status_ is Status.INTERRUPTED
    finally:
        signal.signal(signal.SIGINT, before)
    assert not path.exists()


@pytest.mark.parametrize("name", ["direct", "direct, projected", "RFS, tall", "RFS", "lasso, wide"])
def test_columns_in_blocks(name, tmp_path):
    """What was held in memory, because it was needed at once, is so again."""
    with changed_sizes(block_entries=500, moments_columns=0):
        expected, _ = fitted(name)
        for number in range(1, len(expected.history_) + 1, 7):
            path = tmp_path / f"c{number}"
            fitted(name, path, number)
            identical(fitted(name, path)[0], expected)
