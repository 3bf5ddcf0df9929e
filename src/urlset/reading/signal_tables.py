"""The tables of `spec/signals.py` → flat arrays for the compiled evaluator."""

from __future__ import annotations

from array import array
from functools import cache

import msgspec

from urlset.spec import signals as spec

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
