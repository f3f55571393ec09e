"""Options about substrings, for methods that can select them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from handful.cli.methods.shared import Options, Reader, refuse
from handful.cli.options import feature_option


def read_frequency(name: str, text: str) -> int | float:
    """Read a whole number, or a share, which has a point."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        raise refuse(name, f"{text!r} is neither a whole number nor a share") from None


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
        Reader(read_frequency),
    ] = None
    max_df: Annotated[
        str | None,
        feature_option(metavar="N", help="Strings it may be in, or a share. [default: 1.0]"),
        Reader(read_frequency),
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

    def parameters(self) -> dict[str, Any]:
        own = {field.name for field in fields(StringOptions)}
        return {name: value for name, value in super().parameters().items() if name not in own}

    def strings(self) -> dict[str, Any]:
        """Return what was said about substrings."""
        own = {field.name for field in fields(StringOptions)}
        read = Options.parameters(self)
        return {name: read[name] for name in own if read[name] not in (None, False)}
