"""What all pictures share: axes, colours that everybody can tell apart, and names that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from handful.validation.plotting import check_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: Okabe and Ito's colours, which the colour-blind can tell apart; black and yellow, which is too pale, come last.
COLOURS = (
    *("#0072B2", "#E69F00", "#009E73", "#CC79A7"),
    *("#56B4E9", "#D55E00", "#000000", "#F0E442"),
)
BLUE, _, GREEN, _, _, RED = COLOURS[:6]
PALE, DARK = "0.72", "0.35"
#: From negative to positive; both ends differ in lightness from the middle for every eye.
DIVERGING = "PuOr_r"

LONGEST_NAME = 34
FONT = 8.5
ROW_HEIGHT, LEAST_HEIGHT = 0.25, 2.2
WIDTH = 6.8

#: Stands, without a width, before labels that matplotlib would leave out of a legend.
_SHOWN = "\u200b"

_is_off_screen: ContextVar[bool] = ContextVar("_is_off_screen", default=False)


@contextmanager
def off_screen() -> Iterator[None]:
    """Have new figures belong to nobody: no window and no notebook shows them."""
    token = _is_off_screen.set(True)
    try:
        yield
    finally:
        _is_off_screen.reset(token)


def axes_for(display: Any, ax: Axes | None, size: tuple[float, float] = (WIDTH, 4.2)) -> Axes:
    """Return where to draw, and set ``ax_`` and ``figure_``; without axes a new figure is made.

    The new figure makes room for all labels; in one that was given that is up to its owner.
    """
    check_matplotlib(type(display).__name__)
    if ax is None:
        ax = new_axes(size)
    display.ax_ = ax
    display.figure_ = ax.figure
    return ax


def new_axes(size: tuple[float, float]) -> Axes:
    """Return axes in a figure of their own that makes room for all labels."""
    if _is_off_screen.get():
        from matplotlib.figure import Figure

        return Figure(figsize=size, layout="constrained").add_subplot()
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size, layout="constrained")[1]


def height_for(n_rows: int, n_lines: int = 1) -> float:
    """Return the height in inches of a figure with so many names below each other."""
    return max(LEAST_HEIGHT, 1.1 + ROW_HEIGHT * n_rows * n_lines)


def shortened(name: object, longest: int = LONGEST_NAME) -> str:
    """Leave out the middle of a long name: both of its ends tell it from others.

    Examples
    --------
    >>> shortened("a_very_long_name_of_a_column_from_a_wide_table", 20)
    'a_very_lon…ide_table'
    """
    text = "".join(c if c.isprintable() else " " for c in str(name))
    if len(text) <= longest:
        return text
    head = longest // 2
    return f"{text[:head]}…{text[len(text) - (longest - head - 1) :]}"


def told_apart(names: Sequence[object], longest: int = LONGEST_NAME) -> list[str]:
    """Shorten names so that no two different ones look the same: where they differ is shown.

    Examples
    --------
    >>> told_apart([f"a_long_beginning_{j}_and_a_long_end" for j in (1, 2)], 20)
    ['a_long_begi…1_and_a…', 'a_long_begi…2_and_a…']
    """
    texts = [str(name) for name in names]
    short = [shortened(text, longest) for text in texts]
    alike: dict[str, list[str]] = {}
    for text, label in zip(texts, short, strict=True):
        alike.setdefault(label, []).append(text)
    head = longest // 2 + 1
    for place, (text, label) in enumerate(zip(texts, short, strict=True)):
        if len(set(alike[label])) > 1:
            same = takewhile(lambda at: len(set(at)) == 1, zip(*alike[label], strict=False))
            differs = max(len(list(same)), head)
            part = f"{text[:head]}…{text[differs:]}"
            short[place] = shortened(part if len(part) <= longest else f"{part[: longest - 1]}…")
    return short


def name_rows(ax: Axes, names: Sequence[object]) -> None:
    """Write names at 0, 1, 2, ... downwards, none of them read as a formula."""
    labels = told_apart(names)
    ax.set_yticks(np.arange(len(labels)), labels=labels, fontsize=FONT, parse_math=False)
    ax.set_ylim(len(labels) - 0.4, -0.6)


def name_columns(ax: Axes, names: Sequence[object]) -> None:
    """Write names at 0, 1, 2, ... along the bottom, upright where they are long."""
    labels = told_apart(names, 22)
    upright = sum(map(len, labels)) > 48 or len(labels) > 12
    ax.set_xticks(np.arange(len(labels)), labels=labels, fontsize=FONT, parse_math=False)
    ax.tick_params(axis="x", rotation=90 if upright else 0)


def titled(ax: Axes, title: str | None) -> None:
    """Write a title, if there is one, as it is."""
    if title is not None:
        ax.set_title(shortened(title, 70), fontsize=10, parse_math=False)


def note(ax: Axes, text: str) -> None:
    """Say at the top right what is not shown."""
    ax.annotate(
        text,
        xy=(1.0, 1.0),
        xycoords="axes fraction",
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=7.5,
        color=DARK,
        parse_math=False,
    )


def in_legend(name: str) -> str:
    """Return the label of what has this name: one that begins with an underscore is none to matplotlib."""
    return f"{_SHOWN}{name}" if name.startswith("_") else name


def legend(ax: Axes, *, outside: bool = False, **options: Any) -> None:
    """Add a legend whose labels are shown as they are, beside the axes if ``outside``."""
    place: dict[str, Any] = {"framealpha": 0.85, "edgecolor": "none"}
    if outside:
        place = {"frameon": False, "loc": "center left", "bbox_to_anchor": (1.01, 0.5)}
    made = ax.legend(fontsize=FONT, **place, **options)
    for text in made.get_texts():
        text.set_parse_math(False)
        text.set_text(text.get_text().removeprefix(_SHOWN))


def plain(ax: Axes, title: str | None = None) -> None:
    """Leave out the lines at the top and on the right, and write a title if there is one."""
    ax.spines[["top", "right"]].set_visible(False)
    titled(ax, title)
