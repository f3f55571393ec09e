"""``handful predict``: apply a saved model to new rows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from handful.cli.console import print_json, progress, say
from handful.cli.options import Json, Model, NewRows, data_option, output_option, with_options
from handful.cli.outputs import check_output_files
from handful.files import atomic_write


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

    The score is accuracy, or r2; a model selected for a measure reports that measure too. Rows whose
    target is missing are predicted like all others, and have no part in the score.

    Columns are matched by name where there are names: DATA may have more columns than the model
    uses, in any order. A model of bags predicts a label for each bag.

    Example: handful predict model.handful new.csv -o predictions.csv
    """
    beside = {"target": rows.target, "ids": id_column}
    check_output_files({"--output": destination}, rows.data, model, **beside)
    from handful.cli import predictions
    from handful.cli.feature_names import targets_of
    from handful.cli.new_rows import read_new_rows
    from handful.io import read_model_file
    from handful.io.labels import rows_without

    saved = read_model_file(model)
    with progress(f"reading {rows.data}"):
        estimator, X, table = read_new_rows(saved, rows, id_column, target_may_be_missing=True)
        ids = predictions.row_ids(rows, id_column, X)
    columns = predictions.predictions_of(estimator, X, targets_of(saved))
    scored = None if table.y is None else ~rows_without(table.y)  # rows, or bags
    score = predictions.score_of(estimator, table, columns, scored)
    if explain:
        columns["explanation"] = predictions.explanations(estimator, X, as_json=as_json)
    columns = predictions.with_ids(ids, columns)
    if destination is not None:
        with atomic_write(destination, text=True) as file:
            predictions.write_csv(file, columns, escape_formulas)
        say(f"wrote {destination}")
    if as_json:
        n_scored = None if score is None or scored is None else int(scored.sum())
        figures = {"n_rows": X.shape[0], "n_scored": n_scored, "score": score}
        is_here = {"output": None, "predictions": columns}
        print_json(figures | (is_here if destination is None else {"output": str(destination)}))
    elif destination is None:
        predictions.write_csv(sys.stdout, columns, escape_formulas)
    if scored is not None and table.y is not None and not as_json:
        cases = "bag" if hasattr(X, "bag_ids") else "row"
        say(predictions.what_was_scored(score, table.y, scored, cases))
