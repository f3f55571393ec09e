"""Reports in a real browser: they sort, filter and copy, ask nobody for anything, and fit every width."""

from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from report_kinds import KINDS

from handful import FGMClassifier
from handful.inspection import report

#: Phone, tablet and desk.
WIDTHS = (390, 820, 1280)


#: The others are much like one of these.
OFTEN = [*KINDS][:12]
KINDS_MARKED = [
    kind if kind in OFTEN else pytest.param(kind, marks=pytest.mark.exhaustive) for kind in KINDS
]


@pytest.fixture(scope="module", params=KINDS_MARKED)
def file(request, tmp_path_factory):
    """A report of each kind on disk."""
    path = tmp_path_factory.mktemp("reports") / f"{request.param}.html"
    path.write_text(KINDS[request.param](), encoding="utf-8")
    return path


class Watched:
    """What a page said and whom it asked."""

    def __init__(self, page):
        self.page, self.asked, self.said = page, [], []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))


@contextmanager
def opened(chromium, file, **options):
    context = chromium.new_context(**options)
    context.set_offline(True)
    watched = Watched(context.new_page())
    watched.page.goto(file.as_uri())
    try:
        yield watched
    finally:
        context.close()


def cells(page, column):
    """The texts of a column of the table of features, of the rows that are shown."""
    return page.evaluate(
        """column => Array.from(document.querySelectorAll("#features tbody tr"))
            .filter(row => !row.hidden).map(row => row.cells[column].textContent.trim())""",
        column,
    )


def test_a_report_of_each_kind(chromium, file, pictures):
    """One page for all that is asked of every kind: opening one takes longest."""
    with opened(chromium, file, viewport={"width": WIDTHS[-1], "height": 900}) as watched:
        page = watched.page
        sorts(page)
        filters(page)
        looks_right_at_every_width(page, file.stem, pictures)
        assert watched.said == []
        assert [url for url in watched.asked if not url.startswith("data:")] == [file.as_uri()]
        assert page.title() != "ran"


def sorts(page):
    names = cells(page, 1)
    heading = page.locator("#features thead th", has_text="weight").first
    column = heading.evaluate("cell => cell.cellIndex")
    heading.locator("button").click()
    weights = [float(cell) for cell in cells(page, column)]
    assert weights == sorted(weights, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")  # the button has the focus
    weights = [float(cell) for cell in cells(page, column)]
    assert weights == sorted(weights)
    assert heading.get_attribute("aria-sort") == "ascending"
    page.locator("#features thead button").first.click()  # the order it began with
    assert cells(page, 1) == names


def filters(page):
    names = cells(page, 1)
    wanted = names[-1][:40]
    page.fill("#filter", wanted.upper())
    shown = cells(page, 1)
    assert names[-1] in shown
    assert len(shown) >= sum(wanted.lower() in name.lower() for name in names)
    assert page.locator("#told").text_content() == f"{len(shown)} of {len(names)} shown."
    page.fill("#filter", "nothing is called so")
    assert cells(page, 1) == []
    page.fill("#filter", "")
    assert cells(page, 1) == names


def looks_right_at_every_width(page, name, pictures):
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if width == WIDTHS[1] else "light")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        taken = page.screenshot(path=pictures / f"{name}-{width}.png", full_page=True)
        assert len(taken) > 20_000


@pytest.fixture
def two_classes(tmp_path):
    path = tmp_path / "two_classes.html"
    path.write_text(KINDS["two_classes"](), encoding="utf-8")
    return path


BROKEN_WORDS = """() => {
  const range = document.createRange(), broken = [];
  for (const cell of document.querySelectorAll("#data tbody th, #features tbody th")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode())
      for (const word of node.data.matchAll(/[^\\s-]+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        if (range.getClientRects().length > 1) broken.push(word[0]);
      }
  }
  return broken;
}"""


