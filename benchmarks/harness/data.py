"""The data sets of the linear benchmark: the paper's synthetic ones and four real ones.

Real data is looked for in ``--data``, then ``$HANDFUL_DATA``, then ``../shared/data`` beside the
checkout. A set that is not there raises ``MissingDataError``, which the report prints.
"""

from __future__ import annotations

import csv
import json
import lzma
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import normalize

from handful.datasets import SyntheticData, Weighting, make_sparse_linear, make_x2, make_x3

from .problem import Matrix, Problem, read_matrix, write_matrix

Rows = tuple[Matrix, Any]
Loader = Callable[["Source"], Rows]

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "benchmarks" / ".cache"
DENSITIES = ("0.005", "0.01", "0.05", "0.1", "0.5", "1")
REUTERS_TOPICS = ("corn", "crude", "acq", "earn")  # 182, 389, 1650, 2877 training documents
X3_SHAPE = (8192, 100_000)


LEAST_EXPRESSION = 10.0  # scanner readings below this are noise


class MissingDataError(Exception):
    """A data set that cannot be had here; the text says why."""


@dataclass(frozen=True)
class Source:
    """Where real data lies, the seed of everything random, and whether sets are made small."""

    data: Path
    seed: int = 0
    quick: bool = False

    def file(self, relative: str) -> Path:
        """Give the path of one file of the data folder, or say that it is missing."""
        path = self.data / relative
        if not path.exists():
            raise MissingDataError(f"{path} is not there; set --data or HANDFUL_DATA")
        return path


def default_data_folder() -> Path:
    return Path(os.environ.get("HANDFUL_DATA", ROOT.parent / "shared" / "data"))


def synthetic(name: str, made: SyntheticData) -> Problem:
    """Take what was drawn; the truth is groups where groups were drawn."""
    truth = made.true_ids if made.true_groups is None else made.true_groups
    return Problem(name, made.X_train, made.y_train, made.X_test, made.y_test, truth)


def _x1(weights: Weighting) -> Callable[[Source], Problem]:
    def build(source: Source) -> Problem:
        rows = 1024 if source.quick else 4096
        made = make_sparse_linear(rows, rows, weighting=weights, random_state=source.seed)
        return synthetic(f"x1-{weights}", made)

    return build


def _x2(source: Source) -> Problem:
    return synthetic("x2", make_x2(random_state=source.seed))


def need_memory(needed: float) -> None:
    """Refuse to make what would not fit in memory."""
    if needed > psutil.virtual_memory().available:
        raise MissingDataError(f"needs about {needed / 2**30:.0f} GiB of free memory")


def _x3(density: str) -> Callable[[Source], Problem]:
    def build(source: Source) -> Problem:
        # CSR costs 12 bytes a value, dense float32 4; a rival that copies needs several times that.
        entries = X3_SHAPE[0] * X3_SHAPE[1] * float(density)
        need_memory(3 * entries * (4 if density == "1" else 12))
        dtype = np.float32 if density == "1" else np.float64
        made = make_x3(float(density), dtype=dtype, random_state=source.seed)
        return synthetic(f"x3-{density}", made)

    return build


def _csr(stored: Any) -> sp.csr_matrix:
    data, indices = stored["X_data"].astype(np.float64), stored["X_indices"].astype(np.int32)
    return sp.csr_matrix((data, indices, stored["X_indptr"]), shape=tuple(stored["X_shape"]))


def documents(source: Source) -> dict[str, Any]:
    """20 newsgroups as they are: text, target, target_names and n_train; the split is by date."""
    with lzma.open(source.file("text/20newsgroups_bydate.json.xz"), "rt") as stream:
        return dict(json.load(stream))


def ten_against_ten(groups: Any, seed: int) -> Any:
    """Even against odd groups with seed 0, which the defaults of handful were tuned on; else ten drawn at random."""
    even = np.arange(0, 20, 2)
    drawn = np.random.default_rng(seed).permutation(20)[:10] if seed else even
    return np.isin(groups, drawn)


def newsgroups(source: Source, longest: int = 2, *, classes: bool = False) -> Problem:
    """20 newsgroups, words and runs of up to ``longest`` words, ten classes against ten, or all ``classes``.

    The vocabulary and the idf weights are those of all 18,846 documents, which gives the 167,951
    (words) and 1,604,981 (word pairs too) columns quoted elsewhere. Vectorising takes half a
    minute, so it is cached.
    """
    source.file("text/20newsgroups_bydate.json.xz")
    folder = CACHE / f"newsgroups-{'unigrams' if longest == 1 else 'bigrams'}"
    if not (folder / "y.npy").exists():
        stored = documents(source)
        folder.mkdir(parents=True, exist_ok=True)
        vectorizer = TfidfVectorizer(ngram_range=(1, longest))
        write_matrix(folder, "X", vectorizer.fit_transform(stored["text"]))
        np.save(folder / "n_train.npy", stored["n_train"])
        np.save(folder / "y.npy", np.asarray(stored["target"]))  # last: marks the folder complete
    X, n, y = (
        read_matrix(folder, "X"),
        int(np.load(folder / "n_train.npy")),
        np.load(folder / "y.npy"),
    )
    if not classes:
        y = np.where(ten_against_ten(y, source.seed), 1, -1)
    return _parted("newsgroups", X, y, n)


