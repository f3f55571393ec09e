"""``prec@100`` is a measure: what looks like an address of mail stays text."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx


def unlink_mail(_: Sphinx, tree: nodes.document) -> None:
    """Put the text of each link to an address of mail in its place."""
    for link in list(tree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app: Sphinx) -> dict[str, bool]:
    """Say when Sphinx calls what."""
    app.connect("doctree-read", unlink_mail)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
