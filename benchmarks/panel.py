"""Exactly k features on thirty-five tasks: handful against its rivals, with one judge for all.

python benchmarks/panel.py --jobs 2                       everything (many hours; can be stopped)
python benchmarks/panel.py --quick --only colon,SRBCT     two splits of small training parts
python benchmarks/panel.py --half tuned --methods "FGM;RFE, step .5"
python benchmarks/panel.py --no-run --half unseen --json panel.json --plots docs
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness.data import CACHE, Source, default_data_folder
from harness.panel.methods import METHODS
from harness.panel.study import Study
from harness.panel.tasks import COUNTS, HALVES, TASKS
from rich.console import Console

BOTH = "both"


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--quick", action="store_true", help="two splits, at most 300 training rows")
    add("--only", help=f"tasks, separated by semicolons: {'; '.join(TASKS)}")
    add("--methods", help=f"separated by semicolons: {'; '.join(METHODS)}")
    add("--half", choices=(*HALVES, BOTH), default=BOTH, help="which half of the tasks (both)")
    add("--k", default=",".join(map(str, COUNTS)), help="numbers of features, with commas")
    add("--timeout", type=float, default=30, help="processor seconds of one selection (30)")
    add("--jobs", type=int, default=1, help="cells side by side, one thread each (1)")
    add("--cache", type=Path, default=CACHE / "panel", help="folder of what was measured")
    add("--data", type=Path, default=default_data_folder(), help="folder of the real data")
    given = parser.parse_args()
    given.only = given.only.split(";") if given.only else list(TASKS)
    given.methods = given.methods.split(";") if given.methods else list(METHODS)
    given.k = [int(k) for k in given.k.split(",")]
    for words, names in ((given.only, TASKS), (given.methods, METHODS)):
        for word in words:
            if word not in names:
                parser.error(f"unknown {word!r}; known: {'; '.join(names)}")
    return given


def main() -> None:
    given = parse_arguments()
    console = Console(width=None if Console().is_terminal else 170)
    names = [name for name in TASKS if name in given.only]
    names = [name for name in names if given.half in (BOTH, TASKS[name].half)]
    source = Source(given.data, quick=given.quick)
    folder = given.cache / "quick" if given.quick else given.cache
    study = Study(source, folder, names, given.methods, given.k, given.timeout, console)
    study.run(given.jobs)


if __name__ == "__main__":
    main()
