"""Options that more than one command has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "Alpha",
    "BagColumn",
    "Budget",
    "Checkpoint",
    "Coef0",
    "Count",
    "Data",
    "Drop",
    "Exclude",
    "FeaturesOut",
    "Format",
    "Gamma",
    "GroupWeights",
    "Groups",
    "Header",
    "Include",
    "InteractionOnly",
    "Json",
    "Loss",
    "LossWeight",
    "Margin",
    "MaxRounds",
    "MethodName",
    "Model",
    "ModelOut",
    "Pairs",
    "Power",
    "Regression",
    "Scale",
    "Seed",
    "Solver",
    "Space",
    "Standardize",
    "Target",
    "Targets",
    "Tolerance",
    "parse_numbers",
    "parse_weight",
]

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="svmlight, csv, tsv, parquet, npz or mtx; the text formats may be .gz, .bz2 or .xz. "
        "Or the folder of a store that convert wrote.",
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
Targets = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="Several targets that share the features, with commas: columns, or a pattern such as "
        "'label_*' (csv, tsv, parquet), keys (npz), or labels, '*' for all (svmlight).",
    ),
]
BagColumn = Annotated[
    str | None,
    typer.Option(
        "--bags",
        metavar="COLUMN",
        help="Labels belong to bags of rows: the column (npz: the key) that says a row's bag.",
    ),
]
Alpha = Annotated[
    str | None,
    typer.Option(
        metavar="X",
        help="Of greedy-rls and rfs: the weight of the penalty, or several with commas to choose from.",
    ),
]
MethodName = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="How to select; the list is below. [default: fgm; greedy-rls with --targets, miles with --bags]",
        show_default=False,
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
Count = Annotated[
    int | None,
    typer.Option(
        "-k",
        metavar="N",
        help="How many features, groups of --groups, or atoms. [default: plain FGM]",
        show_default=False,
    ),
]
Include = Annotated[
    list[str] | None, typer.Option(metavar="FEATURE", help="A feature to keep; may be repeated.")
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(metavar="FEATURE", help="A feature never to take; may be repeated."),
]
Checkpoint = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Save each round here; run again to resume.")
]
ModelOut = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes.")
]
FeaturesOut = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the selected names, one per line.")
]
Model = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="A file that select wrote.", show_default=False),
]

# How to fit. A default of None leaves the estimator its own.
Loss = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="squared_hinge, logistic, or a measure to select for: f1, prec@100, prec@10%, rec@2p "
        "(twice the positives), prbep, roc_auc, average_precision, accuracy; for regression "
        "squared. [default: squared_hinge, or squared]",
        show_default=False,
    ),
]
LossWeight = Annotated[
    str, typer.Option("--C", metavar="X", help="Weight of the loss: a number, auto, or fast.")
]
Budget = Annotated[int | None, typer.Option(help="Features generated in each round.")]
MaxRounds = Annotated[int | None, typer.Option(help="The most rounds of generation.")]
Scale = Annotated[str | None, typer.Option(help="norm: treat each column as if its norm were one.")]
Solver = Annotated[str | None, typer.Option(help="auto, ksupport, apg or mkl.")]
Tolerance = Annotated[
    float | None,
    typer.Option("--tol", help="Relative gap, or fall of the objective, at which to stop."),
]
Power = Annotated[
    str | None,
    typer.Option(
        "--p",
        metavar="X",
        help="Of direct: above 0 and at most 1, the less the sparser; or several with commas to "
        "choose from.",
    ),
]
Margin = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Of direct: auto, hard, projected or soft."),
]
Standardize = Annotated[
    bool,
    typer.Option("--standardize", help="Of direct and rfs: as if all columns had deviation one."),
]

# What to select from: the columns, groups of them, or features made from them.
Pairs = Annotated[
    bool, typer.Option("--pairs", help="Select from all columns, their squares and products.")
]
InteractionOnly = Annotated[
    bool, typer.Option("--interaction-only", help="With --pairs: no squares.")
]
Space = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="intersection, gaussian or chi2: each column under a kernel of its own.",
    ),
]
Gamma = Annotated[
    float | None,
    typer.Option(
        metavar="X", help="Factor of the products, or 1 / width^2 of the Gaussian, also of --bags."
    ),
]
Coef0 = Annotated[
    float | None,
    typer.Option(metavar="X", help="With --pairs: weight of single columns against products."),
]
Groups = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Select groups of features: a file with a line feature,group for each membership.",
    ),
]
GroupWeights = Annotated[
    str | None,
    typer.Option(
        metavar="size", help="With --groups: size favours small groups, by 1 / sqrt(size)."
    ),
]


def parse_weight(text: str) -> float | str:
    """Read the value of ``--C``."""
    if text in ("auto", "fast"):
        return text
    try:
        return float(text)
    except ValueError:
        message = f"{text!r} is neither a number nor auto nor fast"
        raise typer.BadParameter(message, param_hint="--C") from None


def parse_numbers(text: str | None, option: str) -> float | list[float] | None:
    """Read a number, or several to choose from."""
    if text is None:
        return None
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        message = f"{text!r} is neither a number nor numbers separated by commas"
        raise typer.BadParameter(message, param_hint=option) from None
    return values[0] if len(values) == 1 else values
