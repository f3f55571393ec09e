"""From what was found to one file of HTML: nothing in it is loaded from elsewhere, and nothing of a name runs."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from handful.inspection._drawing import shortened
from handful.inspection.html_report.charts import printable
from handful.inspection.html_report.data import DataChecks
from handful.inspection.html_report.how_good import HowGood
from handful.inspection.html_report.how_many import HowMany
from handful.inspection.html_report.how_sure import HowSure
from handful.inspection.html_report.reproduce import Reproduce
from handful.inspection.html_report.task import Task
from handful.inspection.html_report.which import Limits, Which

_TEMPLATES = Path(__file__).parent / "templates"
#: Bytes of a report, at most.
LARGEST = 2_000_000
#: Tried in this order, until the report is small enough.
STEPS = (
    Limits(),
    Limits(n_pictures=30, longest_name=400),
    Limits(n_pictures=20, longest_name=120, n_classes=200),
    Limits(n_rows=2000, n_pictures=20, longest_name=120, n_classes=100),
    Limits(n_rows=500, n_pictures=10, longest_name=120, n_classes=50),
)
#: Longer names are shown without their middle, and whole when they are opened.
LONGEST_SHOWN = 80


@dataclass(frozen=True)
class Page:
    """The sections of a report, in the order in which they are read."""

    title: str
    in_short: Sequence[tuple[str, str]]
    task: Task
    data: DataChecks
    how_many: HowMany
    which: Which
    how_sure: HowSure
    how_good: HowGood | None
    reproduce: Reproduce
    cited: Sequence[str]


def render(page: Page, largest: int = LARGEST, steps: Sequence[Limits] = STEPS) -> str:
    """Return the file, with less in it where it would be too large to mail."""
    for limits in steps:
        text = _render(page, limits)
        if len(text.encode()) < largest:
            break
    return text


def _render(page: Page, limits: Limits) -> str:
    style, script = _read("report.css"), _read("report.js")
    return str(
        _environment()
        .get_template("report.html")
        .render(
            page=page,
            which=page.which.within(limits),
            limits=limits,
            style=style,
            script=script,
            policy=_policy(style, script),
        )
    )


def _policy(style: str, script: str) -> str:
    """Return a Content-Security-Policy under which only our own style and script work, and nothing is loaded."""
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _read(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.filters.update(
        {
            "short": lambda text: shortened(text, LONGEST_SHOWN),
            "number": lambda value: "" if value is None else f"{value:.4g}",
            "signed": lambda value: "" if value is None else f"{value:+.4g}" if value else "0",
            "percent": lambda value: "" if value is None else f"{value:.0%}",
        }
    )
    environment.globals["longest_shown"] = LONGEST_SHOWN
    return environment


def _shown(value: Any) -> Any:
    """Have every text printable, but for what is HTML already."""
    is_text = isinstance(value, str) and not hasattr(value, "__html__")
    return printable(value) if is_text else value
