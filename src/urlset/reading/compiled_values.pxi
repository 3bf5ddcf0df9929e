# Spans of bytes → Python strings, and whether a date, frequency or priority is written the usual way.
# Included by compiled.pyx.

cdef enum:
    CODES = 4096
    SLOTS = 16384
    SLOT_BITS = 14
    PROBES = 4
    MAX_SHARED = 64
    ABSENT = 0
    UNKNOWN = 65535

PLAIN_FREQUENCIES = compiled_words.FREQUENCIES


cdef class Values(Screen):
    """Makes strings; those of the small fields are numbered and shared, because a file has few different ones."""

    # the different texts as they were met behind a None, and of each: whether it is plain, where it was met, its size
    cdef list texts
    cdef unsigned char[::1] code_plain
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
    cdef int newest_day
    """the latest day among the dates that are plain, as the number 20261115"""

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Texts.__init__(self, data, own, prefixes)
        self.texts = [None]
        self.code_plain = bytearray(CODES)
        self.code_plain[ABSENT] = True
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
            self.code_plain[code] = self._plain_field(start, end, field)
            self.text_at[code] = start
            self.text_size[code] = (end - start) * 4 + field
        self.table[slot] = code
        return code

    cdef inline bint _plain_field(self, Py_ssize_t start, Py_ssize_t end, int field) except -1:
        if field == 1:
            return self._plain_date(start, end)
        if field == 2:
            return self.source[start:end] in PLAIN_FREQUENCIES
        if end - start not in (3, 4) or self.data[start + 1] != 46:
            return False
        if self.data[start] == 48:
            return self._digits(start + 2, end)
        return self.data[start] == 49 and self.data[start + 2] == 48 and self.data[end - 1] == 48

    cdef inline bint _digits(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        cdef Py_ssize_t at
        for at in range(start, end):
            if not 48 <= self.data[at] <= 57:
                return False
        return True

    cdef inline int _number(self, Py_ssize_t at) except -2 nogil:
        """Two digits."""
        cdef int tens = self.data[at] - 48, ones = self.data[at + 1] - 48
        return tens * 10 + ones if 0 <= tens <= 9 and 0 <= ones <= 9 else -1

    cdef inline bint _plain_date(self, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        """A day after the web began, alone or with a time to the second and a zone."""
        cdef Py_ssize_t size = end - start
        cdef int century, year, month, day
        if size < 10:
            return False
        century, year = self._number(start), self._number(start + 2)
        month, day = self._number(start + 5), self._number(start + 8)
        if self.data[start + 4] != 45 or self.data[start + 7] != 45:
            return False
        if not (century == 20 and year >= 0 or century == 19 and year >= 92):
            return False
        if not 1 <= month <= 12 or not 1 <= day <= 31:
            return False
        if day > 28 and (month == 2 or day == 31 and (month == 4 or month == 6 or month == 9 or month == 11)):
            return False
        if size > 10 and not self._plain_time(start + 10, end):
            return False
        self.newest_day = max(self.newest_day, ((century * 100 + year) * 100 + month) * 100 + day)
        return True

    cdef inline bint _plain_time(self, Py_ssize_t at, Py_ssize_t end) except -1 nogil:
        cdef Py_ssize_t first
        cdef int hour, minute
        if end - at < 10 or self.data[at] != 84 or self.data[at + 3] != 58 or self.data[at + 6] != 58:
            return False
        hour, minute = self._number(at + 1), self._number(at + 4)
        if not 0 <= hour <= 23 or not 0 <= minute <= 59 or not 0 <= self._number(at + 7) <= 59:
            return False
        at += 9
        if self.data[at] == 46:
            first = at + 1
            at = first
            while at < end and 48 <= self.data[at] <= 57:
                at += 1
            if not 1 <= at - first <= 6 or at >= end:
                return False
        if self.data[at] == 90:
            return at + 1 == end
        if end - at != 6 or self.data[at + 3] != 58 or (self.data[at] != 43 and self.data[at] != 45):
            return False
        hour, minute = self._number(at + 1), self._number(at + 4)
        if hour == 0:
            return self.data[at] == 43 and minute == 0
        return 1 <= hour <= 13 and 0 <= minute <= 59
