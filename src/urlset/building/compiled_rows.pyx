# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
"""Plain rows of JSON, many at a time → the entries of sitemap files; stops at the first row that needs a closer look.

A row is plain when `building.policy` would list it, `building.evidence` believe its date and `writing.urlset`
write it without a second thought: the base's host, a path of ordinary segments, a usual date before today or
none. A test holds the two to each other. Every access is bounds-checked; bytes are copied and compared in bulk
only between positions that were checked.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cython cimport final, view
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memset

import os
from array import array

from urlset.spec.protocol import LOC_LENGTH_BELOW

END, ODD, FULL, DOUBLE = range(4)
cdef uint32_t MET = 1 << 31
cdef uint32_t KEPT = 1 << 30
cdef uint32_t BUILDS = KEPT - 1
"""what is left of a number of 32 bits for a build"""

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__GNUC__) || defined(__clang__)
    #define urlset_prefetch(place) __builtin_prefetch(place)
    #else
    #define urlset_prefetch(place) ((void)(place))
    #endif
    static inline uint64_t urlset_big_endian(const uint8_t *b) {
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        uint64_t word;
        memcpy(&word, b, 8);
        return __builtin_bswap64(word);
    #else
        return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 | (uint64_t)b[3] << 32
             | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 | (uint64_t)b[6] << 8 | (uint64_t)b[7];
    #endif
    }
    """
    void prefetch "urlset_prefetch"(const void* place) noexcept nogil
    uint64_t big_endian "urlset_big_endian"(const uint8_t* eight) noexcept nogil

NEW = -1
"""the file of a page that no earlier build has listed"""
APART = -2
"""the file of a page that is known to the ledger by a row of its own"""

cdef enum:
    AHEAD = 16  # so many rows ahead memory is asked for what will be needed

cdef enum:
    MORE = 0
    STRANGE = 1
    ENOUGH = 2
    TWICE = 3

cdef Py_ssize_t LOC_BELOW = LOC_LENGTH_BELOW
cdef Py_ssize_t ROW_ROOM = LOC_BELOW + 128
"""more than the longest entry as written"""

cdef uint8_t[256] WORD
"""1 for what a segment of a plain path consists of; indexed by single bytes only"""


cdef void _fill_table() noexcept:
    cdef int i
    for i in range(256):
        WORD[i] = 48 <= i <= 57 or 65 <= i <= 90 or 97 <= i <= 122 or i == 95 or i == 126 or i == 45


_fill_table()

cdef struct Known:
    uint64_t day  # a hash of its lastmod; zero where it had none
    int32_t file  # where it was listed, NEW or APART
    uint32_t first_seen
    uint32_t changed  # the highest bits: met in this build, and with what was said of it in the last one
    uint32_t unused

cdef struct Share:
    # of one file of the last build
    uint64_t rows  # that came again and go to it
    uint64_t kept_rows  # of these, as they were
    uint64_t kept_bytes

cdef struct Pending:
    # a plain row that was read and not yet taken
    Py_ssize_t line, loc, loc_end, day, day_end, end
    uint64_t value


cdef inline uint64_t _turn(uint64_t x, int b) noexcept nogil:
    return (x << b) | (x >> (64 - b))


