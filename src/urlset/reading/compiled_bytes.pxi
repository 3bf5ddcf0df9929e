# The input and the smallest pieces of it: classes of bytes, white space, text, references, characters.
# Included by compiled.pyx.

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(unsigned int character) noexcept nogil

cdef enum:
    SPACE = 1
    VALUE = 2
    QUOTED = 4
    FIRST = 8
    NAME = 16
    NO_DIGIT = 255

# indexed by single bytes only, so that no index can be outside
cdef unsigned char[256] CLASS
cdef unsigned char[256] LOWER
cdef unsigned char[256] DIGIT


cdef void _fill_tables() noexcept:
    cdef int byte
    for byte in range(256):
        CLASS[byte] = 0
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        DIGIT[byte] = NO_DIGIT
        if byte in b" \t\n\r":
            CLASS[byte] |= SPACE
        if (32 <= byte < 127 or byte in b"\t\n") and byte not in b"&<>":
            CLASS[byte] |= VALUE  # a carriage return is read as a line feed
        if 32 <= byte < 127 and byte not in b"\"'&<":
            CLASS[byte] |= QUOTED  # tabs and line ends are read as spaces
        if 97 <= LOWER[byte] <= 122 or byte == 95:
            CLASS[byte] |= FIRST | NAME
        if 48 <= byte <= 57 or byte in b"-.":
            CLASS[byte] |= NAME
        if 48 <= byte <= 57:
            DIGIT[byte] = byte - 48
        if 97 <= LOWER[byte] <= 102:
            DIGIT[byte] = LOWER[byte] - 87


_fill_tables()


@final
cdef class Numbers:
    """A list of numbers that grows; written to without the interpreter's lock."""

    cdef int64_t[::1] items
    cdef Py_ssize_t size

    def __init__(self):
        self.items = array("q", bytes(8 * 64))

    cdef inline int push(self, int64_t number) except -1 nogil:
        if self.size >= self.items.shape[0]:
            with gil:
                self._grow()
        self.items[self.size] = number
        self.size += 1
        return 0

    cdef int _grow(self) except -1:
        cdef int64_t[::1] larger = array("q", bytes(16 * self.items.shape[0]))
        larger[: self.items.shape[0]] = self.items
        self.items = larger
        return 0


