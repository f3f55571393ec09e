"""Rounds and how a fit ended: what is printed, saved and compared."""

import json
import math

import pytest
from problems import two_classes

from handful import FGMClassifier
from handful.history import History, Round
from handful.status import Status

UNCERTIFIED = Round(1, "generate", 10, 4.0, -math.inf, 0.1)
CERTIFIED = Round(2, "eliminate", 8, 5.0, 3.0, 0.25)


def test_gap():
    assert CERTIFIED.gap == 2.0
    assert CERTIFIED.relative_gap == 0.4
    assert UNCERTIFIED.gap == math.inf
    assert Round(1, "generate", 1, 3.0, 3.0 + 1e-12, 0.0).gap == 0.0
    assert Round(1, "generate", 1, 0.0, -1.0, 0.0).relative_gap == math.inf
    assert Round(1, "generate", 1, 0.0, 0.0, 0.0).relative_gap == 0.0


def test_a_line():
    line = "round   2  eliminate  active     8  objective 5  gap 40.00%  0.25 s"
    assert str(CERTIFIED) == line


def test_json_there_and_back():
    history = History([UNCERTIFIED, CERTIFIED])
    text = history.to_json()
    assert [record["bound"] for record in json.loads(text)] == [None, 3.0]
    assert History.from_json(text) == history
    assert history.to_records() == json.loads(text)


def test_every_bit_survives_json():
    history = FGMClassifier(4, C="fast").fit(*two_classes()).history_
    assert list(History.from_json(history.to_json())) == list(history)


def test_a_better_bound_certifies_the_last_round_only():
    history = History([UNCERTIFIED, CERTIFIED])
    history.certify(2.0)
    assert history[-1].bound == 3.0
    history.certify(3.5)
    assert [record.bound for record in history] == [-math.inf, 3.5]


def test_a_copy_does_not_change_with_the_original():
    original = History([UNCERTIFIED])
    copied = History(original)
    original.append(CERTIFIED)
    assert len(copied) == 1
    assert repr(copied) == "History(1 round)"
    assert repr(original) == "History(2 rounds)"
    assert copied != original


@pytest.mark.parametrize("status", Status)
def test_a_status_is_a_sentence(status):
    assert str(status) == status.value
    assert str(status)[0].isupper()
    assert str(status).endswith(".")
    assert "\n" not in str(status)