cdef uint64_t _hash(const uint8_t* text, Py_ssize_t length, uint64_t k0, uint64_t k1) noexcept nogil:
    """SipHash-1-3 under a key of this process, so that nobody can choose addresses that collide."""
    cdef uint64_t v0 = k0 ^ 0x736F6D6570736575ULL
    cdef uint64_t v1 = k1 ^ 0x646F72616E646F6DULL
    cdef uint64_t v2 = k0 ^ 0x6C7967656E657261ULL
    cdef uint64_t v3 = k1 ^ 0x7465646279746573ULL
    cdef uint64_t word
    cdef Py_ssize_t at = 0, whole = length & ~7
    cdef int turn, shift = 0
    while at < whole:
        memcpy(&word, text + at, 8)
        v3 ^= word
        v0 += v1; v1 = _turn(v1, 13); v1 ^= v0; v0 = _turn(v0, 32)
        v2 += v3; v3 = _turn(v3, 16); v3 ^= v2
        v0 += v3; v3 = _turn(v3, 21); v3 ^= v0
        v2 += v1; v1 = _turn(v1, 17); v1 ^= v2; v2 = _turn(v2, 32)
        v0 ^= word
        at += 8
    word = (<uint64_t>length) << 56
    while at < length:
        word |= (<uint64_t>text[at]) << shift
        shift += 8
        at += 1
    v3 ^= word
    for turn in range(4):
        v0 += v1; v1 = _turn(v1, 13); v1 ^= v0; v0 = _turn(v0, 32)
        v2 += v3; v3 = _turn(v3, 16); v3 ^= v2
        v0 += v3; v3 = _turn(v3, 21); v3 ^= v0
        v2 += v1; v1 = _turn(v1, 17); v1 ^= v2; v2 = _turn(v2, 32)
        if turn == 0:
            v0 ^= word
            v2 ^= 0xFF
    return (v0 ^ v1 ^ v2 ^ v3) or 1  # zero marks a free place


include "compiled_rows_text.pxi"
include "compiled_rows_order.pxi"


cdef Known[::1] _facts(Py_ssize_t count):
    """Room for so many; the first place stays unused, because 0 stands for a page that is new."""
    return view.array((count,), sizeof(Known), "QiIII")


