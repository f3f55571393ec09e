"""The documents are true: what they show runs, and what they point to is there.

In README.md, CONTRIBUTING.md, SECURITY.md, RELEASING.md and docs/, a block marked

- ``python`` is run, all blocks of a page in one namespace and one empty folder;
- ``sh`` holds commands ``handful ...`` that are run there too, in order with the Python (of ``handful demo --keep .``, with
  which many a page begins, the files are copied: it is run once);
- ``py`` is an excerpt: its first line names a file, the rest stands in that file word for word.

What ``test_errors_page.py`` runs is marked ``pycon`` and ``console``. Examples are run by the build of the site.
"""

import ast
import importlib.util
import inspect
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from written_lists import flags_of

from handful import FGMClassifier, FGMRegressor
from handful.cli import main
from handful.cli.app import app

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "RELEASING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
COMMANDS = typer.main.get_command(app).commands

FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FILE = re.compile(r"`([\w.-]*/?[\w./-]*\.(?:py|md))(?:::([\w.]+))?`")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(page, *languages):
    """Yield (language, line number, text) of the fenced blocks in some languages."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        if match[1] in languages:
            yield match[1], text.count("\n", 0, match.start()) + 1, match[2]


def prose(page):
    """Return a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def headings(page):
    """Return the anchors of a page, as GitHub makes them."""
    lines = re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def find_file(name, page):
    """Return the file that a page names: from the root, from the package or beside the page."""
    for folder in (ROOT, ROOT / "src" / "handful", page.parent):
        if (folder / name).is_file():
            return folder / name
    return None


def defines(file, name):
    """Whether a module defines a name, or a dotted name inside its classes."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    for part in name.split("."):
        for node in body:
            assigned = [*getattr(node, "targets", []), getattr(node, "target", None)]
            parts = [n for target in assigned if target for n in ast.walk(target)]
            if part in [getattr(node, "name", None), *(getattr(n, "id", None) for n in parts)]:
                body = getattr(node, "body", [])
                break
        else:
            return False
    return True


def section(page, title):
    """Return the text below a heading of the second level."""
    parts = re.split(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[title]


# ----------------------------------------------------------------- it runs


@every_page
def test_code_runs(page, tmp_path, monkeypatch, capsys, request):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for language, line, text in blocks(page, "python", "sh"):
        if language == "python":
            # Blank lines in front, so that a failure names the line of the page.
            exec(compile("\n" * line + text, str(page), "exec"), namespace)
            continue
        for command in text.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(command, comments=True)
            assert program == "handful", f"{page.name}: {command}"
            if arguments == ["demo", "--keep", "."]:
                _, folder = request.getfixturevalue("demo")
                shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
                continue
            assert main(arguments) == 0, f"{page.name}: {command}: {capsys.readouterr().err}"


@every_page
def test_excerpts_are_those_of_the_file(page):
    for _, line, text in blocks(page, "py"):
        first, excerpt = text.split("\n", 1)
        file = find_file(first.removeprefix("# "), page)
        assert file is not None, f"{page.name}, line {line}: {first} is no file"
        assert excerpt.strip("\n") in file.read_text(encoding="utf-8"), f"{page.name}, line {line}"


# ------------------------------------------------------------- it is there


@every_page
def test_links_lead_somewhere(page):
    for link in LINK.findall(prose(page)):
        if re.match(r"https?:|mailto:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert ROOT in target.parents, f"{page.name}: {link} leaves the project"
        assert not anchor or anchor in headings(target), f"{page.name}: {link}"


@every_page
def test_files_and_names_exist(page):
    for path, name in FILE.findall(prose(page)):
        if path.startswith("benchmarks/") and not (ROOT / "benchmarks").exists():
            continue  # a source distribution comes without them
        file = find_file(path, page)
        assert file is not None, f"{page.name}: {path}"
        assert not name or defines(file, name), f"{page.name}: {path}::{name}"


@every_page
def test_no_text_follows_a_comment_that_begins_a_line(page):
    """Markdown takes such a line for HTML, and shows its code and links as they are typed."""
    assert re.findall(r"^ {0,3}<!--.*-->[ ]*[^ \n].*$", prose(page), re.MULTILINE) == []


@every_page
def test_commands_of_dev_exist(page):
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    dev = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(dev)
    named = re.findall(r"python3 dev\.py (\w+)", page.read_text(encoding="utf-8"))
    assert set(named) <= set(dev.COMMANDS)


def test_index_leads_to_every_page():
    indices = [ROOT / "docs" / name for name in ("index.md", "guide.md")]
    links = {link.partition("#")[0] for page in indices for link in LINK.findall(prose(page))}
    assert {page.name for page in PAGES if page.parent.name == "docs"} - {"index.md"} <= links


# ------------------------------------------------------------ it is complete


@pytest.mark.parametrize("name", COMMANDS)
def test_shell_page_has_every_option(name):
    text = section(ROOT / "docs" / "shell.md", f"handful {name}")
    named = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))
    assert named == {*flags_of(name)}


@pytest.fixture(scope="module")
def kept(demo, tmp_path_factory):
    """The data of the demo and a model."""
    data = str(demo[1] / "genes.npz")
    model = str(tmp_path_factory.mktemp("kept") / "model.handful")
    assert main(["select", data, "-k", "10", "-o", model]) == 0
    return {"data": data, "model": model}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("select", ["{data}", "-k", "10"]),
        ("path", ["{data}", "-k", "5,10", "--cv", "2", "-C", "fast"]),
        ("stability", ["{data}", "-k", "5", "--resamples", "2", "-C", "fast"]),
        ("predict", ["{model}", "{data}"]),
        ("inspect", ["{model}"]),
        ("convert", ["{data}", "{model}.store"]),
    ],
)
def test_shell_page_has_every_json_field(name, arguments, kept, capsys):
    capsys.readouterr()
    assert main([name, *(text.format(**kept) for text in arguments), "--json"]) == 0
    assert json_fields(name) == list(json.loads(capsys.readouterr().out))


def test_shell_page_has_every_json_field_of_the_demo(demo_json):
    assert json_fields("demo") == list(demo_json)


def json_fields(name):
    """Return what the page says that a command prints."""
    text = section(ROOT / "docs" / "shell.md", f"handful {name}")
    [line] = re.findall(r"^JSON: (.+)$", text, re.MULTILINE)
    return re.findall(r"`(\w+)`", line)


@pytest.mark.parametrize("estimator", [FGMClassifier, FGMRegressor])
def test_how_to_choose_has_every_parameter(estimator):
    text = (ROOT / "docs" / "how-to-choose.md").read_text(encoding="utf-8")
    missing = [name for name in inspect.signature(estimator).parameters if f"`{name}" not in text]
    assert not missing, "say in docs/how-to-choose.md when to set it"


def test_every_selector_has_a_figure_on_every_set_or_a_reason():
    """Mean and deviation of ten splits, of as many as the brackets say, or the limit that it ran into."""
    text = section(ROOT / "docs" / "direct-sparsity.md", "Against other selectors")
    header, _, *lines = [line.split("|")[1:-1] for line in text.splitlines() if line[:1] == "|"]
    assert len(lines) == 10
    told = re.compile(r"(\*\*)?\d+(\.\d+)?±\d+(\.\d+)?(?(1)\*\*)( \(\d\))?|> \d[\d,]* s")
    silent = [
        (line[0].strip(), method.strip())
        for line in lines
        for method, cell in list(zip(header, line, strict=True))[1:-1]
        if not told.fullmatch(cell.strip())
    ]
    assert not silent
