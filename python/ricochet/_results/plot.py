"""Plots with matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base.errors import InputError


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot


def _rows(count: int, axes: Any, height: float = 1.6) -> Any:
    """As many axes below each other, or those that were given."""
    if axes is None:
        _, axes = _pyplot().subplots(count, 1, sharex=True, squeeze=False, figsize=(8, 0.6 + height * count))
    axes = np.ravel(axes)
    if len(axes) < count:
        raise InputError(f"{len(axes)} axes do not suffice.", f"Give {count}.", path="axes")
    return axes


def plot_recording(recording: Any, axes: Any = None) -> Any:
    """Every column over time."""
    axes = _rows(len(recording.columns), axes, 1.2)
    for axis, column in zip(axes, recording.columns):
        axis.plot(recording.time, recording[column], lw=1)
        axis.set_ylabel(column)
    axes[len(recording.columns) - 1].set_xlabel("t [s]")
    return axes


def _motions(estimate: Any) -> list[tuple[str, np.ndarray, list[str], np.ndarray, np.ndarray]]:
    """Per recording: name, times, columns, recorded and fitted values, where both have them."""
    out = []
    for motion in estimate.native.motions:
        recording = estimate.given_recordings[motion.recording] if estimate.given_recordings else None
        if recording is None or not len(motion.time):
            continue
        rows = np.searchsorted(recording.time, np.asarray(motion.time) - 1e-9).clip(0, len(recording) - 1)
        if motion.pose:
            fitted = np.asarray(motion.pose)
            names = ["x", "y", "theta"] if fitted.shape[1] == 3 else ["x", "y", "z", "qw", "qx", "qy", "qz"]
            pairs = [(each, fitted[:, i]) for i, each in enumerate(names) if each in recording]
        else:
            pairs = []
            for joint in motion.joints:
                for kind, values in (("angle", joint.angle), ("rate", joint.rate)):
                    if f"{joint.name}.{kind}" in recording and len(values):
                        pairs.append((f"{joint.name}.{kind}", np.asarray(values)))
        if not pairs:
            continue
        columns = [each for each, _ in pairs]
        recorded = np.stack([recording[each][rows] for each in columns], axis=1)
        out.append((recording.name, np.asarray(motion.time), columns, recorded, np.stack([v for _, v in pairs], axis=1)))
    return out


def _plot_residuals(estimate: Any, axes: Any) -> Any:
    motions = _motions(estimate)
    if not motions:
        raise InputError(
            "the estimate has no fitted motion with its recording.", "Plot what identify returned.", path="plot"
        )
    columns = motions[0][2]
    axes = _rows(len(columns), axes)
    for name, time, names, recorded, fitted in motions:
        for axis, column in zip(axes, columns):
            if column in names:
                i = names.index(column)
                difference = recorded[:, i] - fitted[:, i]
                if column == "theta" or column.endswith(".angle"):
                    difference = (difference + np.pi) % (2 * np.pi) - np.pi
                axis.plot(time, difference, ".", ms=2, label=name)
    for axis, column in zip(axes, columns):
        axis.axhline(0, color="0.7", lw=0.8)
        axis.set_ylabel(f"{column} residual")
    axes[len(columns) - 1].set_xlabel("t [s]")
    return axes


def _plot_intervals(estimate: Any, axes: Any) -> Any:
    shown = [each for each in estimate.native.parameters if each.value is not None]
    if not shown:
        raise InputError("no parameter has a value.", "Read the verdict of the estimate.", path="plot")
    if axes is None:
        _, axes = _pyplot().subplots(len(shown), 1, squeeze=False, figsize=(7, 0.9 * len(shown)), layout="constrained")
    axes = np.ravel(axes)
    for axis, each in zip(axes, shown):
        lower, upper = estimate.interval(each.path)
        axis.axvline(each.start, color="0.7", ls="--", lw=1)
        axis.plot(each.value, 0, "o")
        if lower is not None and upper is not None:
            axis.plot([lower, upper], [0, 0], lw=2)
        axis.set_yticks([])
        axis.set_xlabel(f"{each.path} [{each.unit}]", fontsize=8)
    return axes


def _plot_pairs(estimate: Any, axes: Any) -> Any:
    draws = estimate.samples(1000)
    kept = [i for i in range(draws.shape[1]) if np.isfinite(draws[:, i]).all()]
    if not kept:
        raise InputError("no parameter has a standard deviation.", "Plot 'intervals' instead.", path="plot")
    n = len(kept)
    if axes is None:
        _, axes = _pyplot().subplots(n, n, squeeze=False, figsize=(2.2 * n, 2.2 * n))
    axes = np.reshape(axes, (n, n))
    for row, i in enumerate(kept):
        for column, j in enumerate(kept):
            axis = axes[row, column]
            if column > row:
                axis.set_visible(False)
            elif i == j:
                axis.hist(draws[:, i], bins=30, color="0.6")
            else:
                axis.plot(draws[:, j], draws[:, i], ".", ms=1)
            axis.tick_params(labelsize=6)
            if row == n - 1:
                axis.set_xlabel(estimate.paths[j], fontsize=7)
            if column == 0:
                axis.set_ylabel(estimate.paths[i], fontsize=7)
    return axes


def _plot_profiles(estimate: Any, axes: Any) -> Any:
    profiles = estimate.native.profiles
    if not profiles:
        raise InputError("the estimate has no profile.", "Call identify with profiles=[path].", path="plot")
    if axes is None:
        _, axes = _pyplot().subplots(len(profiles), 1, squeeze=False, figsize=(6, 2.6 * len(profiles)))
    axes = np.ravel(axes)
    for axis, each in zip(axes, profiles):
        axis.plot(each.value, each.deviance, "o-")
        axis.axhline(3.84, color="0.7", ls="--")
        axis.set_xlabel(f"{each.path} [{each.unit}]")
        axis.set_ylabel("deviance")
    return axes


_ESTIMATE = {
    "residuals": _plot_residuals,
    "intervals": _plot_intervals,
    "pairs": _plot_pairs,
    "profiles": _plot_profiles,
}


def plot_estimate(estimate: Any, kind: str, axes: Any = None) -> Any:
    """Plots of an estimate by kind."""
    if kind not in _ESTIMATE:
        raise InputError(f"`{kind}` is not a plot.", f"Plots are {', '.join(_ESTIMATE)}.", path="kind")
    return _ESTIMATE[kind](estimate, axes)


def plot_prediction(prediction: Any, axes: Any = None) -> Any:
    """Regions of the rest positions from above, with the recorded ones."""
    if axes is None:
        _, axes = _pyplot().subplots(figsize=(6, 6))
    angle = np.linspace(0, 2 * np.pi, 100)
    for toss in prediction.native.tosses:
        if not toss.used:
            continue
        a, b = toss.semi_axes
        c, s = np.cos(toss.direction), np.sin(toss.direction)
        x, y = a * np.cos(angle), b * np.sin(angle)
        (line,) = axes.plot(toss.position[0] + c * x - s * y, toss.position[1] + s * x + c * y, lw=1)
        axes.plot(*toss.position, "+", color=line.get_color())
        if toss.recorded is not None:
            axes.plot(*toss.recorded, ".", color=line.get_color())
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]")
    axes.set_ylabel("y [m]")
    return axes


def plot_cost_map(cost_map: Any, axes: Any = None) -> Any:
    """The cost over one or two parameters."""
    if len(cost_map.axes) > 2:
        raise InputError(f"{len(cost_map.axes)} parameters cannot be drawn.", "Sweep one or two.", path="plot")
    if axes is None:
        _, axes = _pyplot().subplots(figsize=(6, 4.5))
    first = cost_map.axes[0]
    if len(cost_map.axes) == 1:
        axes.plot(first.values, cost_map.cost)
        axes.set_ylabel(f"cost ({cost_map.options['cost']})")
    else:
        second = cost_map.axes[1]
        drawn = axes.contourf(first.values, second.values, cost_map.cost.T, 30)
        axes.figure.colorbar(drawn, ax=axes, label=f"cost ({cost_map.options['cost']})")
        axes.plot(cost_map.best[first.path], cost_map.best[second.path], "w+")
        axes.set_ylabel(second.path)
    axes.set_xlabel(first.path)
    return axes
