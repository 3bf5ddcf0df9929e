"""Decoded bytes → what kind of document this really is, whatever its name and declared type say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from urlset.model.document import Kind
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


def sniff(data: bytes, name: str = "") -> Sniffed:
    """By content; the name only decides what a text without any sign is."""
    head = data[:_HEAD].lstrip()
    if not head and not data.strip():
        return Sniffed(Kind.EMPTY)
    if _HTML.match(data[:_HEAD]):
        return Sniffed(Kind.HTML)
    if not head.startswith(b"<"):
        from urlset.reading.front_matter import front_matter_end  # each loads more than a small sitemap needs
        from urlset.reading.robots import looks_like_robots
        from urlset.reading.text import looks_like_text_list

        # a template that was not rendered: its front matter may have keys that robots.txt has too
        body = data[front_matter_end(data) :]
        if looks_like_robots(body):
            return Sniffed(Kind.ROBOTS)
        if looks_like_text_list(body):
            return Sniffed(Kind.TEXT)
        if _is_named_robots(name):
            return Sniffed(Kind.ROBOTS)
    found = _sniff_xml(data, starts_as_markup=head.startswith(b"<"))
    if found.kind is Kind.UNKNOWN and _is_named_robots(name):
        from urlset.reading.robots import looks_like_robots

        # `<?php … ?>` or the mark of a merge conflict before the rules
        if looks_like_robots(head.partition(b"\n")[2]):
            return Sniffed(Kind.ROBOTS)
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
