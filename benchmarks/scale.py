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

from harness.scale import SECTIONS, NotHereError
from harness.study import Options, Run


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    options = Options(__doc__, data=False, quick="small sizes")
    options.words("--only", SECTIONS, "sections")
    where = "where some gigabytes may go (the system's temporary folder)"
    options.add_argument("--folder", type=Path, help=where)
    return options.parse()


def main() -> None:
    """Run the sections that this machine has what is needed for."""
    run = Run(parse_arguments(), width=120, tell_system=False)
    with tempfile.TemporaryDirectory(dir=run.given.folder) as folder:
        for name in run.given.only:
            run.console.rule(name)
            try:
                section = importlib.import_module(f"harness.scale.{name}")
                run.report.add(**{name: section.measure(run, Path(folder))})
            except (ImportError, NotHereError) as error:
                run.console.print(f"{name}: not measured here ({error})")
    run.finish()


if __name__ == "__main__":
    main()
