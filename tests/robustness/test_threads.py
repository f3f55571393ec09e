"""Fits at the same time that want fewer threads of linear algebra: afterwards it has as many as before."""

import itertools
import threading
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from every_estimator import ESTIMATORS, quick, small_data
from problems import two_classes

import handful
from handful import (
    FGMClassifier,
    GreedyRLSClassifier,
    threads,
)

MANY = 7  # as no machine would have by chance


@dataclass
class Library:
    """Holds a number of threads, as OpenBLAS does."""

    filepath: str = "libblas.so"
    user_api: str = "blas"
    threading_layer: str = "pthreads"
    num_threads: int = MANY
    seen: list = field(default_factory=list)

    def set_num_threads(self, number):
        self.num_threads = number
        self.seen.append(number)


@pytest.fixture
def library(monkeypatch):
    """The one library of a machine with as many threads as we like."""
    found = Library()
    monkeypatch.setattr(threads, "_libraries", lambda with_torch: [found])
    return found


@pytest.mark.parametrize("first", [1, 2, 3])
@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_whoever_leaves_last_puts_back_what_the_first_found(library, first, order):
    wishes = [threads.limited_threads(limit) for limit in (first, 2, 4)]
    for wish in wishes:
        wish.__enter__()
    assert library.num_threads == min(first, 2)
    for place in order:
        assert library.num_threads < MANY
        wishes[place].__exit__(None, None, None)
    assert library.num_threads == MANY
    with threads.limited_threads(1):
        assert library.num_threads == 1
    assert library.num_threads == MANY


@pytest.mark.parametrize("layer", ["pthreads", "openmp"])
def test_no_library_gets_more_than_it_has(library, layer):
    """OpenBLAS may end the process if it does; other work may have as many as it wishes."""
    library.threading_layer = layer
    with threads.limited_threads(MANY + 2):
        assert threads.blas_threads() == MANY + 2
        assert library.num_threads == MANY
        with threads.limited_threads(2):
            assert (threads.blas_threads(), library.num_threads) == (2, 2)
        assert library.num_threads == MANY
    assert max(library.seen) == MANY
    assert threads.blas_threads() == MANY


def test_an_error_leaves_no_wish_behind(library):
    with pytest.raises(RuntimeError), threads.limited_threads(1):
        raise RuntimeError
    assert library.num_threads == MANY


def test_a_number_for_each_thread_is_not_shared(library):
    """OpenMP has one for each thread: whoever leaves puts back its own, whatever others wish for."""
    library.threading_layer = "openmp"
    outer = threads.limited_threads(2)
    outer.__enter__()
    with threads.limited_threads(1):
        assert library.num_threads == 1
    assert library.num_threads == 2
    outer.__exit__(None, None, None)
    assert library.num_threads == MANY


@pytest.mark.parametrize("estimator", [FGMClassifier, GreedyRLSClassifier])
def test_a_fit_within_another(library, estimator):
    """The second begins while the first is at work, and ends after it."""
    X, y = two_classes()
    begun, may_end = threading.Event(), threading.Event()

    def wait(record):
        begun.set()
        may_end.wait(60)

    long = threading.Thread(target=estimator(2, n_jobs=2, verbose=wait).fit, args=(X, y))
    first = threads.limited_threads(1)
    first.__enter__()
    long.start()
    try:
        assert begun.wait(60)
        first.__exit__(None, None, None)
        within = library.num_threads
    finally:
        may_end.set()
        long.join()
    assert within <= 2
    assert library.num_threads == MANY
    assert {1, 2} <= set(library.seen)


def test_nobody_sets_threads_alone():
    """Two who do not know of each other would put back each other's numbers."""
    sources = Path(handful.__file__).parent.rglob("*.py")
    using = {path.name for path in sources if "threadpoolctl" in path.read_text("utf-8")}
    assert using == {"threads.py"}


def test_real_libraries_have_their_threads_back():
    before = [one.num_threads for one in threads._libraries(False)]
    with threads.limited_threads(1):
        assert threads.blas_threads() == 1
        np.ones((4, 4)) @ np.ones((4, 4))
    assert [one.num_threads for one in threads._libraries(False)] == before


@pytest.mark.parametrize("n_threads", [0, 1, 2, 5, 50])
def test_every_item_is_worked_on_once_and_results_are_in_order(n_threads):
    done = []

    def work(item):
        done.append(item)
        return 2 * item

    assert threads.map_in_threads(work, range(20), n_threads) == list(range(0, 40, 2))
    assert sorted(done) == list(range(20))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_an_error_in_any_thread_is_told(n_threads):
    with pytest.raises(ZeroDivisionError):
        threads.map_in_threads(lambda item: 1 / (item - 17), range(20), n_threads)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_fit_has_the_threads_it_asks_for(library, name):
    seen = []
    model = quick(name, 3, n_jobs=2, verbose=lambda record: seen.append(library.num_threads))
    model.fit(*small_data(name))
    assert set(seen) == {2}
    assert library.num_threads == MANY
