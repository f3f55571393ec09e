"""The site has everything: an entry for each public name, and examples that show, draw and check something.

The pages themselves are made, and the examples run, by ``python3 dev.py docs``.
"""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

import handful

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MODULE = re.compile(r"^\.\. currentmodule:: (\S+)$")
IMPORT = re.compile(r"^\s*from (handful[\w.]*) import", re.MULTILINE)

every_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)


def entries():
    """Return the names in the reference, as (module, name)."""
    found, module = [], None
    for block in re.findall(r"^```{eval-rst}\n(.*?)^```$", API, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if match := MODULE.match(line):
                module = match[1]
            elif re.fullmatch(r"   \w+", line):
                found.append((module, line.strip()))
    return found


API = (DOCS / "api.md").read_text(encoding="utf-8")
ENTRIES = entries()


def public_modules():
    """Return the modules at the top, and those that pages and examples import from."""
    of_top = {
        f"handful.{name}" for name in handful.__all__ if f"handful.{name}" in list(sys.modules)
    }
    texts = [path.read_text(encoding="utf-8") for path in (*DOCS.glob("*.md"), *EXAMPLES)]
    return sorted({"handful", *of_top, *(name for text in texts for name in IMPORT.findall(text))})


for name in handful.__all__:
    getattr(handful, name)


@pytest.mark.parametrize("module", public_modules())
def test_every_public_name_has_its_entry(module):
    """Under its module; or at the top, where the same object has a shorter name."""
    loaded = importlib.import_module(module)
    missing = [
        name
        for name in getattr(loaded, "__all__", [])
        if (module, name) not in ENTRIES
        and f"{module}.{name}" not in sys.modules
        and name != "__version__"
        and not (
            ("handful", name) in ENTRIES and getattr(handful, name, None) is getattr(loaded, name)
        )
    ]
    assert not missing


def test_every_entry_is_a_name():
    assert len(set(ENTRIES)) == len(ENTRIES) > 100
    for module, name in ENTRIES:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


# ---------------------------------------------------------------- examples


@every_example
def test_example_has_a_title_cells_and_an_end(example):
    text = example.read_text(encoding="utf-8")
    title, line, empty, *prose = ast.get_docstring(ast.parse(text)).splitlines()
    assert line == "=" * len(title)
    assert not empty
    assert "".join(prose)
    assert "\n# %%" in text
    assert text.endswith("plt.show()\n")
    assert len(text.splitlines()) < 90


@every_example
def test_example_checks_what_it_shows(example):
    """The build of the site runs it, and fails where a check does."""
    tree = ast.parse(example.read_text(encoding="utf-8"))
    checks = [node for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    assert any(not isinstance(check.test, ast.Constant) for check in checks)


@every_example
def test_example_needs_no_data_from_elsewhere(example):
    text = example.read_text(encoding="utf-8")
    assert not re.search(r"\bfetch_\w+|urlopen|requests|https?://", text)


def test_gallery_order_and_start_page_have_every_example(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    order = importlib.import_module("gallery_order").EXAMPLES
    names = {example.stem for example in EXAMPLES}
    assert len(names) >= 14
    assert names <= set(order)
    start = (DOCS / "index.md").read_text(encoding="utf-8")
    assert {name for name in names if f"](../examples/{name}.py)" not in start} == set()


# ------------------------------------------------------------------- links


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    return importlib.import_module("repository_pages")


@pytest.mark.parametrize(
    ("link", "on_site"),
    [
        ("certificate.md#the-bound", "certificate.md#the-bound"),
        ("../examples/choose_k.py", "gallery/choose_k.rst"),
        ("../CONTRIBUTING.md#add-a-loss", "project/contributing.md#add-a-loss"),
        ("../src/handful/history.py", "source/src/handful/history.py.md"),
        ("#a-store", "#a-store"),
        ("https://docs.dask.org", "https://docs.dask.org"),
        ("nowhere.md", "nowhere.md"),
    ],
)
def test_links_of_a_page_lead_to_the_same_on_the_site(link, on_site, pages):
    assert pages.rewritten(f"see [it]({link}).", DOCS, DOCS) == f"see [it]({on_site})."


def test_links_of_a_copied_page_lead_to_the_same_on_the_site(pages):
    text = "[a](docs/certificate.md#the-bound) [b](src/handful/history.py) [c](SECURITY.md)"
    expected = (
        "[a](../certificate.md#the-bound) [b](../source/src/handful/history.py.md) [c](security.md)"
    )
    assert pages.rewritten(text, ROOT, DOCS / "project") == expected


def test_code_is_not_rewritten_and_comments_for_the_site_are_opened(pages):
    text = "```\n[it](../CONTRIBUTING.md)\n```\n<!-- site:\n:::{figure} a.png\n:::\n-->\n"
    told = pages.rewritten(text, DOCS, DOCS)
    assert "[it](../CONTRIBUTING.md)" in told
    assert "<!--" not in told
    assert ":::{figure} a.png" in told


# ---------------------------------------------------------------- sentences


@pytest.fixture
def sentences(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    return importlib.import_module("all_sentences")


def test_list_of_sentences_has_those_of_the_page_of_errors(sentences):
    said = [text for found in sentences.all_sentences().values() for _, text in found]
    assert len(said) > 400
    patterns = [re.escape(text).replace(re.escape(sentences.GAP), ".*") for text in said]
    shown = re.findall(r"^ValueError: (.+)$", (DOCS / "errors.md").read_text("utf-8"), re.MULTILINE)
    by_others = ("Found input variables", "X has 29 features")  # scikit-learn says these
    unknown = [
        text
        for text in shown
        if not text.startswith(by_others)
        and not any(re.fullmatch(pattern, text) for pattern in patterns)
    ]
    assert len(shown) > 25
    assert not unknown


def test_every_sentence_leads_to_a_page_of_the_guide(sentences):
    files = [path.relative_to(sentences.PACKAGE) for path in sentences.PACKAGE.rglob("*.py")]
    for start, page in sentences.GUIDE.items():
        assert (DOCS / page).is_file()
        assert any(path.as_posix().startswith(start) for path in files), start


def test_sentences_are_read_with_gaps(sentences, tmp_path):
    file = tmp_path / "code.py"
    file.write_text(
        'raise ValueError(f"{name} must be one of " + choices)\nwarnings.warn("a" "b c d")\n'
    )
    assert list(sentences.sentences_in(file)) == [(1, "… must be one of …"), (2, "ab c d")]
