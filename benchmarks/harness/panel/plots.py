"""The critical-difference diagram: mean ranks on a line, bars over what chance may have put in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.drawing import new_figure, save


def groups_within(ordered: list[float], difference: float) -> list[tuple[int, int]]:
    """Return the longest runs of sorted ranks that lie within the critical difference.

    >>> groups_within([1.0, 1.5, 2.4, 4.0], 1.0)
    [(0, 1), (1, 2)]
    """
    runs: list[tuple[int, int]] = []
    for first, rank in enumerate(ordered):
        last = max(i for i, other in enumerate(ordered) if other - rank <= difference)
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def draw_difference(
    ranks: dict[str, float], difference: float, lead: str, title: str, path: Path
) -> None:
    """Draw the better half of the methods to the left of the line, the others to the right."""
    ordered = sorted(ranks.items(), key=lambda pair: pair[1])
    n, half = len(ordered), (len(ordered) + 1) // 2
    runs = groups_within([rank for _, rank in ordered], difference)
    bars = 0.35 * len(runs) + 0.3
    size = (9, 1.1 + 0.26 * half + 0.12 * len(runs))
    figure, [[axes]] = new_figure(1, 1, size, paths=True)
    axes.set_xlim(-0.35 * n, 1.35 * n + 1)
    axes.set_ylim(-bars - 0.9 * half, 2.2)
    axes.axis("off")
    axes.plot([1, n], [0, 0], color="black", linewidth=1)
    for tick in range(1, n + 1):
        axes.plot([tick, tick], [0, 0.2], color="black", linewidth=0.8)
        axes.text(tick, 0.35, str(tick), ha="center", fontsize=7)
    axes.plot([1, 1 + difference], [1.5, 1.5], color="black", linewidth=1.5)
    axes.text(1, 1.7, f"critical difference {difference:.2f}", fontsize=7)
    axes.set_title(title, fontsize=9)
    for level, (first, last) in enumerate(runs):
        height = -0.3 - 0.35 * level
        ends = [ordered[first][1] - 0.05, ordered[last][1] + 0.05]
        axes.plot(ends, [height, height], color="black", linewidth=2.5, solid_capstyle="butt")
    for place, (name, rank) in enumerate(ordered):
        _label(axes, place, name, rank, n, half, bars, bold=name == lead)
    save(figure, path, metadata={"Creator": None}, bbox_inches="tight")


def _label(
    axes: Any, place: int, name: str, rank: float, n: int, half: int, bars: float, *, bold: bool
) -> None:
    is_left = place < half
    height = -bars - 0.9 * (place if is_left else n - 1 - place)
    end = 0.4 if is_left else n + 0.6
    axes.plot([rank, rank, end], [0, height, height], color="0.45", linewidth=0.7)
    side, gap = ("right", -0.1) if is_left else ("left", 0.1)
    text = f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}"
    style = {"fontsize": 8, "weight": "bold" if bold else "normal"}
    axes.text(end + gap, height, text, ha=side, va="center", **style)
