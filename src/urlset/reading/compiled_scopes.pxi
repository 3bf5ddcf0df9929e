# Prefixes → namespaces: those that the root declares, and those that are declared inside an entry. Included by
# compiled.pyx. Most entries declare none: they are read without scopes first, and again with them where one was met.

cdef enum:
    MAX_SCOPES = 16
    SCOPE = 4
    SAME_AS_CORE = -2


cdef class Scopes(Bytes):
    """What prefixes mean: the innermost declaration counts, then that of the root."""

    # the prefixes with their colons, one behind the other; and that of the core elements, which may be empty
    cdef const unsigned char[::1] prefixes
    cdef const int64_t[::1] prefix_ends
    cdef Py_ssize_t last_prefix
    cdef uint64_t met_prefixes
    """one bit for each that an element had"""
    cdef bint unusual
    """a declaration, an attribute with a prefix, an instruction, or a tag in a comment or section was met"""
    cdef const unsigned char[::1] own
    # of the name read last: whether it is that of a core element, and where its local part begins
    cdef bint core
    cdef Py_ssize_t local
    cdef object meaning
    """bytes of a namespace → its number, SAME_AS_CORE, or -1 when it is not certain; None: declarations are not read"""
    cdef bint declared
    """a namespace declaration was met inside the entry, or a prefix that needs one"""
    cdef bint scoped
    """they are read"""
    cdef bint declaring
    """the attribute name read last is one"""
    cdef bint core_declared
    """the tag whose declarations are being read declares the prefix of the core elements as what it is"""
    cdef int level
    """how many elements are open, while declarations are read"""
    # of each one in force, the innermost last: where its prefix begins, how long that is, the number of its namespace,
    # and the level of its element
    cdef int64_t[::1] scopes
    cdef int scope_count

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Bytes.__init__(self, data)
        self.own = own
        self.prefixes = b"".join(prefixes)
        self.prefix_ends = array("q", accumulate(map(len, prefixes), initial=0))
        self.scopes = array("q", bytes(8 * SCOPE * MAX_SCOPES))

    cdef inline Py_ssize_t _word(self, Py_ssize_t at) except -2 nogil:
        """Behind a name without a colon; the entry does not end there."""
        if at >= self.room or not CLASS[self.data[at]] & FIRST:
            return -1
        while at < self.room and CLASS[self.data[at]] & NAME:
            at += 1
        return at if at < self.room else -1

    cdef inline bint _is_own(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        cdef Py_ssize_t letter
        if self.own.shape[0] != size or size > self.room - at:
            return False
        for letter in range(size):
            if self.data[at + letter] != self.own[letter]:
                return False
        return True

    cdef inline bint _is_known_prefix(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        cdef Py_ssize_t count = self.prefix_ends.shape[0] - 1, tried, which = self.last_prefix, first
        if which >= count:
            which = 0  # the last one was declared inside an entry
        for tried in range(count):
            first = self.prefix_ends[which]
            if size == self.prefix_ends[which + 1] - first and size <= self.room - at and (size == 0 or memcmp(&self.data[at], &self.prefixes[first], size) == 0):
                self.last_prefix = which
                self.met_prefixes |= <uint64_t>1 << which
                return True
            which = which + 1 if which + 1 < count else 0
        return False

    cdef inline int _start_row(self, bint scoped) except -1 nogil:
        self.scoped = scoped
        self.unusual = self.unusual or scoped
        self.scope_count = self.level = 0
        self.declared = self.declaring = False
        return 0

    cdef inline int _leave(self, int level) except -1 nogil:
        """Forget the declarations of elements that are closed."""
        while self.scope_count > 0 and self.scopes[SCOPE * (self.scope_count - 1) + 3] > level:
            self.scope_count -= 1
        return 0

    cdef Py_ssize_t _scoped_name(self, Py_ssize_t at) except -2 nogil:
        """The same as `_name`, where the tag may declare the prefix that it has."""
        cdef Py_ssize_t size = 0, end = self._word(at), local = at
        if end >= 0 and self.data[end] == 58:
            size = end - at
            local = end + 1
            end = self._word(local)
        if end < 0 or not self._declare(end):
            return -1
        self.local = local
        self.core = False
        if self._is_declared_inside(at, size):
            return end
        self.core = self._is_own(at, local - at)
        return end if self.core or self._is_known_prefix(at, local - at) else -1

    cdef inline bint _is_declared_inside(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        """Whether the prefix, without its colon, is declared inside the entry; `last_prefix` is what it means."""
        cdef int number
        for number in range(self.scope_count - 1, -1, -1):
            if self.scopes[SCOPE * number + 1] == size and self._same(at, self.scopes[SCOPE * number], size):
                self.last_prefix = self.scopes[SCOPE * number + 2]
                return True
        return False

    cdef inline bint _is_bound(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        """Whether the prefix of an attribute, with its colon, is declared anywhere."""
        if self.scoped and self._is_declared_inside(at, size - 1):
            return True
        return self._is_own(at, size) or self._is_known_prefix(at, size)

    cdef inline bint _is_declaration(self, Py_ssize_t at, Py_ssize_t end) except -1 nogil:
        """Whether an attribute name, or what is before its colon, is `xmlns`."""
        return end - at == 5 and memcmp(&self.data[at], <const unsigned char*>b"xmlns", 5) == 0

    cdef bint _declare(self, Py_ssize_t at) except -1 nogil:
        """Take the declarations of the tag whose name ends there; False when one of them is not certain."""
        cdef Py_ssize_t name, end, value
        cdef unsigned char quote
        self.core_declared = False
        while True:
            name = self._space(at)
            if name >= self.room:
                return False
            if self.data[name] == 62 or self.data[name] == 47:
                return True
            end = name
            while end < self.room and CLASS[self.data[end]] & NAME:
                end += 1
            value = end
            while value < self.room and self.data[value] != 34 and self.data[value] != 39 and self.data[value] != 62:
                value += 1
            if value >= self.room or self.data[value] == 62:
                return False
            quote = self.data[value]
            value += 1
            at = value
            while at < self.room and self.data[at] != quote:
                at += 1
            if self._is_declaration(name, end) and not self._bind(end, value, at):
                return False
            at += 1

    cdef bint _bind(self, Py_ssize_t prefix, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        """Note the declaration of the namespace that is written between two offsets; its prefix is behind `xmlns`."""
        cdef Py_ssize_t size = 0, at
        cdef int number, other
        if self.data[prefix] == 58:
            prefix += 1
            while CLASS[self.data[prefix + size]] & NAME:
                size += 1
            if size == 0 or LOWER[self.data[prefix]] == 120:  # xml and xmlns are reserved
                return False
        if start >= end or end >= self.room or self.scope_count >= MAX_SCOPES:
            return False
        for at in range(start, end):
            if not 33 <= self.data[at] <= 126 or self.data[at] == 38 or self.data[at] == 60 or self.data[at] == 62:
                return False
        for other in range(self.scope_count):
            if self.scopes[SCOPE * other + 3] == self.level + 1 and self.scopes[SCOPE * other + 1] == size:
                if self._same(prefix, self.scopes[SCOPE * other], size):
                    return False  # twice in one tag
        if self.core_declared and self._is_own_prefix(prefix, size):
            return False  # the same
        with gil:
            number = self.meaning(self.source[start:end])
        if number < 0:
            self.core_declared = number == SAME_AS_CORE and self.scope_count == 0 and self._is_own_prefix(prefix, size)
            return self.core_declared
        self.scopes[SCOPE * self.scope_count] = prefix
        self.scopes[SCOPE * self.scope_count + 1] = size
        self.scopes[SCOPE * self.scope_count + 2] = number
        self.scopes[SCOPE * self.scope_count + 3] = self.level + 1
        self.scope_count += 1
        return True

    cdef inline bint _is_own_prefix(self, Py_ssize_t at, Py_ssize_t size) except -1 nogil:
        """Whether the prefix, without its colon, is that of the core elements."""
        if size == 0 or self.own.shape[0] == 0:
            return size == self.own.shape[0]
        return size + 1 == self.own.shape[0] and size < self.room - at and memcmp(&self.data[at], &self.own[0], size) == 0

    cdef inline bint _hides_core(self) except -1 nogil:
        """Whether the prefix of the core elements means something else inside the tag read last."""
        cdef int number
        for number in range(self.scope_count):
            if self._is_own_prefix(self.scopes[SCOPE * number], self.scopes[SCOPE * number + 1]):
                return True
        return False
