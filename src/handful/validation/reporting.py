"""Whether a report can be written here, and of what."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from handful.validation.names import listed

_NEEDED = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}


def check_report_packages() -> None:
    """Raise ImportError, which names the extra, where something that a report needs is not installed."""
    missing = [name for package, name in _NEEDED.items() if find_spec(package) is None]
    if missing:
        raise ImportError(
            f"a report needs {' and '.join(missing)}; install with: pip install 'handful[report]'"
        )


def no_selection(estimator: Any) -> TypeError:
    """Return the error for an estimator that has selected nothing."""
    return TypeError(
        f"{type(estimator).__name__} has no features with weights to report on; give a fitted selector of handful, "
        "or a Pipeline, SelectKCV or StabilitySelection with one."
    )


def nothing_stable() -> ValueError:
    """Return the error for a stability selection that has found nothing."""
    return ValueError(
        "no feature is stable, so there is nothing to report; lower the threshold, or raise pfer or n_resamples."
    )


def wrong_held_out(given: Any) -> ValueError:
    """Return the error for held-out rows that are not X and y."""
    return ValueError(
        f"held_out must be a pair (X, y) of rows not seen in fit, or (X, y, sample_weight), got {given!r:.60}."
    )


def groups_needed(cv: Any) -> ValueError:
    """Return the error for folds of groups without groups."""
    return ValueError(
        f"the folds of {type(cv).__name__} are of groups of rows, and everything is fitted again inside them; give "
        "report the groups that fit had, groups=..., or cv=None to fit nothing."
    )


def other_labels(unknown: Sequence[str], known: Sequence[str]) -> ValueError:
    """Return the error for a target that a model cannot have been fitted to."""
    return ValueError(
        f"the target has labels that the model does not know, {listed(unknown)}: it knows "
        f"{listed(known)}; give the target that it was fitted to."
    )


def no_known_label(unknown: Sequence[str], known: Sequence[str]) -> ValueError:
    """Return the error for held-out rows of which none has a label that can be predicted."""
    return ValueError(
        f"no held-out row has a label that the model knows, so nothing can be judged by them: they have "
        f"{listed(unknown)}, the model knows {listed(known)}; write the labels as those that it was "
        "fitted to."
    )
