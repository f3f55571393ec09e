"""Version, changelog and citation say the same, and CI and pre-commit check the same."""

import re
import subprocess
import tomllib
from datetime import date
from pathlib import Path

import pytest

import handful

yaml = pytest.importorskip("yaml", reason="CITATION.cff and the pre-commit configuration are YAML")

ROOT = Path(__file__).parents[1]
HEADING = re.compile(r"^## \[(.+?)\](?: - (.+))?$", re.MULTILINE)
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]


def read(name):
    path = ROOT / name
    if not path.is_file():
        pytest.skip(f"{name} is in the repository, and not in an sdist")
    return path.read_text(encoding="utf-8")


def releases():
    """Versions with the days of their release, newest first."""
    (unreleased, no_day), *found = HEADING.findall(read("CHANGELOG.md"))
    assert (unreleased, no_day) == ("Unreleased", "")
    return [(version, date.fromisoformat(day)) for version, day in found]


def numbers(version):
    return tuple(int(part) for part in version.split("."))


def test_changelog_has_its_versions_in_order():
    found = releases()
    assert found
    assert found == sorted(found, key=lambda release: numbers(release[0]), reverse=True)
    days = [day for _, day in found]
    assert days == sorted(days, reverse=True)
    assert max(days) <= date.today()


def test_changelog_keeps_to_its_kinds():
    kinds = re.findall(r"^### (.+)$", read("CHANGELOG.md"), re.MULTILINE)
    assert set(kinds) <= set(KINDS)


def test_version_is_the_last_release_or_on_the_way_to_the_next():
    last = numbers(releases()[0][0])
    version, _, is_on_the_way = handful.__version__.partition(".dev")
    assert numbers(version) > last if is_on_the_way else numbers(version) == last


def test_citation_is_of_the_last_release():
    citation = yaml.safe_load(read("CITATION.cff"))
    version, day = releases()[0]
    assert str(citation["version"]) == version
    assert citation["date-released"] == day
    project = tomllib.loads(read("pyproject.toml"))["project"]
    assert citation["license"] == project["license"]
    assert citation["keywords"] == project["keywords"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project["authors"]
    ]


def test_citation_is_valid():
    cffconvert = pytest.importorskip(
        "cffconvert", reason="dev.py wheel checks CITATION.cff with it"
    )
    cffconvert.Citation(read("CITATION.cff")).validate()


def commands_of(text):
    return re.findall(r"^\s*(?:entry: )?python3 dev\.py (\w+)$", text, re.MULTILINE)


def test_pre_commit_runs_what_ci_runs():
    """The hooks are CI's own commands, so that they cannot check with other rules or versions."""
    hooks = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    entries = [hook["entry"] for hook in hooks[0]["hooks"]]
    of_ci = commands_of(read(".ci/run"))
    assert {"lint", "types", "imports"} <= set(of_ci)
    assert entries == [
        f"python3 dev.py {name}" for name in of_ci if name in ("lint", "types", "imports")
    ]
    for hook in hooks[0]["hooks"]:
        assert hook["pass_filenames"] is False  # all files, as CI does
        assert hook["language"] == "system"


def test_linters_are_run_with_the_configuration_of_the_project_alone():
    """What dev.py calls has no options that pyproject.toml does not have."""
    text = read("dev.py")
    assert re.findall(r'program\(VENV, "(?:ruff|mypy|lint-imports)"\)(.*)\)', text) == [
        ', "check", "--fix", "."',
        ', "format", "."',
        ', "format", "--check", "."',
        ', "check", "."',
        "",
        "",
    ]


def test_lowest_versions_of_python_agree():
    project = tomllib.loads(read("pyproject.toml"))
    assert project["project"]["requires-python"] == ">=3.11"
    assert project["tool"]["mypy"]["python_version"] == "3.11"
    assert project["tool"]["ruff"]["target-version"] == "py311"
    stated = {
        text.rpartition(" ")[2]
        for text in project["project"]["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", text)
    }
    assert stated == {"3.11", "3.12", "3.13", "3.14"}


def test_every_dependency_has_a_lowest_version():
    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    for needed in [*project["dependencies"], *(one for extra in extras.values() for one in extra)]:
        assert needed.startswith("handful[") or re.search(r">=|~=", needed), needed


def test_nothing_of_the_repository_is_missing_in_the_sdist():
    """Files that describe the project are listed by name; a new one must be too."""
    included = tomllib.loads(read("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]
    if not (ROOT / ".git").exists():
        pytest.skip("the list of files is git's")
    listed = ["git", "-C", str(ROOT), "ls-files", "*.md", "*.cff"]
    files = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split()
    described = {f"/{name}" for name in files if "/" not in name} - {"/README.md"}
    assert described <= set(included["include"])
