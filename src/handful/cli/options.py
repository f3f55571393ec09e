"""Options that more than one command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Budget",
    "Data",
    "Drop",
    "Format",
    "Header",
    "Json",
    "Loss",
    "LossWeight",
    "MaxRounds",
    "Model",
    "Regression",
    "Scale",
    "Seed",
    "Solver",
    "Target",
    "Tolerance",
    "parse_weight",
]

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="svmlight, csv, tsv, parquet, npz or mtx; the text formats may be .gz, .bz2 or .xz.",
        show_default=False,
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        "-t",
        metavar="NAME",
        help="The target: a column's name or position (csv, tsv, parquet), a key (npz), or a file "
        "with one label per line (npz, mtx). svmlight needs none.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="The format of DATA, when its suffix misleads."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COLUMN", help="A column to leave out; may be repeated."),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether a csv begins with names. [default: look]",
        show_default=False,
    ),
]
Regression = Annotated[
    bool | None,
    typer.Option(
        "--regression/--classification",
        help="What the target is. [default: look at it]",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option("--seed", help="Seed of what is drawn at random.")]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A file that select wrote.", show_default=False),
]

# How to fit. A default of None leaves the estimator its own.
Loss = Annotated[
    str | None,
    typer.Option(help="squared_hinge or logistic; for regression squared.", show_default=False),
]
LossWeight = Annotated[
    str, typer.Option("--C", metavar="X", help="Weight of the loss: a number, or auto.")
]
Budget = Annotated[int | None, typer.Option(help="Features generated in each round.")]
MaxRounds = Annotated[int | None, typer.Option(help="The most rounds of generation.")]
Scale = Annotated[str | None, typer.Option(help="norm: treat each column as if its norm were one.")]
Solver = Annotated[str | None, typer.Option(help="auto, ksupport, apg or mkl.")]
Tolerance = Annotated[
    float | None, typer.Option("--tol", help="Relative gap at which to stop generating.")
]


def parse_weight(text: str) -> float | str:
    """Read the value of ``--C``."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        message = f"{text!r} is neither a number nor auto"
        raise typer.BadParameter(message, param_hint="--C") from None
