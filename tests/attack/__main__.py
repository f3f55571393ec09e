"""``python3 dev.py attack``: cases from a seed until the time is over, and what fell."""

import argparse
import importlib
import secrets
import sys
import time

from attack.runner import run_case

PARTS = ("certificates", "models", "checkpoints", "folders", "readers", "matrices", "kills")


def main(arguments=None):
    """Run cases of all parts in turn; return 1 when one fell."""
    options = parsed(arguments)
    parts = {name: importlib.import_module(f"attack.{name}") for name in options.only or PARTS}
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    print(f"seed {seed}: {', '.join(parts)}", flush=True)
    for part in parts.values() if options.cases is None else ():
        part.prepare()  # worth its time only if there are many cases
    end = time.monotonic() + 60 * options.minutes
    falls, n_cases = {}, 0
    while n_cases < options.cases if options.cases else time.monotonic() < end:
        for name, part in parts.items():
            fall = run_case(name, part.attack, seed + n_cases)
            if fall is not None and falls.setdefault((name, fall.reason[:60]), fall) is fall:
                show(fall)
        n_cases += 1
    print(f"{n_cases} cases of each of {len(parts)} parts: {len(falls) or 'nothing'} fell")
    return 1 if falls else 0


def show(fall):
    """Say what fell, and how to see it again."""
    print(f"\nFELL {fall.part}: {fall.reason}\n  again: {fall.command}\n{fall.details}", flush=True)


def parsed(arguments):
    parser = argparse.ArgumentParser(prog="python3 dev.py attack", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="for how long [1]")
    parser.add_argument(
        "--cases", type=int, help="so many of each part instead, whatever time it takes"
    )
    parser.add_argument("--seed", type=int, help="of the first case [drawn]")
    parser.add_argument("--only", action="append", choices=PARTS, help="a part; may be repeated")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