def promoters(source: Source) -> tuple[list[str], list[str]]:
    """Human sequences of 251 bases, and whether they hold a promoter."""
    with lzma.open(source.file("strings/human_nontata_promoters.csv.xz"), "rt") as stream:
        rows = list(csv.DictReader(stream))
    return [row["seq"] for row in rows], [row["label"] for row in rows]


def messages(source: Source) -> tuple[list[str], list[str]]:
    """Text messages, and whether they are "ham" or "spam"."""
    with lzma.open(source.file("strings/sms_spam.tsv.xz"), "rt", encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t", 1) for line in stream if "\t" in line]
    return [text for _, text in rows], [label for label, _ in rows]


def reuters_topics(source: Source) -> tuple[Problem, list[str]]:
    """Reuters-21578, the ModApte split, with one column of ``y`` (-1, +1) for each topic, and their names."""
    stored = np.load(source.file("text/reuters21578_modapte.npz"))
    n, counts = int(stored["n_train"]), _csr(stored)
    label_parts = (np.ones(len(stored["Y_indices"])), stored["Y_indices"], stored["Y_indptr"])
    labels = sp.csr_matrix(label_parts, shape=tuple(stored["Y_shape"])).toarray()
    tfidf, y = TfidfTransformer().fit(counts[:n]), np.where(labels > 0, 1, -1)
    names = [str(name) for name in stored["label_names"]]
    return _parted("reuters", tfidf.transform(counts), y, n), names


def _reuters(topic: str) -> Callable[[Source], Problem]:
    def build(source: Source) -> Problem:
        whole, names = reuters_topics(source)
        return whole.of_label(f"reuters-{topic}", names.index(topic))

    return build


def _news20(source: Source) -> Problem:
    stored = np.load(source.file("text/news20_libsvm_train.npz"))
    X, y = normalize(_csr(stored)), stored["y"].astype(np.int64)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.2, random_state=source.seed, stratify=y
    )
    return Problem("news20", X_train, y_train, X_test, y_test)


def a9a(source: Source) -> Problem:
    stored = np.load(source.file("text/a9a.npz"))
    return _parted("a9a", _csr(stored), stored["y"].astype(np.int64), int(stored["n_train"]))


def _parted(name: str, X: Matrix, y: Any, n: int) -> Problem:
    """The first n rows train."""
    return Problem(name, X[:n], y[:n], X[n:], y[n:])


def coded(y: Any) -> Any:
    """Count the classes from 0."""
    return np.unique(np.asarray(y), return_inverse=True)[1]


def stored(folder: str, file: str, *, factor: float = 1.0, is_expression: bool = False) -> Loader:
    """Dense classes as they are stored, times a factor or, for scanner readings, their logarithm."""

    def load(source: Source) -> Rows:
        with np.load(source.file(f"{folder}/{file}.npz")) as arrays:
            X, y = arrays["X"].astype(np.float64) * factor, coded(arrays["y"])
        return (np.log(np.maximum(X, LEAST_EXPRESSION)) if is_expression else X), y

    return load


#: Classes that are stored whole, by name; also tasks of the panel.
CLASSES: dict[str, Loader] = {
    "isolet": stored("multiclass", "isolet_full_x1e4", factor=1e-4),
    "semeion": stored("multiclass", "semeion"),
    "lung": stored("multiclass", "lung_bhattacharjee1543", is_expression=True),
    "yeoh": stored("multiclass", "yeoh_2526", is_expression=True),
    "SRBCT": stored("multiclass", "SRBCT"),
    "UMIST": stored("multiclass", "UMIST"),
    "warpAR10P": stored("multiclass", "warpAR10P"),
    "ORL": stored("multiclass", "ORL"),
    "COIL20": stored("multiclass", "COIL20"),
    "colon": stored("multiclass", "colon_alon_raw", is_expression=True),
}


def mnist_parts(source: Source) -> tuple[Any, Any, Any, Any]:
    """Threes against eights: X, y, X_test, y_test with grey levels from 0 to 255 as they are."""
    stored = np.load(source.file("mnist/mnist_3v8.npz"))
    found = []
    for part in ("train", "test"):
        found += [stored[f"X_{part}"], np.where(stored[f"y_{part}"] == 3, 1, -1)]
    return tuple(found)


BUILDERS: dict[str, Callable[[Source], Problem]] = {
    "x1-I": _x1("I"),
    "x1-II": _x1("II"),
    "x1-III": _x1("III"),
    "x2": _x2,
    **{f"x3-{density}": _x3(density) for density in DENSITIES},
    "newsgroups": newsgroups,
    **{f"reuters-{topic}": _reuters(topic) for topic in REUTERS_TOPICS},
    "news20": _news20,
    "a9a": a9a,
}
QUICK = ("x1-I", "reuters-corn", "a9a")


def standing_for(words: list[str] | None, names: Iterable[str]) -> list[str]:
    """List the names that a word names, as a whole or by the part before a dash; all without words."""
    every = list(names)
    for word in words or ():
        if not any(_stands_for(word, name) for name in every):
            raise SystemExit(f"unknown {word!r}; known: {', '.join(every)}")
    return [name for name in every if not words or any(_stands_for(word, name) for word in words)]


def _stands_for(word: str, name: str) -> bool:
    return name == word or name.startswith(f"{word}-")
