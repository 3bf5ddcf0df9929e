# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
"""Plain rows of JSON, many at a time → the entries of sitemap files; stops at the first row that needs a closer look.

A row is plain when `building.policy` would list it, `building.evidence` believe its date and `writing.urlset`
write it without a second thought: the base's host, a path of ordinary segments, a usual date before today or
none. A test holds the two to each other. Every access is bounds-checked; bytes are copied and compared in bulk
only between positions that were checked.
"""

from cython cimport view
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy

import os
from array import array

from urlset.spec.protocol import LOC_LENGTH_BELOW

END, ODD, FULL, DOUBLE = range(4)
cdef uint32_t MET = 1 << 31

NEW = -1
"""the file of a page that no earlier build has listed"""
APART = -2
"""the file of a page that is known to the ledger by a row of its own"""

cdef enum:
    MORE = 0
    STRANGE = 1
    ENOUGH = 2
    TWICE = 3

cdef Py_ssize_t LOC_BELOW = LOC_LENGTH_BELOW
cdef Py_ssize_t LOC_AT = 17
"""where the address begins in an entry as written"""

cdef uint8_t[256] WORD
"""1 for what a segment of a plain path consists of; indexed by single bytes only"""


cdef void _fill_table() noexcept:
    cdef int i
    for i in range(256):
        WORD[i] = 48 <= i <= 57 or 65 <= i <= 90 or 97 <= i <= 122 or i == 95 or i == 126 or i == 45


_fill_table()

cdef struct Known:
    int32_t file  # where it was listed, NEW or APART
    uint32_t day  # of its lastmod; zero where it had none
    uint32_t first_seen
    uint32_t changed  # the highest bit: met in this build

cdef struct Row:
    # the first bytes of the address behind what all have in common, so that most comparisons need no more
    uint64_t first
    uint64_t second
    uint64_t third
    uint64_t fourth
    uint32_t number


cdef inline uint64_t _turn(uint64_t x, int b) noexcept nogil:
    return (x << b) | (x >> (64 - b))


cdef uint64_t _hash(const uint8_t[::1] data, Py_ssize_t start, Py_ssize_t length, uint64_t k0, uint64_t k1) noexcept nogil:
    """SipHash-1-3 under a key of this process, so that nobody can choose addresses that collide."""
    cdef uint64_t v0 = k0 ^ 0x736F6D6570736575ULL
    cdef uint64_t v1 = k1 ^ 0x646F72616E646F6DULL
    cdef uint64_t v2 = k0 ^ 0x6C7967656E657261ULL
    cdef uint64_t v3 = k1 ^ 0x7465646279746573ULL
    cdef uint64_t word
    cdef Py_ssize_t at = start, end = start + length, whole = start + (length & ~7)
    cdef int turn, shift = 0
    while at < whole:
        memcpy(&word, &data[at], 8)
        v3 ^= word
        v0 += v1; v1 = _turn(v1, 13); v1 ^= v0; v0 = _turn(v0, 32)
        v2 += v3; v3 = _turn(v3, 16); v3 ^= v2
        v0 += v3; v3 = _turn(v3, 21); v3 ^= v0
        v2 += v1; v1 = _turn(v1, 17); v1 ^= v2; v2 = _turn(v2, 32)
        v0 ^= word
        at += 8
    word = (<uint64_t>length) << 56
    while at < end:
        word |= (<uint64_t>data[at]) << shift
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


# words

cdef const uint8_t[::1] PAGE = b"page", FEED = b"feed", COMMENTS = b"comments"
cdef const uint8_t[::1] LOC_KEY = b'{"loc":', LASTMOD_KEY = b'"lastmod":'
cdef const uint8_t[::1] HTML = b"html", HTM = b"htm", PHP = b"php", ASP = b"asp", ASPX = b"aspx", JSP = b"jsp"
cdef const uint8_t[::1] PDF = b"pdf"
cdef const uint8_t[::1] OPEN = b"  <url>\n    <loc>", LOC_END = b"</loc>\n", DAY = b"    <lastmod>"
cdef const uint8_t[::1] DAY_END = b"</lastmod>\n", CLOSE = b"  </url>\n"


# dates

