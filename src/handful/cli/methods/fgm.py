"""``--method fgm``: the feature generating machine, on columns, pairs, kernels and the substrings of strings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from handful.cli.methods import shared
from handful.cli.methods.base import Method
from handful.cli.methods.shared import Options, Reader
from handful.cli.names import KERNELS
from handful.cli.options import check_word, feature_option, read_number, refuse

if TYPE_CHECKING:
    from handful.cli.feature_names import FeatureNames
    from handful.spaces import FeatureSpace


@dataclass(frozen=True, kw_only=True)
class StringOptions(Options):
    """Which substrings are features, as :class:`~handful.spaces.Substrings` has them."""

    unit: Annotated[
        str | None,
        feature_option(
            metavar="NAME", help="Strings are of character, byte or word. [default: character]"
        ),
    ] = None
    weight: Annotated[
        str | None,
        feature_option(
            metavar="NAME", help="Of a substring: presence, count or log. [default: presence]"
        ),
    ] = None
    min_df: Annotated[
        str | None,
        feature_option(metavar="N", help="Strings it must be in, or a share. [default: 2]"),
        Reader(read_number),
    ] = None
    max_df: Annotated[
        str | None,
        feature_option(metavar="N", help="Strings it may be in, or a share. [default: 1.0]"),
        Reader(read_number),
    ] = None
    min_length: Annotated[
        int | None, feature_option(metavar="N", help="The least length. [default: 1]")
    ] = None
    max_length: Annotated[
        int | None, feature_option(metavar="N", help="The most. [default: None]")
    ] = None
    boundary: Annotated[
        str | None, feature_option(metavar="word", help="word: no substring leaves its word.")
    ] = None
    case: Annotated[
        str | None, feature_option(metavar="lower", help="lower: capitals are small letters.")
    ] = None
    reverse_complement: Annotated[
        bool,
        feature_option(
            "--reverse-complement", help="DNA: a string and its other strand are one feature."
        ),
    ] = False

    def apart(self) -> set[str]:
        return {field.name for field in fields(StringOptions)} | super().apart()

    def strings(self) -> dict[str, Any]:
        """Return what was said about substrings."""
        said, own = self.said(), (field.name for field in fields(StringOptions))
        return {name: said[name] for name in own if said[name] is not None}


@dataclass(frozen=True, kw_only=True)
class _Options(StringOptions, shared.OptionsWithNames, shared.MachineOptions):
    group_weights: Annotated[
        str | None,
        feature_option(
            metavar="size",
            help="With --groups or text columns: size favours small ones, by 1 / sqrt(size).",
        ),
    ] = None
    pairs: Annotated[
        bool,
        feature_option("--pairs", help="Select from all columns, their squares and products."),
    ] = False
    interaction_only: Annotated[
        bool, feature_option("--interaction-only", help="With --pairs: no squares.")
    ] = False
    coef0: Annotated[
        float | None,
        feature_option(
            metavar="X", help="With --pairs: weight of single columns against products."
        ),
    ] = None
    space: Annotated[
        str | None,
        feature_option(
            metavar="NAME",
            help=f"One of {', '.join(KERNELS)}: each column under a kernel of its own.",
        ),
    ] = None
    gamma: shared.Gamma = None
    scale: shared.Scale = None

    def parameters(self) -> dict[str, Any]:
        self._check_together()
        return super().parameters()

    def apart(self) -> set[str]:
        return {"pairs", "interaction_only", "coef0", "gamma", "space", *super().apart()}

    @property
    def _made(self) -> str | None:
        """What says that features are made of columns."""
        return "--pairs" if self.pairs else "--space" if self.space is not None else None

    def _check_together(self) -> None:
        """Refuse options that make no sense beside each other."""
        if self.space is not None:
            check_word("space", self.space, known_kernels())
        if self.pairs and self.space is not None:
            raise refuse("space", "it cannot go with --pairs")
        if self.groups is not None and self._made is not None:
            raise refuse("groups", f"it cannot go with {self._made}")
        if self.group_weights not in (None, "size"):
            raise refuse("group_weights", f"{self.group_weights!r} is not size")
        if self.exclude and self.pairs:
            raise refuse(
                "exclude",
                "it cannot go with --pairs; leave the column out of everything with --drop",
            )
        of_gamma = self.pairs or self.space == "gaussian"
        for name, is_given, needed, is_there in (
            ("interaction_only", self.interaction_only, "--pairs", self.pairs),
            ("coef0", self.coef0 is not None, "--pairs", self.pairs),
            ("gamma", self.gamma is not None, "--pairs or --space gaussian", of_gamma),
        ):
            if is_given and not is_there:
                raise refuse(name, f"it needs {needed}")

    def resolved(self, names: FeatureNames) -> tuple[FeatureNames, dict[str, Any]]:
        if names.encoded_columns and self._made is not None:
            message = f"text columns are selected whole, which cannot go with {self._made}; choose their categories "
            raise refuse("categories", message + "each for itself with --categories separate")
        if names.strings is not None:
            return names, self._of_strings()
        given = next(iter(self.strings()), None)
        if given is not None:
            raise refuse(given, "it needs --strings, or a file of strings")
        names, named = self._pairs(names) if self.pairs else super().resolved(names)
        if self.group_weights is not None and "groups" not in named:
            raise refuse("group_weights", "it needs --groups or columns of text")
        return names, named | {"space": self._space()}

    def _of_strings(self) -> dict[str, Any]:
        """Return the space of substrings, and those to keep or never to take, which are their own names."""
        from handful.spaces import Substrings

        others: dict[str, Any] = {"groups": self.groups, "scale": self.scale, "space": self.space}
        others |= {"pairs": self.pairs or None, "group_weights": self.group_weights}
        for name, value in others.items():
            if value is not None:
                raise refuse(name, "it is of columns of numbers and cannot go with strings")
        wishes = {"include": self.include or None, "exclude": self.exclude or None}
        return {"space": Substrings(**self.strings()), **wishes}

    def _pairs(self, names: FeatureNames) -> tuple[FeatureNames, dict[str, Any]]:
        """Turn names into ids, also those of squares and products."""
        from handful.spaces import Polynomial

        space = Polynomial(interaction_only=self.interaction_only).sized(names.n_features)

        def number(word: str) -> int:
            found = space.find(word, names.find)
            if len(found) > 1:
                raise refuse("include", f"{word!r} is the name of two features")
            return found[0] if found else names.id(word)

        return names, {"include": [number(word) for word in self.include or ()] or None}

    def _space(self) -> FeatureSpace | None:
        """Return the features to select from; None for the columns themselves."""
        if not self.pairs and self.space is None:
            return None
        from handful.spaces import Polynomial

        given = {"gamma": self.gamma, "coef0": self.coef0}
        numbers: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        if self.pairs:
            return Polynomial(interaction_only=self.interaction_only, **numbers)
        return known_kernels()[str(self.space)](**numbers)


def known_kernels() -> dict[str, Callable[..., FeatureSpace]]:
    """Return what makes the spaces that ``--space`` names."""
    from handful.spaces import AdditiveKernel, HistogramIntersection
    from handful.spaces.columnwise.additive_kernel import KINDS

    additive = {kind: partial(AdditiveKernel, kind) for kind in KINDS}
    return {"intersection": HistogramIntersection, **additive}


#: What only a classifier takes.
OF_CLASSES = (
    *("average", "output_units", "per_class", "label_threshold", "refit_loss", "selection_loss"),
)


class FGM(Method):
    """Its report is the one of all methods that say nothing else."""

    name = "fgm"
    use = "very many columns, any measure, groups, pairs, a certificate"
    classifier = "FGMClassifier"
    regressor = "FGMRegressor"
    takes_several_targets = True
    options = _Options

    def estimator(self, regression: bool, **parameters: Any) -> Any:
        if regression:
            for name in OF_CLASSES:
                if parameters.pop(name, None) is not None:
                    raise refuse(name, "it is for classes, and the target holds quantities")
        return super().estimator(regression, **parameters)
