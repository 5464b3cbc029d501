"""report: pages that show results."""

from __future__ import annotations

import os
from typing import Any

from .. import _core
from .._base import calls, checks


class Page:
    """A report page, shown inline in a notebook."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        import html

        source = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{source}" style="width:100%;height:720px;border:0" sandbox="allow-scripts"></iframe>'


def page_of(data: _core.ReportData) -> str:
    """The HTML text of a page."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "report.html")
        data.write(file)
        with open(file, encoding="utf-8") as page:
            return page.read()


def show_page(text: str) -> Page:
    """Shows a page in a notebook; elsewhere the page is returned."""
    return Page(text)


def report(files: Any, output: Any, *, scene: Any = "", progress: calls.Progress = None) -> None:
    """Writes a report page from result files, each known by its content.

    files -- estimates, validations and evaluations (JSON), recordings and contacts (CSV), a scene (YAML)
    output -- the page (HTML)
    scene -- scene file, if the results do not name it

    Results in memory have a method `report` of their own.

    >>> import ricochet
    >>> ricochet.report(example("recordings/plywood_240fps.csv"), "page.html", scene=example("plywood_ellipse.yaml"))
    """
    names = [checks.file_name("files", each) for each in checks.sequence("files", files)]
    scene = checks.text("scene", scene)
    output = checks.file_name("output", output)
    _core.read_report(names, scene, calls.settings(progress=progress)).write(output)
