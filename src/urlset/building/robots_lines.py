"""robots.txt and the sitemaps it should name → the same file with right `Sitemap:` lines, all else untouched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from urlset.model.document import LineKind, RobotsLine
from urlset.model.shown import few
from urlset.reading.robots import read_robots
from urlset.writing.files import write_atomically

_SHOWN_RULES = 3
_MARK = b"\xef\xbb\xbf"
_OTHER_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")


class RobotsChange(msgspec.Struct, frozen=True):
    data: bytes | None
    """the file as it should be; None when it does not exist and was not requested"""
    added: tuple[str, ...] = ()
    corrected: tuple[tuple[str, str], ...] = ()
    """(old, new); new is empty when the line is gone because another one says it already"""
    refusal: str | None = None
    """why the file was left alone although a line is missing"""

    @property
    def changed(self) -> bool:
        return bool(self.added or self.corrected)


def corrected(
    existing: bytes | None,
    wanted: Sequence[str],
    own_before: Collection[str] = (),
    *,
    create: bool = False,
    live: bytes | None = None,
) -> RobotsChange:
    """`own_before` are the addresses we wrote ourselves in earlier builds: no other line is ever changed.

    `live` is the robots.txt that the site has. A new file begins with it, and one that lacks some of its rules is
    left alone: to publish it would open what the site closes.
    """
    wanted = tuple(dict.fromkeys(wanted))
    bad = next((url for url in wanted if not url.isprintable() or " " in url or "#" in url), None)
    if bad is not None:
        raise ValueError(f"{bad!r} cannot be written in a Sitemap line")
    if existing is None:
        if not create:
            return RobotsChange(None, refusal="no robots.txt; use --write-robots to create it")
        refusal = _unreadable(live) if live is not None else None
        if refusal is not None:
            return RobotsChange(None, refusal=f"the live {refusal}")
        return _rewritten(live or b"", wanted, frozenset())
    refusal = _unreadable(existing) or (_weaker(existing, live) if live is not None else None)
    if refusal is not None:
        return RobotsChange(existing, refusal=refusal)
    return _rewritten(existing, wanted, frozenset(own_before) - frozenset(wanted))


def keep_right(
    path: Path,
    wanted: Sequence[str],
    own_before: Collection[str] = (),
    *,
    create: bool = False,
    live: bytes | None = None,
) -> RobotsChange:
    """The same for a file, which is created or replaced in one step, and only when a line changes."""
    if path.exists() and not path.is_file():  # reading a pipe or a device might never end
        return RobotsChange(None, refusal="it is not a regular file")
    try:
        existing = path.read_bytes()
    except FileNotFoundError:
        existing = None
    change = corrected(existing, wanted, own_before, create=create, live=live)
    if change.data is not None and change.data != existing:
        write_atomically(path, [change.data])
    return change


def _unreadable(data: bytes) -> str | None:
    if data.startswith(_OTHER_ENCODINGS) or b"\0" in data:
        return "robots.txt is not UTF-8 text"
    if data.removeprefix(_MARK).lstrip().startswith(b"<"):
        return "robots.txt contains markup, not rules"
    return None


def _weaker(data: bytes, live: bytes) -> str | None:
    """Which rules of the live file are not in the other, by crawler."""
    missing = sorted(_rules(live) - _rules(data))
    if not missing:
        return None
    shown = few([f"'{rule}' for {agent}" for agent, rule in missing], _SHOWN_RULES)
    return f"it lacks rules of the live robots.txt: {shown}; add them to the local file"


def _rules(data: bytes) -> set[tuple[str, str]]:
    return {
        (agent.lower(), f"{line.written.capitalize()}: {line.value}")
        for group in read_robots(data)[0].groups
        for agent in group.agents
        for line in group.lines
        if line.kind in (LineKind.ALLOW, LineKind.DISALLOW) and line.value
    }


def _rewritten(data: bytes, wanted: tuple[str, ...], outdated: frozenset[str]) -> RobotsChange:
    lines = read_robots(data)[0].sitemaps
    present = {line.value for line in lines}
    missing = [url for url in wanted if url not in present]
    pieces: list[bytes] = []
    reported: list[tuple[str, str]] = []
    done = 0
    for line in lines:
        if line.value in outdated:
            new = missing.pop(0) if missing else ""
            start, end = (line.value_place.offset, line.value_place.end) if new else _whole(data, line)
            pieces += [data[done:start], new.encode()]
            done = end
            reported.append((line.value, new))
    pieces.append(data[done:])
    rest = b"".join(pieces)
    if missing:
        lines = read_robots(rest)[0].sitemaps
        rest = _inserted(rest, _whole(rest, lines[-1])[1] if lines else None, missing)
    return RobotsChange(rest, tuple(missing), tuple(reported))


def _whole(data: bytes, line: RobotsLine) -> tuple[int, int]:
    """The line with its end."""
    start, end = line.place.offset, line.place.end
    if data[end : end + 2] == b"\r\n":
        return start, end + 2
    return start, min(end + 1, len(data))


def _inserted(data: bytes, at: int | None, urls: Sequence[str]) -> bytes:
    both = data.count(b"\r\n")
    counts = Counter({b"\n": data.count(b"\n") - both, b"\r\n": both, b"\r": data.count(b"\r") - both})
    end, count = counts.most_common(1)[0]
    newline = end if count else b"\n"  # the one the file uses most
    lines = b"".join(b"Sitemap: " + url.encode() + newline for url in urls)
    if at is None:
        at = len(data)
        # Sitemap lines belong to no group; the blank line says so to people.
        content = data.removeprefix(_MARK)
        if content.strip() and not content.endswith((b"\n\n", b"\r\n\r\n", b"\r\r")):
            lines = newline + lines
    before = data[:at]
    if before.removeprefix(_MARK) and not before.endswith((b"\n", b"\r")):
        lines = newline + lines
    return before + lines + data[at:]