cdef class Bytes:
    """The bytes of one document, and how far the entry being read may reach."""

    cdef bytes source
    cdef const unsigned char[::1] data
    cdef Py_ssize_t limit
    """how many bytes there are"""
    cdef Py_ssize_t room
    """where the entry being read must have ended; never beyond the limit"""
    cdef bint coded
    """the text read last is not written as its own bytes: references, sections, comments, carriage returns"""
    cdef bint blank
    """nothing but white space was met in the text"""
    cdef unsigned int character
    """the one read last; 0 when XML does not allow it"""
    cdef bint repairing
    """a bare ampersand or an undefined entity is noted and read as text"""
    cdef Numbers repairs
    """where those begin, and how long they are"""
    cdef bint twice
    """an ampersand may begin a reference that is escaped twice"""

    def __init__(self, bytes data):
        self.source = data
        self.data = data
        self.limit = len(data)
        self.repairs = Numbers()

    cdef inline bint _same(self, Py_ssize_t one, Py_ssize_t other, Py_ssize_t size) except -1 nogil:
        """Whether two slices of the input, both inside it, have the same bytes."""
        if size <= 0 or one < 0 or other < 0 or size > self.room - one or size > self.limit - other:
            return size == 0
        return memcmp(&self.data[one], &self.data[other], size) == 0

    cdef inline Py_ssize_t _space(self, Py_ssize_t at) except -2 nogil:
        cdef Py_ssize_t room = self.room
        while at < room and CLASS[self.data[at]] & SPACE:
            at += 1
        return at

    cdef inline Py_ssize_t _text(self, Py_ssize_t at) except -2 nogil:
        """Behind plain characters and references; -1 when the entry ends before the text does."""
        cdef Py_ssize_t room = self.room
        while True:
            while at < room and CLASS[self.data[at]] & VALUE:
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

    cdef inline Py_ssize_t _quoted(self, Py_ssize_t at, unsigned char quote) except -2 nogil:
        """At the end of an attribute's value."""
        cdef Py_ssize_t room = self.room
        cdef unsigned char byte
        while True:
            while at < room and CLASS[self.data[at]] & QUOTED:
                at += 1
            if at >= room:
                return -1
            byte = self.data[at]
            if byte == quote:
                return at
            if byte == 34 or byte == 39 or byte == 127:
                at += 1
            elif CLASS[byte] & SPACE:
                self.coded = True
                at += 1
            elif byte == 38:
                at = self._reference(at)
            elif byte >= 128:
                at = self._sequence(at)
            else:
                return -1
            if at < 0:
                return -1

    cdef inline Py_ssize_t _reference(self, Py_ssize_t at) except -2 nogil:
        """Behind a reference; one that is none is noted where repairs are allowed, else -1."""
        cdef Py_ssize_t end = self._sound_reference(at)
        self.coded = True
        if end >= 0:
            if not _is_allowed(self.character):
                return -1
            self.twice = self.twice or self.character == 38 and self._may_refer(end - 1)
            if not Py_UNICODE_ISSPACE(self.character):
                self.blank = False
            return end
        if not self.repairing:
            return -1
        end = self._entity(at)
        if end < 0:
            self.blank = False
        elif self.blank:
            with gil:
                self.blank = around.is_space(self.source[at:end])
        self.repairs.push(at)
        self.repairs.push(max(end - at, 1))
        return max(end, at + 1)

    cdef inline Py_ssize_t _sound_reference(self, Py_ssize_t at) except -2 nogil:
        """Behind a reference that XML defines, or one by number, which `character` is; else -1."""
        return self._character_reference(at) if self.room - at >= 4 and self.data[at + 1] == 35 else self._predefined(at)

    cdef inline bint _may_refer(self, Py_ssize_t at) except -1 nogil:
        """Whether a reference begins there, if there is an ampersand."""
        return self.room - at >= 2 and (self.data[at + 1] == 35 or self._entity(at) >= 0)

    cdef inline Py_ssize_t _predefined(self, Py_ssize_t at) except -2 nogil:
        """Behind one of the five references that XML defines, which `character` is; else -1."""
        cdef Py_ssize_t left = self.room - at
        if left >= 5 and self.data[at + 1] == 97 and self.data[at + 2] == 109 and self.data[at + 3] == 112 and self.data[at + 4] == 59:
            self.character = 38
            return at + 5
        if left >= 4 and (self.data[at + 1] == 108 or self.data[at + 1] == 103) and self.data[at + 2] == 116 and self.data[at + 3] == 59:
            self.character = 60 if self.data[at + 1] == 108 else 62
            return at + 4
        if left < 6 or self.data[at + 5] != 59:
            return -1
        if self.data[at + 1] == 113 and self.data[at + 2] == 117 and self.data[at + 3] == 111 and self.data[at + 4] == 116:
            self.character = 34
            return at + 6
        if self.data[at + 1] == 97 and self.data[at + 2] == 112 and self.data[at + 3] == 111 and self.data[at + 4] == 115:
            self.character = 39
            return at + 6
        return -1

    cdef inline Py_ssize_t _character_reference(self, Py_ssize_t at) except -2 nogil:
        """Behind a reference by number, in `character`; -1 when it is not written as one."""
        cdef Py_ssize_t here = at + 2, first
        cdef unsigned int base = 10, code = 0
        if self.room - at < 4 or self.data[at + 1] != 35:
            return -1
        if self.data[here] == 120:
            base = 16
            here += 1
        first = here
        while here < self.room and DIGIT[self.data[here]] < base:
            code = min(code * base + DIGIT[self.data[here]], <unsigned int>0x110000)
            here += 1
        if here == first or here >= self.room or self.data[here] != 59:
            return -1
        self.character = code
        return here + 1

    cdef inline Py_ssize_t _entity(self, Py_ssize_t at) except -2 nogil:
        """Behind what is written as a reference by name; else -1."""
        cdef Py_ssize_t here = at + 1
        cdef unsigned char byte
        while here < self.room:
            byte = self.data[here]
            if not (97 <= LOWER[byte] <= 122 or here > at + 1 and 48 <= byte <= 57):
                break
            here += 1
        return here + 1 if at + 1 < here < self.room and self.data[here] == 59 else -1

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
        if not Py_UNICODE_ISSPACE(code):
            self.blank = False
        return at + size


cdef inline bint _is_allowed(unsigned int code) noexcept nogil:
    """Whether XML allows the character."""
    if code < 32:
        return code == 9 or code == 10 or code == 13
    return code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or 0x10000 <= code <= 0x10FFFF


cdef inline uint64_t _hash(const unsigned char* text, Py_ssize_t size, uint64_t seed) noexcept nogil:
    """Of bytes that the caller has checked to be there; the upper bits are the better ones."""
    cdef uint64_t word, mixed = seed ^ <uint64_t>size << 8  # the last two words overlap
    cdef Py_ssize_t here = 0
    if size < 8:
        for here in range(size):
            mixed = (mixed ^ text[here]) * <uint64_t>0x9E3779B97F4A7C15
        return mixed
    while size - here > 8:
        memcpy(&word, text + here, 8)
        mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 32
        here += 8
    memcpy(&word, text + size - 8, 8)
    return (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15


cdef inline int _bits_for(Py_ssize_t number) noexcept nogil:
    cdef int bits = 4
    while 1 << bits < number:
        bits += 1
    return bits


cdef inline bint _was_met(uint64_t[::1] met, uint64_t digest, int bits, Py_ssize_t* tries) noexcept nogil:
    """Whether a hash was met before, or may have been; `met` has them at the places that their first bits say."""
    cdef Py_ssize_t place
    digest |= 1
    place = digest >> (64 - bits)
    while met[place] != 0 and met[place] != digest and tries[0] > 0:
        place = place + 1 & (met.shape[0] - 1)
        tries[0] -= 1
    if met[place] != 0:
        return True
    met[place] = digest
    return False
