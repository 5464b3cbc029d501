"""How a call runs: threads, seed and progress."""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional, Union

from .. import _core
from .checks import integer

#: Called with task, done, total, elapsed, remaining (None: not known) and finished.
ProgressFunction = Callable[[str, int, int, float, Optional[float], bool], None]
Progress = Union[bool, ProgressFunction, None]


class _Bars:
    """Progress bars of tqdm, one per task; they suit a notebook where there is one."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bars: dict[str, Any] = {}

    def __call__(
        self, task: str, done: int, total: int, elapsed: float, remaining: float | None, finished: bool
    ) -> None:
        bar = self._bars.get(task)
        if bar is None:
            bar = self._bars[task] = self._tqdm(total=total or None, desc=task, leave=False)
        bar.update(done - bar.n)
        if finished:
            bar.close()
            del self._bars[task]


def progress_function(progress: Progress) -> ProgressFunction | None:
    """The function that hears of progress. True: bars of tqdm, if it is installed and someone can see them."""
    if progress is None or progress is False:
        return None
    if progress is not True:
        if not callable(progress):
            raise TypeError(f"progress: {type(progress).__name__} is not a function. Give True, False or a function.")
        return progress
    in_notebook = "ipykernel" in sys.modules
    if not in_notebook and not sys.stderr.isatty():
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bars(tqdm)


def checked(threads: int = 0, seed: int = 0, progress: Progress = None) -> tuple[int, int, ProgressFunction | None]:
    """Threads, seed and progress, after a check."""
    threads = integer("threads", threads, 0, 2**31 - 1)
    seed = integer("seed", seed, 0, 2**64 - 1)
    return threads, seed, progress_function(progress)


def settings(threads: int = 0, seed: int = 0, progress: Progress = None) -> _core.CallSettings:
    """The settings of a call of the library."""
    return _core.CallSettings(*checked(threads, seed, progress))
