"""A dictionary of atoms, as it is told: nothing was selected, atoms were learned."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["atom_headline", "atom_summary", "describe_atoms", "has_atoms"]


def has_atoms(estimator: Any) -> bool:
    """Whether the model is a dictionary."""
    return hasattr(estimator, "dictionary_")


def describe_atoms(estimator: Any, features: list[Any]) -> dict[str, Any]:
    """Return everything for machines, the atoms in the units of the data among it."""
    named = zip(features, estimator.dictionary_, strict=True)
    return {
        "estimator": type(estimator).__name__,
        "n_features_in": estimator.n_features_in_,
        "classes": estimator.classes_,
        "atoms": [
            {"name": atom.name, "weights": atom.weights, "values": values} for atom, values in named
        ],
        "intercept": np.atleast_1d(estimator.intercept_),
        "gamma": estimator.gamma_,
        "objective": estimator.objective_,
        "objective_path": estimator.objective_path_,
        "status": estimator.status_.name,
        "message": str(estimator.status_),
        "rounds": estimator.history_.to_records(),
    }


def atom_headline(estimator: Any) -> str:
    """Say how many there are; with more than two classes each has its own."""
    n_atoms, n_outputs = len(estimator.dictionary_), len(estimator.weights_)
    told = f"{n_atoms} atoms in {estimator.n_features_in_} columns"
    return (
        told
        if n_outputs == 1
        else f"{told}: {n_atoms // n_outputs} for each of {n_outputs} classes"
    )


def atom_summary(estimator: Any) -> str:
    """Say how far the objective fell."""
    first, last = estimator.objective_path_[0], estimator.objective_
    fell = f"objective {first:.6g} at the start, {last:.6g} after {estimator.n_iter_} steps"
    return f"{fell}; gamma {estimator.gamma_:.4g}"
