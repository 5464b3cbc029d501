"""Rollouts in PyTorch, with gradients by Ricochet's derivatives.

    rollout = ricochet.torch.Rollout("box.yaml", "contact.friction", duration=0.5)
    friction = torch.tensor([[0.3]], dtype=torch.float64, requires_grad=True)
    rollout(friction).pow(2).sum().backward()
"""

from __future__ import annotations

from typing import Any

import torch

from ._simulator.adjoint import RolloutFunction


class _Apply(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, function: RolloutFunction, values: Any, states: Any) -> Any:
        arrays = [None if each is None else each.detach().cpu().numpy() for each in (values, states)]
        rollouts = function.forward(*arrays)
        context.function, context.rollouts, context.start = function, rollouts, arrays[1]
        return torch.from_numpy(rollouts.states.copy())

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        by_values, by_states = context.function.backward(
            context.rollouts, context.start, gradient.detach().cpu().numpy()
        )
        return (
            None,
            torch.from_numpy(by_values) if context.needs_input_grad[1] else None,
            torch.from_numpy(by_states) if by_states is not None and context.needs_input_grad[2] else None,
        )


class Rollout(torch.nn.Module):
    """States of rollouts as a function of parameters and start states.

    scene, paths, and options such as duration, step and every are those of `ricochet.rollout_batch`. Called with a
    tensor of parameters (a row per rollout, a column per path) and one of start states, or None; gives a tensor of
    rollouts x rows x state, in double precision.
    """

    def __init__(self, scene: Any, paths: Any = "", **options: Any) -> None:
        super().__init__()
        self.function = RolloutFunction(scene, paths, **options)

    def forward(self, values: torch.Tensor | None = None, states: torch.Tensor | None = None) -> torch.Tensor:
        return _Apply.apply(self.function, values, states)
