"""Strings and their labels, ways to select substrings or n-grams of them, and what one fit of each gives."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import RFE
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from handful import FGMClassifier
from handful.spaces import Substrings

from . import data
from .child import Answer, limited
from .data import Source, documents, ten_against_ten
from .measure import PeakMemory, measure, timed

Texts = list[str]
OURS = "handful, substrings"
WARM_UP = 300  # strings that everything is compiled on
BISECTIONS = 12


@dataclass(frozen=True)
class Split:
    """Strings to learn from and to judge by."""

    texts: Texts
    y: Any
    new_texts: Texts
    new_y: Any


def _divided(source: Source, texts: Texts, y: Any) -> Split:
    if source.quick:
        texts, y = texts[::4], y[::4]
    parts = train_test_split(texts, y, test_size=0.3, random_state=source.seed, stratify=y)
    return Split(parts[0], parts[2], parts[1], parts[3])


def promoters(source: Source) -> Split:
    """Human sequences of 251 bases: do they hold a promoter."""
    texts, labels = data.promoters(source)
    return _divided(source, texts, np.array(labels, dtype=int))


def messages(source: Source) -> Split:
    """Text messages: are they spam."""
    texts, labels = data.messages(source)
    return _divided(source, texts, (np.array(labels) == "spam").astype(int))


def newsgroups(source: Source) -> Split:
    """20 newsgroups as they are, ten against ten as in ``harness.data.newsgroups``, divided by date."""
    stored = documents(source)
    y, n = ten_against_ten(stored["target"], source.seed).astype(int), int(stored["n_train"])
    step = 10 if source.quick else 1
    texts = stored["text"]
    return Split(texts[:n:step], y[:n:step], texts[n::step], y[n::step])


@dataclass(frozen=True)
class Strings:
    """One set: its strings, how ours reads them, and what n-grams others are given."""

    build: Callable[[Source], Split]
    space: Substrings
    grams: Callable[[], Any]
    ks: tuple[int, ...]


_counts = partial(CountVectorizer, binary=True, lowercase=False, min_df=2)
_WORDS = Substrings(unit="word", case="lower")
_word_pairs = partial(TfidfVectorizer, ngram_range=(1, 2))
_within_words = partial(_counts, analyzer="char_wb")
_mers = partial(_counts, analyzer="char", ngram_range=(2, 8))
SETS: dict[str, Strings] = {
    "promoters": Strings(promoters, Substrings(weight="log"), _mers, (20, 100, 320)),
    "sms-characters": Strings(
        messages, Substrings(), partial(_within_words, ngram_range=(1, 6)), (20, 100)
    ),
    "sms-words": Strings(messages, _WORDS, _word_pairs, (20, 100)),
    "newsgroups-characters": Strings(
        newsgroups, Substrings(), partial(_within_words, ngram_range=(3, 5)), (100,)
    ),
    "newsgroups-words": Strings(newsgroups, _WORDS, _word_pairs, (100,)),
}


class _Lasso(LinearSVC):
    """An l1 machine whose C is halved between until it keeps k columns at most."""

    def __init__(self, k: int = 10) -> None:
        super().__init__(penalty="l1", dual=False, random_state=0)
        self.k = k

    def fit(self, X: Any, y: Any) -> _Lasso:
        low, high = -4.0, 2.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            self.C = 10**middle
            super().fit(X, y)
            is_more = np.count_nonzero(self.coef_) > self.k
            low, high = (low, middle) if is_more else (middle, high)
        self.C = 10**low
        super().fit(X, y)
        self.columns_ = np.flatnonzero(self.coef_)
        self.refitted_ = LinearSVC(dual=False, random_state=0).fit(X[:, self.columns_], y)
        return self

    def decision_function(self, X: Any) -> Any:
        return self.refitted_.decision_function(X[:, self.columns_])


def _halving(k: int) -> RFE:
    return RFE(LinearSVC(dual=False, random_state=0), n_features_to_select=k, step=0.5)


def methods(name: str, k: int) -> dict[str, Callable[[], Any]]:
    """Return what makes a fresh model of each method for a set."""
    one = SETS[name]
    return {
        OURS: lambda: FGMClassifier(k, space=one.space, C="fast"),
        "n-grams, handful": lambda: make_pipeline(one.grams(), FGMClassifier(k, C="fast")),
        "n-grams, RFE": lambda: make_pipeline(one.grams(), _halving(k)),
        "n-grams, l1": lambda: make_pipeline(one.grams(), _Lasso(k)),
    }


METHODS = tuple(methods("promoters", 1))


def cpu_timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives, and the seconds of processors it took: others may be at work on the machine."""
    return timed(call, time.process_time)


def fit_once(
    dataset: str, method: str, k: int, source: Source, repeat: int, timeout: float
) -> Answer:
    """Fit one method to one set, from strings to a model, and judge it by new strings."""
    split = SETS[dataset].build(source)
    make = methods(dataset, k)[method]
    few = slice(None, None, max(1, len(split.texts) // WARM_UP))  # of all classes
    methods(dataset, min(k, 5))[method]().fit(split.texts[few], split.y[few])
    with limited(timeout):
        fitted = measure(lambda: cpu_timed(lambda: make().fit(split.texts, split.y)), repeat)
    model, cpu_seconds = fitted.value
    scores = model.decision_function(split.new_texts)
    return {
        "status": "ok",
        "accuracy": float(np.mean((scores > 0) == split.new_y)),
        "auc": float(roc_auc_score(split.new_y, scores)),
        "seconds": fitted.seconds,
        "cpu_seconds": cpu_seconds,
        "extra_bytes": fitted.extra_bytes,
        "n_characters": sum(map(len, split.texts)),
    }


def shuffled(texts: Texts, n_characters: int, seed: int) -> Texts:
    """Return about so many characters: documents as they are, then again with their words in other orders."""
    rng = np.random.default_rng(seed)
    made, total = [], 0
    while total < n_characters:
        for text in texts:
            if total >= n_characters:
                break
            words = text.split(" ")
            made.append(text if total == len(made) == 0 else " ".join(rng.permutation(words)))
            total += len(made[-1])
    return made


def index_once(wanted: int, source: Source, timeout: float) -> Answer:
    """Index newsgroups of some size, and scan them: seconds and bytes for each character."""
    split = newsgroups(source)
    Substrings().on(split.texts[:WARM_UP]).top(np.ones(WARM_UP), 5)
    texts = shuffled(split.texts, wanted, source.seed) if wanted else split.texts
    total = sum(map(len, texts))
    with limited(timeout):
        memory = PeakMemory()
        built = measure(lambda: cpu_timed(lambda: Substrings().on(list(texts))), 1)
        extra = memory.extra_bytes()
        space, cpu_seconds = built.value
        a = np.random.default_rng(0).standard_normal(len(texts))
        scans = [cpu_timed(lambda: space.top(a, 100))[1] for _ in range(3)]
        scan = measure(lambda: space.top(a, 100), 3)
    index = space.index
    kept = sum(part.nbytes for part in vars(index).values() if isinstance(part, np.ndarray))
    return {
        "status": "ok",
        "n_characters": total,
        "seconds": built.seconds,
        "cpu_seconds": cpu_seconds,
        "scan_seconds": scan.seconds,
        "scan_cpu_seconds": min(scans),
        "bytes_each": extra / total,
        "kept_each": kept / total,
        "n_features": space.n_features,
    }
