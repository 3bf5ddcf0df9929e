# Keys with a value each: a table, and sorted files beyond so many. Included by compiled_pages.pyx.

cdef enum:
    FILTER_BITS = 10  # per key: one new key in a hundred is looked for on disk
    STEP = 256  # every so many pairs of a run one key is kept in memory
    MERGED = 8  # runs of one level become one of the next
    MOST_RUNS = 64  # that are merged at once
    CHUNK = 1 << 14  # pairs that are read at once

cdef struct Pair:
    uint64_t key  # zero marks a free place
    uint64_t value


cdef uint32_t[8] SALTS = [
    0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D, 0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31,
]


cdef inline uint32_t _filter_bit(uint32_t low, int word) noexcept nogil:
    """One bit of each of eight words, as in the split block Bloom filters of Parquet."""
    return <uint32_t>1 << ((low * SALTS[word]) >> 27)


cdef extern from *:
    """
    #ifdef __linux__
    #include <sys/mman.h>
    #define urlset_use_large_pages(place, size) madvise((void*)(((size_t)(place) + 4095) & ~4095UL), (size) - 4096, MADV_HUGEPAGE)
    #else
    #define urlset_use_large_pages(place, size) ((void)0)
    #endif
    """
    void _use_large_pages "urlset_use_large_pages"(void* place, Py_ssize_t size) noexcept nogil


cdef uint8_t[::1] _room_of(Py_ssize_t size):
    """Memory that is read in no order: the processor finds its way faster in large pages."""
    cdef uint8_t[::1] room = view.array((size,), 1, "B")
    if size > 1 << 21:
        _use_large_pages(&room[0], size)
    return room


@final
cdef class PairTable:
    """Values by key, a key may have several. Places come from the highest bits, so pairs are nearly in order."""

    cdef uint8_t[::1] _room
    cdef Pair* pairs
    cdef uint64_t mask
    cdef int _shift
    cdef Py_ssize_t count

    def __init__(self, int bits):
        self._make_room(bits)

    cdef int _make_room(self, int bits) except -1:
        self._room = _room_of(<Py_ssize_t>sizeof(Pair) << bits)
        self.pairs = <Pair*>&self._room[0]
        self.mask = (<uint64_t>1 << bits) - 1
        self._shift = 64 - bits
        self.clear()
        return 0

    cdef inline uint64_t home(self, uint64_t key) noexcept:
        """Where the pairs of a key begin, one after the other up to a free place, with others between them."""
        return key >> self._shift

    cdef int add(self, uint64_t key, uint64_t value) except -1:
        cdef uint8_t[::1] old = self._room
        cdef Pair* pairs = self.pairs
        cdef Py_ssize_t i, size = self.mask + 1
        if 4 * (self.count + 1) > 3 * size:
            self._make_room(65 - self._shift)
            for i in range(size):
                if pairs[i].key:
                    self._put(pairs[i].key, pairs[i].value)
        self._put(key, value)
        return 0

    cdef inline void _put(self, uint64_t key, uint64_t value) noexcept:
        cdef uint64_t at = self.home(key)
        while self.pairs[at].key:
            at = (at + 1) & self.mask
        self.pairs[at].key, self.pairs[at].value = key, value
        self.count += 1

    cdef bint has(self, uint64_t key, uint64_t value) noexcept:
        cdef uint64_t at = self.home(key)
        while self.pairs[at].key:
            if self.pairs[at].key == key and self.pairs[at].value == value:
                return True
            at = (at + 1) & self.mask
        return False

    cdef void clear(self) noexcept:
        memset(self.pairs, 0, (self.mask + 1) * sizeof(Pair))
        self.count = 0

    cdef void sort(self) noexcept:
        """The pairs by key, from the first place on; afterwards it is to be cleared."""
        cdef Py_ssize_t i, n = 0
        for i in range(<Py_ssize_t>self.mask + 1):
            if self.pairs[i].key:
                self.pairs[n] = self.pairs[i]
                n += 1
        qsort(self.pairs, n, sizeof(Pair), _by_key)


cdef int _by_key(const void* one, const void* other) noexcept nogil:
    cdef uint64_t left = (<const Pair*>one).key, right = (<const Pair*>other).key
    return (left > right) - (left < right)


