"""Where the rows of the panel's tasks come from: each function returns X and y of all rows."""

from __future__ import annotations

import csv
import json
import lzma
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

from harness.data import (
    BUILDERS,
    CACHE,
    Loader,
    Rows,
    Source,
    coded,
    mnist_parts,
    newsgroups,
    reuters_topics,
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
    X = sp.vstack if sp.issparse(problem.X) else np.concatenate
    y = coded(np.concatenate([problem.y, problem.y_test]))
    whole = X([problem.X, problem.X_test])
    return (whole.tocsr() if sp.issparse(whole) else whole), y


def built(name: str) -> Loader:
    """Take a set of the linear benchmark, all its rows."""
    return lambda source: _all_rows(BUILDERS[name](source))


def newsgroup_words(source: Source) -> Rows:
    """Even against odd groups, words."""
    return _all_rows(newsgroups(source, longest=1))


def reuters(topic: str) -> Loader:
    """One topic against the rest."""

    def load(source: Source) -> Rows:
        whole, names = reuters_topics(source)
        column = names.index(topic)
        y, y_test = whole.y[:, column], whole.y_test[:, column]
        return _all_rows(Problem(topic, whole.X, y, whole.X_test, y_test))

    return load


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
        with lzma.open(source.file("text/20newsgroups_bydate.json.xz"), "rt") as stream:
            read = json.load(stream)
        wanted = [read["target_names"].index(name) for name in (first, second)]
        kept = [i for i, group in enumerate(read["target"]) if group in wanted]
        X = TfidfVectorizer().fit_transform([read["text"][i] for i in kept])
        return X, coded([read["target"][i] for i in kept])

    return _cached(f"{first}-{second}", make)


def _messages(source: Source) -> Rows:
    with lzma.open(source.file("strings/sms_spam.tsv.xz"), "rt", encoding="utf-8") as stream:
        parts = [line.rstrip("\n").split("\t", 1) for line in stream]
    parts = [part for part in parts if len(part) == 2 and part[0] in ("ham", "spam")]
    return TfidfVectorizer().fit_transform([text for _, text in parts]), coded(
        [label for label, _ in parts]
    )


def _promoters(source: Source) -> Rows:
    with lzma.open(source.file("strings/human_nontata_promoters.csv.xz"), "rt") as stream:
        rows = list(csv.DictReader(stream))
    count = CountVectorizer(analyzer="char", ngram_range=(1, LONGEST_KMER), dtype=np.float64)
    return count.fit_transform([row["seq"] for row in rows]), coded([row["label"] for row in rows])


messages = _cached("sms", _messages)
promoters = _cached("promoters", _promoters)


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
