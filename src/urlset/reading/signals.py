"""Texts of entries → signals, in pure Python; what each signal means is written in `spec/signals.py`.

`compiled_signals.pyx` gives the same integers for addresses; a test compares the two.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from urlset.model.moment import DateForm, Fault, Moment
from urlset.reading.limits import is_compiled
from urlset.spec import signals as spec
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Region, Signal

if TYPE_CHECKING:
    from urlset.reading.compiled_signals import LocSignals


_PARTS = lazy_pattern(rb"((?:[A-Za-z][A-Za-z0-9+.\-]*:)?(?://[^/?#]*)?)([^?#]*)(\?[^#]*)?", re.DOTALL)
_WEB = lazy_pattern(rb"(?i:https?)://(?![^/?#]*@)[^/?#:]")
_START = lazy_pattern(rb"(?:[^/]*/){2}[^/]*", re.DOTALL)
_RUN = lazy_pattern(rb"((?:%[0-9A-Fa-f]{2})+)|%")


def loc_signals(loc: str | None) -> int:
    """The signals of one address as written."""
    if loc is None:
        return Signal.MISSING
    stripped = loc.strip()
    if not stripped:
        return Signal.EMPTY
    found = 0 if stripped == loc else Signal.PADDED
    text = stripped.encode("utf-8", "surrogatepass")
    if len(text) > spec.MOST_BYTES:
        found |= Signal.LONG_FOR_BAIDU
        if len(stripped) > spec.MOST_CHARACTERS:
            found |= Signal.LONG
    elif len(stripped) < spec.FEWEST_CHARACTERS:
        found |= Signal.SHORT
    parts = _PARTS.match(text)
    assert parts is not None  # every piece is optional
    _, (_, head), (_, path), _ = parts.regs
    end = parts.end()
    found |= _head_signals(parts[1])
    if end < len(text):
        found |= Signal.FRAGMENT
    if head == path:
        found |= Signal.NO_PATH if b"//" in parts[1] else 0
    elif text[path - 1] == _SLASH:
        found |= Signal.SLASHED
    if _hits().search(text, head) is None and b"%" not in text:
        return found
    start = _START.match(text, head, path)
    return found | _judged(text, head, (head, path if start is None else start.end(), path, end, len(text)))


@lru_cache(64)
def _head_signals(head: bytes) -> int:
    """Of scheme and authority, which most addresses of a file share."""
    found = 0 if _WEB.match(head) else Signal.NOT_WEB
    return found | _judged(head, 0, (len(head),))


_SLASH = 47
_REGIONS = (Region.HEAD, Region.START, Region.REST, Region.QUERY, Region.FRAGMENT)


def _judged(text: bytes, begin: int, ends: tuple[int, ...]) -> int:
    """The signals raised by bytes, words and escapes from `begin` on; the ends are those of the regions."""
    alone, behind, found = *_tests(), 0
    for hit in _hits().finditer(text, begin):
        at = hit.start()
        region = _REGIONS[bisect_right(ends, at)]
        for within, signal in alone.get(text[at], ()):
            if region & within:
                found |= signal
        for within, signal, word in behind.get(text[at : at + 2], ()):
            if region & within and not found & signal and word.match(text, at + 1):
                found |= signal
    for run in _RUN.finditer(text, begin) if b"%" in text else ():
        if run[1] is None:
            found |= spec.BROKEN_ESCAPE.signal
        elif not _ordinary_run().fullmatch(run[1]):
            found |= _escapes(run[1], _REGIONS[bisect_right(ends, run.start())])
    return found


def _escapes(run: bytes, region: int) -> int:
    """The signals of neighbouring escapes."""
    values = bytes.fromhex(run.replace(b"%", b"").decode())
    found = 0
    for each in spec.ESCAPES:
        if region & each.within and not set(values).isdisjoint(each.values):
            found |= each.signal
    if region & spec.LOWER_CASE_ESCAPE.within and run.upper() != run:
        found |= spec.LOWER_CASE_ESCAPE.signal
    if region & spec.FOREIGN_ESCAPE.within:
        try:
            values.decode()
        except UnicodeDecodeError:
            found |= spec.FOREIGN_ESCAPE.signal
    return found


@cache
def _tests() -> tuple[dict[int, list[tuple[int, int]]], dict[bytes, list[tuple[int, int, re.Pattern[bytes]]]]]:
    """By byte: where it counts and the signal; by byte and the first of a word: the same and what must follow."""
    alone: dict[int, list[tuple[int, int]]] = {}
    behind: dict[bytes, list[tuple[int, int, re.Pattern[bytes]]]] = {}
    for each in spec.BYTES:
        for byte in each.chars:
            alone.setdefault(byte, []).append((each.within, each.signal))
    for words in spec.WORDS:
        # A pattern, in Latin-1, for what comes behind the byte.
        known = "|".join(re.escape(word.decode("latin-1")) for word in words.words)
        known = f"(?i:{known})" if words.folded else f"(?:{known})"
        pattern = lazy_pattern(
            (known if words.until is None else rf"{known}(?=[{re.escape(words.until.decode())}]|\Z)").encode("latin-1")
        )
        for byte in words.after:
            # The bytes that a word may begin with.
            found = {word[0] for word in words.words}
            for first in found | set(bytes(found).upper()) if words.folded else found:
                behind.setdefault(bytes((byte, first)), []).append((words.within, words.signal, pattern))
    return alone, behind


@cache
def _hits() -> re.Pattern[bytes]:
    """The bytes that raise a signal, or may: starts with a set, so the search skips all others quickly."""
    alone = {byte for each in spec.BYTES for byte in each.chars}
    behind: dict[int, set[bytes]] = {}
    for words in spec.WORDS:
        known = {case for word in words.words for case in ({word, word.upper()} if words.folded else {word})}
        for byte in words.after:
            behind.setdefault(byte, set()).update(word[:2] for word in known)
    cases = [rf"(?<=[{_set(alone)}])"]
    for byte, pairs in behind.items():
        seconds: dict[int, set[int]] = {}
        for pair in pairs:
            for first in {pair[0], *pair[:1].lower()}:
                seconds.setdefault(first, set()).update({*pair[1:], *pair[1:].lower()})
        alone_too = {pair for pair in pairs if len(pair) == 1}
        follows = "|".join(
            _set({first}) if bytes((first,)) in alone_too else f"{_set({first})}[{_set(second)}]"
            for first, second in seconds.items()
        )
        cases.append(rf"(?<={_set({byte})})(?={follows})")
    return re.compile(f"[{_set({*alone, *behind})}](?:{'|'.join(cases)})".encode("latin-1"))


def _set(chars: Iterable[int]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in sorted(chars))


@cache
def _ordinary_run() -> re.Pattern[bytes]:
    """Escapes that raise nothing wherever they are: UTF-8, in uppercase, only of what must be escaped."""
    suspicious = {byte for each in spec.ESCAPES for byte in each.values}
    single = "|".join(f"{byte:02X}" for byte in range(128) if byte not in suspicious)
    more = "%[89AB][0-9A-F]"
    double = rf"(?:C[2-9A-F]|D[0-9A-F]){more}"
    triple = rf"(?:E0%[AB][0-9A-F]|E[1-9A-CEF]{more}|ED%[89][0-9A-F]){more}"
    return re.compile(f"(?:%(?:{single}|{double}|{triple}))+".encode())


def _batch(locs: Iterable[str | None]) -> array[int]:
    found, before = array("Q"), _NO_HEAD
    for loc in locs:
        signals = loc_signals(loc)
        if not signals & _NO_ADDRESS and not loc.strip().startswith(before):  # type: ignore[union-attr]  # MISSING
            signals |= Signal.OTHER_HEAD
            before = _head_before_path(loc.strip())  # type: ignore[union-attr]  # likewise
        found.append(signals)
    return found


_NO_ADDRESS = Signal.MISSING | Signal.EMPTY
_NO_HEAD = "\0 no address begins so"
_HEAD = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9+.\-]*:)?//[^/?#]*(?=/)")
_LONGEST_HEAD = 256


def _head_before_path(loc: str) -> str:
    """Scheme and authority with the slash behind them, where they are such as the addresses that follow may share."""
    head = _HEAD.match(loc)
    if head is None or len(head[0].encode("utf-8", "surrogatepass")) > _LONGEST_HEAD:
        return _NO_HEAD
    return f"{head[0]}/"


# What is noted of media while their signals are computed.


class RowLinks(NamedTuple):
    """What the links of an entry say, where all of them are ordinary."""

    languages: tuple[str, ...]
    """in lowercase"""
    hrefs: tuple[str, ...]


class MediaNotes:
    """What was noted of media while their signals were computed."""

    def __init__(self) -> None:
        self.links: dict[int, RowLinks] = {}
        """by row, for entries with ordinary links"""
        self.image_hosts: dict[bytes, int] | None = None
        """how many images each host has; None where not each address is ordinary"""
        self.repeated: set[str] | None = None
        """fields of videos in which a value occurs twice, or may; None where not each is ordinary"""


def batch(locs: list[str | None]) -> array[int]:
    """The signals of many addresses, by the compiled evaluator where there is one."""
    judge = loc_judge()
    return _batch(locs) if judge is None else judge.batch(locs)


def loc_judge() -> LocSignals | None:
    """The compiled evaluator, where there is one."""
    if not is_compiled():
        return None
    from urlset.reading.compiled_signals import LocSignals

    return LocSignals()


def lastmod_signals(text: str | None) -> int:
    if text is None or spec.ORDINARY_DATE.fullmatch(text):
        return 0
    if spec.MINUTE_DATE.fullmatch(text):
        return Signal.NO_SECONDS
    return Signal.ODD_DATE | _date_faults(text) | _long(text)


_CALENDAR = frozenset({Fault.IMPOSSIBLE_DATE, Fault.IMPOSSIBLE_TIME, Fault.HOUR_24, Fault.SECOND_60})
_ZONE = frozenset(
    {
        *(Fault.NO_TIMEZONE, Fault.OFFSET_WITHOUT_COLON, Fault.OFFSET_HOUR_ONLY, Fault.DATE_WITH_TIMEZONE),
        Fault.OFFSET_RANGE,
    }
)
_TIME = frozenset({Fault.SPACE_FOR_T, Fault.LOWER_CASE, Fault.HOUR_ONLY})


def _date_faults(text: str) -> int:
    """What kind of odd date it is: there are a dozen rules on them."""
    moment = Moment.parse(text.strip())
    found = 0 if text.strip() == text and text else Signal.DATE_BLANK
    if moment.form in (DateForm.YEAR, DateForm.MONTH):
        found |= Signal.DATE_COARSE
    for each in moment.faults:
        if each.fault in _CALENDAR:
            found |= Signal.DATE_CALENDAR
        elif each.fault in _ZONE:
            found |= Signal.DATE_ZONE
        elif each.fault in _TIME:
            found |= Signal.DATE_TIME
        else:
            found |= Signal.DATE_NOTATION
    return found


def changefreq_signals(text: str | None) -> int:
    if text is None:
        return 0
    return 0 if text in spec.CHANGEFREQS else Signal.ODD_CHANGEFREQ | _long(text)


def priority_signals(text: str | None) -> int:
    if text is None:
        return 0
    return 0 if spec.ORDINARY_PRIORITY.fullmatch(text) else Signal.ODD_PRIORITY | _long(text)


def _long(text: str) -> int:
    return Signal.LONG_HINT if len(text.encode("utf-8", "surrogatepass")) > spec.MOST_HINT_BYTES else 0


REGIONS = 5
HOOK = spec.Signal.UNKNOWN
"""set in `classes` for bytes that are more than themselves: they open a region, begin an escape or precede a word"""
KINDS = 8
"""how a word may end: 0 before anything, the others before certain bytes; one bit each in `ends`"""


class Packed(msgspec.Struct, frozen=True):
    """Everything is indexed by region, byte or node; a node is a place in a tree of words, 0 is none."""

    classes: array[int]
    """by region and byte: the signals of the byte alone"""
    exact_roots: array[int]
    """by region and byte: the node behind which words are looked for letter by letter"""
    folded_roots: array[int]
    """the same for words that may be in uppercase"""
    symbols: bytes
    """by byte: its column in `following`; 0 for bytes that are in no word"""
    width: int
    following: array[int]
    """by node and column: the next node"""
    signals: array[int]
    """by node and kind of end"""
    final_nodes: bytes
    """by node: 1 where a word may end"""
    ends: bytes
    """by byte: the kinds of ends that it makes, a bit each; the end of the address makes all"""
    escapes: array[int]
    """by region and value: the signals of an escape"""
    lower_escapes: array[int]
    """by region: the signals of an escape with a lower-case digit"""


class _Trees:
    """Words, inserted one by one."""

    def __init__(self) -> None:
        letters = sorted({byte for words in spec.WORDS for word in words.words for byte in word})
        self.symbols = bytearray(256)
        for column, byte in enumerate(letters, 1):
            self.symbols[byte] = column
        self.width = len(letters) + 1
        self.nodes = 1
        self._steps: dict[int, int] = {}
        self._marks: dict[int, int] = {}
        self.kinds: dict[bytes | None, int] = {None: 0}
        self.roots: dict[tuple[spec.Words, ...], int] = {(): 0}

    @property
    def following(self) -> array[int]:
        return _filled(array("H", bytes(2 * self.width * self.nodes)), self._steps)

    @property
    def signals(self) -> array[int]:
        return _filled(array("Q", bytes(8 * KINDS * self.nodes)), self._marks)

    @property
    def final_nodes(self) -> bytes:
        found = bytearray(self.nodes)
        for mark in self._marks:
            found[mark // KINDS] = 1
        return bytes(found)

    def root(self, groups: tuple[spec.Words, ...]) -> int:
        """The tree of these words; the same for the same words."""
        known = self.roots.get(groups)
        if known is not None:
            return known
        root = self.roots[groups] = self.nodes
        self.nodes += 1
        steps, marks, symbols, width = self._steps, self._marks, self.symbols, self.width
        for words in groups:
            kind = self.kinds.setdefault(words.until, len(self.kinds))
            for word in words.words:
                node = root
                for byte in word:
                    step = node * width + symbols[byte]
                    following = steps.get(step)
                    if following is None:
                        following = steps[step] = self.nodes
                        self.nodes += 1
                    node = following
                mark = node * KINDS + kind
                marks[mark] = marks.get(mark, 0) | words.signal
        return root


def _filled(table: array[int], values: dict[int, int]) -> array[int]:
    for at, value in values.items():
        table[at] = value
    return table


def _by_region(within: int) -> list[int]:
    return [region for region in range(REGIONS) if within >> region & 1]


@cache
def packed() -> Packed:
    classes, escapes = array("Q", bytes(8 * REGIONS * 256)), array("Q", bytes(8 * REGIONS * 256))
    for single in spec.BYTES:
        for region in _by_region(single.within):
            for byte in single.chars:
                classes[region * 256 + byte] |= single.signal
    for escaped in spec.ESCAPES:
        for region in _by_region(escaped.within):
            for byte in escaped.values:
                escapes[region * 256 + byte] |= escaped.signal
    trees = _Trees()
    roots = {folded: array("H", bytes(2 * REGIONS * 256)) for folded in (False, True)}
    for region in range(REGIONS):
        for byte in {byte for words in spec.WORDS for byte in words.after}:
            for folded, table in roots.items():
                table[region * 256 + byte] = trees.root(
                    tuple(
                        words
                        for words in spec.WORDS
                        if words.folded is folded and byte in words.after and words.within >> region & 1
                    )
                )
    for region in range(REGIONS):
        for byte in (*b"/?#%", *(byte for words in spec.WORDS for byte in words.after)):
            if byte in b"/?#%" or any(table[region * 256 + byte] for table in roots.values()):
                classes[region * 256 + byte] |= HOOK
    ends = bytearray(256)
    for until, kind in trees.kinds.items():
        for byte in until or b"":
            ends[byte] |= 1 << kind
    lower = spec.LOWER_CASE_ESCAPE
    return Packed(
        classes,
        roots[False],
        roots[True],
        bytes(trees.symbols),
        trees.width,
        trees.following,
        trees.signals,
        trees.final_nodes,
        bytes(ends),
        escapes,
        array("Q", (lower.signal if lower.within >> region & 1 else 0 for region in range(REGIONS))),
    )
