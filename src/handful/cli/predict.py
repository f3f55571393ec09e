"""``handful predict``: apply a saved model to new rows."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from handful.cli.console import print_json, progress, say
from handful.cli.options import Json, Model, NewRows, data_option, output_option, with_options
from handful.cli.output_files import check_output_files
from handful.cli.predictions import columns_of_classes, row_ids, with_ids, write_csv
from handful.cli.targets import predict_targets, score_targets
from handful.files import atomic_write

if TYPE_CHECKING:
    import numpy as np

    from handful.io import ModelFile, Table


@with_options()
def command(
    model: Model,
    rows: NewRows,
    id_column: Annotated[
        str | None,
        data_option(
            "--id",
            metavar="COLUMN",
            help="The column that says whose row it is, written first: a name or position (csv, tsv, "
            "parquet), or a key or a file with one per line (npz, mtx). [default: the row's number, from 0]",
        ),
    ] = None,
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
    explain: Annotated[
        bool,
        output_option(
            "--explain", help="Say for each string which substrings were found, and where."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Predict the target of each row of DATA; if DATA has the target, report the score.

    Written are the row's number or --id, the prediction, decision values of classes, and probabilities
    where the model has them: after select --loss logistic or select --calibrate.

    The score is accuracy, or r2; a model selected for a measure reports that measure too.

    Columns are matched by name where there are names: DATA may have more columns than the model
    uses, in any order. A model of bags predicts a label for each bag.

    Example: handful predict model.handful new.csv -o predictions.csv
    """
    beside = {"target": rows.target, "ids": id_column}
    check_output_files({"--output": destination}, rows.data, model, **beside)
    from handful.cli.problem import targets_of
    from handful.io import read_model_file

    saved = read_model_file(model)
    with progress(f"reading {rows.data}"):
        estimator, X, table = read_new_rows(saved, rows, id_column)
        ids = row_ids(rows, id_column, X)
    columns = _predict(estimator, X, targets_of(saved))
    score = _score(estimator, table, columns)
    if explain:
        from handful.cli.explaining import explanations

        columns["explanation"] = explanations(estimator, X, as_json=as_json)
    columns = with_ids(ids, columns)
    if destination is not None:
        with atomic_write(destination, text=True) as file:
            write_csv(file, columns, escape_formulas)
        say(f"wrote {destination}")
    if as_json:
        listed = {} if destination is not None else {"predictions": columns}
        name = None if destination is None else str(destination)
        print_json({"n_rows": X.shape[0], "score": score, "output": name, **listed})
    elif destination is None:
        write_csv(sys.stdout, columns, escape_formulas)
    if score is not None and not as_json:
        figures = ", ".join(f"{name} {value:.4f}" for name, value in score.items())
        say(f"{figures} on {X.shape[0]} rows")


def read_new_rows(
    saved: ModelFile, rows: NewRows, id_column: str | None = None
) -> tuple[Any, Any, Table]:
    """Read the columns that the model needs, and the target if it is there; the column of ids is no feature.

    Returns the model of the columns that were read, rows or bags of them, and the table that they are from,
    with a label for each.
    """
    from handful.cli.problem import targets_of, used_names
    from handful.estimators._narrow import narrowed, used_columns
    from handful.io import InputError, read_bags, read_table
    from handful.io.mixed import has_cells

    targets = targets_of(saved)
    if targets is not None and rows.target is not None:
        raise InputError("the model has several targets, found by their names; leave --target out")
    bag_column, n_expected = saved.about.get("bag_column"), saved.estimator.n_features_in_
    is_of_bags = isinstance(bag_column, str)
    if rows.bags is not None and not is_of_bags:
        raise typer.BadParameter("the model was not fitted on bags", param_hint="--bags")
    if isinstance(saved.about.get("strings"), str):
        return _read_strings(saved, rows)
    used = used_names(saved, used_columns(saved.estimator)) or None
    target = rows.target or (saved.about.get("target") if targets is None else None)
    has_names = used is not None if saved.encoding is None else saved.encoding.has_names
    is_a_column = id_column is not None and has_cells(rows.data, rows.file_format)
    beside: dict[str, Any] = {
        "drop": (id_column,) if is_a_column and not has_names else (),
        "left_out": saved.about.get("left_out") or (),
    }
    if saved.encoding is not None:
        from handful.cli.new_rows import read_encoded

        return read_encoded(saved.encoding, saved.estimator, rows, target, targets, **beside)
    how: dict[str, Any] = {
        "file_format": rows.file_format,
        "target_optional": rows.target is None,
        "only": used,
        "header": rows.header,
        "n_features": n_expected,
        **beside,
    }
    if is_of_bags:
        read = read_bags(rows.data, str(rows.bags or bag_column), target, **how)
        X, table, n_columns = read.bags, replace(read.table, y=read.y), read.bags.n_features
    else:
        first = saved.about.get("first_index")
        table = read_table(rows.data, target, targets=targets, first_index=first, **how)
        if used is not None:
            return narrowed(saved.estimator), table.X, table
        X, n_columns = table.X, table.X.shape[1]
    if n_columns != n_expected:
        raise InputError(
            f"{rows.data} has {n_columns} columns of features, the model was fitted on {n_expected}"
        )
    return saved.estimator, X, table


def _read_strings(saved: ModelFile, rows: NewRows) -> tuple[Any, Any, Table]:
    """Read the strings, and their labels if they are there."""
    from handful.io import read_strings

    table = read_strings(
        rows.data,
        saved.about["strings"] or None,
        rows.target or saved.about.get("target"),
        file_format=rows.file_format,
        target_optional=rows.target is None,
        header=rows.header,
    )
    return saved.estimator, table.X, table


def _predict(estimator: Any, X: Any, targets: list[str] | None) -> dict[str, Any]:
    """Return the columns of the output: the label, then decision values and probabilities of classes."""
    with warnings.catch_warnings():
        # The columns have been matched by name already.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        columns = {"prediction": estimator.predict(X)}
        if targets is not None:
            return predict_targets(estimator, columns["prediction"], X, targets)
        if hasattr(estimator, "classes_"):
            decision = estimator.decision_function(X)
            labels = estimator.classes_ if decision.ndim == 2 else None
            columns |= columns_of_classes("decision", decision, labels)
        if hasattr(estimator, "predict_proba"):
            probabilities = estimator.predict_proba(X)
            columns |= columns_of_classes("probability", probabilities, estimator.classes_)
    return columns


def _score(estimator: Any, table: Table, columns: dict[str, Any]) -> dict[str, float] | None:
    import numpy as np
    from sklearn.metrics import accuracy_score, r2_score

    y = table.y
    if y is None:
        return None
    if table.target_names is not None:
        measured = _measure_score(estimator, np.array([]), y, columns)
        return {**measured, **score_targets(y, columns, table.target_names)}
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
    if measure is None or (measure.is_of_classes and y.ndim == 1):
        return {}
    decision = np.column_stack([columns[name] for name in columns if name.startswith("decision")])
    try:
        return score_by_measure(
            measure, classes, y, decision[:, 0] if len(classes) == 2 else decision
        )
    except ValueError as error:
        say(f"no {measure} of these rows: {error}")
        return {}
