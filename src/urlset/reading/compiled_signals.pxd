from libc.stdint cimport uint16_t, uint64_t


cdef class LocSignals:
    """Judges addresses one after another and remembers scheme and host of the last one."""

    cdef const uint64_t[::1] classes
    cdef const uint16_t[::1] exact_roots
    cdef const uint16_t[::1] folded_roots
    cdef const unsigned char[::1] symbols
    cdef Py_ssize_t width
    cdef const uint16_t[::1] following
    cdef const uint64_t[::1] signals
    cdef const unsigned char[::1] final_nodes
    cdef const unsigned char[::1] ends
    cdef const uint64_t[::1] escapes
    cdef const uint64_t[::1] lower_escapes
    # the last head, and what it raised
    cdef unsigned char[256] head
    cdef Py_ssize_t head_size
    cdef uint64_t head_found
    cdef readonly bint same_head
    """the address judged last began with the scheme and host of the one before it"""

    cdef uint64_t loc(self, const unsigned char* text, Py_ssize_t size) noexcept nogil
    cdef Py_ssize_t _head(self, const unsigned char* text, Py_ssize_t size) noexcept nogil
    cdef uint64_t _judged(self, const unsigned char* text, Py_ssize_t at, Py_ssize_t end, Py_ssize_t size, int region) noexcept nogil
    cdef uint64_t _words(self, const unsigned char* text, Py_ssize_t at, Py_ssize_t size, Py_ssize_t node, bint folded) noexcept nogil
