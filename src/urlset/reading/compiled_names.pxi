# Names and short values that are met again and again → strings that are made once. Included by compiled.pyx.

cdef enum:
    NAME_SLOTS = 128
    NAME_BITS = 7
    MAX_SHORT = 12


cdef class Names(Texts):
    """Keeps them by their hashes: where, how long, as strings."""

    cdef int64_t[::1] met_at
    cdef int64_t[::1] met_size
    cdef list met

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Texts.__init__(self, data, own, prefixes)
        self.met_at = array("q", bytes(8 * NAME_SLOTS))
        self.met_size = array("q", bytes(8 * NAME_SLOTS))
        self.met = [None] * NAME_SLOTS

    cdef inline Py_ssize_t _met(self, Py_ssize_t at, Py_ssize_t size) except -1:
        """The slot of a name or a short value, which is not empty."""
        cdef Py_ssize_t first, slot, probe
        if size <= 0 or size > self.limit - at:
            raise IndexError(at)
        first = slot = _hash(&self.data[at], size, 0) >> (64 - NAME_BITS)
        for probe in range(4):
            if self.met_size[slot] == size and self._same(at, self.met_at[slot], size):
                return slot
            if self.met_size[slot] == 0:
                first = slot
                break
            slot = (slot + 1) % NAME_SLOTS
        self._meet(first, at, size)
        return first

    cdef int _meet(self, Py_ssize_t slot, Py_ssize_t at, Py_ssize_t size) except -1:
        self.met_at[slot] = at
        self.met_size[slot] = size
        self.met[slot] = self.source[at : at + size].decode("utf-8")
        return 0

    cdef inline Py_ssize_t _attribute_slot(self, Py_ssize_t number) except -1:
        """Of the local part of its name."""
        return self._met(self.attributes[ATTRIBUTE * number + 2], self.attributes[ATTRIBUTE * number + 1])

    cdef inline str _attribute(self, Py_ssize_t number):
        """The value of an attribute of the tag read last."""
        cdef Py_ssize_t start = self.attributes[ATTRIBUTE * number + 3], end = self.attributes[ATTRIBUTE * number + 4], size
        if not self.attributes[ATTRIBUTE * number + 5]:
            if 0 < end - start <= MAX_SHORT:
                return self.met[self._met(start, end - start)]
            return self.source[start:end].decode("utf-8")
        size = self._decode_attribute(start, end)
        return self.scratch[:size].decode("utf-8")
