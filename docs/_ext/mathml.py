"""Formulas as MathML, made by docutils: browsers draw it themselves, and nothing is loaded from elsewhere."""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


def as_mathml(node: nodes.Element, as_block: bool) -> str:
    """Return a formula; one that docutils cannot read is warned of and stays as it was written."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        LOGGER.warning("%s", error, location=node)
        return f"<code>{html.escape(node.astext())}</code>"


def inline(writer: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    writer.body.append(as_mathml(node, as_block=False))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.Element) -> None:
    """Write a formula that has lines of its own."""
    writer.body.append(f'<div class="math">{as_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
