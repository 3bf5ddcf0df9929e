"""The bytes of an HTML page → UTF-8 bytes and the charset they were in: byte order mark, header, meta, else UTF-8."""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta\b[^>]{0,500}?\bcharset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 4096
"""The standard says 1,024; pages with a long comment on top are read by browsers all the same."""

# Python's names for what browsers read; others (utf-7, rot13, idna …) are not charsets of pages.
_READ = re.compile(
    r"utf-8|iso8859-\d+|cp(?:125\d|437|85\d|866|874|932|949)|koi8-[ru]|mac-(?:roman|cyrillic)"
    r"|shift_jis|euc_(?:jp|kr)|gb2312|gbk|gb18030|big5(?:hkscs)?|tis-620|ascii"
)
# What browsers take these for.
_STANDS_FOR = {"ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gbk", "tis-620": "cp874"}


def to_utf8(data: bytes, declared: str | None = None) -> tuple[bytes, str]:
    """Never raises: what cannot be decoded becomes U+FFFD. `declared` is a charset or a Content-Type value."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], name), name
    label = _label(declared)
    codec = _wide(label) or _codec(label) or _codec(_in_meta(data)) or "utf-8"
    return _decoded(data, codec), codec


def _decoded(data: bytes, codec: str) -> bytes:
    if data.isascii() and not codec.startswith("utf-16"):
        return data
    return data.decode(codec, "replace").encode("utf-8", "replace")


def _wide(label: str | None) -> str | None:
    """UTF-16 on the word of a header; a meta element that can be read before the charset is known cannot say so."""
    name = (label or "").lower().replace("_", "-")
    return {"utf-16": "utf-16-le", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}.get(name)


def _label(declared: str | None) -> str | None:
    if declared is None:
        return None
    inside = _IN_HEADER.search(declared)
    return inside[1] if inside else declared.strip()


def _in_meta(data: bytes) -> str | None:
    found = _META.search(data, 0, _META_WITHIN)
    return found[1].decode("ascii") if found else None


def _codec(label: str | None) -> str | None:
    if not label or not label.isascii():
        return None
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    name = _STANDS_FOR.get(name, name)
    return name if _READ.fullmatch(name) else None
