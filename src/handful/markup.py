"""HTML for notebooks: every text is escaped, so that nothing of a name runs or breaks the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_LEFT, _RIGHT = "text-align:left", "text-align:right;font-variant-numeric:tabular-nums"
#: Longer texts lose their middle: nobody reads a cell of 10,000 characters.
LONGEST = 120


def shown(text: object) -> str:
    """Return a text escaped, without its middle if it is very long."""
    words = str(text)
    if len(words) > LONGEST:
        words = f"{words[: LONGEST // 2]}…{words[-LONGEST // 2 :]}"
    return escape(words)


def paragraph(text: object, *, bold: bool = False) -> str:
    """Return a paragraph."""
    inner = escape(str(text))
    return f"<p>{f'<strong>{inner}</strong>' if bold else inner}</p>"


def table(titles: Sequence[str], rows: Iterable[Sequence[object]], n_texts: int = 1) -> str:
    """Return a table; the first ``n_texts`` columns are texts, the others numbers."""

    def line(cells: Sequence[object], tag: str) -> str:
        styles = (_LEFT if place < n_texts else _RIGHT for place in range(len(cells)))
        written = (
            f'<{tag} style="{style}">{shown(cell)}</{tag}>'
            for cell, style in zip(cells, styles, strict=True)
        )
        return f"<tr>{''.join(written)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(titles, 'th')}</thead><tbody>{body}</tbody></table>"


def progress_bar(title: str, done: int, total: int | None, counted: str, news: str) -> str:
    """Return a bar with a title before it, and how much is done and the last news behind it."""
    share = "" if total is None else f' value="{done}" max="{max(total, 1)}"'
    bar = f'<progress aria-label="{shown(title)}"{share}></progress>'
    return (
        f'<div class="handful-progress"><strong>{shown(title)}</strong> {bar} {shown(counted)}'
        f' <span style="opacity:.7">{shown(news)}</span></div>'
    )
