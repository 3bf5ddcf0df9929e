"""Values with characters that no XML file may hold → the same without them, and what was changed."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from urlset.model.entry import Entry, IndexEntry
from urlset.writing.xml import FORBIDDEN, Unwritable, checked_name, quoted_part

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
    if is_url:
        return FORBIDDEN.sub(lambda each: "".join(f"%{byte:02X}" for byte in _character(each.group()).encode()), text)
    return FORBIDDEN.sub(lambda each: _in_text(each.group()), text)


def _in_text(character: str) -> str:
    if character in _SPACES:
        return " "
    return "" if character < " " else "\ufffd"


def _character(character: str) -> str:
    return "\ufffd" if "\ud800" <= character <= "\udfff" else character


def _is_name(name: str, notes: list[str]) -> bool:
    try:
        checked_name(name)
    except Unwritable as error:
        notes.append(f"{error}; omitted")
        return False
    return True
