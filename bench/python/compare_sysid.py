"""The same identification with MuJoCo's sysid and with Ricochet: lines of code, time, error and coverage.

    bench/python/compare_sysid.py [SEEDS]

A pendulum swings from rest at a known angle; viscous and dry friction brake it. The swing is integrated with SciPy to
1e-10, not with one of the two engines, and an encoder adds noise. Both start from the same wrong values. sysid is given
the exact release; Ricochet estimates it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import pathlib
import sys
from time import perf_counter

import numpy as np
import pendulum_ricochet
import pendulum_sysid
from scipy.integrate import solve_ivp

TRUTH = {"inertia": 2.5e-3, "viscous": 4e-4, "dry": 4e-3}
MASS, LENGTH, GRAVITY = 0.4, 0.2, 9.81
RELEASE = 2.0  # [rad]
DURATION, RATE, NOISE = 6.0, 250, 2e-3  # [s], [Hz], [rad]


def swing(t: np.ndarray) -> np.ndarray:
    """The angle over time: one smooth piece per direction of motion, until friction holds the pendulum."""
    about_hinge = TRUTH["inertia"] + MASS * LENGTH**2
    angle, out, begin = RELEASE, np.empty_like(t), 0.0
    out[:] = np.nan
    while begin < t[-1]:
        torque = MASS * GRAVITY * LENGTH * np.sin(angle)
        if abs(torque) <= TRUTH["dry"]:
            out[t >= begin] = angle
            break
        sign = -np.sign(torque)

        def rate(time: float, y: np.ndarray) -> list[float]:
            load = MASS * GRAVITY * LENGTH * np.sin(y[0]) + TRUTH["viscous"] * y[1] + sign * TRUTH["dry"]
            return [y[1], -load / about_hinge]

        def turns(time: float, y: np.ndarray) -> float:
            return sign * y[1] if time > begin + 1e-6 else 1.0

        turns.terminal, turns.direction = True, -1
        span = (begin, t[-1] + 1)
        piece = solve_ivp(rate, span, [angle, 0.0], events=turns, rtol=1e-10, atol=1e-12, dense_output=True)
        rows = (t >= begin) & (t <= piece.t[-1])
        out[rows] = piece.sol(t[rows])[0]
        begin, angle = piece.t[-1], piece.y[0, -1]
    return out


def lines_of_code(module: object) -> int:
    """Lines that are neither blank nor documentation."""
    text = pathlib.Path(module.__file__).read_text()
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef)) and ast.get_docstring(node):
            documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return sum(bool(line.strip()) and i not in documented for i, line in enumerate(text.splitlines(), 1))


def main(seeds: int) -> None:
    t = np.arange(int(DURATION * RATE)) / RATE
    exact = swing(t)
    truth = np.array(list(TRUTH.values()))
    print(f"{seeds} recordings, {RATE} Hz, {DURATION:g} s, noise {1e3 * NOISE:g} mrad\n")
    columns = ["", "lines of code", "time of one fit", *(f"error of {each}" for each in TRUTH)]
    columns += ["coverage of 95 % intervals", "largest error without noise"]
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for name, module in (("MuJoCo sysid", pendulum_sysid), ("Ricochet", pendulum_ricochet)):
        errors, covered, seconds = [], [], []
        for seed in range(seeds):
            angle = exact + np.random.default_rng(seed).normal(0, NOISE, len(t))
            begin = perf_counter()
            with contextlib.redirect_stdout(io.StringIO()):  # iterations of sysid
                values, intervals = module.identify(t, angle, RELEASE)
            seconds.append(perf_counter() - begin)
            errors.append(np.array(values, dtype=float) / truth - 1)
            covered.append([low <= each <= high for each, (low, high) in zip(truth, intervals)])
        with contextlib.redirect_stdout(io.StringIO()):
            without_noise = np.max(np.abs(np.array(module.identify(t, exact, RELEASE)[0], dtype=float) / truth - 1))
        rms = np.sqrt(np.mean(np.square(errors), axis=0))
        shown = " | ".join(f"{100 * each:.2f} %" for each in rms)
        counts = ", ".join(f"{each}" for each in np.sum(covered, axis=0))
        cost = f"{lines_of_code(module)} | {np.median(seconds):.2f} s"
        print(f"| {name} | {cost} | {shown} | {counts} of {seeds} | {100 * without_noise:.1g} % |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
