"""Gradients of rollouts for frameworks with automatic differentiation.

Rollouts have derivatives in tangent coordinates. Frameworks differentiate by the numbers of a state, in which a spatial
body has a unit quaternion q: a rotation by dw in world axes changes it by dq = 1/2 (0, dw) q, a 4 x 3 matrix E(q) with
E'E = 1/4. So d(end state)/d(start state) = E(end) A 4 E(start)'/|q|, and gradients along q itself are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._data.scene import Scene, as_scene
from .rollout import Rollouts, rollout_batch

POSE, TANGENT = 7, 6  # numbers of a spatial pose, and of its tangent


def _lift(quaternions: np.ndarray) -> np.ndarray:
    """E(q) of quaternions w, x, y, z in the last axis."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    rows = [[-x, -y, -z], [w, z, -y], [-z, w, x], [y, -x, w]]
    return 0.5 * np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_tangent(states: np.ndarray, gradient: np.ndarray, tangent_size: int) -> np.ndarray:
    """Gradients by states as gradients by tangent coordinates: T' g with T = d(state)/d(tangent)."""
    if states.shape[-1] == tangent_size:  # planar: the same coordinates
        return gradient
    bodies = tangent_size // (2 * TANGENT)
    parts = []
    for body in range(bodies):
        at = slice(POSE * body, POSE * body + POSE)
        pose, grad = states[..., at], gradient[..., at]
        turn = np.einsum("...qt,...q->...t", _lift(pose[..., 3:]), grad[..., 3:])
        parts.append(np.concatenate([grad[..., :3], turn], axis=-1))
    parts.append(gradient[..., POSE * bodies :])
    return np.concatenate(parts, axis=-1)


def from_tangent(states: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Gradients by tangent coordinates of a start as gradients by its state, whose quaternions are normalized."""
    tangent_size = gradient.shape[-1]
    if states.shape[-1] == tangent_size:
        return gradient
    bodies = tangent_size // (2 * TANGENT)
    parts = []
    for body in range(bodies):
        q = states[..., POSE * body + 3 : POSE * body + POSE]
        norm = np.linalg.norm(q, axis=-1, keepdims=True)
        grad = gradient[..., TANGENT * body : TANGENT * body + TANGENT]
        turn = 4 * np.einsum("...qt,...t->...q", _lift(q / norm), grad[..., 3:]) / norm
        parts.append(np.concatenate([grad[..., :3], turn], axis=-1))
    parts.append(gradient[..., TANGENT * bodies :])
    return np.concatenate(parts, axis=-1)


class RolloutFunction:
    """Rollouts as a function of parameters and start states, with the product of its transposed derivative."""

    def __init__(self, scene: Any, paths: Any = "", **options: Any) -> None:
        self.scene: Scene = as_scene(scene).copy()
        self.paths = paths
        self.options = options

    def forward(self, values: np.ndarray | None, states: np.ndarray | None) -> Rollouts:
        """Rollouts with derivatives."""
        return rollout_batch(
            self.scene, None, states, paths=self.paths, values=values, derivatives=True, **self.options
        )

    def backward(
        self, rollouts: Rollouts, states: np.ndarray | None, gradient: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Gradients by parameters and by start states, from those by the states of all rows."""
        tangent_size = rollouts.by_start.shape[-1]
        tangent = to_tangent(rollouts.states, gradient, tangent_size)
        by_values = np.einsum("nrt,nrtp->np", tangent, rollouts.by_parameters)
        if states is None:
            return by_values, None
        by_start = np.einsum("nrt,nrts->ns", tangent, rollouts.by_start)
        return by_values, from_tangent(states, by_start)
