"""Open a built site in headless Chromium, as a folder on disk, on a phone and on a desk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
WIDTHS = {"phone": (390, 844), "desk": (1440, 900)}
#: Pages of every kind, which are photographed. All others are opened on a phone, but for those that only differ in
#: names from one of these.
KINDS = (
    *("index", "guide", "coming-from", "errors", "glossary", "api", "how-to-choose", "panel"),
    *("gallery/index", "gallery/look_at_it", "api/handful.FGMClassifier"),
    *("api/handful.datasets.make_sparse_linear", "project/contributing", "project/sentences"),
    "source/src/handful/history.py",
)
#: What is searched for, and a page that must be among those found.
SEARCHES = {"certificate": "certificate.html", "StabilitySelection": "stability.html"}
HEADING = "document.querySelector('#search-results h2')"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def look(site: Path, pictures: Path | None) -> list[str]:
    """Return a sentence for each thing that is wrong, and write screenshots of pages of every kind."""
    from playwright.sync_api import sync_playwright

    site = site.resolve()
    wrong: list[str] = []
    with sync_playwright() as play, tempfile.TemporaryDirectory() as profile:
        context = play.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, headless=True, args=list(FLAGS)
        )
        page = context.new_page()
        page.on(
            "console",
            lambda told: told.type == "error" and wrong.append(f"{page.url}: {told.text}"),
        )
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on(
            "request",
            lambda asked: (
                asked.url.startswith(("file:", "data:", "blob:"))
                or wrong.append(f"{page.url} asks for {asked.url}")
            ),
        )
        for width, size in WIDTHS.items():
            page.set_viewport_size({"width": size[0], "height": size[1]})
            for name in KINDS if width == "desk" else every_page(site):
                wrong += opened(page, site, name, width, pictures if name in KINDS else None)
        for words, expected in SEARCHES.items():
            wrong += searched(page, site, words, expected, pictures)
        context.close()
    return wrong


def every_page(site: Path) -> Iterator[str]:
    """Yield the names of all pages, of the reference and the sources only some."""
    for file in sorted(site.rglob("*.html")):
        name = file.relative_to(site).with_suffix("").as_posix()
        if name in KINDS or not name.startswith(("_static/", "api/", "source/")):
            yield name


def opened(page: Any, site: Path, name: str, width: str, pictures: Path | None) -> Iterator[str]:
    """Open one page at one width; yield what is wrong with it."""
    page.goto((site / f"{name}.html").as_uri())
    overflow = page.evaluate(TOO_WIDE)
    if overflow > 0:
        yield f"{name} is {overflow} pixels too wide on a {width}"
    if not page.locator("h1").first.is_visible() and name not in ("search", "genindex"):
        yield f"{name} shows no title on a {width}"
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=pictures / f"{name.replace('/', '-')}-{width}.png", full_page=True)


def searched(
    page: Any, site: Path, words: str, expected: str, pictures: Path | None
) -> Iterator[str]:
    """Search in the folder on disk; yield what is wrong with the answer."""
    page.goto((site / "search.html").as_uri() + f"?q={words}")
    page.wait_for_selector("#search-results li a", timeout=60_000)
    page.wait_for_function(f"{HEADING}.textContent !== 'Searching'", timeout=60_000)
    found = page.locator("#search-results li a").evaluate_all("links => links.map(a => a.href)")
    if not any(expected in address for address in found):
        yield f"a search for {words} does not find {expected}"
    if pictures is not None:
        page.screenshot(path=pictures / f"search-{words}.png")
