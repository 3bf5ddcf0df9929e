cdef enum:
    FILTER_BITS = 10  # per key: one new key in a hundred is looked for on disk
    STEP = 256  # every so many keys of a run one is kept in memory
    MERGED = 8  # runs of one level become one of the next
    CHUNK = 1 << 15  # keys that are read at once


cdef inline uint32_t _filter_bit(uint32_t low, int word) noexcept nogil:
    """One bit of each of eight words, as in the split block Bloom filters of Parquet."""
    cdef uint32_t salt
    if word == 0: salt = 0x47B6137BU
    elif word == 1: salt = 0x44974D91U
    elif word == 2: salt = 0x8824AD5BU
    elif word == 3: salt = 0xA2B7289DU
    elif word == 4: salt = 0x705495C7U
    elif word == 5: salt = 0x2DF1424BU
    elif word == 6: salt = 0x9EFC4947U
    else: salt = 0x5C6BFB31U
    return <uint32_t>1 << ((low * salt) >> 27)


cdef void _sort_keys(uint64_t[::1] keys, Py_ssize_t n) except *:
    """The first `n`, by bytes from the lowest; the next `n` places are used for it."""
    cdef Py_ssize_t[256] at
    cdef Py_ssize_t i, sum, count, low = 0, high = n
    cdef int shift
    if keys.shape[0] < 2 * n:
        raise IndexError("no room to sort")
    for shift in range(0, 64, 8):
        memset(at, 0, sizeof(at))
        for i in range(low, low + n):
            at[keys[i] >> shift & 0xFF] += 1
        sum = high
        for i in range(256):
            count = at[i]
            at[i] = sum
            sum += count
        for i in range(low, low + n):
            keys[at[keys[i] >> shift & 0xFF]] = keys[i]
            at[keys[i] >> shift & 0xFF] += 1
        low, high = high, low


cdef class _Run:
    """Sorted keys in a file of their own."""

    cdef object _file
    cdef readonly object path
    cdef readonly Py_ssize_t count
    cdef readonly int level
    cdef list _samples
    cdef uint64_t[::1] _firsts
    """the first key of every STEP keys"""
    cdef bytearray _room
    cdef uint64_t[::1] _keys

    def __init__(self, path, int level):
        self.path, self.level, self._samples = path, level, []
        self._file = open(path, "wb+", buffering=0)
        self._room = bytearray(8 * STEP)
        self._keys = memoryview(self._room).cast("Q")

    cdef int append(self, uint64_t[::1] keys, Py_ssize_t n) except -1:
        """More keys, all higher than those before."""
        cdef Py_ssize_t i = (STEP - self.count % STEP) % STEP
        while i < n:
            self._samples.append(keys[i])
            i += STEP
        self.count += n
        left = memoryview(keys)[:n].cast("B")
        while len(left):
            left = left[self._file.write(left):]
        return 0

    def finish(self):
        self._firsts = array("Q", self._samples)
        self._samples = []

    def close(self):
        self._file.close()
        self.path.unlink()

    cdef Py_ssize_t read(self, Py_ssize_t first, room) except -1:
        """Keys from that one on, into a buffer; gives their number."""
        self._file.seek(8 * first)
        return self._file.readinto(room) // 8

    cdef bint has(self, uint64_t value) except -1:
        cdef Py_ssize_t low = 0, high = self._firsts.shape[0], middle, n
        while low < high:
            middle = (low + high) // 2
            if self._firsts[middle] <= value:
                low = middle + 1
            else:
                high = middle
        if low == 0:
            return False
        n = self.read((low - 1) * STEP, self._room)
        for middle in range(n):
            if self._keys[middle] == value:
                return True
        return False


