"""The pages of the documents: one for each paper and one for all, made from the figures that were measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.study import markdown

from . import PAPERS
from .claim import NOT_HERE, NOT_RUN, VERDICTS, Figures, Found, Paper

Known = Callable[[Paper, str], Figures | None]
HEADINGS = ("place", "claim", "their figure", "ours", "verdict", "command")
INDEX = "papers.md"
MADE = "Made by `python benchmarks/papers.py --write-docs` from `benchmarks/papers.json`: no figure here is typed by hand."


def found_of(paper: Paper, known: Known) -> Iterator[tuple[str, Found]]:
    """Yield the name of every claim with what was found."""
    for claim in paper.claims:
        figures = known(paper, claim.experiment.__name__) if claim.experiment else None
        yield claim.name, claim.found(figures)


def command(paper: Paper, name: str) -> str:
    """Return what prints a row."""
    return f"`papers.py --paper {paper.number} --claim {name}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def paper_page(paper: Paper, known: Known) -> str:
    """Return the page of one paper."""
    found = dict(found_of(paper, known))
    rows = [HEADINGS]
    for claim in paper.claims:
        ours, verdict = found[claim.name].ours, found[claim.name].verdict
        how = command(paper, claim.name) if verdict != NOT_HERE else "-"
        cells = (claim.place, claim.says, claim.theirs or "-", ours, f"**{verdict}**")
        rows.append((*map(_cell, cells), how))
    larger = ", ".join(f"`{name}`" for name in paper.larger)
    return "\n\n".join(
        (
            f"# {paper.number}: {paper.title}",
            f"{paper.cited}. {MADE}",
            f"{paper.about} A row is printed, and measured where it never was, by `python benchmarks/` and its command; `--fresh` "
            f"measures again. The same questions at more length and against more rivals: {larger}. What is wrong in the paper "
            "itself, with programs that show it: [what the papers got wrong](papers-errata.md).",
            f"{tally(found.values())}.",
            markdown(rows),
            "",
        )
    )


def tally(found: object) -> str:
    """Count the verdicts in words, in the order of their list."""
    counts = Counter(one.verdict for one in found)  # type: ignore[attr-defined]
    order = [*VERDICTS, NOT_RUN]
    return ", ".join(f"{counts[word]} {word}" for word in order if counts[word])


def index_page(known: Known) -> str:
    """Return the page of all papers."""
    rows = [("paper", "page", *VERDICTS)]
    for paper in PAPERS.values():
        counts = Counter(one.verdict for _, one in found_of(paper, known))
        numbers = [str(counts[word] or "") for word in VERDICTS]
        rows.append((paper.cited, f"[{paper.number}: {paper.title}]({paper.page})", *numbers))
    meanings = [("verdict", "means"), *((f"**{word}**", text) for word, text in VERDICTS.items())]
    return "\n\n".join(
        (
            "# The papers, claim by claim",
            "The seeds of this library are five papers. For every table, figure and numbered statement there is a row: what is "
            f"claimed, their figure, ours, a verdict, and the command that prints it. {MADE}",
            markdown(rows),
            markdown(meanings),
            "A verdict follows from figures by a rule in `benchmarks/harness/papers/`, a file of claims for each paper. Sizes stand in the rows: most "
            "are those of `--quick`, smaller than the papers', so that all of them can be repeated in minutes; seconds were taken on two "
            "cores that others used too. Data that are not to be had are replaced by the nearest at hand, and the row says so.",
            "What was found wrong in the papers, with proofs and counter-examples that run: "
            "[what the papers got wrong](papers-errata.md). What we set out to reach and have not: [open targets](open-targets.md).",
            "",
        )
    )


def pages(known: Known) -> dict[str, str]:
    """Return every page by its file name."""
    return {INDEX: index_page(known), **{p.page: paper_page(p, known) for p in PAPERS.values()}}


def write_pages(folder: Path, known: Known) -> Iterator[Path]:
    """Write all pages; yield their paths."""
    for name, text in pages(known).items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        yield path