def test_short_words_of_tables_stay_whole(chromium, tmp_path):
    X, y = np.random.default_rng(0).normal(size=(40, 5)), np.repeat(["gut", "lung"], 20)
    frame = pd.DataFrame(X, columns=[f"grade=malign{j}" for j in range(5)])
    model = FGMClassifier(2, C="fast").fit(frame, y)
    report(model, frame, y, tmp_path / "a.html", cv=2)
    with opened(chromium, tmp_path / "a.html") as watched:
        for width in WIDTHS:
            watched.page.set_viewport_size({"width": width, "height": 900})
            assert watched.page.evaluate(BROKEN_WORDS) == []


def test_copies_what_is_shown(chromium, two_classes):
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(chromium, two_classes, permissions=allowed) as watched:
        page = watched.page
        names = cells(page, 1)
        page.click("#copy-names")
        page.locator("#told", has_text="Copied").wait_for()
        assert page.evaluate("navigator.clipboard.readText()").split("\n") == names
        page.fill("#filter", names[0])
        page.click("#copy-table")
        page.locator("#told", has_text="1 rows").wait_for()
        titles, line = page.evaluate("navigator.clipboard.readText()").split("\n")
        assert titles.split("\t")[:3] == ["#", "feature", "weight"]
        assert line.split("\t")[1] == names[0]
        assert len(line.split("\t")) == len(titles.split("\t"))


def test_formulas_in_names_are_not_copied_as_such(chromium, tmp_path):
    path = tmp_path / "names.html"
    path.write_text(KINDS["names_that_attack"](), encoding="utf-8")
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(chromium, path, permissions=allowed) as watched:
        page = watched.page
        page.click("#copy-table")
        page.locator("#told", has_text="Copied").wait_for()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert "\t'=cmd|'/c calc'!A0\t" in copied
        assert "\t=cmd" not in copied


def test_the_policy_stops_what_would_run(chromium, two_classes):
    with opened(chromium, two_classes) as watched:
        page = watched.page
        page.evaluate("""() => {
            document.body.insertAdjacentHTML("beforeend", '<img src="x" onerror="document.title = 1">');
            const script = document.createElement("script");
            script.textContent = "document.title = 2";
            document.body.append(script);
            const other = document.createElement("script");
            other.src = "https://example.invalid/x.js";
            document.body.append(other);
        }""")
        page.wait_for_timeout(200)
        assert page.title() == "Selected features: outcome"
        assert len([line for line in watched.said if "Content Security Policy" in line]) >= 3


def test_dark_and_light(chromium, two_classes):
    def lightness(page):
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return np.mean([int(part) for part in colour[4:-1].split(",")])

    for scheme in ("light", "dark"):
        with opened(chromium, two_classes, color_scheme=scheme) as watched:
            page = watched.page
            assert (lightness(page) > 200) == (scheme == "light")
            text = page.locator(".chart svg text").first
            ink = text.evaluate("one => getComputedStyle(one).fill")
            assert (ink == "rgb(27, 31, 39)") == (scheme == "light")
            page.focus("#theme")
            page.keyboard.press("Space")
            assert (lightness(page) > 200) == (scheme == "dark")


def test_keyboard_alone(chromium, two_classes):
    with opened(chromium, two_classes) as watched:
        page = watched.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(
                page.evaluate("document.activeElement.id || document.activeElement.tagName")
            )
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            at_end = page.evaluate("document.activeElement === document.body")
            assert outline != "none" or at_end
        assert {"filter", "copy-table", "copy-names", "SUMMARY", "BUTTON"} <= reached


def test_on_paper(chromium, two_classes, pictures):
    with opened(chromium, two_classes, color_scheme="dark") as watched:
        page = watched.page
        page.emulate_media(media="print", color_scheme="dark")
        assert not page.locator(".tools").is_visible()
        assert not page.locator("nav").is_visible()
        assert (
            page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        )
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.tall')).overflow") == "visible"
        )
        paper = page.pdf(path=pictures / "two_classes.pdf", format="A4")
        assert paper.startswith(b"%PDF")


def test_without_script_everything_is_there(chromium, two_classes):
    with opened(chromium, two_classes, java_script_enabled=False) as watched:
        assert watched.page.locator("#features tbody tr").count() == 4
        assert not watched.page.locator(".tools").is_visible()
