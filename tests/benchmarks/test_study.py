"""What every benchmark stands on: cells in processes of their own, rows that are taken up again, options."""

import doctest
import importlib.util
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
if not BENCHMARKS.exists():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
HERE = str(Path(__file__).parent)
sys.path[:0] = [str(BENCHMARKS), HERE]

import child_work  # noqa: E402
from harness import study  # noqa: E402
from harness.child import ask  # noqa: E402
from harness.data import MissingDataError, standing_for  # noqa: E402
from harness.growth import Growth  # noqa: E402
from harness.splits import Row  # noqa: E402

SCRIPTS = (
    *("linear", "spaces", "multiclass", "multilabel", "measures"),
    *("bags", "panel", "scale", "choices"),
)


@pytest.fixture
def of_children(monkeypatch):
    """Let children find what they are asked to do."""
    monkeypatch.setenv("PYTHONPATH", HERE, prepend=":")


def test_child_answers_and_knows_its_limit(of_children):
    assert ask(child_work.add, 7.0, first=2, second=3) == {"status": "ok", "sum": 5, "limit": 7.0}


def test_of_a_child_that_is_ended_the_last_answer_counts(of_children):
    assert ask(child_work.count, 7.0) == {"status": "ok", "number": 1}


@pytest.mark.parametrize(
    ("work", "status"),
    [
        (child_work.sleep, "> 0.05 s"),
        (child_work.need_a_package, "not installed"),
        (child_work.take_memory, "out of memory"),
        (child_work.fail, "failed: ValueError: wrong on purpose"),
        (child_work.end, "failed: no answer"),
    ],
)
def test_child_without_an_answer_says_why(of_children, work, status):
    assert ask(work, 0.05)["status"] == status


def given(monkeypatch, *words, **about):
    monkeypatch.setattr(sys, "argv", ["script", *words])
    options = study.Options("doc", data=False, **about)
    options.words("--methods", ("a, b", "c"), "methods", by=";")
    options.words("--k", None, "numbers", kind=int)
    return options.parse()


def test_options_are_lists_of_known_words(monkeypatch, capsys):
    assert given(monkeypatch).methods == ["a, b", "c"]
    assert given(monkeypatch).k is None
    found = given(monkeypatch, "--methods", "c; a, b", "--k", "5,10")
    assert (found.methods, found.k) == (["c", "a, b"], [5, 10])
    with pytest.raises(SystemExit):
        given(monkeypatch, "--methods", "d")
    assert "unknown 'd'; known: a, b; c" in capsys.readouterr().err


def test_rows_are_written_and_taken_up_again(monkeypatch, tmp_path):
    path = str(tmp_path / "out.json")
    run = study.Run(given(monkeypatch, "--json", path), 80, tell_system=False)
    first = study.Study(run, Row)
    first.add(
        Row("colon", "a", values={"5": [0.5, 0.7]}, seconds=[1.0, 2.0]), Row("colon", "c", "> 9 s")
    )
    run.targets.append(study.Target("good", "0.6", True))
    run.finish()
    content = json.loads(Path(path).read_text())
    assert [row["method"] for row in content["rows"]] == ["a", "c"]
    assert content["targets"] == [{"text": "good", "figure": "0.6", "met": True}]
    again = study.Run(given(monkeypatch, "--reuse", path, reuse=True), 80, tell_system=False)
    second = study.Study(again, Row)
    assert second.rows == [
        Row("colon", "a", values={"5": [0.5, 0.7]}, kept=[], seconds=[1.0, 2.0]),
        Row("colon", "c", "> 9 s", kept=[]),
    ]
    [slow] = second.known(dataset="colon", method="c")
    second.drop(slow)
    assert [row.method for row in second.rows] == ["a"]


def test_data_that_are_not_there_are_a_target_not_measured(monkeypatch, capsys):
    run = study.Run(given(monkeypatch), 80, tell_system=False)

    def load(source):
        raise MissingDataError("it is elsewhere")

    assert run.had("musk", load) is None
    run.finish()
    assert [(one.text, one.verdict) for one in run.targets] == [("musk: data", "not measured")]
    printed = capsys.readouterr().out
    assert "musk: not run, it is elsewhere" in printed
    assert "of 1 targets 0 missed, 1 not measured" in printed


def test_examples_of_docstrings():
    found = doctest.testmod(study)
    assert found.attempted
    assert not found.failed


def test_rows_are_compared_on_the_splits_both_have():
    ours = Row("x", "a", values={"5": [0.5, 0.7, 0.9]}, seconds=[1.0] * 3)
    other = Row("x", "b", values={"5": [0.4, 0.4]}, seconds=[1.0] * 2)
    gain, error = ours.lead(other, 5)
    assert (gain, error) == (pytest.approx(0.2), pytest.approx(0.1))
    assert ours.lead(other, 5, -1.0)[0] == pytest.approx(-0.2)
    assert ours.mean(5) == pytest.approx(0.7)
    assert ours.error(5) == pytest.approx(0.2 / 3**0.5)


def test_growth_is_the_slope_of_logarithms():
    assert Growth([10, 20, 40], [1.0, 2.0, 4.0]).slope == pytest.approx(1.0)
    assert Growth([10, 20], [1.0, None]).told == "unknown"


def test_a_word_stands_for_what_begins_with_it():
    names = ("x1-I", "x1-II", "x2", "x10")
    assert standing_for(["x1", "x2"], names) == ["x1-I", "x1-II", "x2"]
    assert standing_for(None, names) == list(names)
    with pytest.raises(SystemExit, match="unknown 'x'"):
        standing_for(["x"], names)


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_tells_its_options(name, monkeypatch, capsys):
    spec = importlib.util.spec_from_file_location(f"script_{name}", BENCHMARKS / f"{name}.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        module.parse_arguments()
    assert ended.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_a_cell_is_measured_once_and_again_only_with_a_longer_limit(monkeypatch, of_children):
    run = study.Run(given(monkeypatch), 80, tell_system=False)
    place, asked = {"dataset": "colon", "method": ["a", "b"]}, []

    def rows(answer):
        asked.append(answer["limit"])
        return [Row("colon", "a", f"> {answer['limit']:g} s"), Row("colon", "b", seconds=[1.0])]

    cells = study.Study(run, Row)
    for limit in (5.0, 5.0, 3.0, 9.0, 9.0):
        run.given.timeout = limit
        found = cells.cell(place, child_work.add, rows, first=1, second=2)
        assert [row.method for row in found] == ["a", "b"]
    assert asked == [5.0, 9.0]
    assert [row.status for row in cells.rows] == ["> 9 s", "ok"]
