"""Formulas as MathML, made by docutils: browsers draw it themselves, and nothing is loaded from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def inline(writer: Any, node: nodes.Element) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block(writer: Any, node: nodes.Element) -> None:
    """Write a formula that has lines of its own."""
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Make it known to ``html_math_renderer``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
