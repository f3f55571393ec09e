"""Beyond one machine's memory: what data on disk, on a cluster and on a GPU cost.

    python benchmarks/scale.py                           everything this machine has
    python benchmarks/scale.py --only store,growth --json out.json
    python benchmarks/scale.py --quick                   small sizes, to see that it runs

store: a sparse set four times larger than the memory that the process may have. The limit is RLIMIT_DATA
(heap, stacks and private maps; files that are mapped do not count, so the page cache is not limited).
Cached: the files are in the page cache, seconds against the same fit in memory (checksums are compared,
as in any first scan). Not cached: the files are dropped from the page cache before every scan, bytes read
in a second of scanning against what reading the files one after the other gives.
dask: LocalCluster with 1 and 2 workers of one thread. device: a GPU. growth: seconds against rows, columns
and B, a line fitted to their logarithms.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
from pathlib import Path

from harness.report import Report
from harness.scale import SECTIONS, NotHereError, Settings
from harness.tables import print_targets
from harness.targets import Target
from rich.console import Console


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--only", default=",".join(SECTIONS), help=f"sections ({','.join(SECTIONS)})")
    add("--quick", action="store_true", help="small sizes")
    add("--folder", type=Path, help="where some gigabytes may go (the system's temporary folder)")
    add("--json", type=Path, help="write everything measured to this file")
    given = parser.parse_args()
    given.only = given.only.split(",")
    for word in given.only:
        if word not in SECTIONS:
            parser.error(f"unknown {word!r}; known: {', '.join(SECTIONS)}")
    return given


def main() -> None:
    given = parse_arguments()
    console, report = Console(), Report(given.json)
    targets: list[Target] = []
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        settings = Settings(given.quick, Path(folder))
        for name in given.only:
            console.rule(name)
            try:
                section = importlib.import_module(f"harness.scale.{name}")
                outcome = section.run(console, settings)
            except (ImportError, NotHereError) as error:
                console.print(f"{name}: not measured here ({error})")
                continue
            targets += outcome.targets
            report.add(**{name: outcome.figures})
    print_targets(console, targets)
    report.add(targets=[[one.text, one.figure, one.verdict] for one in targets])


if __name__ == "__main__":
    main()
