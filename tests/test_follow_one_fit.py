"""The page that follows one fit is in the order in which a fit calls."""

import functools
import re
import sys
from pathlib import Path

import pytest

import handful
from handful import FGMClassifier
from handful.datasets import make_demo

PACKAGE = Path(handful.__file__).parent
PAGE = Path(__file__).parents[1] / "docs" / "follow-one-fit.md"
ENGINE = "methods/fgm/engine.py"


def steps():
    """The functions in the table of the page, as (file, name)."""
    rows = re.findall(
        r"^\| \[.*?\]\(#.*?\) \| \[`(.+?)::(.+?)`\]", PAGE.read_text(encoding="utf-8"), re.M
    )
    assert len(rows) > 8
    return rows


@functools.cache
def calls(C):
    """Each call of a step in the page's fit: by which file, and of what."""
    wanted, seen = set(steps()), []

    def look(frame, event, _):
        if event != "call":
            return
        code = frame.f_code
        step = code.co_filename.removeprefix(f"{PACKAGE}/"), code.co_qualname
        if step in wanted:
            seen.append((frame.f_back.f_code.co_filename.removeprefix(f"{PACKAGE}/"), step))

    data = make_demo()
    sys.setprofile(look)
    try:
        FGMClassifier(n_features_to_select=10, C=C).fit(data.X_train, data.y_train)
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.parametrize("C", ["auto", "fast"])
def test_steps_are_first_entered_in_the_order_of_the_page(C):
    expected = [step for step in steps() if C == "auto" or step[1] != "choose_C"]
    assert list(dict.fromkeys(step for _, step in calls(C))) == expected


def test_the_engine_calls_each_step_once():
    called = [step for caller, step in calls("fast") if caller == ENGINE]
    assert len(called) == len(set(called))
    assert called == [step for step in steps() if step in called]
    assert {name for _, name in called} >= {
        "begin",
        "generate",
        "eliminate",
        "swap",
        "fit_for_good",
    }
