"""Every link within a built site leads to a page and a place on it; nothing on it is loaded from elsewhere."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes that make a browser load something.
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
ADDRESS = re.compile(r"https?://[\w.-]+\.[a-z]{2,}(/[^\s<>\"]*)?")


class Page(HTMLParser):
    """The anchors, links and loaded files of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = {"", "top"}
        self.links: list[tuple[str, bool]] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what one tag names and leads to."""
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.anchors.add(value)
            elif name in ("href", "src"):
                self.links.append((value, (tag, name) in LOADED))


@cache
def page_of(file: Path) -> Page:
    """Return a page, read once."""
    return Page(file)


def broken_links(site: Path) -> Iterator[str]:
    """Yield a sentence for each link that leads nowhere, and for each file that comes from elsewhere."""
    site = site.resolve()
    files = [file for file in sorted(site.rglob("*.html")) if "_static" not in file.parts]
    if not files:
        yield f"{site} has no pages"
    for file in files:
        for link, is_loaded in page_of(file).links:
            wrong = what_is_wrong(file, link, is_loaded, site)
            if wrong:
                yield f"{file.relative_to(site)}: {link} {wrong}"


def what_is_wrong(file: Path, link: str, is_loaded: bool, site: Path) -> str | None:
    """Return what is wrong with a link, if anything is; addresses elsewhere are looked at by their form only."""
    parts = urlsplit(link)
    if parts.scheme == "data":
        return None
    if parts.scheme == "mailto":
        return "is an address of mail, which no page has"
    if parts.scheme or parts.netloc:
        if is_loaded:
            return "is loaded from elsewhere"
        return None if ADDRESS.fullmatch(link) else "is no address"
    target = Path(os.path.normpath(file.parent / unquote(parts.path))) if parts.path else file
    if site not in (target, *target.parents):
        return "leaves the site"
    if not target.is_file():
        return "leads to no file"
    anchor = unquote(parts.fragment)
    if target.suffix == ".html" and anchor not in page_of(target).anchors:
        return "leads to no place on its page"
    return None


def missing_names(site: Path) -> Iterator[str]:
    """Yield a sentence for each public name that the inventory of the reference does not have."""
    from sphinx.util.inventory import InventoryFile

    inventory = InventoryFile.load((site / "objects.inv").open("rb"), "", os.path.join)
    described = {
        name for kind, names in inventory.items() if kind.startswith("py:") for name in names
    }
    entries = importlib.import_module("test_site").ENTRIES
    for module, name in entries:
        if f"{module}.{name}" not in described:
            yield f"{module}.{name} has no entry in the reference"
