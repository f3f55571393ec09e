"""Long work shows itself: a line a round or a function; else silence."""

import re
from itertools import pairwise

import pytest
from problems import TRUE_IDS, two_classes

from handful import FGMClassifier, FGMRegressor
from handful.history import Round

K = len(TRUE_IDS)
MODES = [{"budget": 2, "max_rounds": 4, "tol": 1e-9}, {"n_features_to_select": K}]
LINE = re.compile(
    r"round +(\d+)  (\w+) +active +(\d+)  objective (\S+)  gap ([\d.]+%|inf%)  ([\d.]+) s"
)


@pytest.mark.parametrize("mode", MODES)
def test_one_line_for_each_round(mode, capsys):
    model = FGMClassifier(**mode, verbose=True).fit(*two_classes())
    shown = capsys.readouterr()
    printed = shown.out.splitlines()
    printed = printed[
        sum(line.startswith("C ") for line in printed) :
    ]  # how C was chosen comes first
    *printed, refit = printed
    assert re.fullmatch(
        r"round +\d+  refit +active +\d+  objective \S+  \S+ s", refit
    )  # and no gap
    lines = [LINE.fullmatch(line) for line in printed]
    assert all(lines)
    assert len(lines) == model.n_iter_
    for line, record in zip(lines, model.history_[:-1], strict=True):
        assert int(line[1]) == record.number
        assert line[2] == record.phase
        assert int(line[3]) == record.n_active
        assert float(line[4]) == pytest.approx(record.objective, rel=1e-5)
    assert shown.err == ""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [FGMClassifier, FGMRegressor])
def test_silent_unless_asked(make, mode, capfd, recwarn):
    make(**mode).fit(*two_classes())
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


@pytest.mark.parametrize("mode", MODES)
def test_a_function_gets_each_round(mode):
    seen = []
    model = FGMClassifier(**mode, verbose=seen.append).fit(*two_classes())
    assert all(isinstance(record, Round) for record in seen)
    assert [(r.number, r.phase, r.n_active, r.objective) for r in seen] == [
        (r.number, r.phase, r.n_active, r.objective) for r in model.history_
    ]
    # A later round may have improved the bound of an earlier one.
    assert all(now.bound <= final.bound for now, final in zip(seen, model.history_, strict=True))
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_an_error_in_the_function_leaves_nothing_half_fitted():
    def fail(record):
        raise RuntimeError("no more paper")

    model = FGMClassifier(K, verbose=fail, C="fast")
    with pytest.raises(RuntimeError, match="no more paper"):
        model.fit(*two_classes())
    assert [name for name in vars(model) if name.endswith("_")] == []
