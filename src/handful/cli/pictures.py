"""Pictures that commands write: the displays of :mod:`handful.inspection`, to a file."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handful.files import atomic_write
from handful.io.errors import InputError
from handful.validation.plotting import check_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_SUFFIXES = (".png", ".svg")


def check_plot(path: Path) -> None:
    """Raise, before long work, when a picture cannot be drawn."""
    if path.suffix.lower() not in _SUFFIXES:
        raise InputError(f"cannot draw {path}: its name must end in {' or '.join(_SUFFIXES)}")
    try:
        check_matplotlib(str(path))
    except ImportError as error:
        raise InputError(str(error)) from error


def write_picture(draw: Callable[[Axes], Any], path: Path, size: tuple[float, float]) -> None:
    """Have something drawn on new axes, and write them as the name of the file says."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")  # needs no screen
    FigureCanvasAgg(figure)
    draw(figure.add_subplot())
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lower().lstrip("."), dpi=150)
    with atomic_write(path) as file:
        file.write(buffer.getvalue())
