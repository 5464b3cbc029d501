"""What Ricochet raises."""

from __future__ import annotations


class InputError(ValueError):
    """Something that you passed in cannot be used.

    The message says where, what and what to do. The parts are attributes:

    file, line, column -- the place in a file; an empty file and 0 where the input is not from one
    path -- parameter path, column of a recording, or name of an argument
    problem, remedy -- what is wrong, and what to do about it

    >>> import ricochet
    >>> try:
    ...     ricochet.simulate("ellipse.yml")
    ... except ricochet.InputError as error:
    ...     print(error.file)
    ellipse.yml
    """

    def __init__(
        self,
        problem: str,
        remedy: str = "",
        path: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        message: str = "",
    ) -> None:
        super().__init__(problem, remedy, path, file, line, column, message)
        self.problem, self.remedy, self.path = problem, remedy, path
        self.file, self.line, self.column = file, line, column
        self._message = message

    def __str__(self) -> str:
        if self._message:
            return self._message
        return ": ".join(part for part in (self.file, self.path) if part) + (
            ": " if self.file or self.path else ""
        ) + " ".join(part for part in (self.problem, self.remedy) if part)


class NumericsError(ArithmeticError):
    """Numerics did not reach what you cannot do without; `result.check()` raises it."""


class Cancelled(RuntimeError):
    """The call was cancelled. `store` is the file that the same call resumes from; empty: nothing was stored."""

    def __init__(self, task: str, store: str = "") -> None:
        super().__init__(task, store)
        self.task, self.store = task, store

    def __str__(self) -> str:
        return f"{self.task} was cancelled" + (f"; resume from {self.store}" if self.store else "")


class WorkerLost(RuntimeError):
    """A process that shared the work ended before it was done."""
