"""Tables of the panel: ranks and losses of each method, scores of each task; printed or for a document."""

from __future__ import annotations

import math
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

from .results import Results
from .verdict import Line, Loss, Verdict, loss_of, mean_ranks

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


def markdown(rows: Rows) -> str:
    """Write a table for a document."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def plain(console: Console) -> Callable[[str, Rows], None]:
    """Return what prints a table on a terminal."""

    def show(title: str, rows: Rows) -> None:
        head, *body = rows
        table = Table(*head, title=title, title_justify="left")
        for row in body:
            table.add_row(*(cell.replace("**", "") for cell in row))
        console.print(table)

    return show


def as_markdown(title: str, rows: Rows) -> None:
    """Print a table for a document."""
    print(f"\n{title}\n\n{markdown(rows)}")


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
