# Entries of one file → the same by address, between what stands before and behind them. Included by compiled_pages.pyx.

cdef struct Item:
    const uint8_t* address
    uint32_t size  # of the address
    uint32_t row


cdef inline bint _is_behind(const Item* left, const Item* right) noexcept nogil:
    """Whether its address comes after that of the other."""
    cdef int found = memcmp(left.address, right.address, min(left.size, right.size))
    return found > 0 or (found == 0 and left.size > right.size)


def in_order(parts, bytes opening=b"", bytes closing=b"", uint32_t fresh=0):
    """Entries in parts → one file, and the builds that each was met first and written last in.

    And a file of the first `fresh` entries, each with the one before and behind it; nothing where they are none.
    A part on disk is read twice: all of them together are as large as the file.
    """
    count = sum(len(part.ends) for part in parts)
    if count == 0:
        return opening + closing, array("I"), array("I"), b""
    return (<_Arranger>_Arranger(count)).in_order(parts, opening, closing, fresh)


@final
cdef class _Arranger:
    """For one file."""

    cdef Py_ssize_t _count
    cdef uint8_t[::1] _room
    cdef Item* _items
    cdef Item* _others
    cdef uint32_t[::1] _lengths
    """of the whole entry, by row"""
    cdef uint64_t[::1] _places
    """where it goes; before that, where runs of items end that are in order"""

    def __init__(self, Py_ssize_t count):
        self._count = count
        self._room = view.array((2 * count * sizeof(Item),), 1, "B")
        self._items = <Item*>&self._room[0]
        self._others = self._items + count
        self._places = view.array((count,), 8, "Q")
        self._lengths = view.array((count,), 4, "I")

    cdef tuple in_order(self, parts, bytes opening, bytes closing, uint32_t fresh):
        cdef Py_ssize_t i = 0, size = 0, at = len(opening), end
        cdef uint32_t row
        cdef Item* items
        held = []  # what items point to
        old = array("I"), array("I")
        for part in parts:
            data = part.load()
            size += self._find_addresses(data, part.starts, part.ends, i)
            held.append(data if data is part.entries else self._copied(i, len(part.ends)))
            i += len(part.ends)
            old[0].extend(part.first_seen)
            old[1].extend(part.changed)
        if not len(old[0]) == len(old[1]) == self._count:
            raise IndexError("not the builds of the entries")
        self._sort()
        new = old[0][:], old[1][:]
        cdef uint32_t[::1] old_firsts = old[0], old_changes = old[1], firsts = new[0], changes = new[1]
        cdef bytes file = PyBytes_FromStringAndSize(NULL, at + size + len(closing))
        cdef char* written = PyBytes_AS_STRING(file)
        items = self._items
        memcpy(written, PyBytes_AS_STRING(opening), at)
        for i in range(self._count):
            row = items[i].row
            firsts[i], changes[i] = old_firsts[row], old_changes[row]
            self._places[row] = at
            at += self._lengths[row]
        memcpy(&written[at], PyBytes_AS_STRING(closing), len(closing))
        i = 0
        for part in parts:
            self._copy(part.load(), part.ends, i, written)
            i += len(part.ends)
        near = bytearray()
        for i in range(self._count if fresh else 0):
            row = items[i].row
            if row < fresh or (i and items[i - 1].row < fresh) or (i + 1 < self._count and items[i + 1].row < fresh):
                end = self._places[row] + self._lengths[row]
                near += file[self._places[row] : end]
        return file, new[0], new[1], opening + near + closing if near else b""

    cdef Py_ssize_t _find_addresses(self, const uint8_t[::1] data, starts, ends, Py_ssize_t row) except -1:
        """Of the entries of a part, numbered from `row`. Gives the size of all entries."""
        cdef Py_ssize_t n = len(ends), i, start = 0, loc, stop, end, size = 0
        cdef uint32_t[::1] stops, begins
        cdef Item* item
        if n == 0:
            return 0
        stops = ends
        begins = ends if starts is None else starts
        if begins.shape[0] != n:
            raise IndexError("not as many entries begin as end")
        for i in range(n):
            start = start if starts is None else begins[i]
            loc, stop = start + LOC_AT, stops[i]
            if stop > data.shape[0] or loc >= stop:
                raise IndexError("an entry ends outside")
            end = _find(data, loc, 60)
            if end >= stop:
                raise IndexError("an entry without an address")
            item = &self._items[row + i]
            item.address, item.size, item.row = &data[loc], <uint32_t>(end - loc), <uint32_t>(row + i)
            self._lengths[row + i] = <uint32_t>(stop - start)
            size += stop - start
            start = stop
        return size

    cdef bytes _copied(self, Py_ssize_t row, Py_ssize_t n):
        """The addresses of so many items, which point there from now on."""
        cdef Py_ssize_t i, size = 0
        for i in range(row, row + n):
            size += self._items[i].size
        cdef bytes found = PyBytes_FromStringAndSize(NULL, size)
        cdef char* at = PyBytes_AS_STRING(found)
        for i in range(row, row + n):
            memcpy(at, self._items[i].address, self._items[i].size)
            self._items[i].address = <const uint8_t*>at
            at += self._items[i].size
        return found

    cdef int _copy(self, const uint8_t[::1] data, ends, Py_ssize_t row, char* written) except -1:
        """The entries of a part to their places, those at once that stay side by side."""
        cdef Py_ssize_t n = len(ends), i, start, first = 0
        cdef uint32_t[::1] stops = ends
        for i in range(n):
            start = <Py_ssize_t>stops[i] - self._lengths[row + i]
            if stops[i] > data.shape[0] or start < 0:
                raise IndexError("an entry ends outside")
            if i + 1 < n and stops[i] + self._lengths[row + i + 1] == stops[i + 1] and (
                self._places[row + i] + self._lengths[row + i] == self._places[row + i + 1]
            ):
                continue
            start = <Py_ssize_t>stops[first] - self._lengths[row + first]
            memcpy(&written[self._places[row + first]], &data[start], stops[i] - start)
            first = i + 1
        return 0

    cdef void _sort(self) noexcept:
        """The items by address, those of the same address as they stood: runs that are in order are merged in pairs."""
        cdef Py_ssize_t i, runs = 0, merged, low
        for i in range(1, self._count):
            if _is_behind(&self._items[i - 1], &self._items[i]):
                self._places[runs] = i
                runs += 1
        self._places[runs] = self._count
        runs += 1
        while runs > 1:
            merged = low = 0
            for i in range(1, runs + 1, 2):
                self._merge(low, self._places[i - 1], self._places[min(i, runs - 1)])
                low = self._places[min(i, runs - 1)]
                self._places[merged] = low
                merged += 1
            runs = merged
            self._items, self._others = self._others, self._items

    cdef void _merge(self, Py_ssize_t left, Py_ssize_t middle, Py_ssize_t end) noexcept:
        """Two runs, of which the second may be empty, to the other room."""
        cdef Py_ssize_t right = middle, at
        for at in range(left, end):
            if right == end or (left < middle and not _is_behind(&self._items[left], &self._items[right])):
                self._others[at] = self._items[left]
                left += 1
            else:
                self._others[at] = self._items[right]
                right += 1


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
