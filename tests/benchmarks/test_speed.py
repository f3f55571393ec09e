"""The guard against slower fits: what it calls slower, and that what is stored can be measured. No times."""

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "speed.py"
if not SCRIPT.exists():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("handful_speed_guard", SCRIPT)
guard = sys.modules[_spec.name] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(guard)

STORED = {"a": 10.0, "b": 10.0, "c": 10.0}


def timings(**multiples):
    return {name: guard.Timing(fit=value, one_pass=1.0) for name, value in multiples.items()}


def test_only_what_is_more_than_half_as_slow_again_is_slower():
    found = guard.slower({"a": 15.1, "b": 14.9, "c": 3.0, "new": 99.0}, STORED)
    assert found == ["a"]


def test_a_made_up_regression_is_named_and_fails(capsys):
    given = argparse.Namespace(store=False)
    assert guard.report(timings(a=20.0, b=10.0), STORED, given) == 1
    printed = capsys.readouterr().out
    assert "REGRESSION a: 2.00 times" in printed
    assert "REGRESSION b" not in printed
    assert guard.report(timings(a=10.0, b=14.0), STORED, given) == 0
    assert "REGRESSION" not in capsys.readouterr().out


def test_storing_some_cases_leaves_the_others(tmp_path):
    path, given = tmp_path / "speed.json", argparse.Namespace(store=True)
    assert guard.report(timings(b=4.0, d=5.0), STORED, given, path) == 0
    assert guard.read_stored(tmp_path / "speed.json") == {**STORED, "b": 4.0, "d": 5.0}
    assert guard.read_stored(tmp_path / "nothing.json") == {}


def test_every_stored_case_exists_and_every_case_is_stored():
    assert set(json.loads(guard.STORED.read_text())["multiples"]) == set(guard.CASES)


@pytest.mark.parametrize("name", ["FGM, groups", "MILES"])
def test_a_case_can_be_fitted(name):
    case = guard.CASES[name]
    X, y = case.data(*case.small)
    assert hasattr(case.model(guard._columns(X)).fit(X, y), "n_iter_")
