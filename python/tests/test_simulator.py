"""Simulators and batches of rollouts, with their derivatives."""

import numpy as np
import pytest

import ricochet


def state_after(scene, state, time, values):
    sim = ricochet.Simulator(scene.replace(values))
    sim.state = state
    sim.advance_to(time)
    return sim.state


def test_steps_states_and_contacts(toss):
    sim = ricochet.Simulator(toss)
    start = sim.state
    while not sim.contacts:
        assert sim.step()
    assert sim.contacts[0].pair == "box/floor" and sim.time > 0.2
    energy = sim.kinetic_energy + sim.potential_energy
    other = sim.copy()
    sim.advance_to(1.0)
    assert sim.kinetic_energy + sim.potential_energy < energy
    assert other.time < sim.time
    sim.reset()
    assert np.array_equal(sim.state, start) and sim.time == 0
    body = sim.body("box")
    sim.set_body("box", body.pose, body.velocity)
    assert np.allclose(sim.state, start)
    moved = sim.plus(start, np.full(12, 1e-3))
    assert np.allclose(sim.minus(moved, start), 1e-3)


def test_it_runs_as_simulate_does(toss):
    run = ricochet.simulate(toss)
    sim = ricochet.Simulator(toss)
    sim.advance_to(1.6)
    assert sim.body("box").pose[0] == run["x"][-1]


def test_derivatives_of_a_step_by_differences(example):
    scene = ricochet.Scene(example("ellipse_throw.yaml"))
    sim = ricochet.Simulator(scene)
    while not sim.contacts:
        before = sim.state
        sim.step()
    A, B, P = sim.derivatives(["contact.friction", "bodies.ellipse.mass"])
    assert A.shape == (6, 6) and B.shape == (6, 0) and P.shape == (6, 2)
    h = sim.step_size
    for i in range(6):
        step = np.zeros(6)
        step[i] = 1e-6
        change = (state_after(scene, before + step, h, {}) - state_after(scene, before - step, h, {})) / 2e-6
        assert np.allclose(A[:, i], change, rtol=1e-4, atol=1e-5)
    for k, path in enumerate(["contact.friction", "bodies.ellipse.mass"]):
        value, step = scene[path], 1e-5 * scene[path]
        change = (state_after(scene, before, h, {path: value + step}) - state_after(scene, before, h, {path: value - step}))
        assert np.allclose(P[:, k], change / (2 * step), rtol=1e-3, atol=1e-5)


def test_a_batch_is_its_simulations_one_by_one(toss):
    friction = np.array([0.1, 0.3, 0.5])
    start = ricochet.Simulator(toss).state
    states = np.stack([start, start, start])
    states[:, 7] += [0.0, 0.1, 0.2]
    batch = ricochet.rollout_batch(toss, {"contact.friction": friction}, states, duration=0.8, every=100)
    assert batch.states.shape == (3, len(batch.time), 13) and batch.solved.all()
    for i in range(3):
        sim = ricochet.Simulator(toss.replace({"contact.friction": friction[i]}))
        sim.state = states[i]
        for k in range(len(batch.time)):
            assert np.array_equal(sim.state, batch.states[i, k])
            for _ in range(100):
                sim.step()


def test_a_batch_does_not_depend_on_threads(toss):
    values = np.random.default_rng(1).uniform(0.1, 0.6, (40, 2))
    batches = [
        ricochet.rollout_batch(toss, paths="contact.friction, contact.restitution", values=values, duration=0.6, threads=n)
        for n in (1, 2)
    ]
    assert np.array_equal(batches[0].states, batches[1].states)


def test_derivatives_of_a_batch_by_differences(toss):
    start = ricochet.Simulator(toss).state
    batch = ricochet.rollout_batch(toss, {"contact.friction": [0.35]}, start[None], duration=0.3, derivatives=True)
    sim = ricochet.Simulator(toss)
    end = state_after(toss, start, 0.3, {})
    columns = []
    for i in range(12):
        step = np.zeros(12)
        step[i] = 1e-6
        columns.append(sim.minus(state_after(toss, sim.plus(start, step), 0.3, {}), end) / 1e-6)
    assert np.allclose(batch.by_start[0, 0], np.array(columns).T, rtol=1e-3, atol=1e-3)


def loss_by_differences(function, values, states, weights):
    """Gradients of sum(weights * states of all rows) by central differences."""
    from ricochet._simulator.adjoint import RolloutFunction

    assert isinstance(function, RolloutFunction)

    def loss(values, states):
        return float((weights * function.forward(values, states).states).sum())

    out = []
    for which, array in enumerate((values, states)):
        gradient = np.zeros_like(array)
        for index in np.ndindex(array.shape):
            ends = []
            for sign in (1, -1):
                changed = [values.copy(), states.copy()]
                changed[which][index] += sign * 1e-6
                ends.append(loss(*changed))
            gradient[index] = (ends[0] - ends[1]) / 2e-6
        out.append(gradient)
    return out


@pytest.fixture
def problem(toss):
    from ricochet._simulator.adjoint import RolloutFunction

    function = RolloutFunction(toss, "contact.friction", duration=0.34, every=85)
    start = ricochet.Simulator(toss).state
    values, states = np.array([[0.35], [0.2]]), np.stack([start, start])
    shape = function.forward(values, states).states.shape
    weights = np.random.default_rng(2).normal(size=shape)
    return function, values, states, weights


def test_gradients_for_other_frameworks(problem):
    function, values, states, weights = problem
    found = function.backward(function.forward(values, states), states, weights)
    for mine, theirs in zip(found, loss_by_differences(function, values, states, weights)):
        assert np.allclose(mine, theirs, rtol=2e-3, atol=2e-3)


def test_torch(problem):
    torch = pytest.importorskip("torch")
    function, values, states, weights = problem
    rollout = ricochet.torch.Rollout(function.scene, function.paths, **function.options)
    tensors = [torch.tensor(each, requires_grad=True) for each in (values, states)]
    (rollout(*tensors) * torch.tensor(weights)).sum().backward()
    for mine, theirs in zip(tensors, loss_by_differences(function, values, states, weights)):
        assert np.allclose(mine.grad.numpy(), theirs, rtol=2e-3, atol=2e-3)


def test_jax(problem):
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    function, values, states, weights = problem
    rollout = ricochet.jax.rollout(function.scene, function.paths, **function.options)
    gradient = jax.jit(jax.grad(lambda v, s: (rollout(v, s) * weights).sum(), argnums=(0, 1)))
    for mine, theirs in zip(gradient(values, states), loss_by_differences(function, values, states, weights)):
        assert np.allclose(mine, theirs, rtol=2e-3, atol=2e-3)
