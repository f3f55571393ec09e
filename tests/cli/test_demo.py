"""``handful demo``: finds what it hid, and its commands work as printed."""

import shlex

from genes import FAST

from handful.cli import main


def test_json(demo_json):
    assert demo_json["n_true_found"] >= 9
    assert demo_json["n_selected"] == demo_json["n_true"] == 10
    assert demo_json["test_accuracy"] > demo_json["test_accuracy_all_features"] + 0.1
    assert demo_json["seconds"] > 0


def test_the_printed_commands_work(demo, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed, folder = demo
    assert "features that decide were found" in printed
    lines = [line.strip() for line in printed.splitlines() if line.startswith("    handful ")]
    assert [line.split()[1] for line in lines] == ["select", "path", "predict", "inspect"]
    assert str(folder / "genes.npz") in lines[0]
    for line in lines:
        words = shlex.split(line)[1:]
        if words[0] in ("select", "path"):
            words += FAST
        if words[0] == "path":
            words[words.index("-k") + 1] = "2,10"
            words[words.index("--cv") + 1] = "2"
        assert main(words) == 0
    assert {"model.handful", "curve.png", "predictions.csv"} <= {p.name for p in tmp_path.iterdir()}


def test_missing_folder(refused, tmp_path):
    assert "does not exist; create it first" in refused("demo", "--keep", tmp_path / "no")
