"""Checks of what is learned from bags: instances that are chosen, and atoms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from handful.validation import unknown_choice
from handful.validation.counts import is_number, is_whole
from handful.validation.plural import plural

Array = np.ndarray
INITS = ("random", "kmeans")


def check_no_lengths(scale: Any) -> None:
    """Raise when columns of instances are to have length one, which means nothing to distances."""
    if scale == "norm":
        raise ValueError(
            "scale='norm' is not for bags: the length of a column changes when it is shifted, and distances between instances "
            "do not; choose 'std', 'raw' or None."
        )


def check_seed(random_state: Any) -> None:
    """Raise unless it is a number that may be a seed, a RandomState or None."""
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return
    if not is_whole(random_state) or not 0 <= random_state < 2**32:
        raise ValueError(
            f"random_state must be a whole number from 0 to 2**32 - 1, a RandomState or None; got {random_state!r}."
        )


def check_resumable_draw(checkpoint: Any, need: str) -> None:
    """Raise where something is drawn anew in every fit, so that none could go on from a checkpoint; ``need`` says what, and what to do."""
    if checkpoint is not None:
        raise ValueError(f"a fit goes on from its checkpoint only with the same {need}.")


def check_weights_decide(estimator: Any) -> None:
    """Raise where another estimator decides, and nobody knows how much of that is due to an instance."""
    own = getattr(estimator, "estimator_", None)
    if own is not None:
        raise ValueError(
            f"decisions are those of the {type(own).__name__} given as refit, which are no sums over instances; instance_scores needs "
            "refit=True or refit=False."
        )


def check_n_instances(wanted: int | None, n_candidates: int) -> None:
    """Raise when more instances are asked for than there are to choose from."""
    if wanted is not None and wanted > n_candidates:
        raise ValueError(
            f"n_features_to_select={wanted} is more than the {plural(n_candidates, 'different instance')} to "
            "choose from; ask for fewer."
        )


def check_penalty(name: str, got: Any) -> None:
    """Raise unless the parameter is a finite number of at least zero."""
    if not is_number(got) or not 0 <= got < np.inf:
        raise ValueError(f"{name} must be a finite number of at least 0; got {got!r}.")


def check_init(given: Any) -> None:
    """Raise unless init is a word or could be atoms."""
    if isinstance(given, str):
        if given not in INITS:
            raise unknown_choice("init", given, INITS, "an array of atoms")
        return
    if given is None or np.ndim(given) != 2:
        raise ValueError(
            f"init must be 'random', 'kmeans' or a matrix with a row for each atom; got {given!r}."
        )


def initial_atoms(given: Any, n_atoms: int, n_features: int) -> Array:
    """Return the atoms to start from as they were given, dense."""
    atoms = given.toarray() if sp.issparse(given) else np.asarray(given)
    if atoms.shape != (n_atoms, n_features):
        raise ValueError(
            f"init must have a row for each of the {n_atoms} atoms and a column for each of the "
            f"{n_features} columns of the instances; got shape {atoms.shape}."
        )
    if atoms.dtype.kind not in "biuf" or not np.isfinite(atoms).all():
        raise ValueError("init must hold finite numbers.")
    return atoms.astype(np.float64)


def fewer_atoms(n_different: int, wanted: int) -> str:
    """Return the warning for fewer different instances than atoms asked for."""
    return (
        f"n_atoms={wanted} is more than the {plural(n_different, 'different instance')} of the bags; there "
        f"{'is' if n_different == 1 else 'are'} {plural(n_different, 'atom')}, one for each."
    )
