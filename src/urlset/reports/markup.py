"""Text from any source → safe Markdown: no markup, no links, no notifications."""

from __future__ import annotations

import re

from urlset.reports.visible import visible

_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+!|~$]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BREAK = "<!-- -->"
_WOULD_LINK = re.compile(r"@(?=\w)|(?<=\w):(?=//)|(?<=\bwww)\.(?=\w)|\\#(?=\d)", re.IGNORECASE)


def markdown_text(text: str) -> str:
    """Mentions and URLs are broken with an invisible empty comment."""
    shown = _SPECIAL.sub(lambda found: f"\\{found[0]}", visible(text))
    for char, entity in _ENTITIES.items():
        shown = shown.replace(char, entity)
    return _WOULD_LINK.sub(lambda found: f"{found[0]}{_BREAK}", shown)


def code_span(text: str) -> str:
    """Not for a table cell, where a pipe counts even inside code."""
    shown = visible(text) or " "
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def code_block(lines: list[str]) -> str:
    """A fence longer than any run of backticks inside."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}text", *lines, fence])
