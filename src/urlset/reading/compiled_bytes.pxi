# The input and the smallest pieces of it: classes of bytes, white space, text, references, characters.
# Included by compiled.pyx.

cdef enum:
    SPACE = 1
    VALUE = 2
    QUOTED = 4
    TEXT = 8
    NAME = 16
    ATTRIBUTE = 32
    PATH = 64
    LABEL = 128

# indexed by single bytes only, so that no index can be outside
cdef unsigned char[256] CLASS
cdef unsigned char[256] LOWER


cdef void _fill_tables() noexcept:
    cdef int byte
    for byte in range(256):
        CLASS[byte] = 0
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        if byte in b" \t\n\r":
            CLASS[byte] |= SPACE
        if (32 <= byte < 127 or byte in b"\t\n") and byte not in b"&<>":
            CLASS[byte] |= VALUE  # a carriage return would be read as a line feed
        if 32 <= byte < 127 and byte not in b'"&<>':
            CLASS[byte] |= QUOTED
        if (32 <= byte < 127 or byte in b"\t\n\r") and byte not in b"&<>":
            CLASS[byte] |= TEXT
        if 97 <= byte <= 122 or byte == 95:
            CLASS[byte] |= NAME | ATTRIBUTE
        if 65 <= byte <= 90:
            CLASS[byte] |= NAME
        if 97 <= byte <= 122 or 48 <= byte <= 57:
            CLASS[byte] |= LABEL | PATH
        if 65 <= byte <= 90 or byte in b"_.~-":
            CLASS[byte] |= PATH


_fill_tables()


cdef class Bytes:
    """The bytes of one document, and how far the entry being read may reach."""

    cdef bytes source
    cdef const unsigned char[::1] data
    cdef Py_ssize_t limit
    """how many bytes there are"""
    cdef Py_ssize_t room
    """where the entry being read must have ended; never beyond the limit"""
    cdef bint references
    """a reference was met"""

    def __init__(self, bytes data):
        self.source = data
        self.data = data
        self.limit = len(data)

    cdef inline bint _same(self, Py_ssize_t one, Py_ssize_t other, Py_ssize_t size) except -1 nogil:
        """Whether two slices of the input, both inside it, have the same bytes."""
        if size <= 0 or one < 0 or other < 0 or size > self.room - one or size > self.limit - other:
            return size == 0
        return memcmp(&self.data[one], &self.data[other], size) == 0

    cdef inline bint _before(self, Py_ssize_t one, Py_ssize_t size, Py_ssize_t other, Py_ssize_t other_size) except -1 nogil:
        """Whether the first of two slices of the input, both inside it and not empty, sorts before the other."""
        cdef Py_ssize_t both = min(size, other_size)
        cdef int order
        if both <= 0 or one < 0 or other < 0 or both > self.limit - one or both > self.limit - other:
            return False
        order = memcmp(&self.data[one], &self.data[other], both)
        return order < 0 or order == 0 and size < other_size

    cdef inline uint64_t _hash(self, Py_ssize_t at, Py_ssize_t size, uint64_t seed) except? 0 nogil:
        """Of a slice inside the input; the upper bits are the better ones."""
        cdef uint64_t word, mixed = seed
        cdef Py_ssize_t here = at, end = at + size
        if at < 0 or size < 0 or size > self.limit - at:
            return 0
        if size < 8:
            for here in range(at, end):
                mixed = (mixed ^ self.data[here]) * <uint64_t>0x9E3779B97F4A7C15
            return mixed
        while end - here > 8:
            memcpy(&word, &self.data[here], 8)
            mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
            mixed ^= mixed >> 32
            here += 8
        memcpy(&word, &self.data[end - 8], 8)
        return (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15

    cdef inline Py_ssize_t _space(self, Py_ssize_t at) except -2 nogil:
        cdef Py_ssize_t room = self.room
        while at < room and CLASS[self.data[at]] & SPACE:
            at += 1
        return at

    cdef inline Py_ssize_t _text(self, Py_ssize_t at, unsigned char wanted) except -2 nogil:
        """Behind characters of that class and references; -1 when the entry ends before the text does."""
        cdef Py_ssize_t room = self.room
        while True:
            while at < room and CLASS[self.data[at]] & wanted:
                at += 1
            if at >= room:
                return -1
            if self.data[at] == 38:
                at = self._reference(at)
            elif self.data[at] >= 128:
                at = self._sequence(at)
            else:
                return at
            if at < 0:
                return -1

    cdef inline Py_ssize_t _reference(self, Py_ssize_t at) except -2 nogil:
        """Behind one of the five predefined references."""
        cdef Py_ssize_t left = self.room - at
        self.references = True
        if left >= 5 and self.data[at + 1] == 97 and self.data[at + 2] == 109 and self.data[at + 3] == 112 and self.data[at + 4] == 59:
            return at + 5
        if left >= 4 and (self.data[at + 1] == 108 or self.data[at + 1] == 103) and self.data[at + 2] == 116 and self.data[at + 3] == 59:
            return at + 4
        if left < 6 or self.data[at + 5] != 59:
            return -1
        if self.data[at + 1] == 113 and self.data[at + 2] == 117 and self.data[at + 3] == 111 and self.data[at + 4] == 116:
            return at + 6
        if self.data[at + 1] == 97 and self.data[at + 2] == 112 and self.data[at + 3] == 111 and self.data[at + 4] == 115:
            return at + 6
        return -1

    cdef inline Py_ssize_t _sequence(self, Py_ssize_t at) except -2 nogil:
        """Behind one character of UTF-8 that XML allows."""
        cdef unsigned int first = self.data[at], code
        cdef Py_ssize_t size, more
        if first < 0xC2 or first > 0xF4:
            return -1
        size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        if size > self.room - at:
            return -1
        code = first & (0x7F >> size)
        for more in range(at + 1, at + size):
            if self.data[more] & 0xC0 != 0x80:
                return -1
            code = code << 6 | self.data[more] & 0x3F
        if size == 3 and (code < 0x800 or 0xD800 <= code <= 0xDFFF or code >= 0xFFFE):
            return -1
        if size == 4 and not 0x10000 <= code <= 0x10FFFF:
            return -1
        return at + size
