"""Check a built site: ``python -m website FOLDER [--pictures FOLDER]``, run by ``python3 dev.py docs``."""

import argparse
import sys
from pathlib import Path

from website.browser import CHROMIUM, look
from website.links import broken_links, missing_names


def main() -> int:
    """Print what is wrong, and return 1 if anything is."""
    parser = argparse.ArgumentParser(prog="website")
    parser.add_argument("site", type=Path)
    parser.add_argument("--pictures", type=Path, help="where screenshots go")
    arguments = parser.parse_args()
    wrong = [*broken_links(arguments.site), *missing_names(arguments.site)]
    print(f"links: {len(wrong)} wrong")
    if CHROMIUM is None:
        print("browser: not looked at, for there is no chromium (on Debian: apt install chromium)")
    else:
        seen = look(arguments.site, arguments.pictures)
        print(f"browser: {len(seen)} wrong")
        wrong += seen
    for sentence in wrong:
        print(f"  {sentence}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
