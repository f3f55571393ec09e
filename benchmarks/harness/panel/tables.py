"""Tables of the panel: ranks and losses of each method, scores of each task; and what they have to show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from harness.study import Run, Target, markdown

from .ranks import LEVEL
from .results import Results
from .verdict import Line, Loss, Verdict, every_loss, loss_of, mean_ranks

Rows = list[list[str]]


def _number(value: float, form: str = ".2f") -> str:
    return "" if math.isnan(value) else format(value, form)


def _score(value: float) -> str:
    return _number(value, ".3f").replace("0.", ".", 1)


def _largest(loss: Loss | None) -> str:
    if loss is None:
        return ""
    unit = f"{loss.behind:.3f} R2" if loss.is_numbers else f"{100 * loss.behind:.1f}"
    return f"{unit} ({loss.task}, {loss.k})"


def rank_rows(verdict: Verdict) -> Rows:
    """One line for each method: mean rank and wins at each k, largest loss, seconds, probability."""
    counts = list(verdict.lines[0].ranks)
    head = ["method", *(f"rank, k = {k}" for k in counts), "all", "wins", "largest loss"]
    ordered = sorted(verdict.lines, key=lambda line: line.rank)
    return [
        [*head, "median s", "answered", "p"],
        *(_rank_row(verdict, line, counts) for line in ordered),
    ]


def _rank_row(verdict: Verdict, line: Line, counts: list[int]) -> list[str]:
    name = line.method if line.method in verdict.field else f"({line.method})"
    return [
        name,
        *(_number(line.ranks[k]) for k in counts),
        _number(line.rank),
        str(sum(line.wins.values())),
        _largest(line.largest),
        _number(line.seconds, ".3f"),
        f"{100 * line.answered:.0f} %",
        _number(verdict.holm_by_task.get(line.method, math.nan), ".2g"),
    ]


def test_rows(verdict: Verdict) -> Rows:
    """Compare the lead with each rival: by tasks, then by cells."""
    rows = [["rival", "mean lead, tasks", "for : against", "p (Holm)", "cells", "p (Holm), cells"]]
    for name, test in verdict.by_task.items():
        cells = verdict.by_cell[name]
        rows.append(
            [
                name,
                f"{test.mean:+.4f}",
                f"{test.better} : {test.worse}",
                _number(verdict.holm_by_task[name], ".2g"),
                f"{cells.better} : {cells.worse}",
                _number(verdict.holm_by_cell[name], ".2g"),
            ]
        )
    return rows


def task_rows(results: Results, lead: str, rivals: list[str]) -> Rows:
    """One line for each task and k: the lead, its own model, the best rival, and how far behind."""
    rows = [["task", "k", lead, "own model", "best rival", "", "behind"]]
    for task in results.tasks:
        for k in results.counts[task]:
            loss = loss_of(results, lead, rivals, task, k)
            if loss is None:
                rows.append([task, str(k), results.why(task, lead, k), "", "", "", ""])
                continue
            mine = results.score(task, lead, k)
            own = _score(results.own(task, lead, k))
            best = _score(mine + loss.behind)
            mark = " !" if loss.is_too_large else ""
            behind = f"{loss.behind:+.3f}±{loss.error:.3f}{mark}"
            rows.append([task, str(k), _score(mine), own, best, loss.rival, behind])
    return rows


def score_rows(results: Results, k: int, methods: list[str]) -> Rows:
    """All scores at one k, methods as columns; the best is bold."""
    rows = [["task", *methods]]
    for task in results.with_k(k):
        found = [results.score(task, method, k) for method in methods]
        known = [score for score in found if not math.isnan(score)]
        row = [task]
        for method, score in zip(methods, found, strict=True):
            why = results.why(task, method, k)
            text = (why if why.startswith(">") else "-") if math.isnan(score) else _score(score)
            is_best = bool(known) and score >= max(known) - 5e-4
            row.append(f"**{text}**" if is_best else text)
        rows.append(row)
    return rows


def shower(run: Run) -> Callable[[str, Rows], None]:
    """Return what prints a table: on a terminal, or for a document."""

    def plain(title: str, rows: Rows) -> None:
        texts = ([cell.replace("**", "") for cell in row] for row in rows[1:])
        run.show(title, rows[0], texts, left=len(rows[0]))

    def for_a_document(title: str, rows: Rows) -> None:
        print(f"\n{title}\n\n{markdown(rows)}")

    return for_a_document if run.given.markdown else plain


def summary(verdict: Verdict, results: Results) -> str:
    """Say what stands below the table of ranks."""
    done, asked = results.coverage()
    order = sorted(mean_ranks(results, verdict.field).items(), key=lambda pair: pair[1])
    first, second = order[0], order[1] if len(order) > 1 else order[0]
    left_out = f"; not ranked: {', '.join(verdict.left_out)}" if verdict.left_out else ""
    return (
        f"{verdict.n_tasks} tasks, {done} of {asked} cells measured{left_out}. Friedman: p = "
        f"{verdict.friedman:.2g}; critical difference of mean ranks (Nemenyi, 5 %) "
        f"{verdict.difference:.2f}; first {first[0]} {first[1]:.2f}, then {second[0]} {second[1]:.2f}."
    )


def panel_targets(verdict: Verdict, results: Results) -> Iterator[Target]:
    """First at every k, better than each rival beyond chance, never far behind the best."""
    done, asked = results.coverage()
    is_whole = done == asked
    where = f"{verdict.half} half"
    covered = Target(f"{where}: every cell measured", f"{done} of {asked}", is_whole)
    lines = {line.method: line for line in verdict.lines if line.method in verdict.field}
    if len(lines) < 2:  # nobody to compare with
        yield covered
        return
    for k in results.all_counts():
        order = sorted(lines.values(), key=lambda line: line.ranks[k])
        mine = lines[verdict.lead].ranks[k]
        others = [line for line in order if line.method != verdict.lead]
        figure = f"{mine:.2f}, {others[0].method} {others[0].ranks[k]:.2f}"
        met = mine < others[0].ranks[k]
        text = f"{where}, k = {k}: {verdict.lead} first in mean rank"
        yield Target(text, figure, met if is_whole else None)
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
    yield covered
