"""Pictures of matplotlib as parts of a page: no script, no style of their own, in the colours of the page.

A page whose Content-Security-Policy forbids styles inside of tags shows them, since what matplotlib writes as style
becomes attributes. Colours that stand for something, such as text or the first class, become variables
of the page, which has other values for them in the dark.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from handful.inspection import _drawing as drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure


#: Stand for text and lines, and for the background; nothing else has these colours.
INK, PAPER = "#1b1f27", "#fdfdfb"
#: How large a point of matplotlib is on the screen.
MAGNIFICATION = 1.18
#: From this width on a picture is scrolled on a phone before its words are too small.
WIDE = 400.0
_VARIABLES = {
    INK: "var(--ink)",
    PAPER: "var(--paper)",
    "#000000": "var(--ink)",
    "#595959": "var(--muted)",  # drawing.DARK
    "#b8b8b8": "var(--pale)",  # drawing.PALE
    **{
        colour.lower(): f"var(--colour-{number})"
        for number, colour in enumerate(drawing.COLOURS)
        if colour != "#000000"
    },
}
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",  # words stay words: they can be read aloud, searched, and may hold emoji
    "svg.hashsalt": "handful",
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.facecolor": PAPER,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "axes.titlecolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), INK),
}
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_SIZE = re.compile(r"([\d.]+)px")
_REFERENCE = re.compile(r"#([\w.-]+)")
#: Attributes that hold coordinates, of which two decimals are enough.
_COORDINATES = ("d", "x", "y", "x1", "x2", "y1", "y2", "points", "transform", "width", "height")
# Joiners that are not seen are part of emoji and of many scripts.
_UNSEEN_BUT_HARMLESS = "\n\t\u200c\u200d"


@dataclass(frozen=True)
class Chart:
    """A picture with what it says in words, and its figures as a table."""

    #: Safe to stand in a page as it is.
    svg: str
    #: What is to be seen, for those who do not see it.
    alt: str
    #: The figures.
    titles: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


@contextmanager
def drawn() -> Iterator[None]:
    """Draw with the colours of the page, on no screen, and without complaints about emoji in names."""
    import matplotlib as mpl

    settings: Any = _SETTINGS
    with mpl.rc_context(settings), drawing.off_screen(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        yield


def chart_of(
    drawn_on: Any,
    name: str,
    alt: str,
    titles: Sequence[str] = (),
    rows: Sequence[Sequence[str]] = (),
) -> Chart:
    """Return what was drawn inside :func:`drawn` on axes, or by a display.

    ``name`` tells its parts from those of others.
    """
    figure = getattr(drawn_on, "figure_", None) or drawn_on.figure
    return Chart(inline_svg(figure, name, alt), alt, titles, rows)


def inline_svg(figure: Figure, name: str, alt: str) -> str:
    """Return a figure as an element of a page."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    FigureCanvasSVG(figure)
    text = io.StringIO()
    figure.savefig(
        text, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
    )
    root = ET.fromstring(text.getvalue())  # noqa: S314
    _plain_names(root)
    _without_style_and_notes(root)
    for element in root.iter():
        _style_as_attributes(element)
    _own_ids(root, name)
    _sized(root)
    title = ET.Element("title")
    title.text = printable(alt)
    root.insert(0, title)
    root.set("role", "img")
    return ET.tostring(root, encoding="unicode")


def _plain_names(root: ET.Element) -> None:
    """Leave out namespaces, which a page of HTML knows by itself."""
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        for name in list(element.attrib):
            if "}" in name:
                element.set(name.rpartition("}")[2], element.attrib.pop(name))


def _without_style_and_notes(root: ET.Element) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("metadata", "style"):
                parent.remove(child)
    for name, value in (("stroke-linejoin", "round"), ("stroke-linecap", "butt")):
        root.set(name, value)  # what the style said of everything


def _style_as_attributes(element: ET.Element) -> None:
    style = element.attrib.pop("style", "")
    for part in style.split(";"):
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        if colon:
            _set_style(element, name, value)
    if element.tag == "text" and "fill" not in element.attrib:
        element.set("fill", "#000")  # said to be black, on a colour of the picture
    for name in ("fill", "stroke"):
        colour = element.get(name, "")
        is_said_black = name == "fill" and element.tag == "text" and colour == "#000000"
        if not is_said_black and colour in _VARIABLES:
            element.set(name, _VARIABLES[colour])
    for name in _COORDINATES:
        if name in element.attrib:
            element.set(name, _NUMBER.sub(_shorter, element.attrib[name]))
    for part in ("text", "tail"):
        inner = getattr(element, part)
        if inner is not None and not inner.strip():
            setattr(element, part, None)


def _set_style(element: ET.Element, name: str, value: str) -> None:
    if name != "font":
        element.set(name, value)
        return
    size = _SIZE.search(value)  # the family is that of the page
    if size:
        element.set("font-size", size[1])
    if "bold" in value:
        element.set("font-weight", "bold")


def _shorter(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _own_ids(root: ET.Element, name: str) -> None:
    """Keep the ids that something refers to, and begin them with the name of the picture."""
    used: set[str] = set()
    for element in root.iter():
        for key, value in element.attrib.items():
            if (
                key in ("href", "clip-path", "fill")
                and "#" in value
                and not value.startswith("data:")
            ):
                used.update(_REFERENCE.findall(value))
    for element in root.iter():
        own = element.get("id")
        if own in used:
            element.set("id", f"{name}-{own}")
        elif own is not None:
            del element.attrib["id"]
        for key in ("href", "clip-path", "fill"):
            value = element.get(key, "")
            if "url(#" in value or (value.startswith("#") and key == "href"):
                element.set(key, value.replace("#", f"#{name}-", 1))


def _sized(root: ET.Element) -> None:
    """Have it as large as it reads well; the page makes it smaller where there is no room, but a wide one not too small."""
    width = float(root.get("viewBox", "0 0 400 300").split()[2])
    root.attrib.pop("version", None)
    root.attrib.pop("height", None)
    root.set("width", f"{MAGNIFICATION * width:.0f}")
    if MAGNIFICATION * width > WIDE:
        root.set("class", "wide")


def printable(text: str) -> str:
    r"""Show what no page can hold, and what would steer the text around it, by its code.

    Examples
    --------
    >>> printable("a\x00b\u202ec")
    'a\\x00b\\u202ec'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in _UNSEEN_BUT_HARMLESS else c.encode("unicode_escape").decode()
        for c in text
    )
