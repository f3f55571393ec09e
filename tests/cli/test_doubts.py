"""Warnings about columns and classes that are hardly meant."""

import numpy as np
import pytest
from genes import FAST

from handful.cli.doubts import doubts_of_columns


@pytest.fixture
def warned(run, tmp_path):
    """Write measurements with a column more, select from them, and return the warnings."""

    def warned(extra, labels, *options):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(len(labels), 5)).round(3).tolist()
        lines = [
            ",".join(map(str, [one, *row, label]))
            for one, row, label in zip(extra, rows, labels, strict=True)
        ]
        path = tmp_path / "data.csv"
        path.write_text("\n".join(["extra,a,b,c,d,e,y", *lines]) + "\n")
        fast = () if "--method" in options else FAST
        result = run("select", path, "-t", "y", "-k", "2", *fast, *options)
        assert result.code == 0, result.err
        start = "handful: warning: "
        return [line.removeprefix(start) for line in result.err.splitlines() if start in line]

    return warned


HALVES = ["gut"] * 12 + ["lung"] * 12


@pytest.mark.parametrize(
    "numbers",
    [
        range(1, 25),
        range(24, 0, -1),
        np.random.default_rng(0).permutation(24),
        np.arange(24) ** 2,
        np.arange(24) // 2,
    ],
)
def test_numbers_of_rows(warned, numbers):
    [warning] = warned(numbers, HALVES)
    assert warning.startswith("the column 'extra' numbers rows or groups of them")
    assert warned(numbers, HALVES, "--drop", "extra") == []


@pytest.mark.parametrize(
    "values", [np.arange(24) // 2, np.arange(24) + 0.5, [*range(23, 0, -1), 99], np.zeros(24)]
)
def test_what_numbers_no_rows(warned, values):
    shuffled = np.random.default_rng(1).permutation(values)
    assert warned(shuffled, HALVES) == []


def test_numbers_of_rows_in_a_long_table_and_any_order():
    rng = np.random.default_rng(0)
    columns = np.column_stack([rng.permutation(500), rng.integers(0, 500, size=500)]).astype(float)
    [doubt] = doubts_of_columns(columns, np.arange(500) % 2, str, regression=False)
    assert doubt.startswith("the column '0' numbers rows")


@pytest.mark.parametrize(
    "codes", [[2] * 12 + [1] * 12, ["ill"] * 12 + ["well"] * 12, ["gut"] * 12 + ["lung"] * 12]
)
def test_the_target_in_other_words(warned, codes):
    [warning] = warned(codes, HALVES)
    assert warning.startswith("the column 'extra' says the target in other words")


def test_a_column_that_errs_once_is_a_measurement(warned):
    assert warned([2] * 11 + [1] * 13, HALVES) == []


def test_the_target_in_another_unit(warned):
    grams = np.random.default_rng(3).normal(70, 9, 24).round(2)
    [warning] = warned(grams * 10 + 5, grams, "--regression")
    assert warning.startswith("the column 'extra' says the target in other words")
    assert warned(np.exp(grams / 50), grams, "--regression") == []


def test_classes_that_differ_in_capitals(warned):
    labels = ["Tumor", "tumor", "Normal", "normal  tissue", "Normal Tissue", "Tumor"] * 4
    assert warned(np.arange(24) % 5, labels) == [
        "classes 'Normal Tissue' and 'normal tissue' differ in capitals or blanks alone: write them alike if they are one",
        "classes 'Tumor' and 'tumor' differ in capitals or blanks alone: write them alike if they are one",
    ]


def test_chance_is_not_doubted():
    """Of 40,000 coin flips for 12 rows some are the target's, and mean nothing."""
    rng = np.random.default_rng(0)
    columns, y = rng.integers(0, 2, size=(12, 40_000)).astype(float), np.arange(12) % 2
    assert (columns == y[:, None]).all(axis=0).any()
    assert list(doubts_of_columns(columns, y, str, regression=False)) == []


def test_a_report_has_them_among_what_is_odd(run, tmp_path):
    pytest.importorskip("jinja2")
    rng = np.random.default_rng(0)
    rows = [f"{i},{x:.3f},{'gut' if i < 12 else 'lung'}" for i, x in enumerate(rng.normal(size=24))]
    path, page = tmp_path / "data.csv", tmp_path / "report.html"
    path.write_text("\n".join(["number,a,y", *rows]) + "\n")
    model = tmp_path / "model.handful"
    run("select", path, "-t", "y", "-k", "1", *FAST, "-o", model)
    assert run("report", model, path, "-o", page, "--cv", "0").code == 0
    text = page.read_text(encoding="utf-8")
    assert "doubt of the reader" in text
    assert "numbers rows" in text


def test_columns_in_different_units(warned):
    incomes = np.random.default_rng(2).normal(size=24) * 1e5
    [warning] = warned(incomes, HALVES, "-C", "0.1")
    assert warning.startswith("Columns seem to have different units ('extra' ranges over ")
    assert ": --scale std has every column count " in warning
    for options in (["--scale", "std"], ["--scale", "raw"]):
        assert warned(incomes, HALVES, "-C", "0.1", *options) == []
    assert warned(incomes, HALVES) == []  # they are scaled
    assert warned(incomes, HALVES, "--pairs") == []


@pytest.mark.parametrize("method", ["direct", "rfs"])
def test_columns_in_different_units_are_scaled_by_every_method(warned, method):
    incomes = np.random.default_rng(2).normal(size=24) * 1e5
    assert not any("units" in one for one in warned(incomes, HALVES, "--method", method))


def test_a_weight_of_slacks_is_told_in_the_units_of_columns(warned):
    incomes = np.random.default_rng(2).normal(size=24) * 1e5
    [warning] = warned(incomes, HALVES, "--method", "direct", "-C", "0.1", "--margin", "soft")
    assert warning.startswith("Columns seem to have different units ('extra' ranges over ")
    scaled = warned(incomes, HALVES, "--method", "direct", "-C", "0.1", "--scale", "std")
    assert not any("units" in one for one in scaled)
