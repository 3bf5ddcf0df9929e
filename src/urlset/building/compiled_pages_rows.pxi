# The rows that the last build listed, in their order, each with the page it gave. Included by compiled_pages.pyx.

cdef enum:
    CHUNK_ROWS = 1 << 15
    CHUNKS = 3  # in memory at once
    PATIENCE = 1 << 13  # rows that are looked for before other chunks are loaded
    NEAR = 16  # rows that may be passed over; while fewer than one in so many strays further, no table is made

cdef struct RowPage:
    uint64_t said  # a hash of all that the row says; inverted in a second record with the key of an address that is not its own
    Hash page


@final
cdef class _Chunk:
    """Some rows in turn; a table, made when it is needed, finds them out of turn."""

    cdef bytearray _room
    cdef RowPage* rows
    cdef Py_ssize_t number, count
    cdef PairTable _table

    def __init__(self, Py_ssize_t number, bytearray room):
        self._room, self.number, self.count = room, number, len(room) // sizeof(RowPage)
        self.rows = <RowPage*>PyByteArray_AS_STRING(room)

    cdef Py_ssize_t near(self, uint64_t said, Py_ssize_t at) noexcept:
        """From that place on."""
        cdef Py_ssize_t end = min(at + NEAR, self.count)
        while at < end:
            if self.rows[at].said == said:
                return at
            at += 1
        return -1

    cdef Py_ssize_t find(self, uint64_t said) except -2:
        cdef uint64_t at
        if self._table is None:
            self._table = PairTable(16)
            for at in range(<uint64_t>self.count):
                if self.rows[at].said:
                    self._table.add(self.rows[at].said, at)
        at = self._table.home(said)
        while self._table.pairs[at].key:
            if self._table.pairs[at].key == said:
                return self._table.pairs[at].value
            at = (at + 1) & self._table.mask
        return -1


@final
cdef class RowMemory:
    """Recalls the page of a row that says what a row of the last build said, and notes those of this build.

    Rows mostly come in the order of the last build. A row is looked for behind the one found last, and where the order is
    another in up to `CHUNKS` chunks around it, so memory is bounded; one that moved further is read like a new one.
    """

    cdef uint64_t _k0, _k1
    cdef object _last, _draft
    cdef Py_ssize_t _chunks, _start
    cdef list _loaded
    cdef _Chunk _chunk
    """that the row found last is in"""
    cdef Py_ssize_t _at, _asked, _missed, _recalled, _strays
    cdef bytearray _room
    cdef Py_ssize_t _noted, _flushed
    cdef PairTable _forgotten
    """pages whose rows are to be read again"""
    cdef public bint is_lost
    """what was noted could not be written, or is not to be used"""

    def __init__(self, bytes key, draft, last=None, Py_ssize_t start=0):
        """`draft` and `last` are binary files; in `last` rows begin at `start`."""
        self._k0, self._k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:16], "little")
        self._draft, self._last, self._start, self._loaded = draft, last, start, []
        self._room, self._forgotten = bytearray(sizeof(RowPage) * 4096), PairTable(4)
        if last is not None:
            size = last.seek(0, 2) - start
            self._chunks = -(-size // <Py_ssize_t>(CHUNK_ROWS * sizeof(RowPage)))
            for number in range(min(CHUNKS, self._chunks)):
                self._load(number)
        self._chunk, self._at = self._loaded[0] if self._loaded else _Chunk(0, bytearray()), -1

    cdef inline uint64_t hash(self, const uint8_t* text, Py_ssize_t size) noexcept:
        return _hash(text, size, self._k0, self._k1)

    cdef int _load(self, Py_ssize_t number) except -1:
        """A chunk more, in place of the first one."""
        if len(self._loaded) == CHUNKS:
            del self._loaded[0]
        try:
            self._last.seek(self._start + number * CHUNK_ROWS * sizeof(RowPage))
            data = self._last.read(CHUNK_ROWS * sizeof(RowPage))
        except OSError:
            data = b""
        self._loaded.append(_Chunk(number, bytearray(data[: len(data) // sizeof(RowPage) * sizeof(RowPage)])))
        self._asked = self._missed = 0
        return 0

    cdef bint recall(self, uint64_t said, Hash* page, Hash* key) except -1:
        """Whether the last build had such a row, the page that it gave, and its key if that is another."""
        cdef _Chunk chunk = self._chunk, last
        cdef Py_ssize_t at = self._at + 1
        self._asked += 1
        if at >= chunk.count or chunk.rows[at].said != said:
            at = chunk.near(said, at)
            if at < 0:
                self._strays += 1
                for chunk in self._loaded:
                    if self._strays > NEAR + self._recalled // NEAR:
                        at = chunk.find(said)
                    elif chunk.number == self._chunk.number + 1 and self._at + NEAR >= self._chunk.count:
                        at = chunk.near(said, 0)
                    if at >= 0:
                        break
            self._missed = self._missed + 1 if at < 0 else 0
            if self._chunks > CHUNKS and self._asked > PATIENCE:
                last = self._loaded[CHUNKS - 1]
                if self._missed > PATIENCE or (at >= 0 and chunk is last):
                    self._load((last.number + 1) % self._chunks)
            if at < 0:
                return False
            self._chunk = chunk
        self._recalled += 1
        self._missed = 0
        self._at = at
        page[0] = chunk.rows[at].page
        if at + 1 < chunk.count and chunk.rows[at + 1].said == ~said:
            self._at += 1
            key[0] = chunk.rows[at + 1].page
        return True

    cdef int note(self, uint64_t said, Hash page) except -1:
        cdef RowPage* room = <RowPage*>PyByteArray_AS_STRING(self._room)
        room[self._noted].said, room[self._noted].page = said, page
        self._noted += 1
        if self._noted == 4096:
            self.flush()
        return 0

    cdef int note_with_key(self, uint64_t said, Hash page, Hash key) except -1:
        """Both records in one chunk."""
        if (self._flushed + self._noted) % CHUNK_ROWS == CHUNK_ROWS - 1:
            self.note(0, page)
        self.note(said, page)
        return self.note(~said, key)

    cdef int forget(self, Hash page) except -1:
        """Rows that gave this page are to be read again, whatever was noted."""
        return 0 if self._forgotten.has(page.key, page.check) else self._forgotten.add(page.key, page.check)

    def finish(self):
        """Write what was noted, without what was to be forgotten."""
        cdef RowPage* rows = <RowPage*>PyByteArray_AS_STRING(self._room)
        cdef Py_ssize_t place = self._start, count = 1, row
        cdef bint is_changed
        self.flush()
        try:
            while count and self._forgotten.count and not self.is_lost:
                self._draft.seek(place)
                count = self._draft.readinto(self._room) // sizeof(RowPage)
                is_changed = False
                for row in range(count):
                    if self._forgotten.has(rows[row].page.key, rows[row].page.check):
                        rows[row].said, is_changed = 0, True
                if is_changed:
                    self._draft.seek(place)
                    _write_all(self._draft, <char*>rows, count * sizeof(RowPage))
                place += count * sizeof(RowPage)
        except OSError:
            self.is_lost = True

    def flush(self):
        """Write what was noted."""
        if self._noted and not self.is_lost:
            try:
                _write_all(self._draft, PyByteArray_AS_STRING(self._room), self._noted * sizeof(RowPage))
            except OSError:
                self.is_lost = True
        self._flushed += self._noted
        self._noted = 0