cdef class _Run:
    """Sorted pairs in a file of their own."""

    cdef object _file
    cdef readonly object path
    cdef readonly Py_ssize_t count
    cdef readonly int level
    cdef object _samples
    """the first key of every STEP pairs"""
    cdef uint64_t[::1] _firsts
    cdef bytearray _room

    def __init__(self, path, int level):
        self.path, self.level, self._samples = path, level, array("Q")
        self._file = open(path, "wb+", buffering=0)
        self._room = bytearray(sizeof(Pair) * STEP)

    cdef int append(self, Pair* pairs, Py_ssize_t n) except -1:
        """More pairs, no key lower than those before."""
        cdef Py_ssize_t i = (STEP - self.count % STEP) % STEP
        while i < n:
            self._samples.append(pairs[i].key)
            i += STEP
        self.count += n
        if n:
            _write_all(self._file, <char*>pairs, n * sizeof(Pair))
        return 0

    def finish(self):
        self._firsts = self._samples if self.count else array("Q", (0,))

    def close(self):
        self._file.close()
        self.path.unlink()

    cdef Py_ssize_t read(self, Py_ssize_t first, room) except -1:
        """Pairs from that one on, into a buffer; gives their number."""
        self._file.seek(sizeof(Pair) * first)
        return self._file.readinto(room) // sizeof(Pair)

    cdef int find(self, uint64_t key, KeyStore store) except -1:
        """Add the values of a key to those that the store has found."""
        cdef Py_ssize_t low = 0, high = len(self._samples), middle, n
        cdef Pair* pairs = <Pair*>PyByteArray_AS_STRING(self._room)
        while low < high:
            middle = (low + high) // 2
            if self._firsts[middle] < key:
                low = middle + 1
            else:
                high = middle
        low = max(low - 1, 0)
        while low < len(self._samples) and self._firsts[low] <= key:
            n = self.read(low * STEP, self._room)
            for middle in range(n):
                if pairs[middle].key == key:
                    store.found.append(pairs[middle].value)
            low += 1
        return 0


cdef int _write_all(file, char* data, Py_ssize_t size) except -1:
    left = memoryview(<char[:size]>data).cast("B")
    while len(left):
        left = left[file.write(left):]
    return 0


