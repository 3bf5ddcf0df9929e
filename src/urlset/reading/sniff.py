"""Decoded bytes → what kind of document this really is, whatever its name and declared type say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

import msgspec

from urlset.model.document import Contents, Kind
from urlset.model.trouble import Trouble, TroubleKind
from urlset.reading.prolog import Beginning, PrologReader
from urlset.spec.lazy_pattern import lazy_pattern

_HTML = lazy_pattern(
    rb"(?>\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*)(?:<!doctype\s+html|<html[\s>])", re.DOTALL | re.IGNORECASE
)
_HEAD = 65536


class Sniffed(msgspec.Struct):
    """The kind and, for XML, the way in."""

    kind: Kind
    beginning: Beginning | None = None
    troubles: Sequence[Trouble] = ()


class KindReader(Protocol):
    """A module that reads one kind without XML."""

    def recognizes(self, data: bytes, /) -> bool: ...

    def read(self, data: bytes, /) -> Contents: ...


def reader_of(kind: Kind) -> KindReader:
    """Loaded when needed: a small sitemap needs none."""
    return cast("KindReader", import_module(f"urlset.reading.{kind.reader}"))


def sniff(data: bytes, name: str = "") -> Sniffed:
    """By content; the name only decides what a text without any sign is."""
    head = data[:_HEAD].lstrip()
    if not head and not data.strip():
        return Sniffed(Kind.EMPTY)
    if _HTML.match(data[:_HEAD]):
        return Sniffed(Kind.HTML)
    if not head.startswith(b"<"):
        for kind in Kind:
            if kind.reader is not None and not kind.is_xml and reader_of(kind).recognizes(data):
                return Sniffed(kind)
        if _is_named_robots(name):
            return Sniffed(Kind.ROBOTS)
    found = _sniff_xml(data, starts_as_markup=head.startswith(b"<"))
    is_rest_robots = found.kind is Kind.UNKNOWN and _is_named_robots(name)
    if is_rest_robots and reader_of(Kind.ROBOTS).recognizes(head.partition(b"\n")[2]):
        return Sniffed(Kind.ROBOTS)  # after `<?php … ?>` or the mark of a merge conflict
    return found


def _is_named_robots(name: str) -> bool:
    return name.replace("\\", "/").rpartition("/")[2].lower() == "robots.txt"


def _sniff_xml(data: bytes, *, starts_as_markup: bool) -> Sniffed:
    reader = PrologReader(data)
    beginning = reader.read()
    if beginning is None:
        return Sniffed(Kind.UNKNOWN, troubles=reader.troubles if starts_as_markup else [])
    if beginning.vocabulary is not None:
        return Sniffed(beginning.vocabulary.kind, beginning, beginning.troubles)
    if beginning.root.local.lower() in ("html", "head", "body", "script", "div"):
        return Sniffed(Kind.HTML)
    doctype = [trouble for trouble in beginning.troubles if trouble.kind is TroubleKind.DOCTYPE]
    return Sniffed(Kind.OTHER_XML if starts_as_markup else Kind.UNKNOWN, beginning, doctype)