@final
cdef class RowLane:
    """Takes plain rows, knows which were met before and in which file, and hands them over as entries.

    `head` is scheme and host, `today` the day before which a date lies beyond doubt.
    """

    cdef bytes _head_owner
    cdef const uint8_t[::1] _head, _today
    cdef uint64_t _k0, _k1
    cdef uint64_t[::1] _hashes
    """of all addresses, those of the last build included; zero marks a free place"""
    cdef uint32_t[::1] _slots
    """beside each hash the number of what is known of the page; 0 for one that is new, and was met therefore.

    There are none before the first page of an earlier build is told of.
    """
    cdef Known[::1] _facts
    cdef Py_ssize_t _told
    cdef Share[::1] _shares
    """what came again of each file of the last build"""
    cdef uint64_t _mask
    cdef Py_ssize_t _known
    cdef Py_ssize_t _most_bytes, _most_rows
    cdef uint8_t[::1] _arena
    """the entries of rows that are new or say something else than before; memory is touched as far as it is used"""
    cdef uint8_t[::1] _grouped
    """the same by file, when they are dealt"""
    cdef Py_ssize_t _used, _count
    cdef object _ends_owner, _firsts_owner, _changes_owner
    cdef uint32_t[::1] _ends, _firsts, _changes
    cdef int32_t[::1] _homes
    """of the rows in the arena; the table they come from may have moved since"""
    cdef uint32_t _build
    cdef readonly int why
    cdef readonly Py_ssize_t loc_start, loc_end
    """of the row that stopped the feed, where it got that far"""
    cdef readonly Py_ssize_t rows, dated, added, redated

    def __init__(
        self, bytes head, bytes today, int build, int files=0, *,
        Py_ssize_t most_bytes=8 << 20, Py_ssize_t most_rows=1 << 18,
    ):
        key = os.urandom(16)
        self._k0, self._k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        self._head = self._head_owner = head
        self._today = today
        if len(today) != 10:
            raise ValueError("today is a day")
        if build < 0 or <uint32_t>build > BUILDS:
            raise ValueError("too many builds")
        self._build = build
        self._shares = view.array((files + 1,), sizeof(Share), "QQQ")  # one more, as there is no empty array
        memset(&self._shares[0], 0, (files + 1) * sizeof(Share))
        self.hold(most_bytes, most_rows)
        # never without a value: an attribute of this kind that was not set is neither None nor a view
        self._hashes, self._slots = array("Q", (0,)), array("I", (0,))
        self._facts = _facts(1024)
        self._make_room(1 << 15)

    def hold(self, Py_ssize_t most_bytes, Py_ssize_t most_rows):
        """How many rows are taken before some are to be dealt; at least one, whatever its size."""
        if self._count:
            raise ValueError("there are rows already")
        self._most_bytes, self._most_rows = most_bytes, most_rows
        self._arena = view.array((most_bytes + ROW_ROOM,), 1, "B")
        self._grouped = view.array((1,), 1, "B")
        room = bytes(4 * most_rows)
        self._ends_owner, self._firsts_owner, self._changes_owner = array("I", room), array("I", room), array("I", room)
        self._ends, self._firsts, self._changes = self._ends_owner, self._firsts_owner, self._changes_owner
        self._homes = array("i", room)

    def expect_known(self, Py_ssize_t pages):
        """Make room for what is known of so many pages at once, instead of growing into it."""
        if self._told == 0:
            self._facts = _facts(pages + 1024)
        self.expect(pages)

    def expect(self, Py_ssize_t pages):
        """The same for pages that may be new."""
        cdef Py_ssize_t size = <Py_ssize_t>self._mask + 1
        while size * 3 < pages * 4 + 8:
            size *= 2
        if size > <Py_ssize_t>self._mask + 1:
            self._make_room(size)

    # what is known

    cdef void _make_room(self, Py_ssize_t size) except *:
        """A table of that size, a power of two, with everything known so far in it."""
        cdef uint64_t[::1] hashes = self._hashes
        cdef uint32_t[::1] slots = self._slots
        cdef Py_ssize_t i
        cdef uint64_t at
        self._hashes = array("Q", (0,)) * size
        if self._told:
            self._slots = array("I", (0,)) * size
        self._mask = size - 1
        for i in range(hashes.shape[0]):
            if hashes[i]:
                at = self._place_of(hashes[i])
                self._hashes[at] = hashes[i]
                if self._told:
                    self._slots[at] = slots[i]

    cdef Known* _known_at(self, uint64_t place) noexcept:
        """What is known of the page at that place; NULL for one that is new."""
        if self._told == 0 or self._slots[place] == 0:
            return NULL
        return &self._facts[self._slots[place]]

    cdef uint64_t _place_of(self, uint64_t value) noexcept:
        """Where it stands, or the free place where it would."""
        cdef uint64_t at = value & self._mask
        while self._hashes[at] and self._hashes[at] != value:
            at = (at + 1) & self._mask
        return at

    cdef inline void _ask_for(self, uint64_t value) noexcept:
        """Let memory bring what `_place_of` and `_known_at` will look at."""
        prefetch(&self._hashes[value & self._mask])
        if self._told:
            prefetch(&self._slots[value & self._mask])

    cdef inline void _ask_for_known(self, uint64_t value) noexcept:
        """The second step: what is known of it."""
        cdef Known* found = self._known_at(self._place_of(value)) if self._told else NULL
        if found != NULL:
            prefetch(found)

    cdef uint64_t _enter(self, uint64_t value, uint64_t place) except? 0xFFFFFFFFFFFFFFFF:
        """A value that is not there yet, at its free place, as that of a new page; gives its place."""
        if self._known * 4 >= <Py_ssize_t>self._mask * 3:
            self._make_room(2 * (<Py_ssize_t>self._mask + 1))
            place = self._place_of(value)
        self._hashes[place] = value
        self._known += 1
        return place

    cdef Known* _tell(self, uint64_t value, uint64_t place, int32_t file, uint64_t day) except NULL:
        """The same for a page of the last build, which was not met yet."""
        cdef Known[::1] old = self._facts
        cdef Py_ssize_t i
        cdef Known* found
        if self._told == 0:
            self._slots = array("I", (0,)) * self._hashes.shape[0]
        self._told += 1
        if self._told >= old.shape[0]:
            self._facts = _facts(2 * self._told)
            for i in range(old.shape[0]):
                self._facts[i] = old[i]
        place = self._enter(value, place)
        self._slots[place] = <uint32_t>self._told
        found = &self._facts[self._told]
        found.file, found.day = file, day
        found.first_seen = found.changed = self._build
        return found

    cdef inline uint64_t _hash_of(self, const uint8_t[::1] data, Py_ssize_t start, Py_ssize_t length) except? 0:
        if not 0 <= start <= start + length <= data.shape[0]:
            raise IndexError("outside")
        return _hash(&data[0] + start, length, self._k0, self._k1)

    def know(self, bytes data, int file, first_seen, changed):
        """A file of the last build as it was written, unpacked, and per entry the builds it was met and dated in.

        Entries without such a build belong to pages that are known apart, and are passed over. Gives the number
        of the others.
        """
        cdef const uint8_t[::1] d = data
        cdef uint32_t[::1] firsts = first_seen
        cdef uint32_t[::1] changes = changed
        cdef Py_ssize_t at = data.find(b"  <url>\n"), entry = 0, count = 0, waiting = 0
        cdef Entry e
        cdef Pending[AHEAD] pending
        if not 0 <= file < self._shares.shape[0] - 1:
            raise IndexError("no such file")
        if data.count(b"\n  <url>\n") != firsts.shape[0] or changes.shape[0] < firsts.shape[0]:
            raise ValueError(f"not the {firsts.shape[0]} entries that were written")  # before anything is told
        while at >= 0 and _starts(d, at, OPEN):
            e = _entry(d, at)
            if e.end < 0 or entry >= firsts.shape[0]:
                raise ValueError(f"entry {entry + 1} is not as it was written")
            if firsts[entry]:
                pending[waiting].line, pending[waiting].day, pending[waiting].day_end = entry, e.day, e.day_end
                pending[waiting].value = self._hash_of(d, at + LOC_AT, e.loc_end - at - LOC_AT)
                self._ask_for(pending[waiting].value)
                waiting += 1
            if waiting == AHEAD:
                count += self._know(d, file, pending, waiting, firsts, changes)
                waiting = 0
            entry += 1
            at = e.end
        return count + self._know(d, file, pending, waiting, firsts, changes)

    cdef Py_ssize_t _know(
        self, const uint8_t[::1] d, int32_t file, const Pending* pending, Py_ssize_t waiting,
        uint32_t[::1] firsts, uint32_t[::1] changes,
    ) except -1:
        """Entries of one file, whose numbers stand in `line`; how many were not known."""
        cdef Py_ssize_t i, count = 0
        cdef uint64_t place
        cdef Known* found
        for i in range(waiting):
            place = self._place_of(pending[i].value)
            if self._hashes[place] == 0:
                found = self._tell(pending[i].value, place, file, self._said(d, pending[i].day, pending[i].day_end))
                found.first_seen, found.changed = firsts[pending[i].line], changes[pending[i].line] & BUILDS
                count += 1
        return count

    def kept(self, bytes data, int file, first_seen, changed):
        """Of a file that was made known: the entries whose rows came again as they were, in the order of the file.

        (entries, ends, first_seen, changed), as `deal` has them.
        """
        cdef const uint8_t[::1] d = data
        cdef uint32_t[::1] firsts = first_seen
        cdef uint32_t[::1] changes = changed
        cdef Py_ssize_t at = data.find(b"  <url>\n"), entry = 0, count = 0, used = 0
        cdef Py_ssize_t rows = self._shares[file].kept_rows, size = self._shares[file].kept_bytes
        cdef bytes entries = PyBytes_FromStringAndSize(NULL, size)
        cdef char* written = PyBytes_AS_STRING(entries)
        cdef Known* found
        cdef Entry e
        columns = array("I", bytes(4 * rows)), array("I", bytes(4 * rows)), array("I", bytes(4 * rows))
        cdef uint32_t[::1] ends = columns[0], seen = columns[1], last = columns[2]
        while at >= 0 and _starts(d, at, OPEN) and entry < firsts.shape[0] and entry < changes.shape[0]:
            e = _entry(d, at)
            if e.end < 0:
                break
            found = self._known_at(self._place_of(self._hash_of(d, at + LOC_AT, e.loc_end - at - LOC_AT)))
            if firsts[entry] and found != NULL and found.file == file and found.changed & KEPT:
                if count >= rows or e.end - at > size - used:
                    break
                memcpy(&written[used], &d[at], e.end - at)
                used += e.end - at
                ends[count], seen[count], last[count] = <uint32_t>used, firsts[entry], changes[entry]
                count += 1
            entry += 1
            at = e.end
        if count != rows or used != size:
            raise ValueError("not the entries that were made known")
        return entries, *columns

    def share(self, int file):
        """How many rows came again of a file of the last build; of these as they were, and with how many bytes."""
        cdef Share found = self._shares[file]
        return found.rows, found.kept_rows, found.kept_bytes

    def know_apart(self, bytes loc):
        """A page with a row of its own in the ledger: it is never taken here."""
        cdef uint64_t value = self._hash_of(loc, 0, len(loc))
        cdef uint64_t place = self._place_of(value)
        if self._hashes[place] == 0:
            self._tell(value, place, APART, 0)

    def meet(self, bytes loc):
        """A page that is listed by other means: None when it was met before, else the file it was in, NEW or APART."""
        cdef uint64_t value = self._hash_of(loc, 0, len(loc))
        cdef uint64_t place = self._place_of(value)
        cdef Known* found
        if self._hashes[place] == 0:
            self._enter(value, place)
            return NEW
        found = self._known_at(place)
        if found == NULL or found.changed & MET:
            return None
        found.changed |= MET
        return found.file

    def file_of(self, bytes loc):
        """The file it was listed in, NEW or APART; None when it is not known."""
        cdef uint64_t place = self._place_of(self._hash_of(loc, 0, len(loc)))
        cdef Known* found = self._known_at(place)
        if self._hashes[place] == 0:
            return None
        return found.file if found != NULL else NEW

    def has_met(self, bytes loc):
        cdef uint64_t place = self._place_of(self._hash_of(loc, 0, len(loc)))
        cdef Known* found = self._known_at(place)
        if self._hashes[place] == 0:
            return False
        return found == NULL or bool(found.changed & MET)

    # rows

    def feed(self, bytes data, Py_ssize_t at):
        """Take rows from `at`; the offset of the first one that was not taken, and `why` is the reason.

        END: the data end here, perhaps within a row. ODD: the row needs a closer look, or ends beyond the data.
        FULL: there is one more, so `deal` first. DOUBLE: the address, from loc_start to loc_end, was met before.
        """
        cdef const uint8_t[::1] d = data
        cdef Pending[AHEAD] pending
        cdef Py_ssize_t count = AHEAD, i
        while count == AHEAD:
            # some rows are read before the first of them is looked up, so that memory has time to answer
            count = 0
            while count < AHEAD and self._read(d, at, &pending[count]):
                at = pending[count].end
                count += 1
            for i in range(count):
                self._ask_for_known(pending[i].value)
            for i in range(count):
                self.why = STRANGE
                if not self._take(d, &pending[i]):
                    return pending[i].line
        self.why = MORE if at >= d.shape[0] else STRANGE
        return at

    cdef bint _read(self, const uint8_t[::1] d, Py_ssize_t line, Pending* row) noexcept:
        """Whether the line that begins there is a plain row."""
        cdef Py_ssize_t at, head = self._head.shape[0], stop = d.shape[0]
        at = _after(d, line, LOC_KEY)
        if at < 0 or stop - at < head or memcmp(&d[at], &self._head[0], head) != 0:
            return False
        row.line, row.loc = line, at
        at = _plain_path(d, at + head)
        if at < 0 or at - row.loc >= LOC_BELOW:
            return False
        row.loc_end = at
        at += 1
        row.day = row.day_end = 0
        if at < stop and d[at] == 44:
            at += 1
            if at < stop and d[at] == 32:
                at += 1
            row.day = at = _after(d, at, LASTMOD_KEY)
            if at < 0:
                return False
            while at < stop and at - row.day < 26 and d[at] != 34:
                at += 1
            row.day_end = at
            if at >= stop or d[at] != 34 or not _is_usual(d, row.day, at - row.day, self._today):
                return False
            at += 1
        if at >= stop or d[at] != 125:
            return False
        at += 1
        if at < stop and d[at] == 13:
            at += 1
        if at >= stop or d[at] != 10:
            return False
        row.end = at + 1
        row.value = _hash(&d[row.loc], row.loc_end - row.loc, self._k0, self._k1)
        self._ask_for(row.value)
        return True

    cdef bint _take(self, const uint8_t[::1] d, const Pending* row) except -1:
        """Whether the row was taken; if not, `why` says why."""
        cdef Py_ssize_t loc_size = row.loc_end - row.loc, day_size = row.day_end - row.day
        cdef uint64_t place = self._place_of(row.value)
        cdef uint64_t said
        cdef Known* found = NULL
        if self._hashes[place]:
            found = self._known_at(place)
            if found == NULL or found.changed & MET:
                self.why = TWICE
                self.loc_start, self.loc_end = row.loc, row.loc_end
                return False
            said = self._said(d, row.day, row.day_end)
            if found.day == said and found.file != APART:
                self._keep(found, _size_of_entry(loc_size, day_size))
                self.dated += row.day != 0
                return True
            if found.file == APART or (said == 0 and found.day != 0):
                return False
        if self._count and (
            self._count >= self._most_rows or self._used + _size_of_entry(loc_size, day_size) > self._most_bytes
        ):
            self.why = ENOUGH
            return False
        if found == NULL:
            self._enter(row.value, place)
            self.added += 1
        else:
            self.redated += 1
            self._shares[found.file].rows += 1
            found.changed = self._build | MET
        self._write(d, row)
        self._homes[self._count] = NEW if found == NULL else found.file
        self._firsts[self._count] = self._build if found == NULL else found.first_seen
        self._changes[self._count] = self._build
        self._ends[self._count] = <uint32_t>self._used
        self._count += 1
        self.rows += 1
        self.dated += row.day != 0
        return True

    cdef void _keep(self, Known* found, Py_ssize_t size) except *:
        """A row that says what its entry says already."""
        cdef Share* share = &self._shares[found.file]
        share.rows += 1
        share.kept_rows += 1
        share.kept_bytes += size
        found.changed |= MET | KEPT
        self.rows += 1

    cdef uint64_t _said(self, const uint8_t[::1] d, Py_ssize_t day, Py_ssize_t day_end) except? 0:
        """A number for what a lastmod says; zero for none."""
        return self._hash_of(d, day, day_end - day) if day else 0

    cdef void _write(self, const uint8_t[::1] d, const Pending* row) except *:
        """The arena has room for one entry more than is asked for, whatever its length."""
        cdef Py_ssize_t at = self._used, loc_size = row.loc_end - row.loc, day_size = row.day_end - row.day
        if at + _size_of_entry(loc_size, day_size) > self._arena.shape[0] or row.loc_end > d.shape[0] or loc_size < 0:
            raise IndexError("outside")
        cdef uint8_t* arena = &self._arena[0]
        memcpy(&arena[at], &OPEN[0], OPEN_SIZE)
        at += OPEN_SIZE
        memcpy(&arena[at], &d[row.loc], loc_size)
        at += loc_size
        memcpy(&arena[at], &LOC_END[0], LOC_END_SIZE)
        at += LOC_END_SIZE
        if day_size:
            memcpy(&arena[at], &DAY[0], DAY_SIZE)
            at += DAY_SIZE
            memcpy(&arena[at], &d[row.day], day_size)
            at += day_size
            memcpy(&arena[at], &DAY_END[0], DAY_END_SIZE)
            at += DAY_END_SIZE
        memcpy(&arena[at], &CLOSE[0], CLOSE_SIZE)
        self._used = at + CLOSE_SIZE

    def arranged(self, Arranger arranger, bytes opening, bytes closing):
        """Everything taken since the last time as one file by address, and the number of its rows; the room is free.

        For a build in which nothing is known of any page.
        """
        cdef Py_ssize_t rows = self._count
        if self._told:
            raise ValueError("rows of known pages go to their files")
        file, _ = arranger.in_order(self._arena[: self._used], self._ends_owner[:rows], opening, closing)
        self._used = self._count = 0
        return file, rows

    def deal(self):
        """Everything in the arena, as {file: (entries, ends, first_seen, changed)}, and the room back.

        The entries of a file stand in the order they came; `ends` says where each ends, `first_seen` and
        `changed` in which builds it was met first and written last. They are to be copied before the next feed.
        """
        cdef Py_ssize_t files = self._shares.shape[0], i, home, low, start = 0, size
        found = {}
        if self._count == 0:
            return found
        counts, sizes = array("Q", (0,)) * (files + 1), array("Q", (0,)) * (files + 1)
        cdef uint64_t[::1] row_at = counts, byte_at = sizes
        for i in range(self._count):  # how much goes to each; new pages stand at 0, a file at its number and one
            home = self._homes[i] + 1
            row_at[home] += 1
            byte_at[home] += self._ends[i] - start
            start = self._ends[i]
        if self._grouped.shape[0] < self._used:
            self._grouped = view.array((self._arena.shape[0],), 1, "B")
        columns = array("I", bytes(4 * self._count)), array("I", bytes(4 * self._count)), array("I", bytes(4 * self._count))
        cdef uint32_t[::1] ends = columns[0], firsts = columns[1], changes = columns[2]
        shares, low, start = [], 0, 0
        for home in range(files + 1):  # from here on these say where the next row of each goes
            if row_at[home]:
                shares.append((home - 1, low, low + row_at[home], start, start + byte_at[home]))
                low, row_at[home] = low + row_at[home], low
                start, byte_at[home] = start + byte_at[home], start
        start = 0
        for i in range(self._count):
            home, size = self._homes[i] + 1, self._ends[i] - start
            memcpy(&self._grouped[byte_at[home]], &self._arena[start], size)
            byte_at[home] += size
            low = row_at[home]
            ends[low], firsts[low], changes[low] = <uint32_t>byte_at[home], self._firsts[i], self._changes[i]
            row_at[home] += 1
            start = self._ends[i]
        whole = memoryview(self._grouped)
        for file, first, last, start, stop in shares:
            mine = columns[0][first:last] if start == 0 else shifted(columns[0][first:last], -start)
            found[file] = whole[start:stop], mine, columns[1][first:last], columns[2][first:last]
        self._used = self._count = 0
        return found


def shifted(ends, Py_ssize_t by):
    """Every number and `by`; OverflowError where the last, and highest, does not fit."""
    cdef Py_ssize_t i, n = len(ends)
    moved = array("I", bytes(4 * n))
    if n == 0:
        return moved
    cdef uint32_t[::1] old = ends
    cdef uint32_t[::1] new = moved
    if not 0 <= old[n - 1] + by <= 0xFFFFFFFF:
        raise OverflowError("more than 4 GiB of rows")
    for i in range(n):
        new[i] = <uint32_t>(old[i] + by)
    return moved


def permuted(numbers, order):
    """`numbers[order[0]], numbers[order[1]], …`"""
    cdef Py_ssize_t i, n = len(order)
    found = array("I", bytes(4 * n))
    if n == 0:
        return found
    cdef uint32_t[::1] old = numbers, new = found, at = order
    for i in range(n):
        new[i] = old[at[i]]
    return found
