"""The pages of the papers are those that the figures give, every claim has its row, and verdicts follow from rules."""

import doctest
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
if not BENCHMARKS.exists():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from harness.papers import PAPERS, curves, pages  # noqa: E402
from harness.papers import claim as claims  # noqa: E402
from harness.papers.claim import NOT_HERE, NOT_RUN, REFUTED, VERDICTS, Claim, Found, when  # noqa: E402
from harness.papers.curves import at, leads  # noqa: E402

RESULTS = json.loads((BENCHMARKS / "papers.json").read_text())["results"]
every_paper = pytest.mark.parametrize("paper", PAPERS.values(), ids=list(PAPERS))


def known(paper, experiment):
    own = [r for r in RESULTS if (r["paper"], r["experiment"]) == (paper.number, experiment)]
    fine = [r for r in own if r["status"] == "ok"]
    return min(fine, key=lambda r: r["quick"])["figures"] if fine else None


@pytest.mark.parametrize("name", pages.pages(known))
def test_page_is_what_the_figures_give(name):
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert text == pages.pages(known)[name], "run: python benchmarks/papers.py --write-docs"


@every_paper
def test_every_claim_has_its_row_and_a_verdict(paper):
    text = (ROOT / "docs" / paper.page).read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == len(paper.claims) + 1
    for claim in paper.claims:
        found = claim.found(claim.experiment and known(paper, claim.experiment.__name__))
        assert found.verdict in VERDICTS, f"{paper.number}, {claim.name}: {found.verdict}"
        if found.verdict != NOT_HERE:
            assert f"--claim {claim.name}`" in text


@every_paper
def test_claims_are_complete(paper):
    used = {claim.experiment for claim in paper.claims} - {None}
    assert set(paper.experiments.values()) == used  # no two of one name
    names = [claim.name for claim in paper.claims]
    assert len(set(names)) == len(names)
    for claim in paper.claims:
        assert re.fullmatch(r"[a-z0-9-]+", claim.name)
        assert claim.place
        assert claim.says
        assert bool(claim.why) == (claim.experiment is None) == (claim.judge is None)


def test_every_result_is_of_an_experiment_that_exists():
    for result in RESULTS:
        assert result["experiment"] in PAPERS[result["paper"]].experiments
        assert result["status"] == "ok", result


def test_without_figures_there_is_no_verdict():
    one = Claim("x", "here", "something", "1", len, lambda figures: Found("2", REFUTED))
    assert one.found(None).verdict == NOT_RUN
    assert one.found({}).verdict == REFUTED
    assert when(False, "3", REFUTED) == Found("3", REFUTED)


@pytest.mark.parametrize("module", [claims, curves], ids=lambda module: module.__name__)
def test_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_curves_are_compared_where_both_are():
    ours = [{"kept": k, "accuracy": 0.1 * k} for k in (1, 2, 3, 9)]
    theirs = [{"kept": k, "accuracy": 0.05 * k} for k in (2, 4)]
    assert at(theirs, 3, "accuracy") == pytest.approx(0.15)
    assert leads(ours, theirs, "accuracy") == pytest.approx([0.1, 0.15])
