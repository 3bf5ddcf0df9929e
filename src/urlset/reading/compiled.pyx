# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""Entries → columns, comments and repairs, by compiled code.

A tokenizer for all that is well-formed between the root's tags: whatever it takes, it takes as the reference
reader would, offsets included. It stops at the first entry that is broken in a way it cannot repair, or whose
namespaces are not certain, and the reference reader takes that entry. Every access to the input is checked
against its length; bytes are compared or hashed in bulk only after both ends of every slice were checked.
"""

from cython cimport final
from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

from urlset.reading.compiled_signals cimport LocSignals

from array import array
from itertools import accumulate

from urlset.model.columns import TEXTS, EntryFields, Mark
from urlset.model.entry import Attribute, Element, TextRun, Value
from urlset.model.place import Place
from urlset.model.entry import Alternate, Image, Marked, Media, News, Video
from urlset.model.trouble import TroubleKind
from urlset.reading import around, limits, row_reader
from urlset.reading.salvage import FIELDS, is_leaf
from urlset.reading.salvage import repair
from urlset.spec.misspelling import is_misspelled
from urlset.spec.signals import Signal

cdef Py_ssize_t MAX_TOKEN = limits.MAX_TOKEN
cdef Py_ssize_t MAX_REPAIRS = limits.MAX_REPAIRS
cdef unsigned char MARK_EXTENDED = Mark.EXTENDED
cdef unsigned char MARK_IRREGULAR = Mark.IRREGULAR
cdef unsigned char MARK_DISORDERED = Mark.DISORDERED
cdef unsigned char MARK_ATTRIBUTED = Mark.ATTRIBUTED
cdef unsigned char MARK_SALVAGED = Mark.SALVAGED
cdef unsigned char MARK_COMMENTED = Mark.COMMENTED
cdef uint64_t MISSING = Signal.MISSING
cdef uint64_t EMPTY = Signal.EMPTY
cdef uint64_t OTHER_HEAD = Signal.OTHER_HEAD

include "compiled_bytes.pxi"
include "compiled_scopes.pxi"
include "compiled_elements.pxi"
include "compiled_texts.pxi"
include "compiled_detail.pxi"
include "compiled_media.pxi"
include "compiled_media_signals.pxi"
include "compiled_batch.pxi"
include "compiled_entry.pxi"
include "compiled_columns.pxi"


@final
cdef class CompiledScanner(AnyEntry):
    """One document, and what was learnt from the entries before."""

    # the bytes between two values of the last entry: most likely they are the same in the next
    cdef int64_t[::1] glue_at
    cdef int64_t[::1] glue_size
    cdef int64_t[::1] glue_next
    cdef Py_ssize_t first_glue_at, first_glue_size, first_glue_lead
    cdef int next_field
    cdef bint can_declare
    cdef Py_ssize_t seen
    """how many entries there were when the last run ended"""

    def __init__(self, bytes data, bytes own, bytes row, tuple prefixes, meaning=None, feed=None):
        AnyEntry.__init__(self, data, own, row, prefixes, feed)
        self.meaning = meaning
        self.can_declare = meaning is not None
        self.glue_at = array("q", bytes(8 * 4))
        self.glue_size = array("q", bytes(8 * 4))
        self.glue_next = array("q", bytes(8 * 4))

    def start_over(self, bytes data):
        """The same root, other bytes: nothing is known of them, and nothing that was read before can be asked for."""
        cdef Py_ssize_t code
        self._turn_to(data)
        for code in range(len(self.texts)):
            self.text_size[code] = 0
        self.texts = [None]
        self.codes_of = [{}, {}, {}, {}]
        self.table[:] = 0
        self.endless[:] = 0
        self.rows = self.seen = 0
        self.kept = array("H")

    cdef int _turn_to(self, bytes data) except -1:
        """Read other bytes, in which nothing is where it was."""
        self.source = data
        self.data = data
        self.limit = len(data)
        self.first_glue_size = 0
        self.glue_size[:] = 0
        self.usual_size[:] = 0
        return 0

    cdef bint _read_one(self, bytes text, list values) except -1:
        """Read one entry that is all of these bytes, and append its texts; False when this is not certain to be right.

        The first text is None when the entry has no address.
        No entry is handed over, so nothing has to be forgotten but where things were in the last one.
        """
        cdef Py_ssize_t taken, start, end
        cdef int field
        self._turn_to(text)
        self.twice = self.unusual = False
        taken = self._batch(0)
        start, end = self.spans[0], self.spans[1]
        taken = taken == 1 and self._space(self.ends[0]) == self.limit and self.repairs.size == 0
        taken = taken and (start > <Py_ssize_t>self.starts[0] or not self._has_loc(0))
        self.comments.size = self.repairs.size = self.repaired_rows.size = 0
        if not taken:
            return False
        values.append(self._string(start, end, self.loc_coded[0]) if start > <Py_ssize_t>self.starts[0] else None)
        for field in range(LASTMOD, PRIORITY + 1):
            start, end = self.spans[2 * field], self.spans[2 * field + 1]
            values.append(None if self.brief[field] == ABSENT else self._string(start, end, True))
        return True

    def run(self, Py_ssize_t at, columns, troubles):
        """Append entries from `at` on, and what was wrong with them; the offset behind the last one taken."""
        cdef Py_ssize_t taken = BATCH, few = columns.few
        cdef bint put_off = columns.taker is self
        if not 0 <= at <= self.limit:
            raise IndexError(f"offset {at} in {self.limit} bytes")
        if put_off:
            columns.put_off(self)  # columns that were made meanwhile are put off again
        self.is_alone = self.is_alone or len(columns.starts) != self.seen
        columns.signals.extend([Signal.UNKNOWN] * (len(columns.starts) - len(columns.signals)))
        while taken == BATCH and len(columns.starts) + BATCH <= limits.MAX_ROWS:
            self.first_row = len(columns.starts)
            with nogil:
                taken = self._batch(at)
            if taken:
                if taken >= few and not put_off:
                    columns.put_off(self)
                    put_off = True
                self._hand_over(taken, columns, troubles, at, put_off)
                at = self.ends[taken - 1]
        self.seen = len(columns.starts)
        return at

    cdef inline Py_ssize_t _batch(self, Py_ssize_t at) except -1 nogil:
        """Read up to a batch of entries into the spans; how many."""
        cdef Py_ssize_t row = 0, end, comments, repairs
        self.far = self.scoped = False
        while row < BATCH:
            self.room = min(self.limit, at + MAX_TOKEN)
            comments, repairs = self.comments.size, self.repairs.size
            end = -1 if self.is_feed else self._usual_entry(at, row)
            if end < 0:
                self.comments.size, self.repairs.size = comments, repairs
                end = self._any_entry(at, row)
                if end < 0 and self.declared and self.can_declare:
                    self.comments.size, self.repairs.size = comments, repairs
                    self.scoped = True
                    end = self._any_entry(at, row)
                    self.scoped = False
            end = self._settle(end, row, comments, repairs)
            if end < 0:
                break
            self.ends[row] = end
            at = end
            row += 1
        return row

    cdef inline Py_ssize_t _usual_entry(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind an entry that is laid out like the one before; -1 when a closer look is needed."""
        cdef Py_ssize_t end
        cdef int field = LOC
        self._begin_row(row)
        at = self._opening(at, row)
        if at < 0:
            return -1
        self.coded = False
        end = self._text(at)
        if end < 0:
            return -1
        self._note_loc(row, at, end, self.coded)
        at = self._between(LOC, end)
        while at >= 0 and LASTMOD <= self.next_field <= PRIORITY:
            field = self.next_field
            end = self._field(at, field)
            if end < 0:
                return -1
            self._note_field(row, field, at, end)
            at = self._between(field, end)
        if at >= 0 and self.next_field == CLOSED:
            return at
        return at if at < 0 else self._children(at, self.starts[row], row, field)

    cdef inline Py_ssize_t _opening(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind `<url><loc>` and the space before and between."""
        cdef Py_ssize_t here, entry
        if self.first_glue_size and self._same(at, self.first_glue_at, self.first_glue_size):
            self.starts[row] = at + self.first_glue_lead
            return at + self.first_glue_size
        entry = self._space(at)
        here = self._tag(entry, self.opens[0], self.opens[1])
        if here < 0:
            return -1
        here = self._tag(self._space(here), self.opens[1], self.opens[2])
        if here >= 0:
            self.starts[row] = entry
            self.first_glue_at = at
            self.first_glue_size = here - at
            self.first_glue_lead = entry - at
        return here

    cdef inline Py_ssize_t _between(self, int field, Py_ssize_t at) except -2 nogil:
        """From the end of a value to the next one, or behind the entry; `next_field` tells which."""
        cdef Py_ssize_t here, found
        cdef int following
        if self.glue_size[field] and self._same(at, self.glue_at[field], self.glue_size[field]):
            self.next_field = self.glue_next[field]
            return at + self.glue_size[field]
        here = self._tag(at, self.closes[field + 1], self.closes[field + 2])
        if here < 0:
            return -1
        here = self._space(here)
        self.next_field = OTHER
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


include "compiled_salvage.pxi"
