"""calibrate_frame: where the tracked frame is on a body, and where the surface is."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._base import calls, checks
from .._base.errors import NumericsError
from .._base.values import Result
from .._data.recording import as_recordings, natives
from .._data.scene import Scene, as_scene


class FrameCalibration(Result):
    """The pose of the tracked frame with its uncertainty (`frame`, `position_std`, `rotation_std`), the surface, and
    `scene` with both as found."""

    _state = ("native", "scene")
    scene: Scene
    frame: _core.FramePose
    identifiable: bool
    not_identifiable: list[str]

    def __init__(self, native: _core.FrameCalibration) -> None:
        self.native = native
        self.scene = Scene(native.scene)

    def check(self) -> "FrameCalibration":
        """Raises NumericsError if the pose is not fully identifiable; otherwise returns the calibration."""
        if not self.native.identifiable:
            raise NumericsError(
                "calibrate_frame: the pose of the tracked frame is not fully identifiable from these tosses. "
                + " ".join(self.native.not_identifiable)
            )
        return self

    def _repr_html_(self) -> str:
        return f"<pre>{self.describe()}</pre>"


def calibrate_frame(
    scene: Any, recordings: Any, *, body: str = "", threads: int = 0, progress: calls.Progress = True
) -> FrameCalibration:
    """Finds the pose of a tracked frame in its body, and the surface, from tosses until rest.

    scene -- size and mass of a body with flat faces, and one surface
    recordings -- six to ten tosses with spin; long takes are split
    body -- whose frame is tracked, if several move

    Raises NumericsError when no flight shows the pivot or no toss comes to rest.

    >>> import ricochet
    >>> scene = example("box006_toss.yaml")
    >>> toss = ricochet.simulate(scene, rate=200, duration=3, noise_position=3e-4, noise_angle=2e-3).recording
    >>> found = ricochet.calibrate_frame(scene, toss)
    >>> found.body, len(found.frame.position)
    ('box', 3)
    """
    native = _core.calibrate_frame(
        as_scene(scene)._native,
        natives(as_recordings(recordings)),
        checks.text("body", body),
        calls.settings(threads, 0, progress),
    )
    return FrameCalibration(native)
