"""Ctrl-C: the first ends the fit with a model, the second ends it at once."""

import os
import signal
import threading

import children
import numpy as np
import pytest
from problems import two_classes

from handful import FGMClassifier
from handful.status import Status

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")


class Child:
    """A fit in another process that waits after each round."""

    def __init__(self, name, path=None):
        self.pipe, other = children.context.Pipe()
        self.process = children.start(children.fit_slowly, name, path, other)

    def next(self):
        """The number of the next round, or how the fit ended."""
        assert self.pipe.poll(children.WAIT)
        return self.pipe.recv()

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def go_on(self):
        self.pipe.send(None)

    def run_until(self, number):
        while self.next() < number:
            self.go_on()

    def finish(self):
        """Answer every round until the fit has ended."""
        while isinstance(answer := self.next(), int):
            self.go_on()
        self.process.join(children.WAIT)
        return answer


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize("name", children.FITS)
def test_the_first_ctrl_c_ends_with_a_fitted_model(name, number):
    child = Child(name)
    child.run_until(number)
    child.interrupt()
    child.go_on()
    ended, restored, model = child.finish()
    assert (ended, restored) == ("fitted", True)
    assert model.status_ is Status.INTERRUPTED
    uninterrupted, (X, y) = children.make(name)
    assert model.n_iter_ <= uninterrupted.fit(X, y).n_iter_
    assert np.isfinite(model.predict(X)).all()
    assert 0 < len(model.support_ids_) <= (model.n_features_to_select or X.shape[1])


def test_the_second_ctrl_c_ends_it_at_once():
    child = Child("exactly k")
    child.run_until(2)
    child.interrupt()
    child.go_on()
    assert isinstance(child.next(), int)
    child.interrupt()
    ended, restored, model = child.finish()
    assert (ended, restored) == ("KeyboardInterrupt", True)
    assert [name for name in vars(model) if name.endswith("_")] == []


@pytest.mark.parametrize("number", [1, 4, 8])
def test_an_interrupted_fit_can_be_continued(tmp_path, number):
    """The rounds that only brought the interrupted model to an end are not in the checkpoint."""
    path = tmp_path / "checkpoint"
    child = Child("exactly k", path)
    child.run_until(number)
    child.interrupt()
    child.go_on()
    assert child.finish()[2].status_ is Status.INTERRUPTED
    resumed, data = children.make("exactly k", checkpoint=path)
    expected, _ = children.make("exactly k")
    np.testing.assert_array_equal(resumed.fit(*data).weights_, expected.fit(*data).weights_)
    assert resumed.n_iter_ == expected.n_iter_
    assert resumed.status_ is Status.SELECTED


def handlers_seen_during(fit):
    seen = []
    fit(lambda record: seen.append(signal.getsignal(signal.SIGINT)))
    return set(seen)


def fit_with(verbose):
    return FGMClassifier(4, verbose=verbose, C="fast").fit(*two_classes())


@pytest.fixture
def pythons_own_handler():
    """A test run in the background inherits an ignored SIGINT; start from Python's own handler."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_the_handler_is_ours_only_during_the_fit(pythons_own_handler):
    assert handlers_seen_during(fit_with) != {pythons_own_handler}
    assert signal.getsignal(signal.SIGINT) is pythons_own_handler


def test_the_handler_is_restored_after_an_error(pythons_own_handler):
    with pytest.raises(ZeroDivisionError):
        fit_with(lambda record: 1 / 0)
    assert signal.getsignal(signal.SIGINT) is pythons_own_handler


def test_another_handler_is_left_alone():
    def theirs(number, frame):
        raise AssertionError("not called")

    before = signal.signal(signal.SIGINT, theirs)
    try:
        assert handlers_seen_during(fit_with) == {theirs}
    finally:
        signal.signal(signal.SIGINT, before)


def test_no_handler_in_threads():
    before, seen = signal.getsignal(signal.SIGINT), []
    thread = threading.Thread(target=lambda: seen.extend(handlers_seen_during(fit_with)))
    thread.start()
    thread.join()
    assert seen == [before]
