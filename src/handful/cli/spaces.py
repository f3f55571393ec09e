"""``--pairs`` and ``--space``: features that are made from the columns."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from handful.spaces import FeatureSpace

__all__ = ["check_beside", "make_space"]

_KERNELS = ("intersection", "gaussian", "chi2")


def make_space(
    *,
    pairs: bool,
    interaction_only: bool,
    kernel: str | None,
    gamma: float | None,
    coef0: float | None,
) -> FeatureSpace | None:
    """Return the features to select from; None for the columns themselves."""
    _check_kernel(pairs, kernel)
    _needs("--interaction-only", interaction_only, "--pairs", pairs)
    _needs("--coef0", coef0 is not None, "--pairs", pairs)
    of_gamma = pairs or kernel == "gaussian"
    _needs("--gamma", gamma is not None, "--pairs or --space gaussian", of_gamma)
    if not pairs and kernel is None:
        return None
    from handful.spaces import AdditiveKernel, HistogramIntersection, Polynomial

    given = {"gamma": gamma, "coef0": coef0}
    parameters: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if pairs:
        return Polynomial(interaction_only=interaction_only, **parameters)
    if kernel == "intersection":
        return HistogramIntersection()
    return AdditiveKernel(str(kernel), **parameters)


def check_beside(
    *,
    groups: Path | None,
    pairs: bool = False,
    kernel: str | None = None,
    group_weights: str | None = None,
    exclude: list[str] | None = None,
) -> None:
    """Refuse, before anything is read, options that make no sense beside these."""
    if groups is not None and (pairs or kernel is not None):
        own = "--pairs" if pairs else "--space"
        raise typer.BadParameter(f"it cannot go with {own}", param_hint="--groups")
    if group_weights not in (None, "size"):
        raise typer.BadParameter(f"{group_weights!r} is not size", param_hint="--group-weights")
    _needs("--group-weights", group_weights is not None, "--groups", groups is not None)
    if exclude and pairs:
        raise typer.BadParameter(
            "it cannot go with --pairs; leave the column out of everything with --drop",
            param_hint="--exclude",
        )
    if groups is not None:
        from handful.io.compression import check_file

        check_file(groups)


def _check_kernel(pairs: bool, kernel: str | None) -> None:
    if kernel is None:
        return
    if kernel not in _KERNELS:
        known = ", ".join(_KERNELS)
        raise typer.BadParameter(f"{kernel!r} is none of {known}", param_hint="--space")
    if pairs:
        raise typer.BadParameter("it cannot go with --pairs", param_hint="--space")


def _needs(option: str, given: bool, other: str, is_there: bool) -> None:
    if given and not is_there:
        raise typer.BadParameter(f"it needs {other}", param_hint=option)
