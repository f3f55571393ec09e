"""A page with every sentence that an error or a warning of handful can say, taken from the code.

:doc:`/errors` explains those that are met most often. This list is complete, and finds the place in the code and the
page of the guide for any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "handful"
PAGE = ROOT / "docs" / "project" / "sentences.md"
GAP = "…"  # stands for what is filled in

#: Where the guide speaks of what a file checks: the first beginning of its path that fits.
GUIDE = {
    "cli": "shell.md",
    "estimators/_to_sklearn": "deploy.md",
    "estimators/direct_sparsity": "direct-sparsity.md",
    "estimators/greedy_rls": "many-labels.md",
    "inspection/html_report": "report.md",
    "inspection": "pictures.md",
    "io/conversion": "how-large.md",
    "io/exports": "deploy.md",
    "io/mixed": "mixed-tables.md",
    "io": "shell.md",
    "losses": "how-to-choose.md",
    "measures": "measures.md",
    "metrics": "measures.md",
    "model_selection/nested": "choosing-k.md",
    "model_selection/select_k_cv": "choosing-k.md",
    "model_selection": "stability.md",
    "sources": "how-large.md",
    "spaces/bags": "bags.md",
    "spaces/strings": "strings.md",
    "spaces": "spaces.md",
    "validation/bags": "bags.md",
    "validation/cells": "mixed-tables.md",
    "validation/direct": "direct-sparsity.md",
    "validation/exports": "deploy.md",
    "validation/greedy": "many-labels.md",
    "validation/groups": "spaces.md",
    "validation/measures": "measures.md",
    "validation/model_selection": "choosing-k.md",
    "validation/multi_output": "one-budget.md",
    "validation/plotting": "pictures.md",
    "validation/probabilities": "probabilities.md",
    "validation/reporting": "report.md",
    "validation/resampling": "stability.md",
    "validation/sources": "how-large.md",
    "validation/spaces": "spaces.md",
    "validation/store": "how-large.md",
    "validation/strings": "strings.md",
    "": "how-to-choose.md",
}


def text_of(node: ast.expr) -> str | None:
    """Return a string as it stands in the code, with gaps for what is filled in; None if it is no string."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return (text_of(node.left) or GAP) + (text_of(node.right) or GAP)
    return None


def sentences_in(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of what a file gives to errors and to warnings."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name.endswith(("Error", "Warning")) or name in ("warn", "warn_user"):
            text = text_of(node.args[0])
            if text and len(text.replace(GAP, "").split()) >= 3:
                yield node.lineno, " ".join(text.split())


def guide_of(where: str) -> str:
    """Return the page of the guide that speaks of a file of the package."""
    return next(page for start, page in GUIDE.items() if where.startswith(start))


def title_of(guide: str) -> str:
    """Return the title of a page of the guide."""
    with (ROOT / "docs" / guide).open(encoding="utf-8") as lines:
        return next(lines).removeprefix("# ").strip()


def all_sentences() -> dict[str, list[tuple[int, str]]]:
    """Return the sentences of every file that has any, by its path in the package."""
    found = {
        file.relative_to(PACKAGE).as_posix(): sorted(sentences_in(file))
        for file in sorted(PACKAGE.rglob("*.py"))
    }
    return {where: sentences for where, sentences in found.items() if sentences}


def page() -> str:
    """Return the page: a section for each file, a line of its own for each sentence."""
    found = all_sentences()
    lines = [
        "# Every sentence",
        "",
        f"All {sum(map(len, found.values()))} sentences that errors and warnings of handful can say; {GAP} is what is filled in. "
        "[What an error says](../errors.md) explains those that are met most often, and each heading here says which page of "
        "the guide is about it.",
        "",
    ]
    for where, sentences in found.items():
        guide = guide_of(where)
        lines += [f"## `{where}`", "", f"See [{title_of(guide)}](../{guide}).", "", "```text"]
        lines += [f"line {number}: {sentence}" for number, sentence in sentences]
        lines += ["```", ""]
    return "\n".join(lines)


def write_page(*_: object) -> None:
    """Write the page unless it is as it should be."""
    text = page()
    if not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Say when Sphinx calls what; after the pages that are copied beside it."""
    app.connect("config-inited", write_page, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
