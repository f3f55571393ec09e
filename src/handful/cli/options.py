"""Options that commands share: each is declared once, and a command may take a whole set of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer


def refuse(option: str, message: str) -> typer.BadParameter:
    """Return the error that names an option and says in one sentence what is wrong with it."""
    hint = option if option.startswith("-") else f"--{option.replace('_', '-')}"
    return typer.BadParameter(message, param_hint=hint)


def check_word(option: str, said: str, known: Iterable[str]) -> None:
    """Refuse a word that is none of those an option knows."""
    words = tuple(known)
    if said not in words:
        raise refuse(option, f"{said!r} is none of {', '.join(words)}")


def read_number(option: str, text: str, share: str = "a share") -> int | float:
    """Read a whole number, or a share, which has a point."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise refuse(option, f"{text!r} is neither a whole number nor {share}") from None


def read_count(text: str) -> int | float:
    """Read ``-k``: how many, or which share."""
    return read_number("-k", text, "a share between 0 and 1")


def read_counts(text: str) -> str | list[int | float]:
    """Read numbers and shares with commas between them, or the word for those that are usual."""
    if text.strip() == "auto":
        return "auto"
    try:
        counts = {read_count(one) for one in text.split(",") if one.strip()}
    except typer.BadParameter:
        counts = set()
    if not counts or not all(n >= 1 if isinstance(n, int) else 0 < n < 1 for n in counts):
        raise refuse("-k", f"{text!r} is not a list such as 5,10,20,50 or 0.1,0.2, nor auto")
    return sorted(counts)


#: The panels of ``--help``, in the order in which they are printed.
DATA, SELECTION, VALIDATION = "Data", "Selection", "Cross-validation"
FEATURES, FIT, OUTPUT = "Features to select from", "Fit", "Output"
PANELS = (DATA, SELECTION, VALIDATION, FEATURES, FIT, OUTPUT)

data_option = partial(typer.Option, rich_help_panel=DATA)
selection_option = partial(typer.Option, rich_help_panel=SELECTION)
validation_option = partial(typer.Option, rich_help_panel=VALIDATION)
feature_option = partial(typer.Option, rich_help_panel=FEATURES)
fit_option = partial(typer.Option, rich_help_panel=FIT)
output_option = partial(typer.Option, rich_help_panel=OUTPUT)