@final
cdef class KeyStore:
    """Values by key: up to `most` in a table, further ones in sorted runs on disk, with a filter in memory.

    The filter takes ten bits per key and tells most new keys at once. Runs are merged, so there are few to look into.
    Without a folder the table grows.
    """

    cdef PairTable _table
    cdef Py_ssize_t _most
    cdef object _folder
    cdef str _name
    cdef int _number
    cdef list _runs
    cdef uint32_t[::1] _filter
    cdef uint64_t _blocks
    cdef Py_ssize_t _room, _count
    cdef list found
    """the values of the key that was looked for last"""

    def __init__(self, folder, str name, Py_ssize_t most, Py_ssize_t expected=0):
        self._folder, self._name, self._most, self._room, self._runs = folder, name, most, expected, []
        self.found = []
        self._table = PairTable(15)

    def close(self):
        for run in self._runs:
            run.close()
        self._runs, self._table = [], PairTable(4)
        self._filter, self._blocks = array("I", (0,)), 0

    cdef int find(self, uint64_t key) except -1:
        """Let `found` be the values of a key; two are a matter of chance, and rare."""
        cdef uint64_t at = self._table.home(key)
        cdef Pair* pairs = self._table.pairs
        cdef _Run run
        if self.found:
            self.found.clear()
        while pairs[at].key:
            if pairs[at].key == key:
                self.found.append(pairs[at].value)
            at = (at + 1) & self._table.mask
        if self._blocks and self._may_have(key):
            for run in self._runs:
                run.find(key, self)
        return 0

    cdef bint has(self, Hash hash) except -1:
        self.find(hash.key)
        return len(self.found) > 0 and hash.check in self.found

    cdef int add(self, uint64_t key, uint64_t value) except -1:
        if self._table.count >= self._most and self._folder is not None:
            self._store()
        return self._table.add(key, value)

    cdef bint _may_have(self, uint64_t key) noexcept:
        cdef uint32_t* block = &self._filter[8 * <Py_ssize_t>(((key >> 32) * self._blocks) >> 32)]
        cdef int word
        for word in range(8):
            if not block[word] & _filter_bit(<uint32_t>key, word):
                return False
        return True

    cdef int _store(self) except -1:
        """Move the table to the disk."""
        cdef _Run run = self._new_run(0)
        cdef Py_ssize_t n = self._table.count
        cdef int level = 0
        self._table.sort()
        run.append(self._table.pairs, n)
        run.finish()
        self._runs.append(run)
        self._count += n
        if self._count > self._room or self._blocks == 0:
            self._make_filter()
        else:
            self._let_pass(self._table.pairs, n)
        self._table.clear()
        while sum(run.level == level for run in self._runs) >= MERGED:
            self._merge([run for run in self._runs if run.level == level], level + 1)
            level += 1
        return 0

    cdef int merge_all(self) except -1:
        """When no more keys come: one run, so that a key is read at once."""
        if self._table.count and self._runs:
            self._store()
            self._table = PairTable(4)
        if len(self._runs) > 1:
            self._merge(self._runs, MOST_RUNS)
        return 0

    cdef _Run _new_run(self, int level):
        self._number += 1
        return _Run(self._folder / f"{self._name}-{self._number}", level)

    cdef int _let_pass(self, Pair* pairs, Py_ssize_t n) except -1:
        cdef Py_ssize_t i
        cdef int word
        cdef uint32_t* block
        for i in range(n):
            block = &self._filter[8 * <Py_ssize_t>(((pairs[i].key >> 32) * self._blocks) >> 32)]
            for word in range(8):
                block[word] |= _filter_bit(<uint32_t>pairs[i].key, word)
        return 0

    cdef int _make_filter(self) except -1:
        """A larger one, from the runs: the old one is gone before, so both are never in memory."""
        cdef _Run run
        cdef Py_ssize_t first, n
        if self._count > self._room:
            self._room = max(self._count + self._count // 4, 1024)
        self._blocks = self._room * FILTER_BITS // 256 + 1
        self._filter = array("I", (0,))
        self._filter = array("I", (0,)) * (8 * self._blocks)
        room = bytearray(sizeof(Pair) * CHUNK)
        for run in self._runs:
            first = 0
            while first < run.count:
                n = run.read(first, room)
                if n == 0:
                    raise OSError("keys on disk were cut off")
                self._let_pass(<Pair*>PyByteArray_AS_STRING(room), n)
                first += n
        return 0

    cdef int _merge(self, list chosen, int level) except -1:
        """These runs become one."""
        cdef _Run found = self._new_run(level)
        cdef Py_ssize_t i, least, used = 0, count = len(chosen)
        cdef Py_ssize_t[MOST_RUNS] at, end, read
        cdef Pair* pairs[MOST_RUNS]
        cdef Pair* out
        cdef _Run run
        if count > MOST_RUNS:
            raise IndexError("too many runs")
        runs, rooms = list(chosen), [bytearray(sizeof(Pair) * CHUNK) for _ in chosen]
        written = bytearray(sizeof(Pair) * CHUNK)
        out = <Pair*>PyByteArray_AS_STRING(written)
        for i in range(count):
            pairs[i] = <Pair*>PyByteArray_AS_STRING(rooms[i])
            read[i] = at[i] = 0
            run = runs[i]
            end[i] = run.read(0, rooms[i])
        while count:
            least = 0
            for i in range(1, count):
                if pairs[i][at[i]].key < pairs[least][at[least]].key:
                    least = i
            out[used] = pairs[least][at[least]]
            used += 1
            if used == CHUNK:
                found.append(out, used)
                used = 0
            at[least] += 1
            if at[least] == end[least]:
                read[least] += end[least]
                run = runs[least]
                at[least], end[least] = 0, run.read(read[least], rooms[least])
                if end[least] == 0:  # this run is done: the last one takes its place
                    count -= 1
                    runs[least], rooms[least] = runs[count], rooms[count]
                    pairs[least], at[least], end[least], read[least] = pairs[count], at[count], end[count], read[count]
        found.append(out, used)
        found.finish()
        if found.count != sum(each.count for each in chosen):
            raise OSError("keys on disk were cut off")
        self._runs = [found, *(each for each in self._runs if each not in chosen)]
        for each in chosen:
            each.close()
        return 0
