"""Lists of names in pages and in help are those of the registries."""

import pytest
import written_lists

import handful.losses
from handful.losses import SmoothLoss, known_losses
from handful.measures import Accuracy, known_measures


@pytest.mark.parametrize("name", written_lists.WRITTEN)
def test_the_lists_are_true(name):
    text = (written_lists.ROOT / name).read_text(encoding="utf-8")
    assert written_lists.WRITTEN[name](text) == text, "run python3 dev.py lists"


def test_a_new_name_reaches_every_list(monkeypatch):
    """Classes that count as this package's own, as long as this test holds them."""
    body = {"name": "new_loss", "task": "classification", "use": "something new"}
    body |= {
        "__module__": "handful.losses.new_loss",
        "__doc__": "``|y - z|`` beyond 1.\n\nAnd more.",
    }
    loss = type("NewLoss", (SmoothLoss,), body)
    body = {"name": "other_loss", "task": "regression", "use": "something else"}
    body |= {"__module__": "handful.losses.other_loss", "__doc__": "``(y - z)^4``."}
    other = type("OtherLoss", (SmoothLoss,), body)
    body = {"name": "new_measure", "__module__": "handful.measures.new_measure"}
    body |= {"__doc__": "Share of what is new."}
    measure = type("NewMeasure", (Accuracy,), body)  # which takes weights
    monkeypatch.setattr(handful.losses, "__all__", [*handful.losses.__all__, "NewLoss"])
    try:
        assert known_losses()["new_loss"] is loss
        assert known_measures()["new_measure"] is measure
        told = {
            name: rewritten((written_lists.ROOT / name).read_text(encoding="utf-8"))
            for name, rewritten in written_lists.WRITTEN.items()
            if name != "docs/parameters.md"
        }
    finally:  # other tests run on every member of a family
        for cls in (loss, other, measure):
            cls.__module__ = "elsewhere"
    assert "new_loss" not in known_losses()
    assert "NewLoss" in told["docs/api.md"]
    assert "'new_loss'" in told["docs/errors.md"]
    assert told["docs/errors.md"].count("'new_measure'") == 2  # unknown names, and weights
    assert "`new_measure`" in told["docs/shell.md"]
    assert '"new_loss"' in told["src/handful/cli/names.py"]
    assert '"new_measure"' in told["src/handful/cli/names.py"]
    assert (
        '| `"new_loss"` | `\\|y - z\\|` beyond 1 | something new |' in told["docs/how-to-choose.md"]
    )
    assert "| `new_measure` | `NewMeasure()` | Share of what is new |" in told["docs/measures.md"]
    assert told["docs/measures.md"].count("`new_measure`") == 2  # its row, and weights
    assert '"new_loss"' in told["src/handful/estimators/fgm.py"]
    assert '"other_loss" or "squared"' in told["src/handful/estimators/fgm_regressor.py"]


@pytest.mark.parametrize("command", written_lists.AS_SELECT)
def test_options_without_a_row_are_those_of_select(command):
    text = (written_lists.ROOT / "docs" / "shell.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## handful {command}\n")[2].partition("\n## ")[0]
    [row] = [line for line in section.splitlines() if line.endswith("| as for select |")]
    flags = written_lists.FLAG.findall(row)
    assert {"--loss", "--tol", "--groups"} <= {*flags} <= {*written_lists.flags_of("select")}
    assert "--seed" not in flags  # has a row of its own
