"""The values of Link headers → the links they name: target, relations and attributes, as RFC 8288 writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

MOST_LINKS = 500
_LONGEST = 65_536
_TARGET = re.compile(r"[\s,]*<([^>]*)>")
_PARAMETER = re.compile(
    r"""\s*;\s*(?:([A-Za-z0-9!\#$&+\-.^_`|~*]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?)?""", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class HeaderLink(msgspec.Struct, frozen=True):
    target: str
    """as written"""
    rels: tuple[str, ...]
    """lowercase"""
    attributes: dict[str, str]
    """names in lowercase; of a repeated one the first, as the standard requires"""


def header_links(values: Iterable[str]) -> Iterator[HeaderLink]:
    """Never raises; what follows a fault is skipped to the next `<`."""
    left = MOST_LINKS
    for value in values:
        text, at = value[:_LONGEST], 0
        while left and (start := text.find("<", at)) >= 0:
            target = _TARGET.match(text, start)
            if target is None:
                break
            at = target.end()
            attributes: dict[str, str] = {}
            while parameter := _PARAMETER.match(text, at):
                at = parameter.end()
                name, quoted, bare = parameter.groups()
                if name:
                    said = _ESCAPED.sub(r"\1", quoted) if quoted is not None else bare or ""
                    attributes.setdefault(name.lower(), said.strip())
            left -= 1
            yield HeaderLink(target[1].strip(), tuple(attributes.get("rel", "").lower().split()), attributes)
