"""``handful predict``: apply a saved model to new rows."""

from __future__ import annotations

import csv
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import print_json, progress, say
from handful.cli.options import Json, Model, NewRows, output_option, with_options
from handful.cli.output_files import check_output_files
from handful.cli.targets import predict_targets, score_targets
from handful.files import atomic_write

if TYPE_CHECKING:
    import numpy as np

    from handful.io import ModelFile, Table

__all__ = ["command"]

# With these begins what spreadsheets compute, or lets a formula begin after it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@with_options()
def command(
    model: Model,
    rows: NewRows,
    destination: Annotated[
        Path | None,
        output_option("--output", "-o", metavar="FILE", help="A csv file. [default: stdout]"),
    ] = None,
    escape_formulas: Annotated[
        bool,
        output_option(
            "--escape-formulas",
            help="Write ' before labels that a spreadsheet would compute, such as =1+1.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Predict the target of each row of DATA; if DATA has the target, report the score.

    The score is accuracy, or r2; a model selected for a measure reports that measure too.

    Columns are matched by name where there are names: DATA may have more columns than the model
    uses, in any order. A model of bags predicts a label for each bag.

    Example: handful predict model.handful new.csv -o predictions.csv
    """
    check_output_files({"--output": destination}, rows.data, model, target=rows.target)
    from handful.io import read_model_file

    saved = read_model_file(model)
    with progress(f"reading {rows.data}"):
        X, table = _read(saved, _used_columns(saved), rows)
    columns = _predict(saved, X)
    score = _score(saved, table, columns)
    if destination is not None:
        with atomic_write(destination, text=True) as file:
            _write_csv(file, columns, escape_formulas)
        say(f"wrote {destination}")
    if as_json:
        listed = {} if destination is not None else {"predictions": columns}
        name = None if destination is None else str(destination)
        print_json({"n_rows": X.shape[0], "score": score, "output": name, **listed})
    elif destination is None:
        _write_csv(sys.stdout, columns, escape_formulas)
    if score is not None and not as_json:
        figures = ", ".join(f"{name} {value:.4f}" for name, value in score.items())
        say(f"{figures} on {X.shape[0]} rows")


def _used_columns(saved: ModelFile) -> np.ndarray:
    from handful.cli.problem import FeatureNames
    from handful.cli.selection import Selection

    return Selection(saved.estimator, FeatureNames.of_model(saved)).used_columns()


def _read(saved: ModelFile, ids: np.ndarray, rows: NewRows) -> tuple[Any, Table]:
    """Read the columns that the model needs, and the target if it is there.

    Returns rows, or bags of them, and the table that they are from, with a label for each.
    """
    from handful.cli.problem import targets_of, used_names
    from handful.io import InputError, read_bags, read_table

    targets = targets_of(saved)
    if targets is not None and rows.target is not None:
        raise InputError("the model has several targets, found by their names; leave --target out")
    bag_column, n_expected = saved.about.get("bag_column"), saved.estimator.n_features_in_
    is_of_bags = isinstance(bag_column, str)
    if rows.bags is not None and not is_of_bags:
        raise typer.BadParameter("the model was not fitted on bags", param_hint="--bags")
    used = used_names(saved, ids) or None
    target = rows.target or (saved.about.get("target") if targets is None else None)
    if saved.encoding is not None:
        from handful.cli.new_rows import read_encoded

        table, ids = read_encoded(saved.encoding, ids, rows, target, targets)
        return _place(saved.estimator, ids, table), table
    how: dict[str, Any] = {
        "file_format": rows.file_format,
        "target_optional": rows.target is None,
        "only": used,
        "header": rows.header,
    }
    if is_of_bags:
        read = read_bags(rows.data, str(rows.bags or bag_column), target, **how)
        X, table, n_columns = read.bags, replace(read.table, y=read.y), read.bags.n_features
    else:
        first = saved.about.get("first_index")
        table = read_table(
            rows.data, target, targets=targets, n_features=n_expected, first_index=first, **how
        )
        X = table.X if used is None else _place(saved.estimator, ids, table)
        n_columns = X.shape[1]
    if n_columns != n_expected:
        raise InputError(
            f"{rows.data} has {n_columns} columns of features, the model was fitted on {n_expected}"
        )
    return X, table


def _place(estimator: Any, ids: np.ndarray, table: Table) -> Any:
    """Put the columns that were read by name where the model looks for them.

    The model never looks at the others, so they are left empty in a sparse matrix.
    """
    import numpy as np
    from scipy import sparse

    if table.X.shape[1] == estimator.n_features_in_:
        return table.X
    places = sparse.csr_matrix(
        (np.ones(len(ids), dtype=table.X.dtype), (np.arange(len(ids)), ids)),
        shape=(len(ids), estimator.n_features_in_),
    )
    return sparse.csr_matrix(table.X) @ places


def _predict(saved: ModelFile, X: Any) -> dict[str, Any]:
    """Return the columns of the output: the label, then the decision values of a classifier."""
    from handful.cli.problem import targets_of

    estimator, targets = saved.estimator, targets_of(saved)
    with warnings.catch_warnings():
        # The columns have been matched by name already.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        columns = {"prediction": estimator.predict(X)}
        if hasattr(X, "bag_ids"):
            columns = {"bag": X.bag_ids, **columns}
        if targets is not None:
            return predict_targets(estimator, columns["prediction"], X, targets)
        if hasattr(estimator, "classes_"):
            decision = estimator.decision_function(X)
            if decision.ndim == 1:
                columns["decision"] = decision
            else:
                for label, values in zip(estimator.classes_, decision.T, strict=True):
                    columns[f"decision {label}"] = values
    return columns


def _score(saved: ModelFile, table: Table, columns: dict[str, Any]) -> dict[str, float] | None:
    from sklearn.metrics import accuracy_score, r2_score

    estimator, y = saved.estimator, table.y
    if y is None:
        return None
    if table.target_names is not None:
        return score_targets(y, columns, table.target_names)
    prediction = columns["prediction"]
    if not hasattr(estimator, "classes_"):
        return {"r2": float(r2_score(y.astype(float), prediction))}
    classes = estimator.classes_
    if classes.dtype.kind != y.dtype.kind:  # labels that are numbers in one file only
        y, prediction, classes = y.astype(str), prediction.astype(str), classes.astype(str)
    accuracy = {"accuracy": float(accuracy_score(y, prediction))}
    return {**_measure_score(estimator, classes, y, columns), **accuracy}


def _measure_score(
    estimator: Any, classes: np.ndarray, y: np.ndarray, columns: dict[str, Any]
) -> dict[str, float]:
    """The measure that the model was selected for, if it is defined on these rows."""
    import numpy as np

    from handful.cli.scoring import measure_of_loss, score_by_measure

    measure = measure_of_loss(getattr(estimator, "loss", None))
    if measure is None or str(measure) == "accuracy":
        return {}
    others = ("bag", "prediction")
    decision = np.column_stack([columns[name] for name in columns if name not in others])
    try:
        return score_by_measure(
            measure, classes, y, decision[:, 0] if len(classes) == 2 else decision
        )
    except ValueError as error:
        say(f"no {measure} of these rows: {error}")
        return {}


def _write_csv(file: IO[str], columns: dict[str, Any], escape_formulas: bool) -> None:
    writer = csv.writer(file, lineterminator="\n")
    cells = {name: values.tolist() for name, values in columns.items()}
    if escape_formulas:
        cells = {name: [_escaped(cell) for cell in values] for name, values in cells.items()}
    writer.writerow(cells)
    writer.writerows(zip(*cells.values(), strict=True))


def _escaped(cell: Any) -> Any:
    """Put a quotation mark before text that a spreadsheet would take for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
