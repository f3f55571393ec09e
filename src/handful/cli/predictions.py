"""The table that ``handful predict`` writes: whose row it is, a column for each figure, and what they are worth."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Mapping, Sequence
from typing import IO, Any

import numpy as np
from sklearn.metrics import accuracy_score, r2_score

from handful import metrics
from handful.cli.console import printable, say
from handful.cli.options import NewRows, refuse
from handful.cli.scoring import guessing, name_of_score
from handful.io import InputError, Table
from handful.io.labels import tidy_labels
from handful.io.readers import read_ids
from handful.losses import measure_of
from handful.model_selection._scoring import value_of
from handful.spaces import Substrings
from handful.validation.names import listed
from handful.validation.plural import plural

# With these begins what spreadsheets compute, or lets a formula begin after it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def row_ids(rows: NewRows, column: str | None, X: Any) -> dict[str, np.ndarray]:
    """Return a column that says what each prediction is of: a bag, an id from the file, or a row's number."""
    if hasattr(X, "bag_ids"):
        if column is not None:
            message = "a model of bags predicts a label for each bag, which is named in its place"
            raise refuse("id", message)
        return {"bag": X.bag_ids}
    if column is None:
        return {"row": np.arange(X.shape[0])}
    ids = read_ids(rows.data, column, file_format=rows.file_format, header=rows.header)
    return {column: ids}


