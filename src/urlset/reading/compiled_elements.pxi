# Elements of other namespaces inside an entry: well-formed, with known prefixes, few attributes, not deep.
# Included by compiled.pyx. They are not taken apart here: their bytes are read again when somebody asks.

cdef enum:
    MAX_NESTING = 8
    MAX_ATTRIBUTES = 4


cdef class Elements(Bytes):
    """Finds the end of an element, or that it is not of the canonical shape."""

    # the prefixes with their colons, one behind the other
    cdef const unsigned char[::1] prefixes
    cdef const int64_t[::1] prefix_ends
    cdef Py_ssize_t last_prefix
    cdef int depth, deepest
    # where the names of the open elements, and of the attributes of a tag, stand and how long they are
    cdef int64_t[::1] names
    cdef int64_t[::1] attributes

    def __init__(self, bytes data, tuple prefixes):
        Bytes.__init__(self, data)
        self.prefixes = b"".join(prefixes)
        self.prefix_ends = array("q", accumulate(map(len, prefixes), initial=0))
        self.names = array("q", bytes(8 * 2 * MAX_NESTING))
        self.attributes = array("q", bytes(8 * 2 * MAX_ATTRIBUTES))

    cdef inline Py_ssize_t _element(self, Py_ssize_t at) except -2 nogil:
        """Behind one element and all it holds."""
        cdef Py_ssize_t start, size
        while True:
            # an open tag should begin at `at`
            if self.depth >= MAX_NESTING or at >= self.room or self.data[at] != 60:
                return -1
            start = at + 1
            at = self._name(start)
            if at < 0:
                return -1
            self.names[2 * self.depth] = start
            self.names[2 * self.depth + 1] = at - start
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)
            if self.data[at] != 62:
                at = self._attributes(at)
            if at < 0 or self.room - at < 2:
                return -1
            if self.data[at] == 47 and self.data[at + 1] == 62:
                at += 2
                self.depth -= 1
            elif self.data[at] == 62:
                at += 1
            else:
                return -1
            # then text, and the close tags of whatever ends here
            while True:
                if self.depth == 0:
                    return at
                at = self._text(at, TEXT)
                if at < 0 or self.room - at < 4 or self.data[at] != 60:
                    return -1
                if self.data[at + 1] == 47:
                    start, size = self.names[2 * self.depth - 2], self.names[2 * self.depth - 1]
                    if not self._same(at + 2, start, size):
                        return -1
                    at = self._space(at + 2 + size)
                    if at >= self.room or self.data[at] != 62:
                        return -1
                    at += 1
                    self.depth -= 1
                elif self.data[at + 1] == 33:
                    at = self._cdata(at)
                    if at < 0:
                        return -1
                else:
                    break

    cdef inline Py_ssize_t _name(self, Py_ssize_t at) except -2 nogil:
        """Behind a name with one of the known prefixes; the entry does not end there."""
        cdef Py_ssize_t count = self.prefix_ends.shape[0] - 1, tried, which = self.last_prefix, size, first
        for tried in range(count):
            first = self.prefix_ends[which]
            size = self.prefix_ends[which + 1] - first
            if size <= self.room - at and memcmp(&self.data[at], &self.prefixes[first], size) == 0:
                self.last_prefix = which
                at += size
                first = at
                while at < self.room and CLASS[self.data[at]] & NAME:
                    at += 1
                return at if first < at < self.room else -1
            which = which + 1 if which + 1 < count else 0
        return -1

    cdef inline Py_ssize_t _attributes(self, Py_ssize_t at) except -2 nogil:
        """Behind the attributes of a tag and the space after them."""
        cdef Py_ssize_t here, size, count = 0, other
        while True:
            here = self._space(at)
            if here >= self.room:
                return -1
            if here == at or not CLASS[self.data[here]] & ATTRIBUTE:
                return here
            if count >= MAX_ATTRIBUTES:
                return -1
            at = here
            while at < self.room and CLASS[self.data[at]] & ATTRIBUTE:
                at += 1
            size = at - here
            if self.room - at < 3 or self.data[at] != 61 or self.data[at + 1] != 34:
                return -1
            if size >= 3 and self.data[here] == 120 and self.data[here + 1] == 109 and self.data[here + 2] == 108:
                return -1  # names that begin with xml have a meaning of their own
            for other in range(count):
                if self.attributes[2 * other + 1] == size and self._same(here, self.attributes[2 * other], size):
                    return -1
            self.attributes[2 * count] = here
            self.attributes[2 * count + 1] = size
            count += 1
            at = self._text(at + 2, QUOTED)
            if at < 0 or self.data[at] != 34:
                return -1
            at += 1

    cdef inline Py_ssize_t _cdata(self, Py_ssize_t at) except -2 nogil:
        """Behind a CDATA section."""
        cdef Py_ssize_t room = self.room
        if room - at < 12 or self.data[at + 2] != 91 or self.data[at + 8] != 91:
            return -1
        if self.data[at + 3] != 67 or self.data[at + 4] != 68 or self.data[at + 5] != 65 or self.data[at + 6] != 84 or self.data[at + 7] != 65:
            return -1
        at += 9
        while at + 2 < room:
            if self.data[at] == 93 and self.data[at + 1] == 93 and self.data[at + 2] == 62:
                return at + 3
            if self.data[at] >= 128:
                at = self._sequence(at)
                if at < 0:
                    return -1
            elif self.data[at] >= 32 or CLASS[self.data[at]] & SPACE:
                at += 1
            else:
                return -1
        return -1
