"""HTML of results in notebooks."""

from __future__ import annotations

import html
from typing import Any, Iterable, Sequence

COLORS = {"good": "#1a7f37", "limited": "#9a6700", "rejected": "#cf222e"}


def shown(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.5g}"
    return html.escape(str(value))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a heading."""
    head = "".join(f"<th style='text-align:left'>{html.escape(each)}</th>" for each in columns)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{shown(each)}</td>" for each in row) + "</tr>" for row in rows
    )
    return f"<b>{html.escape(title)}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def verdict(level: str, reasons: Sequence[str]) -> str:
    """The verdict of an estimate in its color, with its reasons."""
    color = COLORS.get(level, "#57606a")
    items = "".join(f"<li>{html.escape(each)}</li>" for each in reasons[1:])
    first = html.escape(reasons[0]) if reasons else ""
    return f"<p><b style='color:{color}'>{html.escape(level)}</b> {first}</p>" + (f"<ul>{items}</ul>" if items else "")
