"""Bags to predict: a model that was fitted on bags reads the same columns, and which bag a row is in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    import numpy as np

    from handful.io import ModelFile, Table

__all__ = ["has_bags", "read_new_bags"]


def has_bags(saved: ModelFile, bag_column: str | None) -> bool:
    """Whether the model is one of bags; refuse a bag column for any other."""
    is_of_bags = isinstance(saved.about.get("bag_column"), str)
    if bag_column is not None and not is_of_bags:
        raise typer.BadParameter("the model was not fitted on bags", param_hint="--bags")
    return is_of_bags


def read_new_bags(
    saved: ModelFile,
    ids: np.ndarray,
    data: Path,
    bag_column: str | None,
    target: str | None,
    header: bool | None,
    file_format: str | None,
) -> tuple[Any, Table]:
    """Return the bags, and their labels in a table if they are there."""
    from dataclasses import replace

    from handful.cli.problem import used_names
    from handful.io import InputError, read_bags

    estimator = saved.estimator
    read = read_bags(
        data,
        bag_column or saved.about["bag_column"],
        target or saved.about.get("target"),
        file_format=file_format,
        target_optional=target is None,
        only=used_names(saved, ids),
        header=header,
    )
    if read.bags.n_features != estimator.n_features_in_:
        raise InputError(
            f"{data} has {read.bags.n_features} columns of features, "
            f"the model was fitted on {estimator.n_features_in_}"
        )
    return read.bags, replace(read.table, y=read.y)
