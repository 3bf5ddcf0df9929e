"""A value or report → one short line for a console, and a small table for a notebook."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, ClassVar

_LONGEST = 300
"""characters of a line; a document can have millions in it"""
_LONGEST_CELL = 80
_PREVIEW = 5


class Shown:
    """Short in a console and in a notebook, however much there is in it."""

    __slots__ = ()

    has_preview: ClassVar[bool] = False
    """whether a notebook shows the first rows; only where they are at hand"""

    def facts(self) -> Iterator[tuple[str, object]]:
        """What to show, by name: the fields that are not empty."""
        for name in getattr(self, "__struct_fields__", ()):
            value = getattr(self, name)
            if value is not None and value not in ((), {}, ""):
                yield name, value

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={_short(value)}" for name, value in self.facts())
        return _cut(f"{type(self).__name__}({told})", _LONGEST)

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, _Written(_short(value))) for name, value in self.facts()]

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(_cell(value))}</td></tr>"
            for name, value in self.facts()
        )
        preview = _preview(self) if self.has_preview else ""
        return f"<div><b>{escape(type(self).__name__)}</b><table>{rows}</table>{preview}</div>"


class _Written:
    """A text that is its own repr."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _preview(source: Any) -> str:
    from html import escape

    table = source.table()  # what has a preview is Tabular
    rows = table.head(_PREVIEW)
    if not rows:
        return ""
    head = "".join(f"<th>{escape(column.name)}</th>" for column in table.columns)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _short(value: Any) -> str:
    match value:
        case str():
            return repr(str(_cut(value, _LONGEST_CELL)))
        case bytes():
            return f"<{len(value):,} bytes>"
        case tuple() | list() | frozenset() | set() if len(value) > 3:
            return f"<{len(value):,} items>"
        case dict() if len(value) > 8:
            return f"<{len(value):,} items>"
        case dict():
            return "{" + ", ".join(f"{_short(name)}: {_short(each)}" for name, each in value.items()) + "}"
        case _ if callable(value):
            return "<function>"
        case _:
            return _cut(repr(value), _LONGEST_CELL * 2)


def _cell(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="minutes")
    return "" if value is None else _cut(value if isinstance(value, str) else _short(value), _LONGEST_CELL)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


# Many things → how many there are, or the first of them in one line and how many more there are.


def amount(count: int, one: str, many: str | None = None) -> str:
    """1 file, 2,000 files."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def few(texts: Collection[str], most: int, *, joined: str = ", ") -> str:
    """`a, b and 3 more`"""
    return f"{joined.join(islice(texts, most))}{and_more(len(texts) - most)}"


def and_more(count: int) -> str:
    """` and 3 more`; nothing where there are none."""
    return f" and {count:,} more" if count > 0 else ""
