"""Directions of L-BFGS: what the last steps tell about the second derivative."""

from __future__ import annotations

import numpy as np

from handful.spaces.base import Array

MEMORY = 10  # steps that directions look back at
CURVED = 1e-10  # least cosine between a step and the change of the gradient along it


class Curvature:
    """What the last steps tell about the second derivative: directions remember how the gradient changed (L-BFGS)."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Array, Array, float]] = []

    def learn(self, step: Array, change: Array) -> None:
        """Remember a step and the change of the gradient along it, unless it bends downwards."""
        along = float(np.vdot(step, change))
        if along > CURVED * np.linalg.norm(step) * np.linalg.norm(change):
            self.pairs = [*self.pairs, (step, change, along)][-MEMORY:]

    def direction(self, gradient: Array) -> Array:
        """Return minus the gradient times the inverse second derivative, as far as it is known."""
        move = -gradient
        shares = []
        for step, change, along in reversed(self.pairs):
            shares.append(float(np.vdot(step, move)) / along)
            move = move - shares[-1] * change
        _, change, along = self.pairs[-1]
        move = along / float(np.vdot(change, change)) * move
        for (step, change, along), share in zip(self.pairs, reversed(shares), strict=True):
            move = move + (share - float(np.vdot(change, move)) / along) * step
        return move
