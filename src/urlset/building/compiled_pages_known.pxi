# The pages of the last build: in memory, or on disk with some of its files in memory. Included by compiled_pages.pyx.

cdef enum:
    MET = 1  # its key came in this build
    LISTED = 2  # it is listed again
    KEPT = 4  # as it was
    IS_KNOWN = 8  # the entry that stands for its page
    DAY_ROOM = 35
    LONG_DAY = 255  # in place of a size: the date is kept in memory
    ROWS_AT_ONCE = 1 << 15  # pages with rows in one segment

cdef struct Known:
    uint64_t key  # 0 for an entry that stands for no page
    uint64_t check
    uint64_t rest  # a hash of what its entry says behind the address
    uint64_t links  # one of its lines of translations; 0 for none
    uint32_t number  # among all entries of the last build
    int32_t file  # where it was listed, or HAS_LEDGER_ROW
    uint32_t first_seen, changed
    uint32_t size  # of its entry
    uint8_t day_size
    uint8_t[DAY_ROOM] day


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    /* without the empty instruction, a function that only prefetches counts as one without effects, and is left out */
    #define urlset_prefetch(place) do { __builtin_prefetch(place); __asm__ volatile(""); } while (0)
    #else
    #define urlset_prefetch(place) ((void)(place))
    #endif
    """
    void _prefetch "urlset_prefetch"(const void* place) noexcept nogil


cdef enum:
    AHEAD = 8  # keys; a look-up waits for memory twice, and there is time for it while so many others are handled


@final
cdef class LastPages:
    """Entries by number, file after file. If more than `most` are expected, their records are in a file in `folder`.

    Rows mostly come in the order of the last build, so the files that they are in now are held in memory. A page of
    another file is found by its key in `_index` and read alone, up to `most_alone` of a file; then all of it is read.
    """

    cdef object _folder, _file
    cdef Py_ssize_t _most, _most_alone
    cdef KeyStore _index
    """numbers by key; None where all pages are in memory"""
    cdef PairTable _table
    """the places of records in memory by key"""
    cdef uint8_t[::1] _room
    cdef bytearray _one
    cdef Known* _records
    cdef Py_ssize_t _used
    """records in memory; those of the segment that is being made are behind them"""
    cdef list _loaded
    """(segment, its first place), in order"""
    cdef Py_ssize_t _last_loaded
    cdef bytearray _states
    """four bits for each entry"""
    cdef object _firsts, _misses
    """of each segment, which is a file or some pages with rows: its first number; what was read one by one"""
    cdef list _segment_of_file
    cdef Py_ssize_t _entries
    """numbers in use"""
    cdef int32_t _open_file
    cdef Py_ssize_t _open_first
    cdef bint _is_open, _open_stays
    cdef dict _long_days
    cdef readonly Py_ssize_t count
    """pages that are known"""

    def __init__(self, folder, Py_ssize_t most, Py_ssize_t most_alone, Py_ssize_t files):
        self._folder, self._most, self._most_alone = folder, most, most_alone
        self._table = PairTable(10)
        self._room, self._one, self._states = _room_of(sizeof(Known)), bytearray(sizeof(Known)), bytearray()
        self._firsts, self._misses, self._loaded, self._long_days = array("I"), array("I"), [], {}
        self._segment_of_file = [-1] * files

    def expect(self, Py_ssize_t known):
        """Room for so many pages; called before the first is known."""
        cdef Py_ssize_t at_once = known
        if self._folder is not None and known > self._most:
            self._index = KeyStore(self._folder, "known", max(self._most, 16), known)
            self._file = open(self._folder / "known-pages", "wb+", buffering=0)
            at_once = min(known, self._most)
        self._make_places(at_once)
        self._table = PairTable(max((4 * at_once // 3).bit_length(), 10))
        self._states = bytearray(known // 2 + 1024)

    cdef inline bint are_in_memory(self) noexcept:
        """Records by number."""
        return self._index is None and self._records != NULL

    cdef Known* record(self, Py_ssize_t number) except NULL:
        """Of a page with translations."""
        if not (self.are_in_memory() and 0 <= number < self._entries) or self._records[number].links == 0:
            raise IndexError("no such page")
        return &self._records[number]

    def close(self):
        """No page is looked up any more; what became of each entry stays."""
        if self._file is not None:
            self._file.close()
            (self._folder / "known-pages").unlink()
            self._index.close()
            self._file = self._index = None
        self._table, self._room, self._records, self._used = PairTable(4), _room_of(sizeof(Known)), NULL, 0
        self.count = 0

    cdef int _make_places(self, Py_ssize_t places) except -1:
        cdef Py_ssize_t held = self._room.shape[0], size = places * sizeof(Known)
        cdef uint8_t[::1] room
        if held < size:
            room = _room_of(max(size, held * 3 // 2))
            memcpy(&room[0], &self._room[0], held)
            self._room = room
        self._records = <Known*>&self._room[0]
        return 0

    # what is known

    cdef int begin(self, int32_t file, Py_ssize_t entries) except -1:
        """A segment of so many entries; they are to be added, or passed over, in turn."""
        self.end()
        if self._entries + entries > 0xFFFFFFFF:
            raise OverflowError("more than 4 billion pages")
        if file >= 0:
            self._segment_of_file[file] = len(self._firsts)
        self._firsts.append(self._entries)
        self._misses.append(0)
        self._open_file, self._open_first, self._is_open = file, self._entries, True
        self._open_stays = self._index is None or self._used + entries <= self._most
        self._make_places(self._used + entries)
        self._states.extend(bytes(max(0, (self._entries + entries) // 2 + 1 - len(self._states))))
        return 0

    cdef inline Known* _opened(self, Py_ssize_t number) noexcept:
        return &self._records[self._used + number - self._open_first]

    cdef void skip(self) noexcept:
        """An entry of the open segment that stands for no page."""
        memset(self._opened(self._entries), 0, sizeof(Known))
        self._entries += 1

    cdef Known* add(self, Hash hash) except? NULL:
        """The record of the next entry of the open segment, to be filled; NULL where its page is known already."""
        cdef Known* found
        if self.find(hash) != NULL:
            self.skip()
            return NULL
        found = self._opened(self._entries)
        memset(found, 0, sizeof(Known))
        found.key, found.check = hash.key, hash.check
        found.number, found.file = <uint32_t>self._entries, self._open_file
        if self._open_stays:
            self._table.add(hash.key, found - self._records)
        if self._index is not None:
            self._index.add(hash.key, self._entries)
        self.mark(found.number, IS_KNOWN)
        self.count += 1
        self._entries += 1
        return found

    cdef Known* add_row(self, Hash hash) except? NULL:
        """The same for a page that has a row in the ledger."""
        if not self._is_open or self._entries - self._open_first >= ROWS_AT_ONCE:
            self.begin(HAS_LEDGER_ROW, ROWS_AT_ONCE)
        return self.add(hash)

    cdef int end(self) except -1:
        """The open segment is complete."""
        cdef Py_ssize_t entries = self._entries - self._open_first
        if not self._is_open:
            return 0
        self._is_open = False
        if self._file is not None and entries:
            self._file.seek(self._open_first * sizeof(Known))
            _write_all(self._file, <char*>&self._records[self._used], entries * sizeof(Known))
        if self._open_stays:
            self._last_loaded = len(self._firsts) - 1
            self._loaded.append((self._last_loaded, self._used))
            self._used += entries
        return 0

    cdef int set_day(self, Known* found, const uint8_t* day, Py_ssize_t size) except -1:
        if size > DAY_ROOM:
            self._long_days[found.number] = PyBytes_FromStringAndSize(<char*>day, size)
            found.day_size = LONG_DAY
            return 0
        memcpy(found.day, day, size)
        found.day_size = <uint8_t>size
        return 0

    cdef const uint8_t* day_of(self, Known* known, Py_ssize_t* size) except NULL:
        cdef bytes text
        if known.day_size != LONG_DAY:
            size[0] = known.day_size
            return known.day
        text = self._long_days[known.number]
        size[0] = len(text)
        return <const uint8_t*>PyBytes_AS_STRING(text)

    # what became of it

    cdef inline int state(self, Py_ssize_t number) noexcept:
        return (<uint8_t*>PyByteArray_AS_STRING(self._states))[number >> 1] >> (4 * (number & 1)) & 15

    cdef inline void mark(self, Py_ssize_t number, int flags) noexcept:
        (<uint8_t*>PyByteArray_AS_STRING(self._states))[number >> 1] |= <uint8_t>(flags << (4 * (number & 1)))

    cdef inline void unmark(self, Py_ssize_t number, int flags) noexcept:
        (<uint8_t*>PyByteArray_AS_STRING(self._states))[number >> 1] &= ~<uint8_t>(flags << (4 * (number & 1)))

    cdef Py_ssize_t first_of(self, Py_ssize_t file) except -2:
        """The number of the first entry of a file; -1 for one that is not known."""
        cdef Py_ssize_t segment = self._segment_of_file[file]
        return -1 if segment < 0 else self._firsts[segment]

    # looking up

    cdef inline void prepare(self, uint64_t key) noexcept:
        """Get the place of a key from memory that will be looked up soon."""
        _prefetch(&self._table.pairs[self._table.home(key)])

    cdef inline void prepare_record(self, uint64_t key) noexcept:
        """The same for its record, some keys later."""
        cdef Pair* pair = &self._table.pairs[self._table.home(key)]
        if pair.key == key:
            _prefetch(&self._records[pair.value])
            _prefetch(&self._records[pair.value].day_size)

    cdef Known* find(self, Hash hash) except? NULL:
        """What is known of a page, valid until the next one is looked up; NULL for one that is new."""
        cdef uint64_t at = self._table.home(hash.key)
        cdef Known* found
        while self._table.pairs[at].key:
            if self._table.pairs[at].key == hash.key:
                found = &self._records[self._table.pairs[at].value]
                if found.check == hash.check:
                    return found
            at = (at + 1) & self._table.mask
        if self._index is not None:
            self._index.find(hash.key)
            for number in self._index.found:
                found = self._read(number)
                if found.check == hash.check:
                    return found if self._is_open else self._came(found)
        return NULL

    cdef Known* _read(self, Py_ssize_t number) except NULL:
        if self._is_open and number >= self._open_first:
            return self._opened(number)
        self._file.seek(number * sizeof(Known))
        if self._file.readinto(self._one) != sizeof(Known):
            raise OSError("known pages on disk were cut off")
        return <Known*>PyByteArray_AS_STRING(self._one)

    cdef Known* _came(self, Known* found) except NULL:
        """A page was read alone: after many of its segment, load all of it."""
        cdef Py_ssize_t segment = bisect_right(self._firsts, found.number) - 1, first = self._firsts[segment]
        if self._misses[segment] == 0:
            self._index.merge_all()
        self._misses[segment] += 1
        # the next file is the most likely one
        if self._misses[segment] < (self._most_alone // 16 if segment == self._last_loaded + 1 else self._most_alone):
            return found
        self._misses[segment] = 0
        return &self._records[self._load(segment) + found.number - first]

    cdef Py_ssize_t _load(self, Py_ssize_t segment) except -1:
        """All of a segment; gives the place of its first record."""
        cdef Py_ssize_t first = self._firsts[segment], place, last
        last = self._firsts[segment + 1] if segment + 1 < len(self._firsts) else self._entries
        if self._used + last - first > self._most:
            self._unload(min(self._most // 2, self._most - (last - first)))
        place = self._used
        self._make_places(place + last - first)
        self._file.seek(first * sizeof(Known))
        room = memoryview(self._room)[place * sizeof(Known) : (place + last - first) * sizeof(Known)]
        if self._file.readinto(room) != len(room):
            raise OSError("known pages on disk were cut off")
        room.release()
        self._loaded.append((segment, place))
        self._last_loaded = segment
        self._used += last - first
        self._enter(place)
        return place

    cdef int _unload(self, Py_ssize_t most) except -1:
        """The segments that were loaded first, up to so many records that stay."""
        cdef Py_ssize_t cut = self._used
        stay = [each for each in self._loaded if self._used - each[1] <= most]
        if stay:
            cut = stay[0][1]
        self._loaded = [(segment, place - cut) for segment, place in stay]
        memmove(self._records, &self._records[cut], (self._used - cut) * sizeof(Known))
        self._used -= cut
        self._table.clear()
        return self._enter(0)

    cdef int _enter(self, Py_ssize_t place) except -1:
        """The records from that place on can be found."""
        while place < self._used:
            if self._records[place].key:
                self._table.add(self._records[place].key, place)
            place += 1
        return 0
