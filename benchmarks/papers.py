"""The papers, claim by claim: what they say, what we find, and the verdict.

    python benchmarks/papers.py                                   what is not in papers.json yet, at full size (hours)
    python benchmarks/papers.py --quick                           the same at small sizes (ten minutes)
    python benchmarks/papers.py --paper 003 --claim figure-2      one row; measured if it never was
    python benchmarks/papers.py --paper 003 --fresh --quick       measure again
    python benchmarks/papers.py --write-docs                      measure nothing, write docs/papers.md and its pages

Every experiment runs in a process of its own and is written to ``benchmarks/papers.json`` when it ends: an interrupted run
goes on where it was. The pages are made from that file. Where an experiment is known at both sizes the full one counts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.child import Answer, ask
from harness.data import ROOT
from harness.papers import PAPERS
from harness.papers.claim import NOT_RUN, Experiment, Figures, Paper, measured
from harness.papers.pages import write_pages
from harness.study import Options, Run, Study, Target
from rich.markup import escape

RESULTS = ROOT / "benchmarks" / "papers.json"


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    seed, limit = "synthetic data and splits", (1800, "seconds for one experiment")
    options = Options(__doc__, seed=seed, quick="small sizes", timeout=limit)
    options.words("--paper", PAPERS, "papers")
    options.words("--claim", None, "names of claims, as in the tables (all)")
    add, write = options.add_argument, "write the pages from what is known, and measure nothing"
    add("--fresh", action="store_true", help="measure again what is known")
    add("--known", action="store_true", help="measure nothing")
    add("--write-docs", action="store_true", help=write)
    add("--docs", type=Path, default=ROOT / "docs", help="where the pages go (docs)")
    options.set_defaults(json=RESULTS)
    given = options.parse()
    given.reuse = given.json
    return given


@dataclass(frozen=True)
class Result:
    """Figures of one experiment at one size; ``status`` says why there are none."""

    paper: str
    experiment: str
    quick: bool
    status: str
    figures: Figures = field(default_factory=dict)
    seconds: float = 0.0


def figures_of(results: list[Result], paper: Paper, experiment: str) -> Figures | None:
    """Return what is known of an experiment, at full size if possible."""
    known = [
        r for r in results if (r.paper, r.experiment, r.status) == (paper.number, experiment, "ok")
    ]
    return min(known, key=lambda result: result.quick).figures if known else None


def wanted(paper: Paper, names: list[str] | None) -> list[Any]:
    """Return the claims that were asked for."""
    return [claim for claim in paper.claims if names is None or claim.name in names]


def measure(study: Study[Result], paper: Paper, experiment: Experiment) -> None:
    """Run one experiment in a process of its own unless it is known, at this size or the full one."""
    given, run = study.run.given, study.run
    place = {"paper": paper.number, "experiment": experiment.__name__}
    known = [r for r in study.known(**place) if r.status == "ok" and (given.quick or not r.quick)]
    if given.known or (known and not given.fresh):
        return
    with run.console.status(f"{paper.number}: {experiment.__name__}"):
        answer: Answer = ask(measured, given.timeout, experiment=experiment, source=run.source)
    error = answer.pop("error", None)
    result = Result(**place, quick=given.quick, **answer)
    study.rows = Study(run, Result, "results").rows  # another run may have added some meanwhile
    before = study.known(**place, quick=given.quick)
    if result.status == "ok" or not any(one.status == "ok" for one in before):
        study.drop(*before)  # a run that failed takes nothing away
        study.add(result)
    run.log(f"{paper.number}: {experiment.__name__}: {result.status}, {result.seconds:.1f} s")
    if error:
        run.log(error)


def show(run: Run, study: Study[Result], paper: Paper) -> None:
    """Print the rows that were asked for."""
    texts = []
    for claim in wanted(paper, run.given.claim):
        known = claim.experiment and figures_of(study.rows, paper, claim.experiment.__name__)
        found = claim.found(known or None)
        told = (claim.name, claim.says, claim.theirs, found.ours, found.verdict)
        texts.append(tuple(map(escape, told)))
        met = None if found.verdict == NOT_RUN else True
        run.targets.append(Target(f"{paper.number}, {claim.place}", found.verdict, met))
    if texts:
        headings = ("claim", "says", "theirs", "ours", "verdict")
        run.show(f"{paper.number}: {paper.title}", headings, texts, left=5)


def main() -> None:
    """Measure what is missing, print the rows, or write the pages."""
    given = parse_arguments()
    run = Run(given, width=200, tell_system=False)
    study = Study(run, Result, "results")
    papers = [PAPERS[number] for number in given.paper]
    if given.write_docs:
        for page in write_pages(
            given.docs, lambda paper, name: figures_of(study.rows, paper, name)
        ):
            run.console.print(f"wrote {page}")
        return
    for paper in papers:
        used = {claim.experiment for claim in wanted(paper, given.claim)}
        for experiment in paper.experiments.values():
            if experiment in used:
                measure(study, paper, experiment)
        show(run, study, paper)


if __name__ == "__main__":
    main()
