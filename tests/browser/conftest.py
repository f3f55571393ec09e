"""A real browser: Chromium without a window, which may ask nobody for anything."""

import os
import shutil
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
#: Set by ``python3 dev.py browser``: then a missing browser is a failure.
REQUIRED = "HANDFUL_BROWSER_REQUIRED"
SCREENSHOTS = "HANDFUL_SCREENSHOTS"


def not_here(reason):
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, and these tests were asked for")
    pytest.skip(f"{reason}; python3 dev.py browser installs what it may")


@pytest.fixture(scope="session")
def chromium():
    """A browser of its own, with nothing of anybody's profile."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        not_here("Chromium is not installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        not_here("playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory):
    """Where screenshots go, to be looked at."""
    wanted = os.environ.get(SCREENSHOTS)
    folder = Path(wanted) if wanted else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder
