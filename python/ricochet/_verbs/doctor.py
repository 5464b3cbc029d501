"""doctor: what to check before trusting recordings."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._base import calls
from .._base.errors import NumericsError
from .._base.values import Result
from .._data.recording import Recording, as_recordings, natives
from .._data.scene import as_scene
from .._results import markup


class Examination(Result):
    """What doctor found: `findings` over all recordings, `mistakes` that identify refuses, and `recordings`."""

    _state = ("native", "given_recordings")
    given_recordings: list[Recording]
    findings: list[_core.Finding]
    mistakes: list[_core.Mistake]

    def __init__(self, native: _core.Examination, recordings: list[Recording]) -> None:
        self.native = native
        self.given_recordings = recordings

    def check(self) -> "Examination":
        """Raises NumericsError if a recording has a mistake; otherwise returns the examination."""
        if self.native.mistakes:
            first = self.native.mistakes[0]
            raise NumericsError(f"doctor: {first.file}: {first.problem} {first.remedy}")
        return self

    def repaired(self) -> list[Recording]:
        """The recordings, with those mistakes repaired that can be."""
        out = []
        for recording in self.given_recordings:
            for mistake in self.native.mistakes:
                if mistake.file == recording.name and mistake.change is not None:
                    recording = Recording(_core.repair(recording._native(), mistake.change))
            out.append(recording)
        return out

    def _repr_html_(self) -> str:
        rows = [
            (each.check, each.found, each.expected, each.verdict.name.lower(), each.remedy)
            for each in self.native.findings
        ]
        return markup.table("doctor", ("check", "found", "expected", "", "what to do"), rows)


def doctor(recordings: Any, scene: Any = None, *, threads: int = 0, progress: calls.Progress = True) -> Examination:
    """Checks recordings by themselves, or against the scene that they should fit.

    >>> import ricochet
    >>> throw = ricochet.simulate(example("plywood_ellipse.yaml"), rate=240, noise_position=1e-3, noise_angle=1e-3)
    >>> found = ricochet.doctor(throw, example("plywood_ellipse.yaml"))
    >>> found.usable, found.mistakes
    (1, [])
    """
    given = as_recordings(recordings)
    native = _core.examine(
        natives(given), None if scene is None else as_scene(scene)._native, calls.settings(threads, 0, progress)
    )
    return Examination(native, given)
