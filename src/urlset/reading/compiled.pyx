# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""Entries of the canonical shape → columns and hints, by compiled code: the fast lane, faster.

What it takes, it takes as the reference reader would, offsets included; at the first entry that is anything
else it stops, and the reference reader takes that entry. Every access to the input is checked against its
length; bytes are compared in bulk only after both ends of both slices were checked (`_same`, `_tag`, `_name`).
"""

from cython cimport final
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp

from array import array
from itertools import accumulate

from urlset.model.columns import Hint, Mark
from urlset.reading import compiled_words, limits

cdef Py_ssize_t MAX_TOKEN = limits.MAX_TOKEN
cdef unsigned char MARK_EXTENDED = Mark.EXTENDED
cdef unsigned char MARK_CANONICAL = Mark.EXTENDED | Mark.CANONICAL
cdef unsigned char HINT_LOC = Hint.PLAIN_LOC
cdef unsigned char HINT_FIELDS = Hint.PLAIN_FIELDS
cdef unsigned char HINT_SAME_HEAD = Hint.SAME_HEAD
cdef unsigned char HINT_SLASHED = Hint.SLASHED

include "compiled_bytes.pxi"
include "compiled_elements.pxi"
include "compiled_screen.pxi"
include "compiled_values.pxi"
include "compiled_columns.pxi"

cdef enum:
    LOC = 0
    LASTMOD = 1
    PRIORITY = 3
    CLOSED = 4
    EXTENDED = 5
    BATCH = 512


@final
cdef class CompiledLane(Values):
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
    # one batch of entries: eight bounds of values each, and the rest as columns
    cdef int64_t[::1] spans
    cdef int64_t[::1] slots
    cdef object start_column, end_column
    cdef uint64_t[::1] starts
    cdef uint64_t[::1] ends
    cdef bytearray mark_column, hint_column
    cdef unsigned char[::1] marks
    cdef unsigned char[::1] hints
    cdef unsigned char[::1] escaped

    def __init__(self, bytes data, bytes prefix, bytes row, tuple prefixes):
        Values.__init__(self, data, prefixes)
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
        self.spans = array("q", bytes(8 * BATCH * 8))
        self.slots = array("q", bytes(8 * BATCH * 4))
        self.start_column = array("Q", bytes(8 * BATCH))
        self.starts = self.start_column
        self.end_column = array("Q", bytes(8 * BATCH))
        self.ends = self.end_column
        self.mark_column = bytearray(BATCH)
        self.marks = self.mark_column
        self.hint_column = bytearray(BATCH)
        self.hints = self.hint_column
        self.escaped = bytearray(BATCH)

    def run(self, Py_ssize_t at, columns):
        """Append entries from `at` on; the offset behind the last one taken."""
        cdef Py_ssize_t taken = BATCH
        if not 0 <= at <= self.limit:
            raise IndexError(f"offset {at} in {self.limit} bytes")
        cdef bytearray hints = columns.hints
        hints.extend(bytes(len(columns.starts) - len(hints)))
        while taken == BATCH:
            with nogil:
                taken = self._batch(at)
            if taken:
                if self._hand_over(taken, columns):
                    self._note_plain(columns.plain_ranges, at, self.ends[taken - 1])
                at = self.ends[taken - 1]
        columns.newest_day = max(columns.newest_day, self.newest_day)
        return at

    cdef inline int _note_plain(self, list ranges, Py_ssize_t start, Py_ssize_t end) except -1:
        if ranges and ranges[len(ranges) - 1][1] == start:
            start = ranges.pop()[0]
        ranges.append((start, end))
        return 0

    cdef inline bint _hand_over(self, Py_ssize_t taken, columns) except -1:
        """Append the batch; whether all of it is plain."""
        cdef unsigned char wholly = HINT_LOC | HINT_FIELDS
        cdef bint all_plain = True
        cdef list locs = columns.locs, lastmods = columns.lastmods
        cdef list changefreqs = columns.changefreqs, priorities = columns.priorities
        cdef Py_ssize_t row, base
        for row in range(taken):
            base = row * 8
            locs.append(self._string(self.spans[base], self.spans[base + 1], self.escaped[row]))
            self.plain = True
            lastmods.append(self._shared(self.spans[base + 2], self.spans[base + 3], 1, self.slots[4 * row + 1]))
            changefreqs.append(self._shared(self.spans[base + 4], self.spans[base + 5], 2, self.slots[4 * row + 2]))
            priorities.append(self._shared(self.spans[base + 6], self.spans[base + 7], 3, self.slots[4 * row + 3]))
            if self.plain:
                self.hints[row] |= HINT_FIELDS
            if self.marks[row] or self.hints[row] & wholly != wholly:
                all_plain = False
        columns.starts.extend(self.start_column if taken == BATCH else self.start_column[:taken])
        columns.ends.extend(self.end_column if taken == BATCH else self.end_column[:taken])
        columns.marks.extend(self.mark_column if taken == BATCH else self.mark_column[:taken])
        columns.hints.extend(self.hint_column if taken == BATCH else self.hint_column[:taken])
        return all_plain

    cdef inline Py_ssize_t _batch(self, Py_ssize_t at) except -1 nogil:
        """Read up to a batch of entries into the spans; how many."""
        cdef Py_ssize_t row = 0, end
        while row < BATCH:
            self.room = min(self.limit, at + MAX_TOKEN)
            end = self._entry(at, row)
            if end < 0:
                break
            if self.hints[row] & HINT_LOC:
                self.last_head_number = self.head_number
            self.ends[row] = end
            at = end
            row += 1
        return row

    cdef inline Py_ssize_t _entry(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind the entry; -1 when it is not of the canonical shape."""
        cdef Py_ssize_t base = row * 8, end
        cdef int field
        for field in range(2, 8):
            self.spans[base + field] = -1
        at = self._opening(at, row)
        if at < 0:
            return -1
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
        self.escaped[row] = self.references
        at = self._between(LOC, end)
        while LASTMOD <= self.next_field <= PRIORITY and at >= 0:
            field = self.next_field
            end = self._field(at, field)
            if end < 0:
                return -1
            self.spans[base + 2 * field] = at
            self.spans[base + 2 * field + 1] = end
            self.slots[4 * row + field] = self.slot
            at = self._between(field, end)
        self.marks[row] = 0
        if at >= 0 and self.next_field == EXTENDED:
            at = self._extensions(self._space(at))  # more space than last time, perhaps
            self.marks[row] = MARK_CANONICAL if self.deepest <= 2 else MARK_EXTENDED
        return at

    cdef inline Py_ssize_t _opening(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind `<url><loc>` and the space before and between."""
        cdef Py_ssize_t here
        if self.first_glue_size and self._same(at, self.first_glue_at, self.first_glue_size):
            self.starts[row] = at + self.first_glue_lead
            return at + self.first_glue_size
        here = self._space(at)
        self.starts[row] = here
        here = self._tag(here, self.opens[0], self.opens[1])
        if here < 0:
            return -1
        here = self._tag(self._space(here), self.opens[1], self.opens[2])
        if here >= 0:
            self.first_glue_at = at
            self.first_glue_size = here - at
            self.first_glue_lead = <Py_ssize_t>self.starts[row] - at
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
