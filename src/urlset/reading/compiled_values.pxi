# Spans of bytes → Python strings, and whether a date, frequency or priority is written the usual way.
# Included by compiled.pyx.

cdef enum:
    SLOTS = 4096
    MAX_SHARED = 40
    SCRATCH = 4096

PLAIN_FREQUENCIES = compiled_words.FREQUENCIES


cdef str _unescaped(str text):
    if "&" not in text:
        return text
    for reference, character in compiled_words.REFERENCES:
        text = text.replace(reference, character)
    return text


cdef class Values(Screen):
    """Makes strings; those of the small fields are shared, because a file has few different ones."""

    # texts met before, by a hash of their bytes
    cdef list shared
    cdef int64_t[::1] shared_at
    cdef int64_t[::1] shared_size
    cdef unsigned char[::1] shared_plain
    cdef Py_ssize_t slot
    cdef bytearray scratch
    cdef unsigned char[::1] scratch_view
    cdef int newest_day
    """the latest day among the dates that are plain, as the number 20261115"""

    def __init__(self, bytes data, tuple prefixes):
        Elements.__init__(self, data, prefixes)
        self.shared = [None] * SLOTS
        self.shared_at = array("q", bytes(8 * SLOTS))
        self.shared_size = array("q", bytes(8 * SLOTS))
        self.shared_plain = bytearray(SLOTS)
        self.scratch = bytearray(SCRATCH)
        self.scratch_view = self.scratch

    cdef inline str _string(self, Py_ssize_t start, Py_ssize_t end, bint escaped):
        cdef Py_ssize_t at, size
        if not escaped:
            return self.source[start:end].decode("utf-8")
        if end - start > SCRATCH:
            return _unescaped(self.source[start:end].decode("utf-8"))
        at, size = start, 0
        while at < end:
            if self.data[at] == 38:
                self.scratch_view[size] = self._referred(at)
                while self.data[at] != 59:
                    at += 1
            else:
                self.scratch_view[size] = self.data[at]
            at += 1
            size += 1
        return self.scratch[:size].decode("utf-8")

    cdef inline unsigned char _referred(self, Py_ssize_t at) except? 0:
        """The character of a reference that was checked when it was read."""
        cdef unsigned char first = self.data[at + 1]
        if first == 108:
            return 60
        if first == 103:
            return 62
        if first == 113:
            return 34
        return 38 if self.data[at + 2] == 109 else 39

    cdef inline Py_ssize_t _field(self, Py_ssize_t at, int field) except -2 nogil:
        """Behind a value; `slot` is where the table of shared texts would have it."""
        cdef uint64_t mixed = field
        cdef Py_ssize_t room = self.room
        while at < room and CLASS[self.data[at]] & VALUE:
            mixed = ((mixed << 5) | (mixed >> 59)) ^ self.data[at]
            at += 1
        self.slot = (mixed * <uint64_t>0x9E3779B97F4A7C15) >> 52
        if at < room and self.data[at] == 60:
            return at
        return self._text(at, VALUE)

    cdef inline object _shared(self, Py_ssize_t start, Py_ssize_t end, int field, Py_ssize_t slot):
        """The text of a field; the same object for the same text, as far as a small table remembers."""
        cdef Py_ssize_t size = end - start
        if start < 0:
            return None
        if size > MAX_SHARED:
            self.plain = False
            return _unescaped(self.source[start:end].decode("utf-8"))
        if self.shared_size[slot] != size * 4 + field or not self._same(start, self.shared_at[slot], size):
            self.shared[slot] = _unescaped(self.source[start:end].decode("utf-8"))
            self.shared_at[slot] = start
            self.shared_size[slot] = size * 4 + field
            self.shared_plain[slot] = self._plain_field(start, end, field)
        if not self.shared_plain[slot]:
            self.plain = False
        return self.shared[slot]

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
