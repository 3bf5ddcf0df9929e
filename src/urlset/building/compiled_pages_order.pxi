# Entries of one file → the same by address, between what stands before and behind them. Included by compiled_pages.pyx.

cdef struct Item:
    const uint8_t* address
    uint32_t size
    uint32_t row


cdef int _by_address(const void* one, const void* other) noexcept nogil:
    """Those of the same address as they stood."""
    cdef const Item* left = <const Item*>one
    cdef const Item* right = <const Item*>other
    cdef int found = memcmp(left.address, right.address, min(left.size, right.size))
    return found or (left.size > right.size) - (left.size < right.size) or (left.row > right.row) - (left.row < right.row)


@final
cdef class Arranger:
    """Keeps its room for the next file."""

    cdef bytearray _addresses
    """of all entries, one after the other"""
    cdef uint64_t[::1] _places
    """where each begins in them; later, where its entry goes"""
    cdef uint32_t[::1] _lengths
    """of the whole entry"""
    cdef bytearray _room
    cdef Item* _items

    def __init__(self):
        self._make_room(1024)

    cdef void _make_room(self, Py_ssize_t rows) except *:
        self._places = view.array((rows,), 8, "Q")
        self._lengths = array("I", bytes(4 * rows))
        self._room = bytearray(rows * sizeof(Item))
        self._items = <Item*>PyByteArray_AS_STRING(self._room)

    def in_order(self, parts, bytes opening=b"", bytes closing=b"", uint32_t fresh=0):
        """Entries in parts → one file, and the numbers that its entries had in all parts.

        And a file of the first `fresh` entries, each with the one before and behind it; nothing where they are none.
        A part on disk is read twice: all of them together are as large as the file.
        """
        cdef Py_ssize_t n = 0, i = 0, size = 0, at = len(opening), end
        cdef uint32_t row
        for part in parts:
            n += len(part.ends)
        numbers = array("I", bytes(4 * n))
        if n == 0:
            return opening + closing, numbers, b""
        if n > self._lengths.shape[0]:
            self._make_room(n + n // 8)
        self._addresses = bytearray()
        for part in parts:
            size += self._find_addresses(part.load(), part.starts, part.ends, i)
            i += len(part.ends)
        self._sort(n)
        self._addresses = bytearray()
        cdef uint32_t[::1] number = numbers
        cdef bytes file = PyBytes_FromStringAndSize(NULL, at + size + len(closing))
        cdef char* written = PyBytes_AS_STRING(file)
        memcpy(written, PyBytes_AS_STRING(opening), at)
        for i in range(n):
            row = self._items[i].row
            number[i] = row
            self._places[row] = at
            at += self._lengths[row]
        memcpy(&written[at], PyBytes_AS_STRING(closing), len(closing))
        i = 0
        for part in parts:
            self._copy(part.load(), part.starts, part.ends, i, written)
            i += len(part.ends)
        near = bytearray()
        for i in range(n if fresh else 0):
            row = number[i]
            if row < fresh or (i and number[i - 1] < fresh) or (i + 1 < n and number[i + 1] < fresh):
                end = self._places[row] + self._lengths[row]
                near += file[self._places[row] : end]
        return file, numbers, opening + near + closing if near else b""

    cdef Py_ssize_t _find_addresses(self, const uint8_t[::1] data, starts, ends, Py_ssize_t row) except -1:
        """Of the entries of a part, numbered from `row`. Gives the size of all entries."""
        cdef Py_ssize_t n = len(ends), i, start = 0, loc, stop, end, size = 0, used = len(self._addresses), room
        cdef uint32_t[::1] stops, begins
        cdef char* addresses
        if n == 0:
            return 0
        stops = ends
        begins = ends if starts is None else starts
        if begins.shape[0] != n:
            raise IndexError("not as many entries begin as end")
        room = used
        addresses = PyByteArray_AS_STRING(self._addresses)
        for i in range(n):
            start = start if starts is None else begins[i]
            loc, stop = start + LOC_AT, stops[i]
            if stop > data.shape[0] or loc >= stop:
                raise IndexError("an entry ends outside")
            end = _find(data, loc, 60)
            if end >= stop:
                raise IndexError("an entry without an address")
            if used + end - loc > room:
                room = (used + end - loc) * 3 // 2 + (1 << 16)
                _grow(self._addresses, room)
                addresses = PyByteArray_AS_STRING(self._addresses)
            memcpy(addresses + used, &data[loc], end - loc)
            self._places[row + i] = used
            self._items[row + i].size, self._lengths[row + i] = <uint32_t>(end - loc), <uint32_t>(stop - start)
            used += end - loc
            size += stop - start
            start = stop
        del self._addresses[used:]
        return size

    cdef int _copy(self, const uint8_t[::1] data, starts, ends, Py_ssize_t row, char* written) except -1:
        """The entries of a part to their places."""
        cdef Py_ssize_t n = len(ends), i, stop
        cdef uint32_t[::1] stops
        if n == 0:
            return 0
        stops = ends
        for i in range(n):
            stop = stops[i]
            if stop > data.shape[0] or stop < <Py_ssize_t>self._lengths[row + i]:
                raise IndexError("an entry ends outside")
            memcpy(&written[self._places[row + i]], &data[stop - self._lengths[row + i]], self._lengths[row + i])
        return 0

    cdef void _sort(self, Py_ssize_t n) noexcept:
        """The items by address; those that stand in order cost one look each."""
        cdef const uint8_t* first = <const uint8_t*>PyByteArray_AS_STRING(self._addresses)
        cdef Py_ssize_t i
        cdef bint ascending = True
        for i in range(n):
            self._items[i].row, self._items[i].address = <uint32_t>i, first + self._places[i]
            ascending = ascending and (i == 0 or _by_address(&self._items[i - 1], &self._items[i]) < 0)
        if not ascending:
            qsort(self._items, n, sizeof(Item), _by_address)


@final
cdef class Claims:
    """Numbers by address, of which 96 bits are kept, under a key of this process: nobody can choose some that collide."""

    cdef uint64_t _k0, _k1
    cdef PairTable _table
    """the number and half of the second hash by the first one"""

    def __init__(self):
        key = os.urandom(16)
        self._k0, self._k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
        self._table = PairTable(10)

    def setdefault(self, str address, uint32_t number):
        """The number that the address has, which is this one where it had none."""
        cdef Hash hash = self._hash_of(address)
        cdef Pair* found = self._find(hash)
        if found == NULL:
            self._table.add(hash.key, hash.check & ~<uint64_t>0xFFFFFFFF | number)
            return number
        return <uint32_t>found.value

    def get(self, str address, uint32_t number):
        """The number that the address has, or this one where it has none."""
        cdef Pair* found = self._find(self._hash_of(address))
        return number if found == NULL else <uint32_t>found.value

    cdef Hash _hash_of(self, str address) except *:
        cdef Py_ssize_t size = 0
        cdef const char* text
        if address.isascii():
            text = PyUnicode_AsUTF8AndSize(address, &size)
            return _hashes(<const uint8_t*>text, size, self._k0, self._k1, True)
        coded = address.encode("utf-8", "surrogatepass")
        return _hashes(<const uint8_t*>PyBytes_AS_STRING(coded), len(coded), self._k0, self._k1, True)

    cdef Pair* _find(self, Hash hash) noexcept:
        cdef uint64_t at = self._table.home(hash.key)
        cdef Pair* pairs = self._table.pairs
        while pairs[at].key:
            if pairs[at].key == hash.key and (pairs[at].value ^ hash.check) >> 32 == 0:
                return &pairs[at]
            at = (at + 1) & self._table.mask
        return NULL
