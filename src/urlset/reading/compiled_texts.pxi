# Content and attribute values as written → their text, references and sections resolved; names and short values that
# are met again and again become strings once. Included by compiled.pyx.

cdef enum:
    SCRATCH = 1024

cdef unsigned char[256] AS_WRITTEN
"""the bytes of content that are always text, and always themselves"""
cdef int _byte
for _byte in range(256):
    AS_WRITTEN[_byte] = _byte not in b"&<]\r\n\t"


cdef class Texts(Elements):
    """Decodes what was read before: all of it is known to be sound."""

    cdef bytearray scratch
    cdef unsigned char[::1] scratch_view
    cdef Py_ssize_t decoded_size

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Elements.__init__(self, data, own, prefixes)
        self.scratch = bytearray(SCRATCH)
        self.scratch_view = self.scratch

    cdef inline str _string(self, Py_ssize_t start, Py_ssize_t end, bint coded):
        """The text of content that was read before; `coded` when it is not written as its own bytes."""
        cdef Py_ssize_t size
        if not coded:
            return self.source[start:end].decode("utf-8")
        size = self._decode(start, end)
        return self.scratch[:size].decode("utf-8")

    cdef Py_ssize_t _decode(self, Py_ssize_t start, Py_ssize_t end, bint quoted=False) except -1 nogil:
        """The text of content that was read before, put into the scratch; its size. In the value of an attribute, white
        space is spaces."""
        cdef Py_ssize_t at = start, size = 0, room = self.room, run
        cdef unsigned char byte
        cdef bint verbatim = False
        cdef const unsigned char* text
        if end > self.limit:
            raise IndexError(end)
        if self.scratch_view.shape[0] < 2 * (end - start):
            with gil:
                self._enlarge_scratch(2 * (end - start))
        self.room = end
        while at < end:
            text, run = &self.data[at], 0
            while run < end - at and AS_WRITTEN[text[run]]:
                run += 1
            if run > 0:
                if run > self.scratch_view.shape[0] - size:
                    raise IndexError("a text is longer than it was written")
                memcpy(&self.scratch_view[size], text, run)
                at, size = at + run, size + run
                continue
            byte = self.data[at]
            if verbatim:
                if byte == 93 and end - at >= 3 and self.data[at + 1] == 93 and self.data[at + 2] == 62:
                    verbatim = False
                    at += 3
                    continue
            elif byte == 38:
                at, size = self._refer(at, size), self.decoded_size
                continue
            elif byte == 60 and not quoted:
                verbatim = end - at >= 9 and self.data[at + 1] == 33 and self.data[at + 2] == 91
                at = at + 9 if verbatim else self._past(at)
                continue
            if byte == 13:
                byte = 10
                if end - at > 1 and self.data[at + 1] == 10:
                    at += 1
            self.scratch_view[size] = 32 if quoted and (byte == 9 or byte == 10) else byte
            size += 1
            at += 1
        self.room = room
        return size

    cdef int _enlarge_scratch(self, Py_ssize_t size) except -1:
        self.scratch = bytearray(2 * size)
        self.scratch_view = self.scratch
        return 0

    cdef inline Py_ssize_t _past(self, Py_ssize_t at) except -1 nogil:
        """Behind a comment or an instruction."""
        cdef bint comment = self.room - at > 1 and self.data[at + 1] == 33
        at += 6 if comment else 2  # the two hyphens of a comment's begin are not those of its end
        while at < self.room:
            if self.data[at] == 62 and self.data[at - 1] == (45 if comment else 63) and (not comment or self.data[at - 2] == 45):
                return at + 1
            at += 1
        return at

    cdef inline Py_ssize_t _refer(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        """Put what an ampersand begins behind the first `size` bytes of the scratch; behind it in the input."""
        cdef Py_ssize_t end = self._sound_reference(at)
        if end >= 0:
            self.decoded_size = self._put_character(size)
            return end
        end = self._entity(at)
        if end >= 0:
            with gil:
                self.decoded_size = self._put_entity(at, end, size)
            return end
        self.character = 38
        self.decoded_size = self._put_character(size)
        return at + 1

    cdef inline Py_ssize_t _put_character(self, Py_ssize_t size) except -1 nogil:
        """Put a character behind the first `size` bytes of the scratch; its size then."""
        cdef unsigned int code = self.character
        if code < 0x80:
            self.scratch_view[size] = code
            return size + 1
        if code < 0x800:
            self.scratch_view[size] = 0xC0 | code >> 6
            self.scratch_view[size + 1] = 0x80 | code & 0x3F
            return size + 2
        if code < 0x10000:
            self.scratch_view[size] = 0xE0 | code >> 12
            self.scratch_view[size + 1] = 0x80 | code >> 6 & 0x3F
            self.scratch_view[size + 2] = 0x80 | code & 0x3F
            return size + 3
        self.scratch_view[size] = 0xF0 | code >> 18 & 0x07
        self.scratch_view[size + 1] = 0x80 | code >> 12 & 0x3F
        self.scratch_view[size + 2] = 0x80 | code >> 6 & 0x3F
        self.scratch_view[size + 3] = 0x80 | code & 0x3F
        return size + 4

    cdef Py_ssize_t _put_entity(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t size) except -1:
        cdef bytes text = around.meaning(self.source[at:end])
        cdef Py_ssize_t letter
        for letter in range(len(text)):
            self.scratch_view[size + letter] = <unsigned char>text[letter]
        return size + len(text)


cdef enum:
    NAME_SLOTS = 128
    NAME_BITS = 7
    MAX_SHORT = 12
    NAME_ROOM = 4096


cdef class Names(Texts):
    """Keeps them by their hashes: their bytes, how long, as strings."""

    cdef unsigned char[::1] met
    """their bytes, one behind the other; those of repaired entries are met in other bytes each time"""
    cdef Py_ssize_t met_end
    cdef int64_t[::1] met_at
    cdef int64_t[::1] met_size
    cdef list known_names

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Texts.__init__(self, data, own, prefixes)
        self.met = bytearray(NAME_ROOM)
        self.met_at = array("q", bytes(8 * NAME_SLOTS))
        self.met_size = array("q", bytes(8 * NAME_SLOTS))
        self.known_names = [None] * NAME_SLOTS

    cdef int _read_from(self, bytes data) except -1:
        """Read other bytes."""
        self.source = data
        self.data = data
        self.limit = len(data)
        return 0

    cdef inline Py_ssize_t _name_slot(self, Py_ssize_t at, Py_ssize_t size) except -1:
        """The slot of a name or a short value, which is not empty."""
        cdef Py_ssize_t first, slot, probe
        if size <= 0 or size > self.limit - at:
            raise IndexError(at)
        first = slot = _hash(&self.data[at], size, 0) >> (64 - NAME_BITS)
        for probe in range(4):
            if self.met_size[slot] == size and memcmp(&self.data[at], &self.met[self.met_at[slot]], size) == 0:
                return slot
            if self.met_size[slot] == 0:
                first = slot
                break
            slot = (slot + 1) % NAME_SLOTS
        self._meet(first, at, size)
        return first

    cdef int _meet(self, Py_ssize_t slot, Py_ssize_t at, Py_ssize_t size) except -1:
        if size > self.met.shape[0] - self.met_end:
            self.met_size[:] = 0
            self.met_end = 0
            if size > self.met.shape[0]:
                self.met = bytearray(2 * size)
        memcpy(&self.met[self.met_end], &self.data[at], size)
        self.met_at[slot] = self.met_end
        self.met_end += size
        self.met_size[slot] = size
        self.known_names[slot] = self.source[at : at + size].decode("utf-8")
        return 0

    cdef inline Py_ssize_t _attribute_slot(self, Py_ssize_t number) except -1:
        """Of the local part of its name."""
        return self._name_slot(self.attributes[ATTRIBUTE * number + 2], self.attributes[ATTRIBUTE * number + 1])

    cdef inline str _attribute(self, Py_ssize_t number):
        """The value of an attribute of the tag read last."""
        cdef Py_ssize_t start = self.attributes[ATTRIBUTE * number + 3], end = self.attributes[ATTRIBUTE * number + 4], size
        if not self.attributes[ATTRIBUTE * number + 5]:
            if 0 < end - start <= MAX_SHORT:
                return self.known_names[self._name_slot(start, end - start)]
            return self.source[start:end].decode("utf-8")
        size = self._decode(start, end, True)
        return self.scratch[:size].decode("utf-8")
