"""``handful transpose``: from genes in rows to a model and its predictions."""

import numpy as np
import pytest
from genes import FAST


@pytest.fixture
def genes(tmp_path):
    """A table with genes in rows, of which one tells tumours, a sheet, and what is in both."""
    rng = np.random.default_rng(0)
    values, is_tumour = rng.normal(size=(40, 30)), np.arange(30) % 2
    values[7] += 4 * is_tumour
    samples = [f"s{i}" for i in range(30)]
    rows = [",".join([f"g{j}", *(f"{x:.3f}" for x in row)]) for j, row in enumerate(values)]
    path, sheet = tmp_path / "genes.csv", tmp_path / "sheet.csv"
    path.write_text("\n".join([",".join(["gene", *samples]), *rows]) + "\n")
    about = [
        f"{sample},{'tumour' if y else 'normal'}"
        for sample, y in zip(samples, is_tumour, strict=True)
    ]
    sheet.write_text("\n".join(["name,tissue", *reversed(about)]) + "\n")
    return path, sheet


def test_the_gene_that_decides_is_found_and_predicts(run, genes, tmp_path):
    path, sheet = genes
    done = run("transpose", path, "--samples", sheet, "-o", tmp_path / "train.csv")
    assert (done.code, done.out) == (0, "")
    assert "30 rows, 42 columns" in done.err
    assert "--drop name" in done.err
    model = tmp_path / "model.handful"
    options = ["-t", "tissue", "--drop", "name", "-k", "1", *FAST]
    assert "g7" in run("select", tmp_path / "train.csv", *options, "-o", model).out
    run("transpose", path, "-o", tmp_path / "new.csv")
    predicted = run("predict", model, tmp_path / "new.csv", "--id", "sample").out
    assert predicted.splitlines()[1].startswith("s0,normal,")


@pytest.mark.parametrize("target", ["tissue", "sheet.csv"])
def test_a_target_that_is_not_there_leads_here(refused, genes, target):
    sentence = refused("select", genes[0], "-t", target, "-k", "1")
    assert "if its columns are samples, handful transpose turns it" in sentence


def test_a_row_with_the_name_of_the_target_leads_here(refused, genes):
    sentence = refused("select", genes[0], "-t", "g7", "-k", "1")
    assert "a row is called 'g7': make columns of rows with handful transpose" in sentence


def test_new_rows_that_are_columns_lead_here(run, refused, genes, tmp_path):
    run("transpose", genes[0], "--samples", genes[1], "-o", tmp_path / "train.csv")
    model = tmp_path / "model.handful"
    options = ["-t", "tissue", "--drop", "name", "-k", "1", *FAST]
    run("select", tmp_path / "train.csv", *options, "-o", model)
    assert "a row is called 'g7'" in refused("predict", model, genes[0])


def test_a_table_with_samples_in_rows_does_not_lead_here(refused, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("name,a,b,a\nx,1,2,3\ny,3,4,5\n")
    assert "transpose" not in refused("select", path, "-t", "b", "--drop", "name", "-k", "1")


@pytest.mark.parametrize(
    ("output", "words"),
    [("genes.csv", "the same command reads it"), ("x.xlsx", "must end in .csv or .tsv")],
)
def test_outputs_that_are_refused(refused, genes, tmp_path, output, words):
    assert words in refused("transpose", genes[0], "-o", tmp_path / output)
