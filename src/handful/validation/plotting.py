"""Whether anything can be drawn here, and of what."""

from __future__ import annotations

from typing import Any

from handful.validation.plural import plural


def check_matplotlib(what: str = "this") -> None:
    """Raise ImportError, which names the extra, where matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"drawing {what} needs matplotlib; install it with: pip install 'handful[plot]'"
        ) from error


def nothing_to_draw(estimator: Any, wanted: str) -> TypeError:
    """Return the error for an estimator that has not what a display shows."""
    return TypeError(f"{type(estimator).__name__} has no {wanted} to draw.")


def check_names(name: str, n_names: int, n_things: int, thing: str) -> None:
    """Raise unless there is a name for each."""
    if n_names != n_things:
        raise ValueError(
            f"{name} has {plural(n_names, 'name')} for {plural(n_things, thing)}; give one for each."
        )


def nothing_stable_to_draw() -> ValueError:
    """Return the error for a stability selection that has found nothing."""
    return ValueError(
        "no feature is stable, so there is no model to draw; lower the threshold, raise pfer or n_resamples, or draw how "
        "often features were selected with StabilityDisplay."
    )


def wrong_axes(kind: str, known: tuple[str, ...]) -> ValueError:
    """Return the error for a kind of picture that a display does not have."""
    return ValueError(f"kind must be one of {', '.join(map(repr, known))}, got {kind!r}.")
