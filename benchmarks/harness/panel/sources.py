"""Where the rows of the panel's tasks come from: each function returns X and y of all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

from harness import data
from harness.data import (
    BUILDERS,
    CACHE,
    Loader,
    Rows,
    Source,
    coded,
    documents,
    mnist_parts,
    newsgroups,
)
from harness.peers import Array
from harness.problem import Problem, read_matrix, write_matrix

LONGEST_KMER = 6
SIDE, BLOCK = 28, 2  # of an image, and of the squares that are averaged


def word_counts(file: str) -> Loader:
    """Word counts stored dense, as sparse tf-idf with rows of length 1."""

    def load(source: Source) -> Rows:
        with np.load(source.file(f"multiclass/{file}.npz")) as arrays:
            X, y = sp.csr_matrix(arrays["X"].astype(np.float64)), coded(arrays["y"])
        return TfidfTransformer().fit_transform(X), y

    return load


def _all_rows(problem: Problem) -> Rows:
    """Put the two parts of a problem with a split of its own together again."""
    y = coded(np.concatenate([problem.y, problem.y_test]))
    if sp.issparse(problem.X):
        return sp.vstack([problem.X, problem.X_test]).tocsr(), y
    return np.concatenate([problem.X, problem.X_test]), y


def built(name: str) -> Loader:
    """Take a set of the linear benchmark, all its rows."""
    return lambda source: _all_rows(BUILDERS[name](source))


def newsgroup_words(source: Source) -> Rows:
    """Even against odd groups, words."""
    return _all_rows(newsgroups(source, longest=1))


def _cached(name: str, make: Callable[[Source], Rows]) -> Loader:
    """Keep what takes seconds to make; the labels are written last and mark it complete."""

    def load(source: Source) -> Rows:
        folder = CACHE / f"panel-{name}"
        if not (folder / "y.npy").exists():
            X, y = make(source)
            folder.mkdir(parents=True, exist_ok=True)
            write_matrix(folder, "X", X)
            np.save(folder / "y.npy", y)
        return read_matrix(folder, "X"), np.load(folder / "y.npy")

    return load


def newsgroup_pair(first: str, second: str) -> Loader:
    """Two groups, tf-idf of the words of their own documents."""

    def make(source: Source) -> Rows:
        read = documents(source)
        wanted = [read["target_names"].index(name) for name in (first, second)]
        kept = [i for i, group in enumerate(read["target"]) if group in wanted]
        X = TfidfVectorizer().fit_transform([read["text"][i] for i in kept])
        return X, coded([read["target"][i] for i in kept])

    return _cached(f"{first}-{second}", make)


def vectorised(name: str, read: Callable[[Source], tuple[list[str], list[str]]], by: Any) -> Loader:
    """Strings as counts or weights of their words or characters."""

    def make(source: Source) -> Rows:
        texts, labels = read(source)
        return by.fit_transform(texts), coded(labels)

    return _cached(name, make)


messages = vectorised("sms", data.messages, TfidfVectorizer())
_KMERS = CountVectorizer(analyzer="char", ngram_range=(1, LONGEST_KMER), dtype=np.float64)
promoters = vectorised("promoters", data.promoters, _KMERS)


def mnist_3v8(source: Source) -> Rows:
    """Threes against eights, 784 pixels."""
    X, y, X_test, y_test = mnist_parts(source)
    # The negative class is that of threes, as the labels 3 and 8 are in order.
    return np.concatenate([X, X_test]) / 255.0, coded(-np.concatenate([y, y_test]))


def mnist_small_3v8(source: Source) -> Rows:
    """The same in 14 x 14 pixels, each the mean of four."""
    X, y = mnist_3v8(source)
    squares = X.reshape(len(X), SIDE // BLOCK, BLOCK, SIDE // BLOCK, BLOCK)
    return squares.mean(axis=(2, 4)).reshape(len(X), -1), y


def mnist_ten(source: Source) -> Rows:
    """All ten digits."""
    with np.load(source.file("mnist/mnist_t10k.npz")) as arrays:
        return arrays["X"] / 255.0, coded(arrays["y"])


def quantities(file: str) -> Loader:
    """A set whose y is a number."""

    def load(source: Source) -> Rows:
        with np.load(source.file(f"regression/{file}.npz")) as arrays:
            return arrays["X"].astype(np.float64), arrays["y"].astype(np.float64)

    return load


def with_pairs(X: Array) -> Array:
    """Write down all columns, squares and products of two columns."""
    first, second = np.triu_indices(X.shape[1])
    return np.hstack([X, X[:, first] * X[:, second]])
