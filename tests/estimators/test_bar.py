"""``verbose="bar"``: one bar on a terminal or in a notebook, lines elsewhere, and nothing within another bar."""

import re

import numpy as np
import pytest
from problems import two_classes

from handful import FGMClassifier, GreedyRLSRegressor
from handful.estimators import _bar
from handful.kernels.compile_time import CompileTime
from handful.markup import progress_bar
from handful.model_selection import SelectKCV, StabilitySelection

X, Y = two_classes()
FITS = {
    "FGMClassifier": lambda: FGMClassifier(3, C="fast", verbose="bar"),
    "GreedyRLSRegressor": lambda: GreedyRLSRegressor(4, verbose="bar"),
    "SelectKCV": lambda: SelectKCV(
        GreedyRLSRegressor(verbose="bar"), [1, 2], cv=3, refit=False, verbose="bar"
    ),
    "StabilitySelection": lambda: StabilitySelection(
        GreedyRLSRegressor(2), 5, pfer=9.0, random_state=0, verbose="bar"
    ),
}
TOTALS = {"GreedyRLSRegressor": 4, "SelectKCV": 3, "StabilitySelection": 5}


@pytest.fixture
def terminal(monkeypatch):
    """Rich takes what the tests capture for a terminal."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")


def shown_on(stream):
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream)


@pytest.mark.parametrize("name", FITS)
def test_on_a_terminal(name, terminal, capsys):
    model = FITS[name]().fit(X, Y)
    out, err = capsys.readouterr()
    assert out == ""
    titles = set(re.findall(r"([A-Z]\w+) ━", shown_on(err)))
    assert titles == {name}, "a bar within a bar is not drawn"
    n_told = TOTALS.get(name) or len(model.history_)
    ending = f"{n_told} of {n_told}" if name in TOTALS else f"━ {n_told} "
    assert ending in shown_on(err).splitlines()[-1]


def test_lines_where_there_is_no_terminal(capsys):
    GreedyRLSRegressor(4, verbose="bar").fit(X, Y)
    out, err = capsys.readouterr()
    assert out.count("round ") == 4
    assert err == ""


def test_the_same_model_as_in_silence(terminal):
    model, silent = FGMClassifier(3, C="fast", verbose="bar"), FGMClassifier(3, C="fast")
    np.testing.assert_array_equal(model.fit(X, Y).coef_, silent.fit(X, Y).coef_)


def test_an_error_leaves_no_bar_behind(terminal, capsys):
    def fail(model, X, y):
        raise RuntimeError("no judge")

    with pytest.raises(RuntimeError, match="no judge"):
        SelectKCV(GreedyRLSRegressor(), [1, 2], cv=3, scoring=fail, verbose="bar").fit(X, Y)
    assert "3 of 3" not in shown_on(capsys.readouterr().err)
    GreedyRLSRegressor(4, verbose="bar").fit(X, Y)
    assert "4 of 4" in shown_on(capsys.readouterr().err)


def test_compiling_is_told(terminal, capsys):
    """A kernel that is compiled shows itself, one that is loaded does not."""
    import numba

    with _bar.telling("bar", "Fit", 2) as tell:
        numba.njit(lambda x: x + 1)(1)
        tell("round 1")
    assert _bar.COMPILING in shown_on(capsys.readouterr().err)


def test_seconds_of_kernels_within_kernels_are_counted_once(monkeypatch):
    clock = iter([0.0, 5.0, 100.0, 101.0])
    monkeypatch.setattr("numba.core.event.timer", lambda: next(clock))
    told = []
    listener = CompileTime(lambda: told.append("begins"))
    assert listener.seconds == 0.0
    for hook in ("on_start", "on_start", "on_end", "on_end", "on_start", "on_end"):
        getattr(listener, hook)(None)
    assert listener.seconds == 6.0
    assert told == ["begins", "begins"]


def test_titles_and_news_are_escaped():
    made = progress_bar('<b>"x', 1, 3, "1 of 3", "<script>")
    assert "<b>" not in made
    assert "<script>" not in made
    assert 'value="1" max="3"' in made
    assert "value=" not in progress_bar("x", 1, None, "1", "")


NOTEBOOK = """
import numpy as np
from handful import FGMClassifier, GreedyRLSRegressor
from handful.model_selection import SelectKCV, StabilitySelection

X = np.random.default_rng(0).standard_normal((60, 10))
y = X[:, 3] + X[:, 5]
"""
CELLS = {
    "FGMClassifier": "FGMClassifier(2, C='fast', verbose='bar').fit(X, y > 0)",
    "GreedyRLSRegressor": "GreedyRLSRegressor(4, verbose='bar').fit(X, y)",
    "SelectKCV": "SelectKCV(GreedyRLSRegressor(), [1, 2], cv=3, verbose='bar').fit(X, y)",
    "StabilitySelection": "StabilitySelection(GreedyRLSRegressor(2), 5, pfer=9, verbose='bar').fit(X, y)",
}


def test_in_a_real_notebook():
    """The bar is one output of its cell, which is replaced; there is nothing else, and no warning."""
    nbformat = pytest.importorskip("nbformat", reason="a notebook is run by nbclient")
    nbclient = pytest.importorskip("nbclient", reason="a notebook is run by nbclient")
    pytest.importorskip("ipykernel", reason="a notebook is run in IPython's kernel")
    make = nbformat.v4.new_code_cell
    cells = [make(NOTEBOOK), *(make(f"_ = {code}") for code in CELLS.values())]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for name, cell in zip(CELLS, notebook.cells[1:], strict=True):
        [output] = cell.outputs
        assert output.output_type == "display_data"
        assert f'<progress aria-label="{name}"' in output.data["text/html"]
        value, most = re.search(r'value="(\d+)" max="(\d+)"', output.data["text/html"]).groups()
        assert value == most
        assert int(most) == TOTALS.get(name, int(most))
        assert output.data["text/plain"].startswith(f"{name}: ")
