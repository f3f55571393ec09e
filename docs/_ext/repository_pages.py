"""Files of the repository as pages of the site, and the links to them.

The pages in ``docs/`` are read in two places: where the repository is shown, and on the site. They
link to files, as the repository has them; here such a link becomes one to the page that the site has
of the file:

- ``../examples/NAME.py``: its page in the gallery;
- ``../CONTRIBUTING.md`` and the like: a copy in ``project/``, its own links put right;
- any other text file, such as ``../src/handful/history.py``: a page in ``source/`` that shows it.

The copies and the pages of sources are written when a build begins. Git ignores them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
#: Documents beside ``docs/`` that are pages of the site.
DOCUMENTS = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "RELEASING.md")
LANGUAGES = {".py": "python", ".toml": "toml", ".md": "markdown"}

LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")
FENCE = re.compile(r"^(```[^\n]*\n.*?^```$)", re.MULTILINE | re.DOTALL)
#: What stands in such a comment is for the site alone.
COMMENT = re.compile(r"^<!-- site:\n(.+?)^-->$", re.MULTILINE | re.DOTALL)


def page_of(file: Path) -> Path | None:
    """Return the page that shows a file, or None when the file itself is one or belongs to one."""
    if DOCS in file.parents:
        return None
    where = file.relative_to(ROOT)
    if where.as_posix() in DOCUMENTS:
        return DOCS / "project" / where.name.lower()
    if where.parts[0] == "examples" and file.suffix == ".py":
        return DOCS / "gallery" / f"{file.stem}.rst"
    return DOCS / "source" / where.parent / f"{where.name}.md"


def rewritten(text: str, written_in: Path, read_in: Path) -> str:
    """Return a page's text with links that lead from `read_in` to what they meant in `written_in`."""

    def moved(link: re.Match[str]) -> str:
        file = Path(os.path.normpath(written_in / link[1]))
        if not file.is_file():
            return link[0]  # left as it is, so that the build complains
        target = page_of(file) or file
        return os.path.relpath(target, read_in).replace(os.sep, "/") + (link[2] or "")

    parts = FENCE.split(COMMENT.sub(r"\n\1\n", text))
    parts[::2] = [LINK.sub(moved, part) for part in parts[::2]]
    return "".join(parts)


def linked_files(text: str, folder: Path) -> set[Path]:
    """Return the files of the repository that a page links to."""
    prose = "".join(FENCE.split(text)[::2])
    files = {Path(os.path.normpath(folder / link[1])) for link in LINK.finditer(prose)}
    return {file for file in files if file.is_file()}


def shown(file: Path) -> str:
    """Return the page that shows a source file; it is in no table of contents and not searched."""
    where = file.relative_to(ROOT).as_posix()
    language = LANGUAGES.get(file.suffix, "text")
    return (
        "---\norphan: true\nnosearch: true\n---\n"
        f"# {where}\n\n```{{literalinclude}} /../{where}\n:language: {language}\n:linenos:\n```\n"
    )


def write_if_new(page: Path, text: str) -> None:
    """Write a page unless it is there already: its time tells Sphinx whether to read it again."""
    if not page.is_file() or page.read_text(encoding="utf-8") != text:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")


def write_pages(_: Sphinx) -> None:
    """Write the copies in ``project/`` and the pages in ``source/``, and remove what is not linked."""
    wanted: set[Path] = set()
    linked: set[Path] = set()
    for name in DOCUMENTS:
        file = ROOT / name
        page = page_of(file)
        assert page is not None
        text = file.read_text(encoding="utf-8")
        write_if_new(page, rewritten(text, file.parent, page.parent))
        linked |= linked_files(text, file.parent)
        wanted.add(page)
    for file in DOCS.glob("*.md"):
        linked |= linked_files(file.read_text(encoding="utf-8"), DOCS)
    for file in sorted(linked):
        page = page_of(file)
        if page is not None and DOCS / "source" in page.parents:
            write_if_new(page, shown(file))
            wanted.add(page)
    for page in (DOCS / "source").rglob("*.md"):
        if page not in wanted:
            page.unlink()


def read_page(_: Sphinx, name: str, source: list[str]) -> None:
    """Put the links of a page in ``docs/`` right as Sphinx reads it."""
    if "/" not in name and (DOCS / f"{name}.md").is_file():
        source[0] = rewritten(source[0], DOCS, DOCS)


def setup(app: Sphinx) -> dict[str, bool]:
    """Say when Sphinx calls what."""
    app.connect("config-inited", lambda app, _: write_pages(app))
    app.connect("source-read", read_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
