"""The lines of .urlsetignore → which paths of a folder are left out, by the rules people know from .gitignore."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

FILE_NAME = ".urlsetignore"


class _Line(msgspec.Struct, frozen=True):
    expression: re.Pattern[str]
    folders_only: bool
    takes_back: bool


class Ignore:
    """The last line that matches decides; `!` takes back. What lies in an ignored folder stays ignored."""

    def __init__(self, lines: Iterable[str] = ()) -> None:
        self._lines = tuple(line for written in lines if (line := _compiled(written)) is not None)

    def ignores(self, path: str, *, is_folder: bool = False) -> bool:
        """`path` is relative, with `/`, and its folder is not ignored."""
        for line in reversed(self._lines):
            if (is_folder or not line.folders_only) and line.expression.fullmatch(path):
                return not line.takes_back
        return False


def _compiled(written: str) -> _Line | None:
    text = written.rstrip("\r\n")
    text = re.sub(r"(?<!\\) +$", "", text)
    if not text.strip() or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.rstrip("/")
    anchored = "/" in text
    body = _expression(text.lstrip("/"))
    prefix = "" if anchored else "(?:.*/)?"
    try:
        return _Line(re.compile(prefix + body, re.DOTALL), folders_only, takes_back)
    except re.error:
        return None


_TOKEN = re.compile(
    r"(?P<anywhere>(?:(?<=/)|\A)\*\*/)|(?P<rest>/\*\*\Z)|(?P<star>\*+)|(?P<one>\?)|(?P<set>\[!?\]?[^\]]*\])|\\(?P<kept>.)|(?P<plain>.)",
    re.DOTALL,
)


def _expression(text: str) -> str:
    pieces: list[str] = []
    for token in _TOKEN.finditer(text):
        match token.lastgroup:
            case "anywhere":
                pieces.append("(?:[^/]*/)*+" if not pieces else "(?:.*/)?")
            case "rest":
                pieces.append("/.*")
            case "star":
                pieces.append("[^/]*")
            case "one":
                pieces.append("[^/]")
            case "set":
                inner = token["set"][1:-1].replace("\\", "\\\\").replace("[", "\\[")
                pieces.append(f"[{'^' + inner[1:] if inner.startswith('!') else inner}]")
            case "kept":
                pieces.append(re.escape(token["kept"]))
            case _:
                pieces.append(re.escape(token[0]))
    return "".join(pieces)
