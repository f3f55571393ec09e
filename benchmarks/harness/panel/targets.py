"""What the panel has to show, on the half that nothing was tuned on."""

from __future__ import annotations

import math
from collections.abc import Iterator

from harness.targets import Target

from .ranks import LEVEL
from .results import Results
from .verdict import Verdict, every_loss


def panel_targets(verdict: Verdict, results: Results) -> Iterator[Target]:
    """First at every k, better than each rival beyond chance, never far behind the best."""
    done, asked = results.coverage()
    is_whole = done == asked
    where = f"{verdict.half} half"
    lines = {line.method: line for line in verdict.lines if line.method in verdict.field}
    for k in results.all_counts():
        order = sorted(lines.values(), key=lambda line: line.ranks[k])
        mine = lines[verdict.lead].ranks[k]
        others = [line for line in order if line.method != verdict.lead]
        figure = f"{mine:.2f}, {others[0].method} {others[0].ranks[k]:.2f}"
        met = mine < others[0].ranks[k]
        yield Target(
            f"{where}, k = {k}: {verdict.lead} first in mean rank",
            figure,
            met if is_whole else None,
        )
    for name, test in verdict.by_task.items():
        p = verdict.holm_by_task[name]
        met = test.mean > 0 and not math.isnan(p) and p < LEVEL
        figure = f"p = {p:.2g}, {test.better} tasks for, {test.worse} against"
        text = f"{where}: significantly better than {name} (Wilcoxon on tasks, Holm)"
        yield Target(text, figure, met if is_whole else None)
    behind = every_loss(results, verdict.lead, verdict.field)
    far = [loss for loss in behind if loss.is_too_large]
    said = "; ".join(
        f"{loss.task}, {loss.k}: {loss.behind:.3f} behind {loss.rival}" for loss in far
    )
    figure = said or f"at most {behind[0].behind:.3f} ({behind[0].task}, {behind[0].k})"
    text = f"{where}: within 2 points (.03 R2) of the best rival in every cell"
    yield Target(text, figure, not far if is_whole else None)
    yield Target(f"{where}: every cell measured", f"{done} of {asked}", is_whole)
