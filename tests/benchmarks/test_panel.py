"""The statistics of the panel, its halves, its files and its judge."""

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import mutual_info_classif

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
if not BENCHMARKS.exists():
    pytest.skip("the benchmarks are not part of this copy", allow_module_level=True)
sys.path.insert(0, str(BENCHMARKS))

from harness.cells import Cell, Measured, fingerprint, read  # noqa: E402
from harness.panel import plots, ranks, rivals, stored, tasks  # noqa: E402
from harness.panel.judge import judge  # noqa: E402
from harness.problem import Problem  # noqa: E402

MISSING = np.nan


@pytest.mark.parametrize("module", [plots, ranks, tasks], ids=lambda module: module.__name__)
def test_examples_of_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


def test_ranks_share_places_and_put_what_is_missing_last():
    scores = np.array([[0.5, 0.7, 0.7, 0.1], [MISSING, 0.7, MISSING, 0.1]])
    assert ranks.ranks(scores).tolist() == [[3.0, 1.5, 1.5, 4.0], [3.5, 1.0, 3.5, 2.0]]
    assert ranks.ranks(scores).sum(axis=1).tolist() == [10.0, 10.0]


def test_ranks_do_not_heed_rounding():
    assert ranks.ranks(np.array([[0.3, 0.1 + 0.2]])).tolist() == [[1.5, 1.5]]


def test_wins_are_of_all_that_share_the_best():
    scores = np.array([[0.5, 0.7, 0.7], [MISSING, 0.2, 0.1]])
    assert ranks.wins(scores).tolist() == [0, 2, 1]


def test_holm_multiplies_the_smallest_most_and_never_falls():
    assert ranks.holm([0.005, 0.011, 0.02, 0.04, 0.13]) == pytest.approx(
        [0.025, 0.044, 0.06, 0.08, 0.13]
    )
    assert ranks.holm([0.4, MISSING, 0.03])[0] == pytest.approx(0.4)
    assert np.isnan(ranks.holm([0.4, MISSING, 0.03])[1])
    assert ranks.holm([0.9, 0.8]) == [1.0, 1.0]


def test_signed_rank_leaves_out_what_one_of_them_lacks():
    ours, other = np.array([0.9, 0.8, 0.7, MISSING]), np.array([0.8, 0.6, MISSING, 0.1])
    found = ranks.signed_rank(ours, other)
    assert (found.better, found.worse) == (2, 0)
    assert found.mean == pytest.approx(0.15)
    same = ranks.signed_rank(ours, ours)
    assert (same.better, same.worse) == (0, 0)
    assert np.isnan(same.p)


def test_friedman_sees_an_order_that_is_always_the_same():
    rng = np.random.default_rng(0)
    ordered = np.array([0.9, 0.8, 0.7]) + 0.01 * rng.random((12, 3))
    assert ranks.friedman(ordered) < 1e-4
    assert ranks.friedman(rng.random((12, 3))) > 0.05


def test_halves_never_change():
    """Tasks that were tuned on must not become unseen ones."""
    known = {
        tasks.TUNED: ("riboflavin", "colon", "lung", "PCMAC", "RELATHE", "ORL", "a9a", "news20"),
        tasks.UNSEEN: ("SRBCT", "ALLAML", "yeoh", "BASEHOCK", "semeion", "isolet", "MNIST"),
    }
    for half, names in known.items():
        assert {tasks.half_of(name) for name in names} == {half}


def test_cell_is_read_as_it_was_written(tmp_path):
    cell = Cell("colon", "F", "1-r1", path=tmp_path / "deep" / "F@1-r1.json")
    cell.found = {"5": {"0": Measured(0.8, None, 5, 0.1, 0.2)}}
    cell.at = ("1", "5")
    cell.save()
    again = read(cell.path)
    assert again.found == cell.found
    assert tuple(again.at) == cell.at
    assert [file.name for file in cell.path.parent.iterdir()] == ["F@1-r1.json"]
    assert read(tmp_path / "nothing.json") is None


def test_cell_that_ran_out_of_time_is_tried_again_only_with_more():
    cell = Cell("colon", "F", "1-r1")
    cell.found = {"5": {"0": Measured(0.8, None, 5, 0.1, 0.2)}}
    cell.fail("10", "> 30 s", 30.0)
    cell.fail("20", "failed: no", 30.0)
    assert cell.is_done(["5", "10", "20"], 1, 30.0)
    assert not cell.is_done(["5", "10", "20"], 2, 30.0)
    assert not cell.is_done(["10"], 1, 60.0)
    assert cell.is_done(["20"], 1, 60.0)


def test_fingerprint_changes_with_the_sources(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder, text in (("a", "x = 1\n"), ("b", "x = 2\n")):
        (tmp_path / folder / "m.py").write_text(text)
    assert fingerprint(tmp_path / "a") != fingerprint(tmp_path / "b")


def test_information_of_presence_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = sparse.random(80, 12, density=0.3, format="csr", random_state=rng)
    y = rng.integers(0, 3, 80)
    expected = mutual_info_classif(X != 0, y, discrete_features=True)
    assert np.allclose(rivals.information_of_presence(X, y), expected)


def test_judge_takes_classes_of_one_row_and_no_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((41, 6))
    y = np.r_[(X[:40, 0] > 0).astype(int), 2]
    problem = Problem("few", X, y, X, y)
    assert judge(problem, np.array([0]), is_numbers=False) > 0.9
    common = np.bincount(y).max() / len(y)
    assert judge(problem, np.array([], dtype=int), is_numbers=False) == pytest.approx(common)


def test_judge_of_quantities_is_ridge():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 4))
    problem = Problem("line", X, X[:, 1] + 3, X, X[:, 1] + 3)
    assert judge(problem, np.array([1]), is_numbers=True) > 0.999
    assert judge(problem, np.array([], dtype=int), is_numbers=True) == pytest.approx(0)


def test_stored_scores_stand_in_for_a_cell_and_are_replaced_by_newer_ones(tmp_path):
    path = tmp_path / "rivals.json"
    found = {"5": {"0": Measured(0.75, None, 5, 0.25, 0.5), "1": Measured(0.5, None, 4, 1.0, 1.0)}}
    first = Cell("colon", "mRMR", "1-r1", found, {"10": "> 10 s"}, {"10": 10.0})
    stored.write(path, [first, Cell("lung", "mRMR", "1-r1")])
    again = stored.find(path, "colon", "mRMR")
    assert [one.score for one in again.found["5"].values()] == [0.75, 0.5]
    assert [one.kept for one in again.found["5"].values()] == [5, 4]
    assert again.is_given_up("10", 10.0)
    assert not again.is_given_up("10", 30.0)
    assert stored.find(path, "colon", "FGM") is None
    assert stored.find(None, "colon", "mRMR") is None
    stored.write(path, [Cell("colon", "mRMR", "2-r1", {"5": {"0": Measured(0.25, None, 5, 1, 1)}})])
    assert stored.find(path, "colon", "mRMR").version == "2-r1"
    assert stored.find(path, "lung", "mRMR").version == "1-r1"
