"""Text → the same text in color, if color is enabled."""

from __future__ import annotations

from urlset.findings.severity import Severity

_CODES = {"bold": "1", "dim": "2", "red": "1;31", "yellow": "1;33", "blue": "1;34", "green": "32", "cyan": "36"}
_SEVERITIES = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue"}


class Palette:
    """A small table of ANSI colors; without color the text is unchanged."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, name: str, text: str) -> str:
        return f"\x1b[{_CODES[name]}m{text}\x1b[0m" if self._color and text else text

    def severity(self, severity: Severity, text: str) -> str:
        return self(_SEVERITIES[severity], text)