cdef class OlderKeys:
    """Keys of pages that were met: sorted runs on disk, and a filter in memory that tells most new keys at once.

    The filter takes ten bits per key. Runs are merged, so there are few of them to look into.
    """

    cdef object _folder
    cdef int _number
    cdef list _runs
    cdef uint32_t[::1] _filter
    cdef uint64_t _blocks
    cdef Py_ssize_t _room, _count

    def __init__(self, folder):
        self._folder, self._runs = folder, []

    def __len__(self):
        return self._count

    def close(self):
        for run in self._runs:
            run.close()

    cdef int add(self, uint64_t[::1] keys, Py_ssize_t n) except -1:
        """Keys that are not here; with as much room behind them, which is used."""
        cdef _Run run = self._new_run(0)
        _sort_keys(keys, n)
        run.append(keys, n)
        run.finish()
        self._runs.append(run)
        self._count += n
        if self._count > self._room:
            self._make_filter()
        else:
            self._let_pass(keys, n)
        self._merge()
        return 0

    cdef bint has(self, uint64_t value) except -1:
        cdef uint32_t* block = &self._filter[8 * <Py_ssize_t>(((value >> 32) * self._blocks) >> 32)]
        cdef int word
        cdef _Run run
        for word in range(8):
            if not block[word] & _filter_bit(<uint32_t>value, word):
                return False
        for run in reversed(self._runs):
            if run.has(value):
                return True
        return False

    cdef inline void ask_for(self, uint64_t value) noexcept:
        prefetch(&self._filter[8 * <Py_ssize_t>(((value >> 32) * self._blocks) >> 32)])

    cdef _Run _new_run(self, int level):
        self._number += 1
        return _Run(self._folder / f"keys-{self._number}", level)

    cdef int _let_pass(self, uint64_t[::1] keys, Py_ssize_t n) except -1:
        cdef Py_ssize_t i
        cdef int word
        cdef uint32_t* block
        for i in range(n):
            block = &self._filter[8 * <Py_ssize_t>(((keys[i] >> 32) * self._blocks) >> 32)]
            for word in range(8):
                block[word] |= _filter_bit(<uint32_t>keys[i], word)
        return 0

    cdef int _make_filter(self) except -1:
        """A larger one, from the runs: the old one is gone before, so both are never in memory."""
        cdef _Run run
        cdef Py_ssize_t first, n
        cdef uint64_t[::1] keys
        self._room = max(self._count + self._count // 4, 1024)
        self._blocks = self._room * FILTER_BITS // 256 + 1
        self._filter = array("I", (0,))
        self._filter = array("I", (0,)) * (8 * self._blocks)
        room = bytearray(8 * CHUNK)
        keys = memoryview(room).cast("Q")
        for run in self._runs:
            first = 0
            while first < run.count:
                n = run.read(first, room)
                self._let_pass(keys, n)
                first += n
        return 0

    cdef int _merge(self) except -1:
        cdef int level = 0
        while sum(run.level == level for run in self._runs) >= MERGED:
            chosen = [run for run in self._runs if run.level == level]
            self._runs = [self._merged(list(chosen), level + 1), *(run for run in self._runs if run.level != level)]
            for run in chosen:
                run.close()
            level += 1
        return 0

    cdef _Run _merged(self, list runs, int level):
        cdef _Run found = self._new_run(level)
        cdef Py_ssize_t i, least, used = 0, count = len(runs)
        cdef Py_ssize_t[MERGED] at, end, read
        cdef uint64_t* keys[MERGED]
        cdef uint64_t[::1] out = array("Q", bytes(8 * CHUNK))
        rooms = [bytearray(8 * CHUNK) for _ in runs]
        for i in range(count):
            keys[i] = <uint64_t*>PyByteArray_AS_STRING(rooms[i])
            read[i] = at[i] = 0
            end[i] = (<_Run>runs[i]).read(0, rooms[i])
        while count:
            least = 0
            for i in range(1, count):
                if keys[i][at[i]] < keys[least][at[least]]:
                    least = i
            out[used] = keys[least][at[least]]
            used += 1
            if used == CHUNK:
                found.append(out, used)
                used = 0
            at[least] += 1
            if at[least] == end[least]:
                read[least] += end[least]
                at[least], end[least] = 0, (<_Run>runs[least]).read(read[least], rooms[least])
                if end[least] == 0:  # this run is done: the last one takes its place
                    count -= 1
                    runs[least], rooms[least] = runs[count], rooms[count]
                    keys[least], at[least], end[least], read[least] = keys[count], at[count], end[count], read[count]
        found.append(out, used)
        found.finish()
        return found
