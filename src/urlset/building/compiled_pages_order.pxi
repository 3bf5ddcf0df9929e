# Entries of one file → the same by address, between what stands before and behind them. Included by compiled_pages.pyx.

cdef enum:
    FEW = 12  # so many are sorted by insertion
    CACHE_LINE = 64

cdef struct Item:
    uint64_t key  # eight bytes of the address, the first one highest; zeros behind its end
    uint32_t row
    uint32_t unused


@final
cdef class Arranger:
    """Keeps its room for the next file."""

    cdef const uint8_t[::1] _data
    cdef uint32_t[::1] _starts, _sizes
    cdef Item[::1] _items, _spare

    def __init__(self):
        self._data = b""
        self._make_room(1024)

    cdef void _make_room(self, Py_ssize_t rows) except *:
        self._starts, self._sizes = array("I", bytes(4 * rows)), array("I", bytes(4 * rows))
        self._items = view.array((rows,), sizeof(Item), "QII")
        self._spare = view.array((rows,), sizeof(Item), "QII")

    def in_order(self, const uint8_t[::1] data, ends, bytes opening=b"", bytes closing=b"", uint32_t fresh=0):
        """Entries one after the other, each ending at `ends` → one file, and the old numbers of its entries.

        And a file of the first `fresh` entries, each with the one before and behind it; nothing where they are none.
        """
        cdef Py_ssize_t n = len(ends), i, size = 0, at, start, stop, end
        cdef uint32_t row
        cdef uint32_t[::1] stops
        numbers = array("I", bytes(4 * n))
        if n == 0:
            return opening + closing, numbers, b""
        near = bytearray()
        stops = ends
        self._find_addresses(data, stops)
        self._data = data
        try:
            self._sort(0, n, self._common(n))
        finally:
            self._data = b""
        cdef uint32_t[::1] number = numbers
        cdef bytes file = PyBytes_FromStringAndSize(NULL, len(opening) + stops[n - 1] + len(closing))
        cdef char* written = PyBytes_AS_STRING(file)
        at = len(opening)
        end = at + stops[n - 1]
        memcpy(written, PyBytes_AS_STRING(opening), at)
        for i in range(n):
            if i + AHEAD < n:
                row = self._items[i + AHEAD].row
                start, stop = self._starts[row], stops[row]
                while start < stop:
                    prefetch(&data[start])
                    start += CACHE_LINE
            row = self._items[i].row
            number[i] = row
            start = self._starts[row] - LOC_AT
            size = stops[row] - start
            if size > end - at:
                raise IndexError("entries overlap")
            memcpy(&written[at], &data[start], size)
            if fresh and (row < fresh or (i and number[i - 1] < fresh) or (i + 1 < n and self._items[i + 1].row < fresh)):
                near += file[at : at + size]
            at += size
        if at != end:
            raise IndexError("entries leave gaps")
        memcpy(&written[at], PyBytes_AS_STRING(closing), len(closing))
        return file, numbers, opening + near + closing if near else b""

    cdef void _find_addresses(self, const uint8_t[::1] data, uint32_t[::1] stops) except *:
        """Where each begins and how long it is; afterwards every entry is known to lie inside the data."""
        cdef Py_ssize_t n = stops.shape[0], i, start = 0, loc, stop, end
        if n > self._starts.shape[0]:
            self._make_room(n + n // 8)
        for i in range(n):
            loc, stop = start + LOC_AT, stops[i]
            if stop > data.shape[0] or loc >= stop:
                raise IndexError("an entry ends outside")
            end = _find(data, loc, 60)
            if end >= stop:
                raise IndexError("an entry without an address")
            self._starts[i], self._sizes[i] = <uint32_t>loc, <uint32_t>(end - loc)
            start = stop

    cdef Py_ssize_t _common(self, Py_ssize_t n) noexcept:
        """How many characters all addresses begin with."""
        cdef Py_ssize_t i, j, common = self._sizes[0], first = self._starts[0], start
        for i in range(1, n):
            common = min(common, <Py_ssize_t>self._sizes[i])
            start = self._starts[i]
            if common and memcmp(&self._data[first], &self._data[start], common) != 0:
                j = 0
                while self._data[first + j] == self._data[start + j]:
                    j += 1
                common = j
        for i in range(n):
            self._items[i].row = <uint32_t>i
        return common

    cdef inline uint64_t _key(self, uint32_t row, Py_ssize_t depth) noexcept:
        """Eight bytes of an address from there on."""
        cdef Py_ssize_t start = self._starts[row] + depth, left = self._sizes[row] - depth, i
        cdef uint64_t key = 0
        if left <= 0:
            return 0
        if start + 8 <= self._data.shape[0]:
            key = big_endian(&self._data[start])
            return key if left >= 8 else key & (~<uint64_t>0 << (8 * (8 - left)))
        for i in range(8):
            key = (key << 8) | (self._data[start + i] if i < left else 0)
        return key

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
                prefetch(&self._data[self._starts[self._items[i + AHEAD].row]])  # most keys stand on the same line
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
