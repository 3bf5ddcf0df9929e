"""Texts, attributes and names → XML that any parser reads back to the same characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from urlset.model.entry import Entry, IndexEntry
from urlset.model.errors import ArgumentValueError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ENCODING, XML_VERSION

DECLARATION = f'<?xml version="{XML_VERSION}" encoding="{ENCODING}"?>\n'

FORBIDDEN = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Whatever of ASCII cannot be copied just as it is.
_DELICATE = b"&<>\"'" + bytes(range(0x20)) + b"\x7f"
_NAME_START = (
    "A-Z_a-z\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = lazy_pattern(f"[{_NAME_START}][{_NAME_START}0-9.\xb7\u0300-\u036f\u203f\u2040-]*")
_QUOTED_LENGTH = 60


class Unwritable(ArgumentValueError):  # noqa: N818 - it names the value, as the message does
    """A value that no file of the wanted form can hold; `position` counts characters from 0."""

    def __init__(self, value: str, position: int, reason: str = "not allowed in XML, even escaped") -> None:
        super().__init__(value, position, reason)
        self.value = value
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        shown = quoted_part(self.value, self.position)
        if self.position >= len(self.value):
            return f"cannot write {shown}: {self.reason}"
        code = ord(self.value[self.position])
        return f"cannot write U+{code:04X}, character {self.position + 1} of {shown}: {self.reason}"


def quoted_part(value: str, position: int) -> str:
    """The characters around one, for a message."""
    start = max(0, position - _QUOTED_LENGTH // 2)
    end = start + _QUOTED_LENGTH
    return f"{'…' if start else ''}{value[start:end]!r}{'…' if end < len(value) else ''}"


def is_plain(value: str) -> bool:
    """Whether the value can be copied as it is, which is nearly always so and worth finding out quickly."""
    # Deleting what is delicate and comparing lengths takes half the time of a search by pattern.
    return value.isascii() and len(value.encode().translate(None, _DELICATE)) == len(value)


def escaped(value: str) -> str:
    """Text for between two tags: the five characters the protocol names, and CR, which parsers turn to LF."""
    if is_plain(value):
        return value
    if not (value.isascii() and value.isprintable()):
        found = FORBIDDEN.search(value)
        if found is not None:
            raise Unwritable(value, found.start())
    value = value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return value.replace('"', "&quot;").replace("'", "&apos;").replace("\r", "&#13;")


def escaped_attribute(value: str) -> str:
    """Text for between quotes, where parsers turn TAB and LF to spaces as well."""
    if is_plain(value):
        return value
    return escaped(value).replace("\t", "&#9;").replace("\n", "&#10;")


def attribute_list(attributes: Iterable[tuple[str, str | None]]) -> str:
    """` name="value"` for each one that has a value; names that come from outside need `checked_name`."""
    return "".join([f' {name}="{escaped_attribute(value)}"' for name, value in attributes if value is not None])


def checked_name(name: str) -> str:
    """The name of an element or attribute without prefix, refused where it would be no name."""
    found = _NAME.match(name)
    end = found.end() if found is not None else 0
    if not end or end != len(name):
        raise Unwritable(name, end, "not a valid XML name")
    if name == "xmlns":
        raise Unwritable(name, len(name), "it would declare a namespace")
    return name


def leaf(indent: str, name: str, text: str | None, attributes: str = "") -> str:
    """One line with one element and its text, or nothing where there is no text."""
    return "" if text is None else f"{indent}<{name}{attributes}>{escaped(text)}</{name}>\n"


def group(indent: str, name: str, children: str, attributes: str = "") -> str:
    """An element around lines that are indented already."""
    if not children:
        return f"{indent}<{name}{attributes}/>\n"
    return f"{indent}<{name}{attributes}>\n{children}{indent}</{name}>\n"


# Values without the characters that XML cannot hold, and what was changed.

_URL_STARTS = ("http://", "https://", "/")
_SPACES = "\x0b\x0c\x1c\x1d\x1e\x1f"
"""controls that separate words or lines"""


_Value = TypeVar("_Value", Entry, IndexEntry, str)


def legal(value: _Value) -> tuple[_Value, tuple[str, ...]]:
    """What XML can hold of an entry or a text, with a sentence for each change.

    In a text, a control that separates words becomes a space, any other goes, and half a
    surrogate pair, U+FFFE or U+FFFF becomes U+FFFD. In a URL it becomes its escape. An attribute with an invalid name
    is omitted.
    """
    notes: list[str] = []
    return _legal(value, notes), tuple(dict.fromkeys(notes))


def _legal(value: Any, notes: list[str]) -> Any:
    if isinstance(value, str):
        return _legal_text(value, notes)
    if isinstance(value, tuple):
        return tuple(_legal(each, notes) for each in value)
    if isinstance(value, dict):
        return {name: _legal(each, notes) for name, each in value.items() if _is_name(name, notes)}
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        return type(value)(**{name: _legal(each, notes) for name, each in fields.items()})
    return value


def _legal_text(text: str, notes: list[str]) -> str:
    found = FORBIDDEN.search(text)
    if found is None:
        return text
    is_url = text.startswith(_URL_STARTS)
    code, where = f"U+{ord(found.group()):04X}", quoted_part(text, found.start())
    notes.append(f"{code} is not allowed in XML: {'escaped' if is_url else 'removed or replaced'} in {where}")

    def allowed(forbidden: re.Match[str]) -> str:
        character = forbidden.group()
        if is_url:
            encoded = ("\ufffd" if "\ud800" <= character <= "\udfff" else character).encode()
            return "".join(f"%{byte:02X}" for byte in encoded)
        if character in _SPACES:
            return " "
        return "" if character < " " else "\ufffd"

    return FORBIDDEN.sub(allowed, text)


def _is_name(name: str, notes: list[str]) -> bool:
    try:
        checked_name(name)
    except Unwritable as error:
        notes.append(f"{error}; omitted")
        return False
    return True