Model = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A file that select wrote.", show_default=False)
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
    data_option(
        "--target",
        "-t",
        metavar="NAME",
        help="The target: a column's name or position (csv, tsv, parquet), a key (npz), or a file "
        "with one label per line (npz, mtx). svmlight needs none.",
    ),
]
Targets = Annotated[
    str | None,
    data_option(
        metavar="NAMES",
        help="Several targets that share the features, with commas: columns, or a pattern such as "
        "'label_*' (csv, tsv, parquet), keys (npz), or labels, '*' for all (svmlight).",
    ),
]
BagColumn = Annotated[
    str | None,
    data_option(
        metavar="COLUMN",
        help="Labels belong to bags of rows: the column (npz: the key) that says a row's bag.",
    ),
]
RowGroupColumn = Annotated[
    str | None,
    data_option(
        "--row-groups",
        metavar="COLUMN",
        help="Rows that belong together, such as those of one patient, stay in one fold or half: the column whose equal "
        "entries mark them, which is then no feature (csv, tsv, parquet), a key (npz), or a file with one label per line.",
    ),
]
Strings = Annotated[
    str | None,
    data_option(
        metavar="COLUMN",
        help="Rows are strings, whose substrings are the features: the column that holds them (csv, tsv, parquet). FASTA "
        "files need none, nor do the lines of a text, with --format lines.",
    ),
]
Regression = Annotated[
    bool | None,
    data_option("--regression/--classification", help="What the target is. [default: look at it]"),
]
Drop = Annotated[
    list[str] | None,
    data_option(metavar="COLUMN", help="A column to leave out; may be repeated."),
]
Missing = Annotated[
    str,
    data_option(
        metavar="RULE",
        help="What a missing value is (csv, tsv, parquet): error, mean, median, category or "
        "drop-rows; see docs/mixed-tables.md.",
    ),
]
Text = Annotated[
    list[str] | None,
    data_option(
        metavar="COLUMN",
        help="A column to take as text whatever it looks like, such as postcodes; of the target, that "
        "none or NA is a class. May be repeated.",
    ),
]
Categories = Annotated[
    str,
    data_option(
        metavar="HOW",
        help="together: a text column is selected whole, and -k counts it once; separate: each of "
        "its categories is a feature of its own.",
    ),
]
Header = Annotated[
    bool | None,
    data_option("--header/--no-header", help="Whether a csv begins with names. [default: look]"),
]
Format = Annotated[
    str | None,
    data_option("--format", metavar="NAME", help="The format of DATA, when its suffix misleads."),
]
Seed = Annotated[int, validation_option(metavar="N", help="Seed of what is drawn at random.")]
Json = Annotated[bool, output_option("--json", help="Print one JSON object and nothing else.")]
FiguresOut = Annotated[
    Path | None,
    output_option("--output", "-o", metavar="FILE", help="Write the figures as JSON."),
]
PlotOut = Annotated[
    Path | None, output_option("--plot", metavar="FILE", help="Draw them as png or svg.")
]
ReportOut = Annotated[
    Path | None,
    output_option(
        "--report",
        metavar="FILE.html",
        help="Write a report to be opened in a browser or mailed. Everything is repeated inside five folds, to have "
        "held-out rows to judge by.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where rows to learn from are, and what they are taken for."""

    data: Data
    target: Target = None
    targets: Targets = None
    bags: BagColumn = None
    row_groups: RowGroupColumn = None
    strings: Strings = None
    regression: Regression = None
    drop: Drop = None
    missing: Missing = "error"
    text: Text = None
    categories: Categories = "together"
    header: Header = None
    file_format: Format = None

    def __post_init__(self) -> None:
        from handful.io.mixed import MISSING_RULES

        check_word("missing", self.missing, MISSING_RULES)
        check_word("categories", self.categories, ("together", "separate"))

    @property
    def beside(self) -> Path | None:
        """The file that says which rows belong together, where it is one."""
        named = None if self.row_groups is None else Path(self.row_groups)
        return named if named is not None and named.is_file() else None

    @property
    def has_strings(self) -> bool:
        """Whether rows are strings."""
        from handful.io.strings import holds_strings

        return self.strings is not None or holds_strings(self.data, self.file_format)

    @property
    def wants_cells(self) -> str | None:
        """An option that is given and speaks of columns of text or missing values; None if none is."""
        given = {
            "--missing": self.missing != "error",
            "--text": bool(self.text),
            "--categories": self.categories != "together",
        }
        return next((option for option, is_given in given.items() if is_given), None)


@dataclass(frozen=True, kw_only=True)
class NewRows:
    """Where rows to predict are; they may have a target and be in bags."""

    data: Data
    target: Target = None
    bags: BagColumn = None
    header: Header = None
    file_format: Format = None


def with_options(more: Iterable[inspect.Parameter] = ()) -> Callable[..., Callable[..., None]]:
    """Let a command take options by sets.

    A parameter whose type is a dataclass becomes an option for each of its fields; ``**options``
    becomes those in ``more``. The command line sees them all, the command gets them put together again.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(command, include_extras=True)
        sets: dict[str, Any] = {}
        seen: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(command).parameters.items():
            if is_dataclass(hints[name]):
                sets[name] = hints[name]
                own = get_type_hints(hints[name], include_extras=True)
                seen += [as_parameter(field, own[field.name]) for field in fields(sets[name])]
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                seen += more
            else:
                keyword = inspect.Parameter.KEYWORD_ONLY
                seen.append(parameter.replace(kind=keyword, annotation=hints[name]))

        @wraps(command)
        def flat(**values: Any) -> None:
            made = {
                name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
                for name, kind in sets.items()
            }
            command(**made, **values)

        flat.__signature__ = inspect.Signature(seen)  # type: ignore[attr-defined]
        flat.__annotations__ = {}
        return flat

    return decorate


def as_parameter(field: Field[Any], annotation: Any) -> inspect.Parameter:
    """Return the parameter of a function that a field stands for."""
    default = inspect.Parameter.empty if field.default is MISSING else field.default
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(field.name, keyword, default=default, annotation=annotation)
