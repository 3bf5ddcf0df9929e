# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""Entries of the canonical shape → columns and hints, by compiled code: the fast lane, faster.

What it takes, it takes as the reference reader would, offsets included; at the first entry that is anything
else it stops, and the reference reader takes that entry. Every access to the input is checked against its
length; bytes are compared in bulk only after both ends of every slice were checked (`_same`, `_before`,
`_tag`, `_name`), and read by words likewise (`_hash`).
"""

from cython cimport final
from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy

from array import array
from itertools import accumulate

from urlset.model.columns import TEXTS, Hint, Mark
from urlset.reading import compiled_words, limits

cdef Py_ssize_t MAX_TOKEN = limits.MAX_TOKEN
cdef unsigned char MARK_EXTENDED = Mark.EXTENDED
cdef unsigned char MARK_CANONICAL = Mark.EXTENDED | Mark.CANONICAL
cdef unsigned char HINT_LOC = Hint.PLAIN_LOC
cdef unsigned char HINT_FIELDS = Hint.PLAIN_FIELDS
cdef unsigned char HINT_SAME_HEAD = Hint.SAME_HEAD
cdef unsigned char HINT_SLASHED = Hint.SLASHED
cdef unsigned char HINT_ASCENDING = Hint.ASCENDING

include "compiled_bytes.pxi"
include "compiled_elements.pxi"
include "compiled_screen.pxi"
include "compiled_values.pxi"
include "compiled_batch.pxi"
include "compiled_columns.pxi"


@final
cdef class CompiledLane(Batch):
    """One document, and what was learnt from the entries before."""

    # the tags of the row and its fields, one behind the other
    cdef const unsigned char[::1] tags
    cdef const int64_t[::1] opens
    cdef const int64_t[::1] closes
    # what stood between two values last time: most likely the same bytes stand there again
    cdef int64_t[::1] glue_at
    cdef int64_t[::1] glue_size
    cdef int64_t[::1] glue_next
    cdef Py_ssize_t first_glue_at, first_glue_size, first_glue_lead
    cdef int next_field
    cdef Py_ssize_t entry_at
    """where the tag of the entry begins"""
    # the last plain address of an entry that was taken
    cdef Py_ssize_t last_at, last_size

    def __init__(self, bytes data, bytes prefix, bytes row, tuple prefixes):
        Batch.__init__(self, data, prefixes)
        names = (row, b"loc", b"lastmod", b"changefreq", b"priority")
        opens = [b"<" + prefix + name + b">" for name in names]
        closes = [b"</" + prefix + name + b">" for name in names]
        self.tags = b"".join(opens + closes)
        ends = list(accumulate(map(len, opens + closes), initial=0))
        self.opens = array("q", ends[:6])
        self.closes = array("q", ends[5:])
        self.glue_at = array("q", bytes(8 * 4))
        self.glue_size = array("q", bytes(8 * 4))
        self.glue_next = array("q", bytes(8 * 4))

    def run(self, Py_ssize_t at, columns):
        """Append entries from `at` on; the offset behind the last one taken."""
        cdef Py_ssize_t taken = BATCH, few = columns.few
        cdef bint put_off = columns.taker is self
        if not 0 <= at <= self.limit:
            raise IndexError(f"offset {at} in {self.limit} bytes")
        if put_off:
            columns.put_off(self)  # what somebody asked for meanwhile goes on as well
        cdef bytearray hints = columns.hints
        hints.extend(bytes(len(columns.starts) - len(hints)))
        while taken == BATCH:
            with nogil:
                taken = self._batch(at)
            if taken:
                if taken >= few and not put_off:
                    columns.put_off(self)
                    put_off = True
                self._hand_over(taken, columns, at, put_off)
                at = self.ends[taken - 1]
        columns.newest_day = max(columns.newest_day, self.newest_day)
        return at

    cdef inline Py_ssize_t _batch(self, Py_ssize_t at) except -1 nogil:
        """Read up to a batch of entries into the spans; how many."""
        cdef Py_ssize_t row = 0, end
        self.far = False
        while row < BATCH:
            self.room = min(self.limit, at + MAX_TOKEN)
            end = self._entry(at, row)
            if end < 0:
                break
            if self.hints[row] & HINT_LOC:
                self.last_head_number = self.head_number
                self.last_at = self.spans[row * 8]
                self.last_size = self.spans[row * 8 + 1] - self.last_at
            self.ends[row] = end
            at = end
            row += 1
        return row

    cdef inline Py_ssize_t _entry(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind the entry; -1 when it is not of the canonical shape."""
        cdef Py_ssize_t base = row * 8, end
        cdef int field
        for field in range(LASTMOD, PRIORITY + 1):
            self.brief[KEPT * row + field] = ABSENT
        at = self._opening(at)
        if at < 0:
            return -1
        self.starts[row] = self.entry_at
        self.references = False
        end = self._loc(at)
        if end < 0:
            return -1
        self.spans[base] = at
        self.spans[base + 1] = end
        self.hints[row] = 0
        if self.plain:
            self.hints[row] = HINT_LOC | (HINT_SLASHED if self.slashed else 0)
            if self.head_number == self.last_head_number:
                self.hints[row] |= HINT_SAME_HEAD
            if self._before(self.last_at, self.last_size, at, end - at):
                self.hints[row] |= HINT_ASCENDING
        self._note_loc(row, self.entry_at, at, end)
        at = self._between(LOC, end)
        while LASTMOD <= self.next_field <= PRIORITY and at >= 0:
            field = self.next_field
            end = self._field(at, field)
            if end < 0:
                return -1
            self.spans[base + 2 * field] = at
            self.spans[base + 2 * field + 1] = end
            self.slots[4 * row + field] = self.slot
            self.brief[KEPT * row + field] = self.code
            at = self._between(field, end)
        self.marks[row] = 0
        if at >= 0 and self.next_field == EXTENDED:
            at = self._extensions(self._space(at))  # more space than last time, perhaps
            self.marks[row] = MARK_CANONICAL if self.deepest <= 2 else MARK_EXTENDED
        return at

    cdef inline Py_ssize_t _opening(self, Py_ssize_t at) except -2 nogil:
        """Behind `<url><loc>` and the space before and between; `entry_at` tells where the first begins."""
        cdef Py_ssize_t here
        if self.first_glue_size and self._same(at, self.first_glue_at, self.first_glue_size):
            self.entry_at = at + self.first_glue_lead
            return at + self.first_glue_size
        self.entry_at = self._space(at)
        here = self._tag(self.entry_at, self.opens[0], self.opens[1])
        if here < 0:
            return -1
        here = self._tag(self._space(here), self.opens[1], self.opens[2])
        if here >= 0:
            self.first_glue_at = at
            self.first_glue_size = here - at
            self.first_glue_lead = self.entry_at - at
        return here

    cdef inline Py_ssize_t _between(self, int field, Py_ssize_t at) except -2 nogil:
        """From the end of a value to whatever comes next, which `next_field` tells."""
        cdef Py_ssize_t here, found
        cdef int following
        if self.glue_size[field] and self._same(at, self.glue_at[field], self.glue_size[field]):
            self.next_field = self.glue_next[field]
            return at + self.glue_size[field]
        here = self._tag(at, self.closes[field + 1], self.closes[field + 2])
        if here < 0:
            return -1
        here = self._space(here)
        self.next_field = EXTENDED
        for following in range(field + 1, PRIORITY + 1):
            found = self._tag(here, self.opens[following + 1], self.opens[following + 2])
            if found >= 0:
                self.next_field = following
                here = found
                break
        else:
            found = self._tag(here, self.closes[0], self.closes[1])
            if found >= 0:
                self.next_field = CLOSED
                here = found
        if here > at:
            self.glue_at[field] = at
            self.glue_size[field] = here - at
            self.glue_next[field] = self.next_field
        return here

    cdef inline Py_ssize_t _tag(self, Py_ssize_t at, Py_ssize_t start, Py_ssize_t end) except -2 nogil:
        """Behind the tag when just this one stands there."""
        cdef Py_ssize_t size = end - start
        if size <= 0 or size > self.room - at or self.data[at] != 60:
            return -1
        if memcmp(&self.data[at], &self.tags[start], size) != 0:
            return -1
        return at + size

    cdef inline Py_ssize_t _extensions(self, Py_ssize_t at) except -2 nogil:
        """Behind the row's close tag, past any number of elements of other namespaces."""
        cdef Py_ssize_t found
        self.deepest = 0
        while True:
            self.depth = 0
            at = self._element(at)
            if at < 0:
                return -1
            at = self._space(at)
            found = self._tag(at, self.closes[0], self.closes[1])
            if found >= 0:
                return found
