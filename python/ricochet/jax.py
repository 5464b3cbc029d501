"""Rollouts in JAX, with gradients by Ricochet's derivatives. Needs `jax_enable_x64`.

    rollout = ricochet.jax.rollout("box.yaml", "contact.friction", duration=0.5)
    jax.grad(lambda values: (rollout(values, states) ** 2).sum())(values)
"""

from __future__ import annotations

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from ._base.errors import InputError
from ._simulator.adjoint import RolloutFunction


def rollout(scene: Any, paths: Any = "", **options: Any) -> Callable[[Any, Any], Any]:
    """A function of parameters (a row per rollout, a column per path) and start states that gives the states of rollouts:
    rollouts x rows x state. It works under `jax.jit` and `jax.grad`. Options are those of `ricochet.rollout_batch`.
    """
    if not jax.config.jax_enable_x64:
        raise InputError(
            "JAX computes in single precision.", 'Call jax.config.update("jax_enable_x64", True) first.', path="jax"
        )
    function = RolloutFunction(scene, paths, **options)

    def run(values: Any, states: Any) -> tuple:
        found = function.forward(np.asarray(values), np.asarray(states))
        return found.states, found.by_start, found.by_parameters

    def shapes(values: Any, states: Any) -> tuple:
        probe = function.forward(
            np.tile([each.value for each in function.scene.parameters(paths)], (1, 1)) if paths else None,
            None if paths else np.zeros((1, states.shape[1])),
        )
        count = values.shape[0] if paths else states.shape[0]
        return tuple(
            jax.ShapeDtypeStruct((count, *each.shape[1:]), jnp.float64)
            for each in (probe.states, probe.by_start, probe.by_parameters)
        )

    @jax.custom_vjp
    def apply(values: Any, states: Any) -> Any:
        return jax.pure_callback(run, shapes(values, states), values, states)[0]

    def forward(values: Any, states: Any) -> tuple:
        found = jax.pure_callback(run, shapes(values, states), values, states)
        return found[0], (found, values, states)

    def backward(kept: tuple, gradient: Any) -> tuple:
        found, values, states = kept

        def pull(ends: Any, by_start: Any, by_parameters: Any, start: Any, grad: Any) -> tuple:
            from ._simulator.rollout import Rollouts

            rollouts = Rollouts(np.zeros(0), np.asarray(ends), np.zeros(0), np.asarray(by_start), np.asarray(by_parameters))
            return function.backward(rollouts, np.asarray(start), np.asarray(grad))

        result = (
            jax.ShapeDtypeStruct(values.shape, jnp.float64),
            jax.ShapeDtypeStruct(states.shape, jnp.float64),
        )
        return jax.pure_callback(pull, result, *found, states, gradient)

    apply.defvjp(forward, backward)
    return apply
