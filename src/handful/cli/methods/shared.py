"""How a method declares its options, and the options that several methods take.

An option is a field of the method's :class:`Options`, called as the estimator calls its parameter.
Its default is None (or a flag that is not set), which leaves the estimator its own; the help says
what that is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from handful.cli.names import CLASSIFICATION_LOSSES, MEASURES, REGRESSION_LOSSES, SOLVERS
from handful.cli.options import feature_option, fit_option, output_option, refuse, selection_option

if TYPE_CHECKING:
    from handful.cli.feature_names import FeatureNames


@dataclass(frozen=True)
class Reader:
    """Beside a declaration: makes the parameter of the option's text."""

    read: Callable[[str, str], Any]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a method can be told on the command line; a subclass has a field for each option."""

    def parameters(self) -> dict[str, Any]:
        """Return the estimator's parameters, those that are None to be left alone.

        Called before anything is read: options that do not go together are refused here.
        """
        apart = self.apart()
        return {name: value for name, value in self.said().items() if name not in apart}

    def said(self) -> dict[str, Any]:
        """Return the value of each option; None where it is not given."""
        hints = get_type_hints(type(self), include_extras=True)
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, value in given.items():
            for reader in hints[name].__metadata__:
                if isinstance(reader, Reader) and value is not None:
                    given[name] = reader.read(name, value)
            if value is False:  # a flag that is not set
                given[name] = None
        return given

    def apart(self) -> set[str]:
        """Return the options that are no parameters, but say what to make of names and columns."""
        return set()

    def resolved(self, names: FeatureNames) -> tuple[FeatureNames, dict[str, Any]]:
        """Return names of all that can be selected, and the parameters that need them."""
        if names.encoded_columns:
            raise refuse(
                "categories",
                "the method selects features one by one; choose each category of a text column for itself with "
                "--categories separate",
            )
        return names, {}


def read_weight(name: str, text: str) -> float | str:
    """Read a number, or a word for a rule."""
    if text in ("auto", "fast"):
        return text
    try:
        return float(text)
    except ValueError:
        raise refuse(name, f"{text!r} is neither a number nor auto nor fast") from None


def read_numbers(name: str, text: str) -> float | list[float]:
    """Read a number, or several to choose from."""
    try:
        values = [float(word) for word in text.split(",")]
    except ValueError:
        message = f"{text!r} is neither a number nor numbers separated by commas"
        raise refuse(name, message) from None
    return values[0] if len(values) == 1 else values


Loss = Annotated[
    str | None,
    fit_option(
        metavar="NAME",
        help=f"{', '.join(CLASSIFICATION_LOSSES)}, or a measure to select for: {', '.join(MEASURES)} (2p: twice the "
        f"positives); for regression {', '.join(REGRESSION_LOSSES)}. [default: squared_hinge; squared for regression; "
        "f1 for dictionary]",
    ),
]
Average = Annotated[
    str | None,
    fit_option(
        metavar="HOW",
        help="With a measure and several classes or labels: macro, where all count the same, or "
        "weighted by their rows. [default: macro]",
    ),
]
OutputUnits = Annotated[
    str | None,
    fit_option(
        "--output-units",
        metavar="UNIT",
        help="With a measure and several classes or labels: tell predictions in the margin of each, or in the same "
        "unit for all; auto: margin unless --C is a number. [default: auto]",
    ),
]
PerClass = Annotated[
    bool, fit_option("--per-class", help="Select -k features for each class or label by itself.")
]
LabelThreshold = Annotated[
    str | None,
    fit_option(
        metavar="HOW",
        help="With accuracy or F: fitted with the weights, or held_out, where it is best for rows that five "
        "more fits have not seen. [default: fitted]",
    ),
]
RefitLoss = Annotated[
    str | None,
    fit_option(
        metavar="HOW",
        help="With F: auto, where the squared hinge makes the last fit if that is clearly better for rows not seen, or same. "
        "[default: auto]",
    ),
]
SelectionLoss = Annotated[
    str | None,
    fit_option(
        metavar="HOW",
        help="With F: auto, where the squared hinge chooses the features if that is clearly better for rows not seen, or same. "
        "[default: auto]",
    ),
]
LossWeight = Annotated[
    str | None,
    fit_option(
        "--C",
        "-C",
        metavar="X",
        help="Weight of the loss: a number, auto, or fast. [default: auto; 1.0 for dictionary]",
    ),
    Reader(read_weight),
]
Budget = Annotated[
    int | None, fit_option(metavar="N", help="Features generated in each round. [default: 10]")
]
MaxRounds = Annotated[
    int | None, fit_option(metavar="N", help="The most rounds of generation. [default: 15]")
]
Solver = Annotated[
    str | None, fit_option(metavar="NAME", help=f"auto, {', '.join(SOLVERS)}. [default: auto]")
]
Tolerance = Annotated[
    float | None,
    fit_option(
        metavar="X",
        help="Relative gap, or fall of the objective, at which to stop. "
        "[default: 0.01; 0.0001 for direct, rfs; 0.001 for dictionary]",
    ),
]
Penalty = Annotated[
    str | None,
    fit_option(
        metavar="X",
        help="The weight of the penalty, or several with commas to choose from. [default: 1.0]",
    ),
    Reader(read_numbers),
]
PenaltyPerOutput = Annotated[
    bool,
    fit_option(
        "--alpha-per-output",
        help="An alpha for each target or class, of those of --alpha, or around it where it is one number.",
    ),
]
Scale = Annotated[
    str | None,
    fit_option(
        metavar="std|norm|raw",
        help="std: treat each column as if its standard deviation were one; norm: as if its length were (not for bags); raw: as it is. "
        "None: std for columns in different units unless C is a number, else raw. [default: None; std for miles, dictionary]",
    ),
]
Certify = Annotated[
    bool,
    fit_option(
        "--certify",
        help="After the selection work on the bound: the same model, and a smaller gap.",
    ),
]
Checkpoint = Annotated[
    Path | None, output_option(metavar="FILE", help="Save each round here; run again to resume.")
]
Gamma = Annotated[
    float | None,
    feature_option(
        metavar="X",
        help="Factor of the products of --pairs, or 1 / width^2 of the Gaussian, also of --bags.",
    ),
]
Groups = Annotated[
    Path | None,
    feature_option(
        metavar="FILE",
        help="Select groups of features: a file with a line feature,group for each membership.",
    ),
]
Include = Annotated[
    list[str] | None,
    selection_option(metavar="FEATURE", help="A feature (or group) to keep; may be repeated."),
]
Exclude = Annotated[
    list[str] | None,
    selection_option(
        metavar="FEATURE", help="A feature (or group) never to take; may be repeated."
    ),
]


@dataclass(frozen=True, kw_only=True)
class OptionsWithExclude(Options):
    """Of methods that can be told what never to take, and select features one by one."""

    exclude: Exclude = None

    def apart(self) -> set[str]:
        return {"exclude"}

    def resolved(self, names: FeatureNames) -> tuple[FeatureNames, dict[str, Any]]:
        names, found = super().resolved(names)
        return names, found | {"exclude": names.ids(self.exclude or ())}


@dataclass(frozen=True, kw_only=True)
class OptionsWithNames(Options):
    """Of methods that select groups of features, or are told which to keep: all given by name."""

    groups: Groups = None
    include: Include = None
    exclude: Exclude = None

    def parameters(self) -> dict[str, Any]:
        if self.groups is not None:
            from handful.io.opening import check_file

            check_file(self.groups)
        both = sorted({*(self.include or ())} & {*(self.exclude or ())})
        if both:
            raise refuse("exclude", f"{both[0]!r} is named by --include too; take it out of one")
        return super().parameters()

    def apart(self) -> set[str]:
        return {"groups", "include", "exclude", *super().apart()}

    def resolved(self, names: FeatureNames) -> tuple[FeatureNames, dict[str, Any]]:
        """Turn names into ids: of features, or of groups where there are any."""
        choices: Any = names
        members = {}
        if self.groups is not None or names.encoded_columns:
            from handful.cli.feature_names import groups_of_encoded_columns, read_groups

            choices = (
                read_groups(self.groups, names) if self.groups else groups_of_encoded_columns(names)
            )
            names, members = choices.features, {"groups": choices.members}
        wishes = {"include": self.include, "exclude": self.exclude}
        return names, members | {key: choices.ids(said or ()) for key, said in wishes.items()}


@dataclass(frozen=True, kw_only=True)
class MachineOptions(Options):
    """How the machine runs, whatever its features are."""

    loss: Loss = None
    average: Average = None
    output_units: OutputUnits = None
    per_class: PerClass = False
    label_threshold: LabelThreshold = None
    refit_loss: RefitLoss = None
    selection_loss: SelectionLoss = None
    C: LossWeight = None
    budget: Budget = None
    max_rounds: MaxRounds = None
    solver: Solver = None
    tol: Tolerance = None
    certify: Certify = False
    checkpoint: Checkpoint = None
