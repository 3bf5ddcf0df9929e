# Values of small fields → codes: a file has few different ones. Included by compiled.pyx.

cdef enum:
    CODES = 4096
    SLOTS = 16384
    SLOT_BITS = 14
    PROBES = 4
    MAX_SHARED = 64
    ABSENT = 0
    UNKNOWN = 65535

cdef class Values(Texts):
    """Makes strings; those of the small fields are numbered and shared, because a file has few different ones."""

    # the different texts as they were met behind a None, and of each: whether it is bare, where it was met, its size
    cdef list texts
    cdef unsigned char[::1] code_bare
    cdef int64_t[::1] text_at
    cdef int64_t[::1] text_size
    # by field: the code of each text, and whether there are some without because they are too many, or too long
    cdef list codes_of
    cdef unsigned char[::1] endless
    # codes by a hash of the bytes of their texts; a code may be missing here, never wrong unseen
    cdef uint16_t[::1] table
    # of the value read last: its code or UNKNOWN, and a slot of the table for it
    cdef Py_ssize_t code, slot
    # by field: how long the last value was
    cdef int64_t[::1] usual_size

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Texts.__init__(self, data, own, prefixes)
        self.texts = [None]
        self.code_bare = bytearray(CODES)
        self.code_bare[ABSENT] = True
        self.text_at = array("q", bytes(8 * CODES))
        self.text_size = array("q", bytes(8 * CODES))
        self.codes_of = [{}, {}, {}, {}]
        self.endless = bytearray(4)
        self.table = array("H", bytes(2 * SLOTS))
        self.usual_size = array("q", bytes(8 * 4))

    cdef inline Py_ssize_t _field(self, Py_ssize_t at, int field) except -2 nogil:
        """Behind a value; `code` and `slot` tell what is known of it."""
        cdef Py_ssize_t room = self.room, start = at, size = self.usual_size[field]
        # as long as the one before, and the same as one that was read to its end: then it ends there as well
        if 0 < size < room - at and self.data[at + size] == 60 and self._is_known(at, size, field):
            return at + size
        while at < room and CLASS[self.data[at]] & VALUE:
            at += 1
        if at >= room or self.data[at] != 60:
            at = self._text(at)
        if at >= 0:
            self.usual_size[field] = at - start
            self._is_known(start, at - start, field)
        return at

    cdef inline bint _is_known(self, Py_ssize_t at, Py_ssize_t size, int field) except -1 nogil:
        """Whether the text has a code in the table: `code`; else `slot` is where it may be put."""
        cdef Py_ssize_t slot, code, probe
        self.code = UNKNOWN
        if size > MAX_SHARED or size < 0 or at >= self.limit or size > self.limit - at:
            return False
        slot = _hash(&self.data[at], size, field) >> (64 - SLOT_BITS)
        self.slot = slot
        for probe in range(PROBES):
            code = self.table[slot]
            if code == ABSENT:
                self.slot = slot
                return False
            if self.text_size[code] == size * 4 + field and self._same(at, self.text_at[code], size):
                self.code = code
                return True
            slot = (slot + 1) % SLOTS
        return False

    cdef int _new_code(self, Py_ssize_t start, Py_ssize_t end, int field, Py_ssize_t slot) except -1:
        """The code of a text that was not in the table when it was read; UNKNOWN when it gets none."""
        cdef dict codes = self.codes_of[field]
        cdef int code
        if end - start > MAX_SHARED:
            self.endless[field] = True
            return UNKNOWN
        text = self._string(start, end, True)
        code = codes.get(text, len(self.texts))
        if code >= CODES:
            self.endless[field] = True
            return UNKNOWN
        if code == len(self.texts):
            codes[text] = code
            self.texts.append(text)
            self.code_bare[code] = self._is_bare(start, end)
            self.text_at[code] = start
            self.text_size[code] = (end - start) * 4 + field
        self.table[slot] = code
        return code

    cdef inline bint _is_bare(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        """Whether nothing in it is, or could be mistaken for, markup: no quotes, no sections, no reference but `&amp;`
        in front of text that is no reference itself."""
        cdef size_t size
        cdef Py_ssize_t at
        cdef const unsigned char* text
        cdef const void* found
        if not 0 <= start < end <= self.limit:
            return start == end
        text, size = &self.data[start], end - start
        if memchr(text, 34, size) or memchr(text, 39, size) or memchr(text, 60, size):
            return False
        found = memchr(text, 38, size)
        while found != NULL:
            at = <const unsigned char*>found - text
            if <Py_ssize_t>size - at < 5 or memcmp(text + at, b"&amp;", 5) != 0:
                return False
            at += 5
            while at < <Py_ssize_t>size and (text[at] == 35 or 48 <= text[at] <= 57 or 97 <= text[at] | 32 <= 122):
                at += 1
            if at == <Py_ssize_t>size:
                return True
            if text[at] == 59:
                return False
            found = memchr(text + at, 38, size - at)
        return True
