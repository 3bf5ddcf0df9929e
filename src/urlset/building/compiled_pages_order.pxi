# Entries of one file → the same by address, between what stands before and behind them. Included by compiled_pages.pyx.

cdef enum:
    FEW = 12  # so many are sorted by insertion

cdef struct Item:
    uint64_t key  # eight bytes of the address, the first one highest; zeros behind its end
    uint32_t row
    uint32_t unused


@final
cdef class Arranger:
    """Keeps its room for the next file."""

    cdef bytearray _addresses
    """of all entries, one after the other"""
    cdef const uint8_t* _first
    cdef uint64_t[::1] _places
    """where each begins in them; later, where its entry goes"""
    cdef uint32_t[::1] _sizes, _lengths
    """of its address and of the whole entry"""
    cdef Item[::1] _items, _spare

    def __init__(self):
        self._make_room(1024)

    cdef void _make_room(self, Py_ssize_t rows) except *:
        self._places = view.array((rows,), 8, "Q")
        self._sizes, self._lengths = array("I", bytes(4 * rows)), array("I", bytes(4 * rows))
        self._items = view.array((rows,), sizeof(Item), "QII")
        self._spare = view.array((rows,), sizeof(Item), "QII")

    cdef inline const uint8_t* _address(self, uint32_t row) noexcept:
        return self._first + self._places[row]

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
        if n > self._sizes.shape[0]:
            self._make_room(n + n // 8)
        self._addresses = bytearray()
        for part in parts:
            size += self._find_addresses(part.load(), part.starts, part.ends, i)
            i += len(part.ends)
        self._addresses += bytes(8)  # so many are read at once
        self._first = <const uint8_t*>PyByteArray_AS_STRING(self._addresses)
        self._sort(0, n, self._common(n))
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
            self._sizes[row + i], self._lengths[row + i] = <uint32_t>(end - loc), <uint32_t>(stop - start)
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

    cdef Py_ssize_t _common(self, Py_ssize_t n) noexcept:
        """How many characters all addresses begin with."""
        cdef Py_ssize_t i, j, common = self._sizes[0]
        cdef const uint8_t* first = self._address(0)
        cdef const uint8_t* other
        for i in range(1, n):
            common = min(common, <Py_ssize_t>self._sizes[i])
            other = self._address(i)
            if common and memcmp(first, other, common) != 0:
                j = 0
                while first[j] == other[j]:
                    j += 1
                common = j
        for i in range(n):
            self._items[i].row = <uint32_t>i
        return common

    cdef inline uint64_t _key(self, uint32_t row, Py_ssize_t depth) noexcept:
        """Eight bytes of an address from there on."""
        cdef Py_ssize_t left = self._sizes[row] - depth
        cdef uint64_t key
        if left <= 0:
            return 0
        key = big_endian(self._address(row) + depth)
        return key if left >= 8 else key & (~<uint64_t>0 << (8 * (8 - left)))

    cdef void _sort(self, Py_ssize_t low, Py_ssize_t high, Py_ssize_t depth) except *:
        """Items from `low` to `high`, whose addresses are the same up to `depth`, eight bytes at a time.

        Groups of the same eight bytes are sorted by the next eight. Each call within a call has fewer items.
        """
        cdef Py_ssize_t i, first
        while True:
            self._load(low, high, depth)
            if self._items[low].key != self._items[high - 1].key or self._items[low].key & 0xFF == 0:
                break
            depth += 8
        first = low
        for i in range(low + 1, high + 1):
            if i == high or self._items[i].key != self._items[first].key:
                # no address has a zero in it, so one that ends in these eight bytes is the same as its neighbours
                if i - first > 1 and self._items[first].key & 0xFF:
                    self._sort(first, i, depth + 8)
                first = i

    cdef void _load(self, Py_ssize_t low, Py_ssize_t high, Py_ssize_t depth) noexcept:
        """Their keys at this depth, in order; those that stand in order cost one look each."""
        cdef Py_ssize_t i
        cdef uint64_t key, before = 0
        cdef bint ascending = True
        for i in range(low, high):
            if i + AHEAD < high:
                prefetch(self._address(self._items[i + AHEAD].row))  # most keys stand on the same line
            key = self._key(self._items[i].row, depth)
            ascending = ascending and key >= before
            self._items[i].key = before = key
        if not ascending:
            self._sort_keys(low, high)

    cdef void _sort_keys(self, Py_ssize_t low, Py_ssize_t high) noexcept:
        """By key, equal ones as they stood."""
        cdef Py_ssize_t start, i, j
        cdef Item item
        start = low
        while start < high:
            for i in range(start + 1, min(start + FEW, high)):
                item = self._items[i]
                j = i
                while j > start and self._items[j - 1].key > item.key:
                    self._items[j] = self._items[j - 1]
                    j -= 1
                self._items[j] = item
            start += FEW
        if high - low > FEW:
            self._merge(low, high)

    cdef void _merge(self, Py_ssize_t low, Py_ssize_t high) noexcept:
        cdef Py_ssize_t width = FEW, start, middle, stop, left, right, at
        cdef bint later
        cdef Item* source = &self._items[0]
        cdef Item* target = &self._spare[0]
        cdef Item* swap
        while width < high - low:
            start = low
            while start < high:
                middle, stop = min(start + width, high), min(start + 2 * width, high)
                left, right, at = start, middle, start
                while left < middle and right < stop:
                    later = source[right].key < source[left].key  # chosen without a branch, which nobody could foresee
                    target[at] = source[right if later else left]
                    right += later
                    left += not later
                    at += 1
                if left < middle:
                    memcpy(&target[at], &source[left], (middle - left) * sizeof(Item))
                elif right < stop:
                    memcpy(&target[at], &source[right], (stop - right) * sizeof(Item))
                start = stop
            swap = source
            source = target
            target = swap
            width *= 2
        if source != &self._items[0]:
            memcpy(&self._items[low], &source[low], (high - low) * sizeof(Item))


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

    def claim(self, addresses, uint32_t number):
        """The same for several; the other numbers that some of them have."""
        cdef uint32_t found
        others = []
        for address in addresses:
            found = self.setdefault(address, number)
            if found != number:
                others.append(found)
        return others

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
