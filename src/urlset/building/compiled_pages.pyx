# cython: language_level=3, boundscheck=True, wraparound=False, initializedcheck=False, cdivision=True
"""Rows of any source, a batch at a time → which pages are new, changed or as they were, and their entries by file.

`building.pages` is the same in Python and says what is right. Compiled code does the rows that nothing speaks against
(`Screen`) and hands every other one back, in its turn. Bytes are copied in bulk only between positions that were
checked.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.datetime cimport (
    datetime_day, datetime_hour, datetime_microsecond, datetime_minute, datetime_month, datetime_second, datetime_tzinfo, datetime_year,
    import_datetime, timedelta_days, timedelta_microseconds, timedelta_seconds,
)
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_FromStringAndSize
from cython cimport final, view
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memchr, memcmp, memcpy, memmove, memset
from urlset.reading.compiled_signals cimport LocSignals

import os
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder
from msgspec.structs import astuple

from urlset.building.pages import EntryRun
from urlset.building.sources.columns import meaning_of
from urlset.building.sources.cells import cells_of, links_by_language, text_fields, to_frequency, to_priority
from urlset.model.entry import NOTHING, Entry as PageEntry, Media
from urlset.spec.protocol import LOC_LENGTH_BELOW
from urlset.writing.media import element_lines, translation_line
from urlset.writing.urlset import EXTENSIONS

import_datetime()

END, WAITS, FULL, DOUBLE, LEDGER_ROW = range(5)

cdef enum:
    # as in building.pages
    NEW = -1
    HAS_LEDGER_ROW = -2

cdef Py_ssize_t LOC_BELOW = LOC_LENGTH_BELOW

cdef struct Hash:
    # 128 bits of an address: two that agree in all of them are the same
    uint64_t key
    uint64_t check

cdef struct Share:
    # of one file of the last build
    uint64_t rows  # that came again
    uint64_t kept_rows  # of these, as they were
    uint64_t kept_bytes


cdef inline uint64_t _turn(uint64_t x, int b) noexcept nogil:
    return (x << b) | (x >> (64 - b))


cdef Hash _hashes(const uint8_t* text, Py_ssize_t length, uint64_t k0, uint64_t k1, bint both) noexcept nogil:
    """SipHash-1-3 of 128 bits under a key of this process, so that nobody can choose addresses that collide."""
    cdef uint64_t v0 = k0 ^ 0x736F6D6570736575ULL
    cdef uint64_t v1 = k1 ^ 0x646F72616E646F6DULL ^ 0xEE
    cdef uint64_t v2 = k0 ^ 0x6C7967656E657261ULL
    cdef uint64_t v3 = k1 ^ 0x7465646279746573ULL
    cdef uint64_t word
    cdef Hash found
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
    found.check = 0
    for turn in range(7 if both else 4):
        v0 += v1; v1 = _turn(v1, 13); v1 ^= v0; v0 = _turn(v0, 32)
        v2 += v3; v3 = _turn(v3, 16); v3 ^= v2
        v0 += v3; v3 = _turn(v3, 21); v3 ^= v0
        v2 += v1; v1 = _turn(v1, 17); v1 ^= v2; v2 = _turn(v2, 32)
        if turn == 0:
            v0 ^= word
            v2 ^= 0xEE
        elif turn == 3:
            found.key = (v0 ^ v1 ^ v2 ^ v3) or 1  # zero marks a free place
            v1 ^= 0xDD
        elif turn == 6:
            found.check = v0 ^ v1 ^ v2 ^ v3
    return found


cdef inline uint64_t _hash(const uint8_t* text, Py_ssize_t length, uint64_t k0, uint64_t k1) noexcept nogil:
    return _hashes(text, length, k0, k1, False).key


include "compiled_pages_text.pxi"
include "compiled_pages_address.pxi"
include "compiled_pages_values.pxi"
include "compiled_pages_media.pxi"
include "compiled_pages_keys.pxi"
include "compiled_pages_rows.pxi"
include "compiled_pages_batch.pxi"
include "compiled_pages_known.pxi"
include "compiled_pages_order.pxi"


@final
cdef class PageIndex:
    """Knows the pages of the last build, takes those of this one, and hands over the entries that have to be written.

    `sections` gives for every file of the last build the number of its section. `given` says whether dates that
    sources give are believed at all. Keys of new pages beyond `most_keys`, and what is known if that is more than
    `most_known` pages, go to files in `folder`; see `LastPages` for `most_alone`. A test sets `key_bits`, so keys
    collide. `key` is for hashes that are compared with those of another build.
    """

    cdef uint64_t _k0, _k1, _key_mask
    cdef LastPages _last
    cdef KeyStore _new
    """the keys of pages that came and were not in the last build"""
    cdef Share[::1] _shares
    cdef int32_t[::1] _sections
    cdef Py_ssize_t _most_bytes, _most_rows
    cdef uint8_t[::1] _arena
    """the entries of pages that are new or say something else than before"""
    cdef uint8_t[::1] _grouped
    """the same by group, when they are flushed"""
    cdef Py_ssize_t _used, _count
    cdef uint32_t[::1] _ends, _firsts, _changes
    cdef int32_t[::1] _homes
    cdef uint8_t[::1] _masks
    cdef dict _group_of
    cdef int32_t _last_file, _last_section, _last_group
    cdef readonly list groups
    """(file of the last build or NEW, section) of each group of entries"""
    cdef uint32_t _build
    cdef bint _given
    cdef readonly int why
    cdef readonly list waiting
    """the rows of the batch at hand that were met and wait"""
    cdef readonly Py_ssize_t recalled_links
    """rows with translations that were taken again as they were"""
    cdef PairTable _linked
    """the hash of the translations of each page that waited, by page"""
    cdef bytearray _members
    """sets of translations: each the number of its pages and a hash of its lines, and then the pages"""
    cdef PairTable _sets
    """their places, by the hash"""
    cdef Py_ssize_t _set_at
    cdef uint64_t _set_hash
    cdef PairTable _open
    """the hashes of sets that some row does not say as they are, which would be taken back each time"""
    cdef readonly Py_ssize_t rows, dated, added, redated

    def __init__(
        self, int build, sections=(), *, bint given=True, folder=None, Py_ssize_t most_keys=1 << 20,
        Py_ssize_t most_known=1 << 19, Py_ssize_t most_alone=2048, int key_bits=64, Py_ssize_t most_bytes=4 << 20,
        Py_ssize_t most_rows=1 << 16, bytes key=None,
    ):
        key = key or os.urandom(16)
        self._k0, self._k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        self._build, self._given, self._key_mask = build, given, ~<uint64_t>0 << (64 - key_bits)
        self._last = LastPages(folder, most_known, most_alone, len(sections))
        self._new = KeyStore(folder, "new", most_keys)
        self._shares = view.array((len(sections) + 1,), sizeof(Share), "QQQ")  # one more, as there is no empty array
        memset(&self._shares[0], 0, (len(sections) + 1) * sizeof(Share))
        self._sections = array("i", [*sections, -1])
        self._most_bytes, self._most_rows = most_bytes, most_rows
        self._arena = view.array((most_bytes + (1 << 15),), 1, "B")
        self._grouped = view.array((1,), 1, "B")
        room = bytes(4 * most_rows)
        self._ends, self._firsts, self._changes = array("I", room), array("I", room), array("I", room)
        self._homes = array("i", room)
        self._masks = bytearray(most_rows)
        self._group_of, self.groups, self.waiting = {}, [], []
        self._last_file, self._last_section = -9, -9
        self._linked, self._sets, self._open, self._members = PairTable(4), PairTable(4), PairTable(4), bytearray()

    def expect(self, Py_ssize_t known):
        """At most so many pages of the last build, before the first of them is known."""
        self._last.expect(known)

    def forget_keys(self):
        """When every page has come, none is looked up again, and none is put."""
        self._new.close()
        self._last.close()
        self._arena, self._grouped = view.array((1,), 1, "B"), view.array((1,), 1, "B")

    # what is known

    cdef inline Hash _page(self, const uint8_t* address, Py_ssize_t size) noexcept:
        cdef Hash found = _hashes(address, size, self._k0, self._k1, True)
        found.key = found.key & self._key_mask or 1
        return found

    cdef Hash _hash_of_entry(self, const uint8_t[::1] d, Py_ssize_t at, const Entry* e) noexcept:
        """Of the address of an entry as written."""
        cdef uint8_t[12288] plain
        cdef Py_ssize_t start = at + LOC_AT, size = e.loc_end - at - LOC_AT
        if size and size <= 12288 and memchr(&d[start], 38, size) != NULL:
            return self._page(plain, _unescape(&d[start], size, plain))
        return self._page(&d[start], size)

    def load_file(self, bytes data, int file, first_seen, changed):
        """A file of the last build, unpacked, and per entry the builds it was met first and written last in.

        Entries without such a build belong to pages with rows in the ledger, and are passed over. Gives the number
        of the others.
        """
        cdef const uint8_t[::1] d = data
        cdef uint32_t[::1] firsts = first_seen
        cdef uint32_t[::1] changes = changed
        cdef Py_ssize_t first = data.find(b"  <url>\n"), at = first, n = firsts.shape[0], count = 0, some = 0, start
        cdef Known* found
        cdef Entry[::1] entries = view.array((n + 1,), sizeof(Entry), "qqqqq")
        cdef Hash[::1] hashes = view.array((n + 1,), sizeof(Hash), "QQ")
        cdef bint has_links = b" xmlns:xhtml=" in data[: max(first, 0)]
        cdef Rest rest
        if not 0 <= file < self._shares.shape[0] - 1:
            raise IndexError("no such file")
        while some < n and at >= 0 and _starts(d, at, OPEN):
            entries[some] = _entry(d, at)
            if entries[some].end < 0:
                raise ValueError(f"entry {some + 1} is not as it was written")
            hashes[some] = self._hash_of_entry(d, at, &entries[some])
            at = entries[some].end
            some += 1
        if some < n or (at >= 0 and _starts(d, at, OPEN)) or changes.shape[0] < n:
            raise ValueError(f"not the {n} entries that were written")  # before anything is known
        self._last.begin(file, n)
        for at in range(n):
            if firsts[at] == 0:
                self._last.skip()
                continue
            start = entries[at - 1].end if at else first
            self._last.prepare(hashes[min(at + AHEAD, n - 1)].key)
            found = self._last.add(hashes[at])
            if found != NULL:
                found.first_seen, found.changed = firsts[at], changes[at]
                found.size = <uint32_t>(entries[at].end - start)
                rest = _rest_of(&d[entries[at].rest], entries[at].end - entries[at].rest, has_links, self._k0, self._k1)
                found.rest, found.links = rest.said, rest.links
                self._last.set_day(found, &d[entries[at].day], entries[at].day_end - entries[at].day)
                count += 1
        self._last.end()
        return count

    def load_row(self, bytes loc):
        """A page with a row of its own in the ledger."""
        cdef Known* found = self._last.add_row(self._hash_of(loc))
        if found != NULL:
            found.first_seen = found.changed = self._build

    def entries(self, bytes data, int file, first_seen, changed):
        """Of a file that was made known, the entries that came again as they were, and those that were not listed again.

        In the order of the file.
        """
        cdef const uint8_t[::1] d = data
        cdef uint32_t[::1] firsts = first_seen
        cdef uint32_t[::1] changes = changed
        cdef Py_ssize_t at = data.find(b"  <url>\n"), entry = 0, used = 0, first = self._last.first_of(file)
        cdef Py_ssize_t count = 0, lost = 0, place, most = min(firsts.shape[0], changes.shape[0])
        cdef int state
        cdef Entry e
        room = bytes(4 * (most + 1))
        columns = array("I", room), array("I", room), array("I", room), array("I", room)
        cdef uint32_t[::1] starts = columns[0], ends = columns[1], seen = columns[2], last = columns[3]
        while first >= 0 and at >= 0 and _starts(d, at, OPEN) and entry < most:
            e = _entry(d, at)
            if e.end < 0:
                break
            state = self._last.state(first + entry)
            if state & IS_KNOWN and (state & KEPT or not state & LISTED):
                if state & KEPT:
                    used += e.end - at
                    place = count
                    count += 1
                else:  # from the other end
                    lost += 1
                    place = most - lost
                starts[place], ends[place] = <uint32_t>at, <uint32_t>e.end
                seen[place], last[place] = firsts[entry], changes[entry]
            entry += 1
            at = e.end
        if (count, used) != (self._shares[file].kept_rows, self._shares[file].kept_bytes):
            raise ValueError("not the entries that were made known")
        kept = [column[:count] for column in columns]
        gone = [column[most - lost : most][::-1] for column in columns]
        return tuple(EntryRun(data, ends, seen, last, b"", starts) for starts, ends, seen, last in (kept, gone))

    def share(self, int file):
        """How many pages of a file of the last build are listed again; of these as they were, and with how many bytes."""
        cdef Share found = self._shares[file]
        return found.rows, found.kept_rows, found.kept_bytes

    cdef inline Hash _hash_of(self, bytes text) noexcept:
        return self._page(<const uint8_t*>PyBytes_AS_STRING(text), len(text))

    def meet(self, bytes key):
        """Whether this is the first page of that key in this build."""
        cdef Hash hash = self._hash_of(key)
        cdef Known* found = self._last.find(hash)
        if found == NULL:
            if self._new.has(hash):
                return False
            self._new.add(hash.key, hash.check)
            return True
        if self._last.state(found.number) & MET:
            return False
        self._last.mark(found.number, MET)
        return True

    def known(self, bytes loc):
        """(file or HAS_LEDGER_ROW, lastmod, first_seen, changed) of a page of the last build; None for any other."""
        cdef Known* found = self._last.find(self._hash_of(loc))
        cdef const uint8_t* day
        cdef Py_ssize_t size = 0
        if found == NULL:
            return None
        day = self._last.day_of(found, &size)
        lastmod = PyBytes_FromStringAndSize(<char*>day, size).decode() if size else None
        return found.file, lastmod, found.first_seen, found.changed

    # pages

    def take(self, Batch batch, Py_ssize_t at):
        """Take rows from `at`; the number of the first one that was not taken, and `why` is the reason.

        END: there are no more. WAITS: it is to be read first, or needs a closer look. FULL: `flush_groups` first. DOUBLE: its
        key was met before. LEDGER_ROW: the page has a row in the ledger.
        """
        cdef Row* row
        cdef Hash hash
        if at == 0:
            self.waiting.clear()
        while at < batch.size:
            row = &batch._rows[at]
            if at + 2 * AHEAD < batch.size:
                self._last.prepare(batch._rows[at + 2 * AHEAD].page.key)
                self._last.prepare_record(batch._rows[at + AHEAD].page.key)
            if row.status == IS_READY:
                if row.key_end > row.key:
                    hash = self._page(&batch._text[row.key], row.key_end - row.key)
                else:
                    hash = self._page(&batch._text[row.loc], row.loc_end - row.loc)
                if not self._take(batch, row, hash, False):
                    return at
                if row.waits:
                    self.waiting.append(at)
            elif row.status == IS_SAME:
                hash = row.page
                if not self._take_again(hash, row.page_key):
                    self.why = WAITS
                    return at
            elif row.status != IS_SKIP:
                self.why = WAITS
                return at
            if row.said and row.status != IS_SKIP and (self._last.are_in_memory() or not row.waits):
                self._note(batch, row, hash)
            at += 1
        self.why = END
        return at

    cdef int _note(self, Batch batch, Row* row, Hash key) except -1:
        """For the next build."""
        if row.status == IS_SAME and row.page_key.key:
            return batch._memory.note_with_key(row.said, row.page, row.page_key)
        if row.key_end == row.key:
            return batch._memory.note(row.said, key)
        return batch._memory.note_with_key(row.said, self._page(&batch._text[row.loc], row.loc_end - row.loc), key)

    cdef bint _take_again(self, Hash hash, Hash key) except -1:
        """Whether the page was listed and is met now for the first time: it is as it was, since its row says the same."""
        cdef Known* known = self._last.find(key) if key.key else NULL
        cdef Py_ssize_t met = known.number if known != NULL else -1
        cdef Share* share
        if key.key and (self._last.state(met) & MET if known != NULL else self._new.has(key)):
            return False
        known = self._last.find(hash)
        if known == NULL or known.file < 0 or self._last.state(known.number) & (MET | LISTED):
            return False
        if known.links and not self._last.are_in_memory():
            return False
        self.recalled_links += known.links != 0
        share = &self._shares[known.file]
        share.rows += 1
        share.kept_rows += 1
        share.kept_bytes += known.size
        self._last.mark(known.number, LISTED | KEPT if key.key else MET | LISTED | KEPT)
        self.rows += 1
        self.dated += known.day_size != 0
        if key.key:
            self._meet(key, met)
        return True

    def take_waiting(self, Batch batch, Py_ssize_t at):
        """The same for READY rows that were met before and have waited."""
        cdef Hash none
        cdef Row* row
        none.key = none.check = 0
        while at < batch.size:
            row = &batch._rows[at]
            if row.status == IS_READY:
                if not self._take(batch, row, none, True):
                    return at
                if batch._memory is not None:
                    self._note_links(
                        batch._memory, self._page(&batch._text[row.loc], row.loc_end - row.loc),
                        &batch._text[0] + row.rest, row.rest_end - row.rest,
                    )
            at += 1
        self.why = END
        return at

    cdef bint _take(self, Batch batch, Row* row, Hash hash, bint is_met) except -1:
        """Whether the row was taken; if not, `why` says why."""
        cdef Known* known = NULL
        cdef Py_ssize_t met = -1, day_size = row.day_end - row.day, known_size = 0
        cdef const uint8_t* day = &batch._text[0] + row.day
        cdef const uint8_t* known_day = NULL
        if not is_met:
            known = self._last.find(hash) if self._last.count else NULL
            if known != NULL:
                met = known.number
            if self._last.state(met) & MET if known != NULL else self._new.has(hash):
                self.why = DOUBLE
                return False
        if (is_met or row.key_end > row.key) and self._last.count:
            known = self._last.find(self._page(&batch._text[row.loc], row.loc_end - row.loc))
        if known != NULL and known.file == HAS_LEDGER_ROW:
            self.why = LEDGER_ROW
            return False
        if row.waits:
            self._meet(hash, met)
            return True
        if self._count and (self._count >= self._most_rows or self._used + self._room_of(row) > self._most_bytes):
            self.why = FULL
            return False
        if not self._given:
            day_size = 0
        if known != NULL:
            known_day = self._last.day_of(known, &known_size)
            if day_size == 0 and self._given:
                day, day_size = known_day, known_size  # what was given once is believed
        if known == NULL:
            self.added += 1
        elif known_size != day_size or (day_size and memcmp(known_day, day, day_size) != 0):
            self.redated += 1
        if not is_met:
            self._meet(hash, met)
        self._write(
            &batch._text[0] + row.loc, row.loc_end - row.loc, row.escaped, day, day_size,
            &batch._text[0] + row.rest, row.rest_end - row.rest, known, row.section, row.mask,
        )
        self.rows += 1
        self.dated += day_size != 0
        return True

    cdef inline int _meet(self, Hash hash, Py_ssize_t number) except -1:
        """The key came: that of a page of the last build, or -1, a new one."""
        if number < 0:
            return self._new.add(hash.key, hash.check)
        self._last.mark(number, MET)
        return 0

    def put(self, bytes loc, bytes entry, int section, int mask):
        """The entry of a page that was met: listed as it was, or anew."""
        cdef Known* known = self._last.find(self._hash_of(loc))
        cdef Py_ssize_t behind = entry.find(b"</loc>\n") + LOC_END_SIZE
        if behind < LOC_END_SIZE:
            raise ValueError("an entry without an address")
        if known != NULL and known.file == HAS_LEDGER_ROW:
            known = NULL
        self._need(len(entry))
        memcpy(&self._arena[self._used], PyBytes_AS_STRING(entry), len(entry))
        self._settle(self._used + behind, self._used + len(entry), known, section, mask)

    def put_anew(self, bytes loc, bytes entry, int group, int mask, int first_seen, int changed):
        """An entry of one group with the builds that belong to it; that of a page with a row in the ledger has none."""
        cdef Known* known = self._last.find(self._hash_of(loc))
        if known != NULL and known.file >= 0:
            self._shares[known.file].rows += not self._last.state(known.number) & LISTED
            self._last.mark(known.number, LISTED)
        self._need(len(entry))
        memcpy(&self._arena[self._used], PyBytes_AS_STRING(entry), len(entry))
        self._append(self._used + len(entry), group, first_seen, changed, mask)

    # translations of pages that came again as they were; see building.recalled_links

    def hash_of(self, bytes lines):
        """As lines of translations are compared."""
        return _hash(<const uint8_t*>PyBytes_AS_STRING(lines), len(lines), self._k0, self._k1)

    def linked(self, bytes loc):
        """(number, hash of its translations, whether it came again as it was) of a page of the last build that has some."""
        cdef Known* known = self._last.find(self._hash_of(loc))
        if known == NULL or known.links == 0:
            return None
        return known.number, known.links, self._last.state(known.number) & KEPT != 0

    def with_links(self, bint kept):
        """The numbers of the pages of the last build with translations that came again as they were, or of all others."""
        cdef Py_ssize_t number
        return [
            number for number in range(self._last._entries if self._last.are_in_memory() else 0)
            if self._last._records[number].links and bool(self._last.state(number) & KEPT) == kept
        ]

    def place_of(self, Py_ssize_t number):
        """The file of a page, and the number of its entry there."""
        cdef int32_t file = self._last.record(number).file
        return file, number - self._last.first_of(file)

    def take_back(self, Py_ssize_t number):
        """A page that came again as it was is to be written again."""
        cdef Known* known = self._last.record(number)
        cdef Share* share = &self._shares[known.file]
        share.rows -= 1
        share.kept_rows -= 1
        share.kept_bytes -= known.size
        self._last.unmark(number, LISTED | KEPT)
        self.rows -= 1
        self.dated -= known.day_size != 0

    cdef int _note_links(self, RowMemory memory, Hash page, const uint8_t* said, Py_ssize_t size) except -1:
        """A page was written with translations; its row is to be read again if it does not name the page itself."""
        cdef Span span = _links_of(said, size)
        cdef uint64_t links = _hash(said + span.start, span.end - span.start, self._k0, self._k1)
        cdef Hash* members
        cdef Py_ssize_t at
        self._linked.add(page.key, links)
        if self._set_hash != links:
            self._set_at, self._set_hash = self._note_set(said + span.start, span.end - span.start, links), links
        members = <Hash*>PyByteArray_AS_STRING(self._members) + self._set_at
        for at in range(1, members[0].key + 1):
            if members[at].key == page.key and members[at].check == page.check:
                return 0
        self._note_open(links)
        return memory.forget(page)

    cdef int _note_open(self, uint64_t links) except -1:
        return 0 if self._open.has(links, 0) else self._open.add(links, 0)

    cdef Py_ssize_t _note_set(self, const uint8_t* lines, Py_ssize_t size, uint64_t links) except -1:
        """The place in `_members` of the pages that these lines name, which are noted once."""
        cdef uint8_t[12288] plain
        cdef Py_ssize_t first = len(self._members) // sizeof(Hash), at = 0, end
        cdef uint64_t place = self._sets.home(links)
        cdef Span name, href
        cdef Hash page
        while self._sets.pairs[place].key:
            if self._sets.pairs[place].key == links:
                return self._sets.pairs[place].value
            place = (place + 1) & self._sets.mask
        self._sets.add(links, first)
        page.key, page.check = 0, links
        self._members += (<char*>&page)[: sizeof(Hash)]
        while at < size:
            end = _line_end(lines, at, size)
            name = _attribute(lines, end, _attribute(lines, end, at).end + 1)
            href = _attribute(lines, end, name.end + 1)
            if name.end - name.start != 9 or memcmp(lines + name.start, b"x-default", 9) != 0:
                if href.end - href.start > 12288:
                    page.key = page.check = 0  # a page that is not listed
                else:
                    page = self._page(plain, _unescape(lines + href.start, href.end - href.start, plain))
                self._members += (<char*>&page)[: sizeof(Hash)]
            at = end
        (<Hash*>PyByteArray_AS_STRING(self._members))[first].key = len(self._members) // sizeof(Hash) - first - 1
        return first

    def forget_open_sets(self, RowMemory memory):
        """The rows of sets of which some page is not listed, or with other lines, are to be read again."""
        cdef Hash* each = <Hash*>PyByteArray_AS_STRING(self._members)
        cdef Py_ssize_t at = 0, end, member, count = len(self._members) // sizeof(Hash)
        cdef bint is_closed
        while at < count:
            end = at + 1 + <Py_ssize_t>each[at].key
            is_closed = not self._open.has(each[at].check, 0)
            for member in range(at + 1, end):
                is_closed = is_closed and self._is_listed_with(each[member], each[at].check)
            for member in range(at + 1, end if not is_closed else at):
                memory.forget(each[member])
            at = end
        self._sets, self._members, self._set_hash = PairTable(4), bytearray(), 0
        is_noted = self._last.are_in_memory() and (count or self.recalled_links)
        if is_noted and max(self.rows, self._last.count) > self._last._most:
            memory.is_lost = True  # the records of the next build are on disk, and rows with translations are read

    cdef bint _is_listed_with(self, Hash page, uint64_t links) except -1:
        cdef Known* known = self._last.find(page)
        if known != NULL and self._last.state(known.number) & KEPT and known.links == links:
            return True
        return self._linked.has(page.key, links)

    def forget_row(self, RowMemory memory, bytes loc, bytes lines):
        """The row does not say all of these lines, which are those of its set."""
        self._note_open(self.hash_of(lines))
        memory.forget(self._hash_of(loc))

    @property
    def is_full(self):
        """No page should be put before `flush_groups`."""
        return self._count >= self._most_rows or self._used > self._most_bytes

    cdef Py_ssize_t _room_of(self, const Row* row) noexcept:
        return 6 * (row.loc_end - row.loc) + row.rest_end - row.rest + FIXED_SIZE + 64

    cdef int _need(self, Py_ssize_t size) except -1:
        cdef uint8_t[::1] arena
        if self._count >= self._most_rows:
            raise IndexError("flush_groups first")
        if self._used + size > self._arena.shape[0]:
            arena = view.array((self._used + size + (1 << 15),), 1, "B")
            memcpy(&arena[0], &self._arena[0], self._used)
            self._arena = arena
        return 0

    cdef int _write(
        self, const uint8_t* loc, Py_ssize_t loc_size, bint escape, const uint8_t* day, Py_ssize_t day_size,
        const uint8_t* rest, Py_ssize_t rest_size, Known* known, int32_t section, uint8_t mask,
    ) except -1:
        """One entry more in the arena, unless it is as it was."""
        cdef Py_ssize_t behind = 0, size
        self._need((6 if escape else 1) * loc_size + day_size + rest_size + FIXED_SIZE)
        size = _write_entry(loc, loc_size, escape, day, day_size, rest, rest_size, &self._arena[self._used], &behind)
        return self._settle(self._used + behind, self._used + size, known, section, mask)

    cdef int _settle(self, Py_ssize_t behind, Py_ssize_t end, Known* known, int32_t section, uint8_t mask) except -1:
        """The entry that was written last: kept where it stood before, or one more to be flushed."""
        cdef Share* share
        cdef bint is_listed
        if known == NULL:
            return self._append(end, self._group(NEW, section), self._build, self._build, mask)
        share = &self._shares[known.file]
        is_listed = self._last.state(known.number) & LISTED
        share.rows += not is_listed
        if self._sections[known.file] == section and known.rest == _rest_of(
            &self._arena[behind], end - behind, known.links != 0, self._k0, self._k1
        ).said:
            if not is_listed:
                share.kept_rows += 1
                share.kept_bytes += end - self._used
            self._last.mark(known.number, LISTED | KEPT)
            return 0
        self._last.mark(known.number, LISTED)
        return self._append(end, self._group(known.file, section), known.first_seen, self._build, mask)

    cdef int _append(self, Py_ssize_t end, int32_t group, uint32_t first_seen, uint32_t changed, uint8_t mask) except -1:
        self._ends[self._count] = <uint32_t>end
        self._homes[self._count], self._masks[self._count] = group, mask
        self._firsts[self._count], self._changes[self._count] = first_seen, changed
        self._used = end
        self._count += 1
        return 0

    cdef int32_t _group(self, int32_t file, int32_t section) except -1:
        if file != self._last_file or section != self._last_section:
            self._last_group = self.group_of(file, section)
            self._last_file, self._last_section = file, section
        return self._last_group

    def group_of(self, int file, int section):
        """The number of the group of entries of a section that stood in that file before; it may be a new one."""
        found = self._group_of.setdefault((file, section), len(self.groups))
        if found == len(self.groups):
            self.groups.append((file, section))
        return found

    def flush_groups(self):
        """Everything in the arena by group, and the room back.

        The entries of a group stand in the order they came. They are to be copied before the next page is taken.
        """
        cdef Py_ssize_t groups = len(self.groups), i, home, low, start = 0, size
        found = {}
        if self._count == 0:
            return found
        counts, sizes = array("Q", (0,)) * groups, array("Q", (0,)) * groups
        cdef uint64_t[::1] row_at = counts, byte_at = sizes
        for i in range(self._count):
            home = self._homes[i]
            row_at[home] += 1
            byte_at[home] += self._ends[i] - start
            start = self._ends[i]
        if self._grouped.shape[0] < self._used:
            self._grouped = view.array((self._arena.shape[0],), 1, "B")
        room = bytes(4 * self._count)
        columns = array("I", room), array("I", room), array("I", room)
        masks = bytearray(self._count)
        cdef uint32_t[::1] ends = columns[0], firsts = columns[1], changes = columns[2]
        cdef uint8_t[::1] mask = masks
        shares, low, start = [], 0, 0
        for home in range(groups):  # from here on these say where the next row of each goes
            if row_at[home]:
                shares.append((home, low, low + row_at[home], start, start + byte_at[home]))
                low, row_at[home] = low + row_at[home], low
                start, byte_at[home] = start + byte_at[home], start
        start = 0
        for i in range(self._count):
            home, size = self._homes[i], self._ends[i] - start
            memcpy(&self._grouped[byte_at[home]], &self._arena[start], size)
            byte_at[home] += size
            low = row_at[home]
            ends[low], firsts[low], changes[low] = <uint32_t>byte_at[home], self._firsts[i], self._changes[i]
            mask[low] = self._masks[i]
            row_at[home] += 1
            start = self._ends[i]
        whole = memoryview(self._grouped)
        for home, first, last, start, stop in shares:
            mine = columns[0][first:last] if start == 0 else shifted(columns[0][first:last], -start)
            found[home] = EntryRun(
                whole[start:stop], mine, columns[1][first:last], columns[2][first:last], masks[first:last]
            )
        self._used = self._count = 0
        return found


def entries_at(bytes data, numbers):
    """The entries with these numbers, in ascending order, of a file as it was written."""
    cdef const uint8_t[::1] d = data
    cdef Py_ssize_t at = data.find(b"  <url>\n"), entry = 0, number, end
    found = []
    for number in numbers:
        while entry <= number:
            end = _entry(d, at).end
            if at < 0 or end < 0:
                raise ValueError(f"entry {entry + 1} is not as it was written")
            if entry == number:
                found.append(data[at:end])
            entry, at = entry + 1, end
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
