"""Lists of names in pages and in help are those of the registries."""

import pytest
import written_lists

import handful
import handful.losses
from handful.losses import SmoothLoss, known_losses
from handful.measures import Accuracy, known_measures


@pytest.mark.parametrize("name", written_lists.WRITTEN)
def test_the_lists_are_true(name):
    text = (written_lists.ROOT / name).read_text(encoding="utf-8")
    assert written_lists.WRITTEN[name](text) == text, "run python3 dev.py lists"


def test_a_new_name_reaches_every_list(monkeypatch):
    """Classes that count as this package's own, as long as this test holds them."""
    body = {"name": "new_loss", "task": "classification", "__module__": "handful.losses.new_loss"}
    loss = type("NewLoss", (SmoothLoss,), body)
    body = {"name": "new_measure", "__module__": "handful.measures.new_measure"}
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
        for cls in (loss, measure):
            cls.__module__ = "elsewhere"
    assert "new_loss" not in known_losses()
    assert "NewLoss" in told["docs/api.md"]
    assert "'new_loss'" in told["docs/errors.md"]
    assert told["docs/errors.md"].count("'new_measure'") == 2  # unknown names, and weights
    assert "`new_measure`" in told["docs/shell.md"]
    assert '"new_loss"' in told["src/handful/cli/names.py"]
    assert '"new_measure"' in told["src/handful/cli/names.py"]


def test_every_loss_has_a_row_in_the_table_of_losses():
    table = (written_lists.ROOT / "docs" / "how-to-choose.md").read_text(encoding="utf-8")
    assert [name for name in known_losses() if f'| `"{name}"` |' not in table] == []


@pytest.mark.parametrize("estimator", [handful.FGMClassifier, handful.MILESClassifier])
def test_docstrings_name_every_loss(estimator):
    told = estimator.__doc__.partition("    loss : ")[2].partition("    average")[0]
    assert [name for name in known_losses("classification") if f'"{name}"' not in told] == []


def test_every_measure_has_a_row_in_the_table_of_measures():
    table = (written_lists.ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    missing = [
        cls.__name__ for cls in known_measures().values() if f"| `{cls.__name__}(" not in table
    ]
    assert missing == []
