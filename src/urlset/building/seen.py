"""Keys of addresses → whether each was met before, in sixteen to thirty-two bytes a key."""

from __future__ import annotations

from array import array

_MASK = (1 << 64) - 1
_FIRST_BITS = 16


class HashSet:
    """A set of 64-bit hashes, open addressing in one flat array.

    Two different keys are taken for one with a chance of one in 37 million for a million keys. The hash differs
    from process to process, so colliding addresses cannot be chosen, and a second run would show it.
    """

    def __init__(self) -> None:
        self._resize(_FIRST_BITS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, key: str) -> bool:
        """True when the key is new."""
        value = hash(key) & _MASK or 1  # zero marks a free place
        table, mask = self._table, self._mask
        at = value & mask
        while found := table[at]:
            if found == value:
                return False
            at = (at + 1) & mask
        table[at] = value
        self._count += 1
        if self._count > self._limit:
            self._grow()
        return True

    def _resize(self, bits: int) -> None:
        self._bits = bits
        self._mask = (1 << bits) - 1
        self._limit = 1 << (bits - 1)
        self._table = array("Q", bytes(8 << bits))

    def _grow(self) -> None:
        old = self._table
        self._resize(self._bits + 1)
        table, mask = self._table, self._mask
        for value in old:
            if value:
                at = value & mask
                while table[at]:
                    at = (at + 1) & mask
                table[at] = value
