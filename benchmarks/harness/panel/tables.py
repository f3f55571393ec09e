"""Tables of the panel: ranks and losses of each method, scores of each task; and what they have to show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

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
    rows = [[*head, "median s", "answered", "p"]]
    for line in sorted(verdict.lines, key=lambda line: line.rank):
        places = [*(_number(line.ranks[k]) for k in counts), _number(line.rank)]
        about = [
            _largest(line.largest),
            _number(line.seconds, ".3f"),
            f"{100 * line.answered:.0f} %",
        ]
        p = _number(verdict.holm_by_task.get(line.method, math.nan), ".2g")
        name = line.method if line.method in verdict.field else f"({line.method})"
        rows.append([name, *places, str(sum(line.wins.values())), *about, p])
    return rows


def test_rows(verdict: Verdict) -> Rows:
    """Compare the lead with each rival: by tasks, then by cells."""
    rows = [["rival", "mean lead, tasks", "for : against", "p (Holm)", "cells", "p (Holm), cells"]]
    for name, test in verdict.by_task.items():
        cells = verdict.by_cell[name]
        by_task, by_cell = (
            [f"{one.better} : {one.worse}", _number(adjusted[name], ".2g")]
            for one, adjusted in ((test, verdict.holm_by_task), (cells, verdict.holm_by_cell))
        )
        rows.append([name, f"{test.mean:+.4f}", *by_task, *by_cell])
    return rows


def task_rows(results: Results, lead: str, rivals: list[str]) -> Rows:
    """One line for each task and k: the lead, its own model, the best rival, and how far behind."""
    rows = [["task", "k", lead, "own model", "best rival", "", "behind"]]
    for task, k in results.where():
        loss = loss_of(results, lead, rivals, task, k)
        if loss is None:
            rows.append([task, str(k), results.why(task, lead, k), "", "", "", ""])
            continue
        mine = results.score(task, lead, k)
        figures = [_score(mine), _score(results.own(task, lead, k)), _score(mine + loss.behind)]
        mark = " !" if loss.is_too_large else ""
        rows.append(
            [task, str(k), *figures, loss.rival, f"{loss.behind:+.3f}±{loss.error:.3f}{mark}"]
        )
    return rows


def score_rows(results: Results, k: int, methods: list[str]) -> Rows:
    """All scores at one k, methods as columns; the best is bold."""
    rows = [["task", *methods]]
    for task, _ in results.where(k):
        found = {method: results.score(task, method, k) for method in methods}
        best = max((score for score in found.values() if not math.isnan(score)), default=math.inf)
        row = [task]
        for method, score in found.items():
            why = results.why(task, method, k)
            text = (why if why.startswith(">") else "-") if math.isnan(score) else _score(score)
            row.append(f"**{text}**" if score >= best - 5e-4 else text)
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
    lines = {line.method: line for line in verdict.lines if line.method in verdict.field}
    if len(lines) > 1:  # somebody to compare with
        for target in _comparisons(verdict, results, lines):
            yield target if done == asked else replace(target, met=None)
    yield Target(f"{verdict.half} half: every cell measured", f"{done} of {asked}", done == asked)


def _comparisons(verdict: Verdict, results: Results, lines: dict[str, Line]) -> Iterator[Target]:
    where = f"{verdict.half} half"
    for k in results.all_counts():
        mine = lines[verdict.lead].ranks[k]
        others = (line for line in lines.values() if line.method != verdict.lead)
        first = min(others, key=lambda line: line.ranks[k])
        figure = f"{mine:.2f}, {first.method} {first.ranks[k]:.2f}"
        text = f"{where}, k = {k}: {verdict.lead} first in mean rank"
        yield Target(text, figure, mine < first.ranks[k])
    for name, test in verdict.by_task.items():
        p = verdict.holm_by_task[name]
        met = test.mean > 0 and not math.isnan(p) and p < LEVEL
        figure = f"p = {p:.2g}, {test.better} tasks for, {test.worse} against"
        text = f"{where}: significantly better than {name} (Wilcoxon on tasks, Holm)"
        yield Target(text, figure, met)
    behind = every_loss(results, verdict.lead, verdict.field)
    far = [loss for loss in behind if loss.is_too_large]
    said = "; ".join(
        f"{loss.task}, {loss.k}: {loss.behind:.3f} behind {loss.rival}" for loss in far
    )
    figure = said or f"at most {behind[0].behind:.3f} ({behind[0].task}, {behind[0].k})"
    text = f"{where}: within 2 points (.03 R2) of the best rival in every cell"
    yield Target(text, figure, not far)
