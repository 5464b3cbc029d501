"""reproduce: the experiments of the papers, run again."""

from __future__ import annotations

from typing import Any, Iterable

from .. import _core
from .._base import calls, checks


class Experiment:
    """An experiment of a paper: `name`, `title`, and `comparisons` of the paper's numbers with Ricochet's."""

    def __init__(self, info: _core.ExperimentInfo, comparisons: list[_core.Comparison]) -> None:
        self.name: str = info.name
        self.title: str = info.title
        self.comparisons = comparisons

    def describe(self) -> str:
        """The comparison as a Markdown table."""
        return _core.format_comparisons(self.comparisons)

    __str__ = describe

    def _repr_markdown_(self) -> str:
        return f"**{self.title}**\n\n{self.describe()}"

    def __eq__(self, other: object) -> Any:
        return self.__dict__ == other.__dict__ if isinstance(other, Experiment) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<ricochet.Experiment {self.name}: {len(self.comparisons)} numbers>"


def experiments() -> list[_core.ExperimentInfo]:
    """All experiments that `reproduce` knows, in the papers' order.

    >>> import ricochet
    >>> "gabiccini-drop" in [each.name for each in ricochet.experiments()]
    True
    """
    return _core.find_experiments(["all"])


def reproduce(
    names: str | Iterable[str], output: Any = "", *, threads: int = 0, progress: calls.Progress = True
) -> list[Experiment]:
    """Runs experiments of the papers behind the methods: the papers' numbers next to Ricochet's.

    names -- experiments, a paper ("gabiccini": all of its experiments), or "all"
    output -- folder for tables (CSV), figures (SVG) and comparisons; empty: nothing is written

    Experiments take seconds to minutes.

    >>> import ricochet
    >>> [drop] = ricochet.reproduce("gabiccini-drop")
    >>> drop.name, len(drop.comparisons) > 0
    ('gabiccini-drop', True)
    """
    requested = [checks.text("names", each) for each in checks.sequence("names", names)]
    folder = checks.text("output", output)
    call = calls.settings(threads, 0, progress)
    return [Experiment(each, _core.reproduce(each.name, folder, call)) for each in _core.find_experiments(requested)]
