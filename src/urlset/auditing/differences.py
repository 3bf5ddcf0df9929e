"""Two addresses → in which components they differ, in words that say what is wrong with the first."""

from __future__ import annotations

import re
from urllib.parse import unquote

import ada_url

from urlset.spec.protection import LOGIN_ADDRESS

ELSEWHERE = "another page"
"""nothing simple turns one into the other"""
_EXTENSION = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_INDEX = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_SLASHES = re.compile(r"/{2,}")
_LANGUAGE = re.compile(r"/[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_LONGEST_PREFIX = 3
_MOST_NAMES = 3


def differences(listed: str, target: str) -> tuple[str, ...]:
    """What would have to change in `listed` to make it `target`, in the order of an address; empty for equals."""
    try:
        one, two = ada_url.URL(listed), ada_url.URL(target)
    except (ValueError, UnicodeEncodeError):
        return (ELSEWHERE,)
    if LOGIN_ADDRESS.search(target) and not LOGIN_ADDRESS.search(listed):
        return ("redirect to a login page",)
    found: list[str] = []
    if one.protocol != two.protocol:
        found.append(f"{one.protocol.rstrip(':')} instead of {two.protocol.rstrip(':')}")
    if one.host != two.host:
        found.append(_host(one, two))
    path = _path(one.pathname, two.pathname)
    if path == ELSEWHERE:
        return (*found, ELSEWHERE)
    found += [path] if path else []
    query = _query(one.search, two.search)
    return (*found, query) if query else tuple(found)


def _host(one: ada_url.URL, two: ada_url.URL) -> str:
    if one.host == f"www.{two.host}":
        return "host with www."
    if two.host == f"www.{one.host}":
        return "host without www."
    if one.hostname == two.hostname:
        return f"port {one.port or 'none'} instead of {two.port or 'none'}"
    return f"host {one.host} instead of {two.host}"


def _path(one: str, two: str) -> str | None:
    """The one difference between two paths; several at once are reported if they are of these kinds."""
    if one == two:
        return None
    found: list[str] = []
    if _SLASHES.sub("/", one) != one and _SLASHES.sub("/", two) == two:
        found.append("doubled slash")
        one = _SLASHES.sub("/", one)
    if unquote(one) == unquote(two):
        return _joined(found, "other percent-encoding" if one != two else None)
    one, two = unquote(one), unquote(two)
    said, one, two = _ending(one, two)
    found += said
    if one == two:
        return _joined(found)
    if one.casefold() == two.casefold():
        return _joined(
            found, "uppercase letters in the path" if two == two.lower() else "different letter case in the path"
        )
    prefix = _prefix(one, two)
    return _joined(found, prefix) if prefix else ELSEWHERE


def _joined(found: list[str], last: str | None = None) -> str | None:
    return " and ".join([*found, *([last] if last else [])]) or None


def _ending(one: str, two: str) -> tuple[list[str], str, str]:
    """Index file, extension and trailing slash of both taken off, and what they said."""
    found: list[str] = []
    index_one, index_two = _INDEX.search(one), _INDEX.search(two)
    if index_one and not index_two:
        found.append(f"superfluous {index_one[0].lstrip('/').lower()}")
        one = one[: index_one.start() + 1] if two.endswith("/") else one[: index_one.start()] or "/"
    elif index_two and not index_one:
        found.append(f"missing {index_two[0].lstrip('/').lower()}")
        two = two[: index_two.start() + 1] if one.endswith("/") else two[: index_two.start()] or "/"
    else:
        ext_one, ext_two = _EXTENSION.search(one), _EXTENSION.search(two)
        if ext_one and not ext_two:
            found.append(f"extra extension {ext_one[0].lower()}")
            one, two = one[: ext_one.start()], two.rstrip("/") or "/"
        elif ext_two and not ext_one:
            found.append(f"missing extension {ext_two[0].lower()}")
            one, two = one.rstrip("/") or "/", two[: ext_two.start()]
        elif ext_one and ext_two and ext_one[0].lower() != ext_two[0].lower():
            found.append(f"extension {ext_one[0].lower()} instead of {ext_two[0].lower()}")
            one, two = one[: ext_one.start()], two[: ext_two.start()]
    if one.endswith("/") != two.endswith("/"):
        found.append("extra trailing slash" if one.endswith("/") else "missing trailing slash")
    return found, one.rstrip("/") or "/", two.rstrip("/") or "/"


def _prefix(one: str, two: str) -> str | None:
    """Folders at the beginning that were added, taken away or exchanged, before an end that stayed."""
    a, b = one.split("/")[1:], two.split("/")[1:]
    same = 0
    while same < min(len(a), len(b)) and a[-1 - same].casefold() == b[-1 - same].casefold():
        same += 1
    if same == 0 or not "".join(a[-same:]):
        return None
    before, after = (f"/{'/'.join(each)}" if each else "" for each in (a[: len(a) - same], b[: len(b) - same]))
    if max(before.count("/"), after.count("/")) > _LONGEST_PREFIX:
        return None
    kind = "language" if _LANGUAGE.fullmatch(after or before) and (not before or not after) else "folder"
    if not before:
        return f"missing {kind} {after}"
    if not after:
        return f"superfluous {kind} {before}"
    return f"path prefix {before} instead of {after}"


def _query(one: str, two: str) -> str | None:
    if one == two:
        return None
    a, b = _parameters(one), _parameters(two)
    if sorted(a) == sorted(b):
        return "different parameter order"
    gone = _names(sorted({name for name, _ in a} - {name for name, _ in b}))
    new = _names(sorted({name for name, _ in b} - {name for name, _ in a}))
    if gone and not new:
        return f"extra parameter {gone}"
    if new and not gone:
        return f"missing parameter {new}"
    return f"parameter {gone} instead of {new}" if gone else "different parameter values"


def _parameters(search: str) -> list[tuple[str, str]]:
    pairs = [each.partition("=") for each in search.lstrip("?").split("&") if each]
    return [(name, value) for name, _, value in pairs]


def _names(names: list[str]) -> str:
    shown = ", ".join(name[:40] for name in names[:_MOST_NAMES])
    return f"{shown} and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else shown