cdef bint _digits(const uint8_t[::1] d, Py_ssize_t at, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if d[at + i] < 48 or d[at + i] > 57:
            return False
    return True


cdef int _two(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    return (d[at] - 48) * 10 + d[at + 1] - 48


cdef bint _is_usual(const uint8_t[::1] d, Py_ssize_t at, Py_ssize_t length, const uint8_t[::1] today) noexcept nogil:
    """YYYY-MM-DD, or with seconds and zone; a day that every month has, before today."""
    cdef int month, day, i
    if length != 10 and length != 20 and length != 25:
        return False
    if not (
        _digits(d, at, 4) and d[at + 4] == 45 and _digits(d, at + 5, 2) and d[at + 7] == 45 and _digits(d, at + 8, 2)
    ):
        return False
    month, day = _two(d, at + 5), _two(d, at + 8)
    if not (1 <= month <= 12 and 1 <= day <= 28):
        return False
    for i in range(10):
        if d[at + i] != today[i]:
            if d[at + i] > today[i]:
                return False
            break
    else:
        return False
    return length == 10 or _is_usual_time(d, at + 10, length == 20)


cdef bint _is_usual_time(const uint8_t[::1] d, Py_ssize_t at, bint utc) noexcept nogil:
    if not (
        d[at] == 84 and _digits(d, at + 1, 2) and d[at + 3] == 58 and _digits(d, at + 4, 2)
        and d[at + 6] == 58 and _digits(d, at + 7, 2)
    ):
        return False
    if _two(d, at + 1) > 23 or _two(d, at + 4) > 59 or _two(d, at + 7) > 59:
        return False
    if utc:
        return d[at + 9] == 90
    return (
        d[at + 9] == 43 and _digits(d, at + 10, 2) and d[at + 12] == 58 and _digits(d, at + 13, 2)
        and _two(d, at + 10) <= 13 and _two(d, at + 13) <= 59
    )


# entries as they were written

cdef struct Entry:
    Py_ssize_t loc_end
    Py_ssize_t day  # zero where there is none
    Py_ssize_t day_end
    Py_ssize_t end  # negative where this is no entry


cdef inline bint _starts(const uint8_t[::1] d, Py_ssize_t at, const uint8_t[::1] word) noexcept nogil:
    return d.shape[0] - at >= word.shape[0] and memcmp(&d[at], &word[0], word.shape[0]) == 0


cdef Py_ssize_t _find(const uint8_t[::1] d, Py_ssize_t at, uint8_t byte) noexcept nogil:
    """The first such byte from `at`; the end of the data when there is none."""
    cdef const void* found
    if at >= d.shape[0]:
        return d.shape[0]
    found = memchr(&d[at], byte, d.shape[0] - at)
    return d.shape[0] if found == NULL else <const uint8_t*>found - &d[0]


cdef Entry _entry(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    """The entry that begins at `at` with OPEN."""
    cdef Entry e
    e.day = e.day_end = 0
    e.end = -1
    e.loc_end = _find(d, at + LOC_AT, 60)
    at = _find(d, e.loc_end, 10) + 1
    if _starts(d, at, DAY):
        e.day = at + DAY.shape[0]
        e.day_end = _find(d, e.day, 60)
        at = _find(d, e.day_end, 10) + 1
    while at < d.shape[0]:
        if _starts(d, at, CLOSE):
            e.end = at + CLOSE.shape[0]
            break
        at = _find(d, at, 10) + 1
    return e


# addresses

cdef inline uint8_t _lower(uint8_t c) noexcept nogil:
    return c + 32 if 65 <= c <= 90 else c


cdef bint _says(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end, const uint8_t[::1] word) noexcept nogil:
    """The segment is the word, without an ending behind it, or begins with the word and a hyphen.

    `end` lies inside the data, so that there is a byte behind the segment.
    """
    cdef Py_ssize_t i, size = word.shape[0]
    if end - start < size:
        return False
    for i in range(size):
        if _lower(d[start + i]) != word[i]:
            return False
    return d[start + size] == 45 if end - start > size else d[end] != 46


cdef bint _is(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end, const uint8_t[::1] word) noexcept nogil:
    return end - start == word.shape[0] and memcmp(&d[start], &word[0], end - start) == 0


cdef bint _is_ending(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    return (
        _is(d, start, end, HTML) or _is(d, start, end, HTM) or _is(d, start, end, PHP) or _is(d, start, end, ASP)
        or _is(d, start, end, ASPX) or _is(d, start, end, JSP) or _is(d, start, end, PDF)
    )


cdef Py_ssize_t _plain_path(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    """The end of a plain path that begins at `at` and ends before a quote; -1 for anything else."""
    cdef Py_ssize_t segment, stop = d.shape[0]
    cdef uint8_t first
    if at >= stop or d[at] != 47:
        return -1
    while True:
        at += 1
        segment = at
        while at < stop and WORD[d[at]]:
            at += 1
        if at >= stop:
            return -1
        if at > segment:
            first = _lower(d[segment])
            if first == 112 and _says(d, segment, at, PAGE):
                return -1
            if first == 102 and _says(d, segment, at, FEED):
                return -1
            if first == 99 and _says(d, segment, at, COMMENTS):
                return -1
        if d[at] == 47:
            continue
        if d[at] == 34:
            return at
        if d[at] != 46 or at == segment:
            return -1
        at += 1
        segment = at
        while at < stop and WORD[d[at]]:
            at += 1
        return at if at < stop and d[at] == 34 and at > segment and _is_ending(d, segment, at) else -1


cdef Py_ssize_t _after(const uint8_t[::1] d, Py_ssize_t at, const uint8_t[::1] word) noexcept nogil:
    """Behind the word, a space that may follow, and the quote that must; -1 where that does not stand here."""
    cdef Py_ssize_t size = word.shape[0]
    if d.shape[0] - at < size + 2 or memcmp(&d[at], &word[0], size) != 0:
        return -1
    at += size
    if d[at] == 32:
        at += 1
    return at + 1 if at < d.shape[0] and d[at] == 34 else -1


cdef Known[::1] _facts(Py_ssize_t count):
    """Room for so many; the first place stays unused, because 0 stands for a page that is new."""
    return view.array((count,), sizeof(Known), "iIII")


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
    """beside each hash the number of what is known of the page; 0 for one that is new, and was met therefore"""
    cdef Known[::1] _facts
    cdef Py_ssize_t _told
    cdef uint64_t _mask
    cdef Py_ssize_t _known
    cdef Py_ssize_t _most
    cdef uint8_t[::1] _arena
    cdef object _arena_owner
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

    def __init__(self, bytes head, bytes today, int build, *, Py_ssize_t most_bytes=8 << 20):
        key = os.urandom(16)
        self._k0, self._k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        self._head = self._head_owner = head
        self._today = today
        if len(today) != 10:
            raise ValueError("today is a day")
        self._build = build
        self._most = most_bytes
        self._arena_owner = bytearray(most_bytes + 8192)
        self._arena = self._arena_owner
        room = bytes(4 * (most_bytes // 32))
        self._ends_owner, self._firsts_owner, self._changes_owner = array("I", room), array("I", room), array("I", room)
        self._ends, self._firsts, self._changes = self._ends_owner, self._firsts_owner, self._changes_owner
        self._homes = array("i", room)
        # never without a value: an attribute of this kind that was not set is neither None nor a view
        self._hashes, self._slots = array("Q", (0,)), array("I", (0,))
        self._facts = _facts(1024)
        self._make_room(1 << 15)

    def expect(self, Py_ssize_t pages):
        """Make room for what is known of so many pages at once, instead of growing into it."""
        cdef Py_ssize_t size = <Py_ssize_t>self._mask + 1
        if self._told == 0:
            self._facts = _facts(pages + 1024)
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
        self._hashes, self._slots = array("Q", (0,)) * size, array("I", (0,)) * size
        self._mask = size - 1
        for i in range(hashes.shape[0]):
            if hashes[i]:
                at = self._place_of(hashes[i])
                self._hashes[at], self._slots[at] = hashes[i], slots[i]

    cdef uint64_t _place_of(self, uint64_t value) noexcept:
        """Where it stands, or the free place where it would."""
        cdef uint64_t at = value & self._mask
        while self._hashes[at] and self._hashes[at] != value:
            at = (at + 1) & self._mask
        return at

    cdef uint64_t _enter(self, uint64_t value, uint64_t place) except? 0xFFFFFFFFFFFFFFFF:
        """A value that is not there yet, at its free place, as that of a new page; gives its place."""
        if self._known * 4 >= <Py_ssize_t>self._mask * 3:
            self._make_room(2 * (<Py_ssize_t>self._mask + 1))
            place = self._place_of(value)
        self._hashes[place] = value
        self._known += 1
        return place

    cdef Known* _tell(self, uint64_t value, uint64_t place, int32_t file, uint32_t day) except NULL:
        """The same for a page of the last build, which was not met yet."""
        cdef Known[::1] old = self._facts
        cdef Py_ssize_t i
        cdef Known* found
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

    cdef uint64_t _hash_of(self, const uint8_t[::1] data, Py_ssize_t start, Py_ssize_t length) noexcept:
        return _hash(data, start, length, self._k0, self._k1)

    def know(self, bytes data, int file, first_seen, changed):
        """A file of the last build as it was written, unpacked, and per entry the builds it was met and dated in.

        Entries without such a build belong to pages that are known apart, and are passed over. Gives the number
        of the others.
        """
        cdef const uint8_t[::1] d = data
        cdef uint32_t[::1] firsts = first_seen
        cdef uint32_t[::1] changes = changed
        cdef Py_ssize_t at = data.find(b"  <url>\n"), entry = 0, count = 0
        cdef uint64_t value, place
        cdef uint32_t said
        cdef Known* found
        cdef Entry e
        if data.count(b"\n  <url>\n") != firsts.shape[0] or changes.shape[0] < firsts.shape[0]:
            raise ValueError(f"not the {firsts.shape[0]} entries that were written")  # before anything is told
        while at >= 0 and _starts(d, at, OPEN):
            e = _entry(d, at)
            if e.end < 0 or entry >= firsts.shape[0]:
                raise ValueError(f"entry {entry + 1} is not as it was written")
            if firsts[entry]:
                said = <uint32_t>self._hash_of(d, e.day, e.day_end - e.day) | 1 if e.day else 0
                value = self._hash_of(d, at + LOC_AT, e.loc_end - at - LOC_AT)
                place = self._place_of(value)
                if self._hashes[place] == 0:
                    found = self._tell(value, place, file, said)
                    found.first_seen, found.changed = firsts[entry], changes[entry] & ~MET
                    count += 1
            entry += 1
            at = e.end
        return count

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
        if self._slots[place] == 0:
            return None
        found = &self._facts[self._slots[place]]
        if found.changed & MET:
            return None
        found.changed |= MET
        return found.file

    def file_of(self, bytes loc):
        """The file it was listed in, NEW or APART; None when it is not known."""
        cdef uint64_t place = self._place_of(self._hash_of(loc, 0, len(loc)))
        if self._hashes[place] == 0:
            return None
        return self._facts[self._slots[place]].file if self._slots[place] else NEW

    def has_met(self, bytes loc):
        cdef uint64_t place = self._place_of(self._hash_of(loc, 0, len(loc)))
        if self._hashes[place] == 0:
            return False
        return self._slots[place] == 0 or bool(self._facts[self._slots[place]].changed & MET)

    # rows

    def feed(self, bytes data, Py_ssize_t at):
        """Take rows from `at`; the offset of the first one that was not taken, and `why` is the reason.

        END: the data end here, perhaps within a row. ODD: the row needs a closer look, or ends beyond the data.
        FULL: `deal` first. DOUBLE: the address, from loc_start to loc_end, was met before.
        """
        cdef const uint8_t[::1] d = data
        cdef Py_ssize_t line, day, day_end, head = self._head.shape[0], stop = d.shape[0]
        cdef uint64_t place
        while True:
            line = at
            if at >= stop:
                self.why = MORE
                return line
            if self._used > self._most or self._count >= self._ends.shape[0]:
                self.why = ENOUGH
                return line
            self.why = STRANGE
            at = _after(d, at, LOC_KEY)
            if at < 0 or stop - at < head or memcmp(&d[at], &self._head[0], head) != 0:
                return line
            self.loc_start = at
            self.loc_end = _plain_path(d, at + head)
            if self.loc_end < 0 or self.loc_end - self.loc_start >= LOC_BELOW:
                return line
            at = self.loc_end + 1
            day = day_end = 0
            if at < stop and d[at] == 44:
                at += 1
                if at < stop and d[at] == 32:
                    at += 1
                day = at = _after(d, at, LASTMOD_KEY)
                if at < 0:
                    return line
                while at < stop and at - day < 26 and d[at] != 34:
                    at += 1
                day_end = at
                if at >= stop or d[at] != 34 or not _is_usual(d, day, day_end - day, self._today):
                    return line
                at += 1
            if at >= stop or d[at] != 125:
                return line
            at += 1
            if at < stop and d[at] == 13:
                at += 1
            if at >= stop or d[at] != 10:
                return line
            at += 1
            if not self._take(d, day, day_end):
                return line

    cdef bint _take(self, const uint8_t[::1] d, Py_ssize_t day, Py_ssize_t day_end) except -1:
        """Whether the row was taken; if not, `why` says why."""
        cdef uint64_t value = self._hash_of(d, self.loc_start, self.loc_end - self.loc_start)
        cdef uint64_t place = self._place_of(value)
        cdef uint32_t said = <uint32_t>self._hash_of(d, day, day_end - day) | 1 if day else 0
        cdef Known* found = NULL
        if self._hashes[place] == 0:
            self._enter(value, place)
            self.added += 1
        elif self._slots[place] == 0:
            self.why = TWICE
            return False
        else:
            found = &self._facts[self._slots[place]]
            if found.changed & MET:
                self.why = TWICE
                return False
            if found.file == APART or (said == 0 and found.day != 0):
                return False
            if found.day != said:
                self.redated += 1
                found.changed = self._build
        self._write(d, day, day_end - day)
        self._homes[self._count] = NEW if found == NULL else found.file
        self._firsts[self._count] = self._build if found == NULL else found.first_seen
        self._changes[self._count] = self._build if found == NULL else found.changed
        self._ends[self._count] = <uint32_t>self._used
        if found != NULL:
            found.changed |= MET
        self._count += 1
        self.rows += 1
        self.dated += said != 0
        return True

    cdef void _write(self, const uint8_t[::1] d, Py_ssize_t day, Py_ssize_t day_size) except *:
        """The arena has room for one more entry than `feed` lets in, whatever its length."""
        cdef Py_ssize_t at = self._used, loc_size = self.loc_end - self.loc_start
        if at + loc_size + day_size + 64 > self._arena.shape[0] or self.loc_end > d.shape[0] or loc_size < 0:
            raise IndexError("outside")
        memcpy(&self._arena[at], &OPEN[0], 17)
        at += 17
        memcpy(&self._arena[at], &d[self.loc_start], loc_size)
        at += loc_size
        memcpy(&self._arena[at], &LOC_END[0], 7)
        at += 7
        if day_size:
            memcpy(&self._arena[at], &DAY[0], 13)
            at += 13
            memcpy(&self._arena[at], &d[day], day_size)
            at += day_size
            memcpy(&self._arena[at], &DAY_END[0], 11)
            at += 11
        memcpy(&self._arena[at], &CLOSE[0], 9)
        self._used = at + 9

    def deal(self):
        """Everything taken since the last time, as {file: (entries, ends, first_seen, changed)}, and the room back.

        The entries of a file stand in the order they came; `ends` says where each ends, `first_seen` and
        `changed` in which builds it was met first and written last.
        """
        cdef Py_ssize_t low = 0, high, start = 0, end
        found = {}
        whole = memoryview(self._arena_owner)
        while low < self._count:
            high = low + 1
            while high < self._count and self._homes[high] == self._homes[low]:
                high += 1
            end = self._ends[high - 1]
            share = found.get(self._homes[low])
            if share is None:
                share = found[self._homes[low]] = (bytearray(), array("I"), array("I"), array("I"))
            share[1].extend(shifted(self._ends_owner[low:high], len(share[0]) - start))
            share[0].extend(whole[start:end])
            share[2].extend(self._firsts_owner[low:high])
            share[3].extend(self._changes_owner[low:high])
            low, start = high, end
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


# entries of one file, in order

cdef Py_ssize_t _common(const uint8_t[::1] data, uint32_t[::1] starts, uint32_t[::1] sizes) noexcept nogil:
    """How many characters all addresses begin with."""
    cdef Py_ssize_t i, j, common = sizes[0], first = starts[0]
    for i in range(1, starts.shape[0]):
        common = min(common, <Py_ssize_t>sizes[i])
        j = 0
        while j < common and data[first + j] == data[starts[i] + j]:
            j += 1
        common = j
    return common


cdef uint64_t _key(const uint8_t[::1] data, Py_ssize_t start, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint64_t key = 0
    if size >= 8 and start + 8 <= data.shape[0]:
        for i in range(8):
            key = (key << 8) | data[start + i]
        return key
    for i in range(8):
        key = (key << 8) | (data[start + i] if i < size else 0)
    return key


cdef class _Order:
    cdef const uint8_t[::1] data
    cdef uint32_t[::1] starts, sizes

    cdef bint before(self, const Row* left, const Row* right) noexcept nogil:
        """Addresses lie inside the data: `in_order` found their ends there."""
        cdef Py_ssize_t size
        cdef int found
        if left.first != right.first:
            return left.first < right.first
        if left.second != right.second:
            return left.second < right.second
        if left.third != right.third:
            return left.third < right.third
        if left.fourth != right.fourth:
            return left.fourth < right.fourth
        size = min(self.sizes[left.number], self.sizes[right.number])
        found = memcmp(&self.data[self.starts[left.number]], &self.data[self.starts[right.number]], size) if size else 0
        return found < 0 or (found == 0 and self.sizes[left.number] <= self.sizes[right.number])

    cdef Row[::1] sort(self, Row[::1] source, Row[::1] target):
        """Merge sort from below; rows that come in order cost one look each."""
        cdef Py_ssize_t n = source.shape[0], width = 1, low, middle, high, left, right, at
        cdef Row[::1] swap
        while width < n:
            for low in range(0, n, 2 * width):
                middle, high = min(low + width, n), min(low + 2 * width, n)
                left, right, at = low, middle, low
                if middle < high and not self.before(&source[middle - 1], &source[middle]):
                    while left < middle and right < high:
                        if self.before(&source[left], &source[right]):
                            target[at] = source[left]
                            left += 1
                        else:
                            target[at] = source[right]
                            right += 1
                        at += 1
                # what is left of both stands in order, and in its place
                while left < middle:
                    target[at] = source[left]
                    left += 1
                    at += 1
                while right < high:
                    target[at] = source[right]
                    right += 1
                    at += 1
            swap = source
            source = target
            target = swap
            width *= 2
        return source


def in_order(bytes data, ends):
    """Entries one after the other, each ending at `ends` → the same by address as written, and their old numbers."""
    cdef Py_ssize_t n = len(ends), i, start = 0, at = 0, size, common, loc
    if n == 0:
        return b"", array("I")
    cdef uint32_t[::1] end = ends
    cdef const uint8_t[::1] d = data
    cdef _Order order = _Order.__new__(_Order)
    order.data = d
    order.starts, order.sizes = array("I", bytes(4 * n)), array("I", bytes(4 * n))
    for i in range(n):
        loc = start + LOC_AT
        at = loc
        while d[at] != 60:
            at += 1
        order.starts[i], order.sizes[i] = <uint32_t>loc, <uint32_t>(at - loc)
        start = end[i]
    cdef Row[::1] rows = view.array((n,), sizeof(Row), "QQQQI")
    cdef Row[::1] spare = view.array((n,), sizeof(Row), "QQQQI")
    common = _common(d, order.starts, order.sizes)
    for i in range(n):
        loc, size = order.starts[i] + common, order.sizes[i] - common
        rows[i].first = _key(d, loc, size)
        rows[i].second = _key(d, loc + 8, size - 8) if size > 8 else 0
        rows[i].third = _key(d, loc + 16, size - 16) if size > 16 else 0
        rows[i].fourth = _key(d, loc + 24, size - 24) if size > 24 else 0
        rows[i].number = <uint32_t>i
    cdef Row[::1] found = order.sort(rows, spare)
    numbers = array("I", bytes(4 * n))
    cdef uint32_t[::1] number = numbers
    written = bytearray(end[n - 1])
    cdef uint8_t[::1] w = written
    at = 0
    for i in range(n):
        number[i] = found[i].number
        start = order.starts[number[i]] - LOC_AT
        size = end[number[i]] - start
        if start < 0 or size < 0 or at + size > w.shape[0] or start + size > d.shape[0]:
            raise IndexError("outside")
        memcpy(&w[at], &d[start], size)
        at += size
    return bytes(written), numbers
