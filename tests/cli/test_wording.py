"""Sentences of the library name options on the shell, and nothing that only Python has."""

import pytest
from genes import FAST, write_csv

from handful.cli.wording import in_options


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("n_features_to_select=9 is more; leave it None.", "-k 9 is more; leave it out."),
        ("n_atoms=9 is more than there are.", "-k 9 is more than there are."),
        ("set aggregate=False.", "leave out --aggregate."),
        ("accept pfer=0.5 or more.", "accept --pfer 0.5 or more."),
        ("max_rounds must be at least 1; got 0.", "--max-rounds must be at least 1; got 0."),
        ("p must be one of 1, a share, or None; got 2.", "--p must be one of 1 or a share; got 2."),
        ("tol must be at least 5 or None; got 3.", "--tol must be at least 5; got 3."),
        ("'a', or a solver instance; got 'b'.", "'a'; got 'b'."),
        ("the column 'C=3' has group=7.", "the column 'C=3' has group=7."),
    ],
)
def test_parameters_become_options(sentence, expected):
    assert in_options(sentence) == expected


def test_more_than_there_are(refused, csv_file):
    for command in ("select", "stability"):
        sentence = refused(command, csv_file, "-t", "outcome", "-k", 99, *FAST)
        assert sentence.startswith("-k 99 is more than the 12 features")
        assert "None" not in sentence
    sentence = refused("path", csv_file, "-t", "outcome", "-k", 99, "--cv", 2, *FAST)
    assert sentence.startswith("-k has 99, more than the 12 features")


def test_text_columns_do_not_aggregate(refused, numbers, tmp_path):
    X, score = numbers
    lines = [",".join([*map(str, x), "ab"[i % 2]]) for i, x in enumerate(X.tolist())]
    header = ",".join([*(f"x{j}" for j in range(12)), "colour"])
    path = tmp_path / "mixed.csv"
    rows = [f"{line},{int(s > 0)}" for line, s in zip(lines, score, strict=True)]
    path.write_text("\n".join([f"{header},outcome", *rows]))
    how = ("-t", "outcome", "-k", 2, "--resamples", 2, "--aggregate", *FAST)
    assert refused("stability", path, *how).endswith("leave out --aggregate.")


def test_names_of_files_stay_as_they_are(refused, numbers, tmp_path):
    path = write_csv(tmp_path / "budget=3.csv", numbers[0], [""] * 80)
    assert "budget=3.csv" in refused("select", path, "-t", "outcome", "-k", 2)