def with_ids(ids: Mapping[str, np.ndarray], columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return all columns, ids first."""
    for name in ids:
        if name in columns:
            raise refuse("id", f"the predictions have a column {name!r} too; rename that of DATA")
    return {**ids, **columns}


def predictions_of(estimator: Any, X: Any, targets: list[str] | None) -> dict[str, Any]:
    """Return the columns of the output: predictions, then decision values and probabilities of classes or labels."""
    with warnings.catch_warnings():
        # The columns have been matched by name already.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        prediction = estimator.predict(X)
        columns = _columns_of("prediction", prediction, targets)
        if hasattr(estimator, "classes_"):
            decision = estimator.decision_function(X)
            if targets is not None:
                decision = decision.reshape(len(prediction), -1)
            classes = estimator.classes_ if decision.ndim == 2 else None
            columns |= _columns_of("decision", decision, targets or classes)
        if hasattr(estimator, "predict_proba"):
            probability, labels = estimator.predict_proba(X), estimator.classes_
            if targets is not None:
                probability, labels = probability[:, -len(targets) :], targets  # of yes
            columns |= _columns_of("probability", probability, labels)
    return columns


def _columns_of(
    title: str, values: np.ndarray, labels: Sequence[Any] | None
) -> dict[str, np.ndarray]:
    """Return a column for each class or target, or the one there is."""
    if labels is None:
        return {title: values}
    return {f"{title} {label}": own for label, own in zip(labels, values.T, strict=True)}


def score_of(
    estimator: Any, table: Table, columns: dict[str, Any], rows: np.ndarray | None
) -> dict[str, float] | None:
    """Return how good predictions are by their measures, on the rows that have the target; None if none has."""
    if table.y is None or rows is None or not rows.any():
        return None
    y = tidy_labels(table.y[rows])
    columns = {name: values[rows] for name, values in columns.items()}
    if not hasattr(estimator, "classes_") and len(y) < 2:  # there is no variance to explain
        return None
    if table.target_names is not None:
        measured = _measure_score(estimator, np.array([]), y, columns)
        return {**measured, **_score_targets(y, columns, table.target_names)}
    prediction = columns["prediction"]
    if not hasattr(estimator, "classes_"):
        return {"r2": float(r2_score(y.astype(float), prediction))}
    classes = estimator.classes_
    if classes.dtype.kind != y.dtype.kind:  # labels that are numbers in one file only
        y, prediction, classes = y.astype(str), prediction.astype(str), classes.astype(str)
    _note_unknown(y, classes)
    accuracy = {"accuracy": float(accuracy_score(y, prediction))}
    return {**_measure_score(estimator, classes, y, columns), **accuracy}


def what_was_scored(
    score: dict[str, float] | None, y: np.ndarray, rows: np.ndarray, case: str
) -> str:
    """Say how good the predictions are, on how many rows or bags, and how good guesses are."""
    n_scored, n_all = int(rows.sum()), plural(len(rows), case)
    if not n_scored:
        return f"the target is missing in all of {n_all}: there is nothing to score"
    if score is None:
        return f"one {case} with a target is too little to score"
    figures = ", ".join(f"{name} {value:.4f}" for name, value in score.items())
    guesses = f"; {guessing(tidy_labels(y[rows]))}" if "accuracy" in score else ""
    if n_scored == len(rows):
        return f"{figures} on {n_all}{guesses}"
    have = "has" if n_scored == 1 else "have"
    return f"{figures} on the {n_scored} of {n_all} that {have} a target{guesses}"


def _note_unknown(y: np.ndarray, classes: np.ndarray) -> None:
    """Say how many rows have labels that the model cannot predict: they count as wrong."""
    is_unknown = ~np.isin(y, classes)
    n_unknown = int(is_unknown.sum())
    if not n_unknown:
        return
    own, known = (listed(np.unique(one).tolist()) for one in (y[is_unknown], classes))
    has = "row has a label" if n_unknown == 1 else "rows have labels"
    counts = "it counts" if n_unknown == 1 else "they count"
    say(
        f"note: {n_unknown} {has} that the model does not know, {own}: {counts} as wrong (the model knows {known})"
    )


def _score_targets(
    y: np.ndarray, columns: Mapping[str, Any], names: Sequence[str]
) -> dict[str, float]:
    """Return how good the predictions are: of labels Hamming loss and more, else the mean r2."""
    prediction = np.column_stack([columns[f"prediction {name}"] for name in names])
    if f"decision {names[0]}" not in columns:
        return {"r2": float(r2_score(y.astype(float), prediction))}
    y, prediction = y == 1, prediction == 1
    decision = np.column_stack([columns[f"decision {name}"] for name in names])
    score = {
        "hamming_loss": metrics.hamming_loss(y, prediction),
        "multilabel_accuracy": metrics.multilabel_accuracy(y, prediction),
    }
    if (y.any(axis=0) & ~y.all(axis=0)).any():
        score["macro_auc"] = metrics.macro_auc(y, decision)
    return score


def _measure_score(
    estimator: Any, classes: np.ndarray, y: np.ndarray, columns: dict[str, Any]
) -> dict[str, float]:
    """The measure that the model was selected for, if it is defined on these rows."""
    measure = measure_of(getattr(estimator, "loss", None))
    if measure is None or (measure.is_of_classes and y.ndim == 1):
        return {}
    decision = np.column_stack([columns[name] for name in columns if name.startswith("decision")])
    decision = decision[:, 0] if len(classes) == 2 else decision
    name = name_of_score(measure, len(classes), several_labels=y.ndim == 2)
    try:
        return {name: value_of(measure, y, decision, classes)}
    except ValueError as error:
        say(f"no {measure} of these rows: {error}")
        return {}


def explanations(estimator: Any, X: Any, *, as_json: bool) -> np.ndarray:
    """Return what was found in each string.

    A text such as ``12-16 'free' +0.8``; of several classes the weight of each. For JSON a list of dictionaries.
    """
    space = getattr(estimator, "space_", None)
    if not isinstance(space, Substrings):
        raise InputError("--explain is for models of strings, and this one is of numbers")
    weights = dict(zip(estimator.support_ids_.tolist(), estimator.weights_.T.tolist(), strict=True))
    explained = np.empty(len(X), dtype=object)
    for row, text in enumerate(X):
        found = space.occurrences(text)
        if as_json:
            explained[row] = [one._asdict() | {"weights": weights[one.feature]} for one in found]
            continue
        parts = [
            f"{one.start}-{one.stop} {one.string!r} {'/'.join(f'{w:+.3g}' for w in weights[one.feature])}"
            for one in found
        ]
        explained[row] = printable("; ".join(parts))
    return explained


def write_csv(file: IO[str], columns: Mapping[str, Any], escape_formulas: bool) -> None:
    """Write columns with their names; formulas are escaped where that is wanted."""
    writer = csv.writer(file, lineterminator="\n")
    cells = {name: values.tolist() for name, values in columns.items()}
    if escape_formulas:
        cells = {
            _escaped(name): [_escaped(cell) for cell in values] for name, values in cells.items()
        }
    writer.writerow(cells)
    writer.writerows(zip(*cells.values(), strict=True))


def _escaped(cell: Any) -> Any:
    """Put a quotation mark before text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
