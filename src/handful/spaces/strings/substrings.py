"""Every substring of the training documents is a feature, of which only the best are ever written down."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.kernels.substring_sums import LOG, PRESENCE
from handful.kernels.top import top_k
from handful.registry import Configured
from handful.spaces.base import Array, FeatureSpace, as_columns, ascending, best_of
from handful.spaces.columns import scaled
from handful.spaces.resolve import as_documents
from handful.spaces.strings.building import build_index
from handful.spaces.strings.chosen import ChosenStrings, Occurrence, shown
from handful.spaces.strings.documents import Documents
from handful.spaces.strings.index import LONGEST, WEIGHTS, Limits, SubstringIndex
from handful.spaces.strings.symbols import Alphabet, Reading
from handful.validation import strings as checks
from handful.validation.spaces import space_without_data

WORK_OF_ENTRY = 3.0  # of a list, in multiplications of a dense product


class Substrings(Configured, FeatureSpace):
    r"""Every substring that occurs in enough documents: does it occur in this one, or how often.

    ``x_s = w(occurrences of s) / |x_s|^rarity`` over the training documents, with ``w(c)`` equal to 1 ("presence"), ``c``
    ("count") or ``log(1 + c)`` ("log") for c > 0. There is no vocabulary and no longest length: a document of n symbols has
    n (n + 1) / 2 substrings, and all of them count.

    Substrings that have the same column, because one never occurs without the other, are one feature. It is
    called by the longest of them, of equally long ones by the first; features are numbered in the order
    of these strings, symbol by symbol. The best features for a vector are found exactly, in a time that is
    proportional to the length of all documents together.

    Parameters
    ----------
    unit : {"character", "byte", "word"} or callable
        What strings are made of. "word" makes features of all sequences of words: a word is a run of letters, digits and
        underscores. A function takes a document (str) and gives a list of str.
    weight : {"presence", "count", "log"}
        What a document has for a number of occurrences.
    rarity : float or "idf"
        From 0, columns as they are, to 1, columns of length one: rare strings are found more easily the larger it is. "idf" is
        scikit-learn's ``log((1 + n) / (1 + df)) + 1``. It says what is chosen; weights of the model and the columns of
        ``transform`` are of occurrences as they are.
    min_df, max_df : int, or float as a share
        In how many documents a substring must and may occur.
    min_length, max_length : int; int or None
        Of substrings, in units.
    boundary : {None, "word"}
        "word" has no substring reach beyond a word (what lies between white space) and the blanks
        around it, like ``CountVectorizer(analyzer="char_wb")``.
    case : {"keep", "lower"}
    reverse_complement : bool
        For DNA: a string and its reverse complement are one feature, found on either strand. A palindrome
        counts twice under "count" and "log".

    Examples
    --------
    >>> import numpy as np
    >>> from handful.spaces import Substrings
    >>> space = Substrings().on(["banana", "ananas", "bandana", "mango"])
    >>> ids, scores = space.top(np.array([1.0, 1.0, -1.0, -1.0]), k=1)
    >>> space.names(ids)
    ['anana']
    >>> space.columns(ids).toarray().ravel() > 0
    array([ True,  True, False, False])
    """

    takes_strings = True
    dtype = np.dtype(np.float64)
    _chosen: ChosenStrings | None = None  # of a fit that is over
    _documents: Documents | None = None
    _index: SubstringIndex | None = None
    _factors: Array | None = None
    _called: dict[int, Any]  # features that the user gave names
    _counts: sp.csc_array | None = None

    def __init__(
        self,
        unit: str | Callable[[str], Sequence[str]] = "character",
        weight: str = "presence",
        rarity: float | str = 0.5,
        min_df: int | float = 2,
        max_df: int | float = 1.0,
        min_length: int = 1,
        max_length: int | None = None,
        boundary: str | None = None,
        case: str = "keep",
        reverse_complement: bool = False,
    ) -> None:
        self.unit = unit
        self.weight = weight
        self.rarity = rarity
        self.min_df = min_df
        self.max_df = max_df
        self.min_length = min_length
        self.max_length = max_length
        self.boundary = boundary
        self.case = case
        self.reverse_complement = reverse_complement

    def on(self, X: Any) -> Substrings:
        checks.check_parameters(self)
        documents = as_documents(X)
        bound = copy.copy(self)
        bound.n_samples, bound._documents, bound._called = len(documents), documents, {}
        if self._chosen is None:
            whole = documents.whole
            # Neither rarity nor which rows are asked for changes the index.
            key = (self._reading, self._limits(len(whole)), self.weight)
            index = whole.once(key, lambda: self._build(whole))
            bound._index, bound.n_features = index, len(index)
            bound._factors = self._squared_factors(index)
        else:
            bound.n_features = self._chosen.n_features
        return bound

    def sized(self, n_columns: int) -> Substrings:
        bound = copy.copy(self)
        bound.n_samples, bound._called, bound.n_features = 0, {}, self.chosen.n_features
        return bound

    def _build(self, documents: Documents) -> SubstringIndex:
        segments, owners = self._reading.segments(documents)
        limits = self._limits(len(documents))
        alphabet = Alphabet.of(segments, self._kind)
        return build_index(
            segments, owners, len(documents), alphabet, limits, self.weight, self.tell
        )

    @property
    def _reading(self) -> Reading:
        return Reading(self.unit, self.boundary, self.case, self.reverse_complement)

    @property
    def _kind(self) -> str:
        if self._reading.has_words:
            return "words"
        return "bytes" if self.unit == "byte" else "str"

    def _limits(self, n_documents: int) -> Limits:
        least, most = self.min_df, self.max_df
        return Limits(
            math.ceil(least * n_documents) if isinstance(least, float) else int(least),
            math.floor(most * n_documents) if isinstance(most, float) else int(most),
            int(self.min_length),
            LONGEST if self.max_length is None else int(self.max_length),
        )

    @property
    def index(self) -> SubstringIndex:
        """The index of the training documents."""
        return self._there(self._index)

    @property
    def chosen(self) -> ChosenStrings:
        """The strings that a fit has chosen; of what :meth:`remembering` gave."""
        return self._there(self._chosen)

    @property
    def search_work(self) -> float:
        return WORK_OF_ENTRY * (len(self.index.documents) + len(self.index))

    def column_scale(self, ids: Array) -> Array:
        return np.ones(len(ids)) if self._factors is None else np.sqrt(self._factors[ids])

    def _squared_factors(self, index: SubstringIndex) -> Array:
        """Return the squares of what columns are multiplied by."""
        if isinstance(self.rarity, str):
            return (np.log((1 + index.n_documents) / (1 + index.frequency)) + 1.0) ** 2
        return np.asarray(index.squares ** -float(self.rarity))

    def top(self, a: Array, k: int, exclude: Array | None = None) -> tuple[Array, Array]:
        a = as_columns(a)
        if self._chosen is not None:
            dots = np.asarray(self.columns(self._chosen.ids).T @ a)
            return best_of(self._chosen.ids, np.einsum("jk,jk->j", dots, dots), k, exclude)
        rows = self._data().rows
        if rows is not None:
            of_rows, a = a, np.zeros((self.index.n_documents, a.shape[1]))
            np.add.at(a, rows, of_rows)
        scores = self.index.scores(a)
        scores *= self._factors
        return top_k(scores, max(0, min(k, self.n_features)), ascending(exclude))

    def columns(self, ids: Array) -> sp.csc_array:
        ids = np.asarray(ids, dtype=np.int64)
        if self._chosen is not None:
            return self._columns_of_chosen(self._chosen, ids)
        parts = self.index.columns(ids)
        columns = sp.csc_array(parts, shape=(self.index.n_documents, len(ids)))
        if self._data().rows is not None:
            columns = columns[self._data().rows]
        return sp.csc_array(scaled(columns, self.column_scale(ids)))

    def _columns_of_chosen(self, chosen: ChosenStrings, ids: Array) -> sp.csc_array:
        documents = self._data()
        if self._counts is None:
            segments, owners = self._reading.segments(documents)
            self._counts = chosen.counts(segments, owners, len(documents))
        columns = sp.csc_array(self._counts[:, chosen.positions(ids)], dtype=np.float64)
        if WEIGHTS[self.weight] == PRESENCE:
            columns.data[:] = 1.0
        elif WEIGHTS[self.weight] == LOG:
            columns.data = np.log1p(columns.data)
        return columns

    def occurrences(self, document: Any) -> list[Occurrence]:
        """Return where the chosen strings occur in a document, in the order in which they end.

        Places are of units: bytes, characters or words; under ``boundary`` and on the other strand they are places
        in the document all the same. Not for ``case="lower"`` where that changes the number of characters.
        """
        return self.chosen.occurrences(document, self._reading)

    def widths(self, ids: Array) -> Array:
        if self._chosen is not None:
            self._chosen.positions(ids)  # a model file may name others
        return super().widths(ids)

    def names(self, ids: Array, feature_names_in: Sequence[str] | None = None) -> list[str]:
        return [shown(string) for string in self._known(ids).strings]

    def find(self, name: str, columns: Callable[[str], list[int]]) -> list[int]:
        """Return the id of a string, which is what its feature is called by from now on."""
        pattern = self._reading.pattern(name)
        kind, whole = self._kind, self._data().whole
        asked = ChosenStrings(np.arange(1), [pattern], [], np.empty(0), 0, 0, kind)
        segments, owners = self._reading.segments(whole)
        counts = asked.counts(segments, owners, len(whole)).toarray()[:, 0]
        feature = self.index.find(counts > 0 if self.index.weight == PRESENCE else counts)
        if feature is None:
            raise checks.unknown_string(name, len(whole), int(np.count_nonzero(counts)))
        self._called[feature] = pattern
        return [feature]

    def _data(self) -> Documents:
        return self._there(self._documents)

    def _known(self, ids: Array) -> ChosenStrings:
        """Return what is known of some features, in their order."""
        ids = np.asarray(ids, dtype=np.int64)
        if self._chosen is not None:
            chosen, at = self._chosen, self._chosen.positions(ids)
            strings, shortest = (
                [some[i] for i in at] for some in (chosen.strings, chosen.shortest)
            )
            frequency = chosen.frequency[at]
            n_documents = chosen.n_documents
        else:
            index, n_documents = self.index, self.index.n_documents
            strings = [self._called.get(j) or index.string(j) for j in ids.tolist()]
            shortest = [index.shortest(j) for j in ids.tolist()]
            frequency = index.frequency[ids].astype(np.int64)
        return ChosenStrings(
            ids, strings, shortest, frequency, self.n_features, n_documents, self._kind
        )

    def remembering(self, bound: FeatureSpace, ids: Array) -> Substrings:
        if not isinstance(bound, Substrings):
            raise space_without_data(self)
        space = self._anew()
        space._chosen = bound._known(ids)
        return space

    def state(self) -> dict[str, Array]:
        return {} if self._chosen is None else self._chosen.pack()

    def restore(self, state: Mapping[str, Array]) -> Substrings:
        checks.check_parameters(self)
        space = self._anew()
        space._chosen = ChosenStrings.unpack(state)
        if space._chosen.kind != self._kind:
            raise checks.damaged("are of another unit")
        return space

    def fingerprint(self) -> str:
        index = self.index
        about = np.frombuffer(repr(self.get_params()).encode(), dtype=np.uint8)
        rows = self._data().rows
        about = about if rows is None else np.concatenate([about, rows])
        return self._digest([about, index.text, index.starts, index.documents, index.values])
