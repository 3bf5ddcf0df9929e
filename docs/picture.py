"""A screen with terminal colors → an SVG picture for the README, the same on every machine."""

from __future__ import annotations

import re
from html import escape

COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}
WIDTH, HEIGHT, MARGIN = 7.8, 18, 20
"""of a character, of a line, around all of it"""
_SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")


def picture(screen: str, title: str) -> str:
    """The whole drawing; `title` is what a screen reader says."""
    lines = screen.rstrip("\n").split("\n")
    plain = [_SEQUENCE.sub("", line) for line in lines]
    width = round(max(map(len, plain)) * WIDTH + 2 * MARGIN)
    height = len(lines) * HEIGHT + 2 * MARGIN
    drawn = [
        f'<text x="{MARGIN}" y="{MARGIN + 13 + at * HEIGHT}">{_line(text)}</text>' for at, text in enumerate(lines)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title>",
            "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}",
            ".b{font-weight:bold}.d{opacity:.65}</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
            *drawn,
            "</svg>",
            "",
        ]
    )


def _line(text: str) -> str:
    """Spans of one color each."""
    parts: list[str] = []
    codes: set[str] = set()
    for number, part in enumerate(_SEQUENCE.split(text)):
        if number % 2:
            given = set(part.split(";")) - {""}
            codes = set() if not given or "0" in given else codes | given
        elif part:
            kinds = [name for code, name in (("1", "b"), ("2", "d")) if code in codes]
            color = next((COLORS[code] for code in sorted(codes) if code in COLORS), None)
            style = (f' class="{" ".join(kinds)}"' if kinds else "") + (f' fill="{color}"' if color else "")
            parts.append(f"<tspan{style}>{escape(part)}</tspan>" if style else escape(part))
    return "".join(parts)
