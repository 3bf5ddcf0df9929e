# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""A gzip file and the next state of what is in it → the next state packed, without searching for what repeats again.

For a user whose table of 200,000 pages changes a little every day: most of what a search for repeated text would find is
what it found the last time, so the old stream is read as hints. Each hint is compared with the new bytes before it is
used, so a wrong one costs room, never bytes. Packing took 0.22 s of CPU of such a build of 0.54, and takes 0.05.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

cdef enum:
    HEADER = 10  # bytes before the stream, as `writing.gzip` writes them
    TRAILER = 8
    LITERALS = 286
    DISTANCES = 30
    MOST_BITS = 15
    FAST_BITS = 10
    SHORTEST = 3
    LONGEST = 258
    WINDOW = 32768
    BLOCK_TOKENS = 16384
    HASH_BITS = 13
    NEAR = 1 << 11  # so far back a text without a hint is searched for
    SEGMENTS = 64  # of the last ones is known how far they moved
    LEAST = 4  # bytes that are worth a reference

cdef uint16_t[29] LENGTH_BASE = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258
]
cdef uint8_t[29] LENGTH_EXTRA = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
cdef uint16_t[30] DISTANCE_BASE = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
]
cdef uint8_t[30] DISTANCE_EXTRA = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13
]
cdef uint8_t[19] CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
cdef uint8_t[LONGEST + 1] LENGTH_CODE
cdef uint8_t[512] DISTANCE_CODE  # of distances up to 256, then of those by their upper bits


cdef void _make_tables() noexcept:
    cdef int code, i, first
    for code in range(29):
        first = LENGTH_BASE[code]
        for i in range(first, min(first + (1 << LENGTH_EXTRA[code]), LONGEST + 1)):
            LENGTH_CODE[i] = <uint8_t>code
    LENGTH_CODE[LONGEST] = 28
    for code in range(30):
        first = DISTANCE_BASE[code] - 1
        for i in range(first, first + (1 << DISTANCE_EXTRA[code])):
            if i < 256:
                DISTANCE_CODE[i] = <uint8_t>code
            else:
                DISTANCE_CODE[256 + (i >> 7)] = <uint8_t>code


_make_tables()


cdef inline uint8_t _distance_code(uint32_t distance) noexcept nogil:
    distance -= 1
    return DISTANCE_CODE[distance] if distance < 256 else DISTANCE_CODE[256 + (distance >> 7)]


# The old stream → its references.

cdef struct Code:
    # of one alphabet: all symbols by length, and those of short codes by their bits
    uint16_t[MOST_BITS + 1] count
    uint16_t[LITERALS + 2] symbols
    uint16_t[1 << FAST_BITS] fast  # the symbol and, in four bits, the length; 0 for a longer code


cdef struct Bits:
    const uint8_t* data
    Py_ssize_t at, size
    uint64_t held
    int count


cdef inline void _refill(Bits* b) noexcept nogil:
    cdef const uint8_t* d = b.data + b.at
    if b.at + 8 <= b.size:
        b.held |= (
            <uint64_t>d[0] | <uint64_t>d[1] << 8 | <uint64_t>d[2] << 16 | <uint64_t>d[3] << 24 | <uint64_t>d[4] << 32
            | <uint64_t>d[5] << 40 | <uint64_t>d[6] << 48 | <uint64_t>d[7] << 56
        ) << b.count
        b.at += (63 - b.count) >> 3
        b.count |= 56
        return
    while b.count <= 56:
        if b.at < b.size:
            b.held |= <uint64_t>b.data[b.at] << b.count
        b.at += 1  # zeros behind the end; `_is_over` tells
        b.count += 8


cdef inline uint32_t _take(Bits* b, int count) noexcept nogil:
    cdef uint32_t found = <uint32_t>(b.held & ((<uint64_t>1 << count) - 1))
    b.held >>= count
    b.count -= count
    return found


cdef inline bint _is_over(Bits* b) noexcept nogil:
    return b.at - (b.count >> 3) > b.size


cdef uint32_t _reversed(uint32_t code, int length) noexcept nogil:
    cdef uint32_t found = 0
    cdef int i
    for i in range(length):
        found = found << 1 | (code >> i & 1)
    return found


cdef bint _make_code(Code* code, const uint8_t* lengths, int symbols) noexcept nogil:
    """False for lengths that no code has."""
    cdef uint16_t[MOST_BITS + 2] first
    cdef uint32_t[MOST_BITS + 2] following
    cdef int i, length
    cdef int32_t left = 1
    cdef uint32_t bits
    memset(code, 0, sizeof(Code))
    for i in range(symbols):
        code.count[lengths[i]] += 1
    code.count[0] = 0
    first[1] = 0
    following[1] = 0
    for length in range(1, MOST_BITS + 1):
        left = (left << 1) - code.count[length]
        if left < 0:
            return False
        first[length + 1] = first[length] + code.count[length]
        following[length + 1] = (following[length] + code.count[length]) << 1
    for i in range(symbols):
        length = lengths[i]
        if length == 0:
            continue
        code.symbols[first[length]] = <uint16_t>i
        first[length] += 1
        if length <= FAST_BITS:
            bits = _reversed(following[length], length)
            while bits < 1 << FAST_BITS:
                code.fast[bits] = <uint16_t>(i << 4 | length)
                bits += 1 << length
        following[length] += 1
    return True


cdef inline int _symbol(Bits* b, const Code* code) noexcept nogil:
    """-1 for bits that are no code."""
    cdef uint16_t found = code.fast[b.held & ((1 << FAST_BITS) - 1)]
    cdef int length, value = 0, first = 0, index = 0
    if found:
        _take(b, found & 15)
        return found >> 4
    for length in range(1, MOST_BITS + 1):
        value |= <int>_take(b, 1)
        if value - code.count[length] < first:
            return code.symbols[index + value - first]
        index += code.count[length]
        first = (first + code.count[length]) << 1
        value <<= 1
    return -1


cdef bint _read_codes(Bits* b, Code* literals, Code* distances) noexcept nogil:
    """The two codes of a dynamic block."""
    cdef uint8_t[LITERALS + 2 + 32] lengths
    cdef uint8_t[19] few
    cdef Code code
    cdef int n, m, i, symbol, repeat
    cdef uint8_t last
    _refill(b)
    n, m = <int>_take(b, 5) + 257, <int>_take(b, 5) + 1
    repeat = <int>_take(b, 4) + 4
    if n > LITERALS + 2 or m > 32:
        return False
    memset(few, 0, 19)
    for i in range(repeat):
        _refill(b)
        few[CODE_ORDER[i]] = <uint8_t>_take(b, 3)
    if not _make_code(&code, few, 19):
        return False
    i = 0
    while i < n + m:
        _refill(b)
        symbol = _symbol(b, &code)
        if symbol < 0 or _is_over(b):
            return False
        if symbol < 16:
            lengths[i] = <uint8_t>symbol
            i += 1
            continue
        last = 0
        if symbol == 16:
            if i == 0:
                return False
            last, repeat = lengths[i - 1], 3 + <int>_take(b, 2)
        elif symbol == 17:
            repeat = 3 + <int>_take(b, 3)
        else:
            repeat = 11 + <int>_take(b, 7)
        if i + repeat > n + m:
            return False
        memset(&lengths[i], last, repeat)
        i += repeat
    return _make_code(literals, lengths, n) and _make_code(distances, &lengths[n], m)


cdef void _fixed_codes(Code* literals, Code* distances) noexcept nogil:
    cdef uint8_t[288] lengths
    memset(lengths, 8, 144)
    memset(&lengths[144], 9, 112)
    memset(&lengths[256], 7, 24)
    memset(&lengths[280], 8, 8)
    _make_code(literals, lengths, 288)
    memset(lengths, 5, 30)
    _make_code(distances, lengths, 30)


cdef class Packer:
    """Both streams. A token is a byte, or a length and a distance in the upper and lower half."""

    cdef uint32_t* _old
    """tokens of the old stream; a number of bytes that stand for themselves has no distance"""
    cdef Py_ssize_t _old_count, _old_room
    cdef bytes _before
    cdef uint8_t* _plain
    """the old bytes"""
    cdef Py_ssize_t _plain_size
    cdef const uint8_t* _data
    """the new bytes"""
    cdef Py_ssize_t _size
    cdef uint32_t[BLOCK_TOKENS] _tokens
    cdef int _count
    cdef uint32_t[LITERALS] _literals
    cdef uint32_t[DISTANCES] _distances
    cdef uint8_t* _out
    cdef Py_ssize_t _used, _room
    cdef uint64_t _held
    cdef int _bits
    cdef uint32_t[1 << HASH_BITS] _places
    """the last place of four bytes, by hash"""
    cdef Py_ssize_t _entered
    """up to here places were entered, some of them"""
    cdef Py_ssize_t[SEGMENTS] _starts, _shifts
    """of stretches that both have: where they begin in the old bytes, and how far they moved"""
    cdef int _segments

    def __dealloc__(self):
        free(self._old)
        free(self._out)

    # reading

    cdef int _hint(self, uint32_t token) except -1:
        cdef uint32_t* more
        if self._old_count == self._old_room:
            self._old_room = max(2 * self._old_room, 1 << 16)
            more = <uint32_t*>realloc(self._old, self._old_room * sizeof(uint32_t))
            if more == NULL:
                raise MemoryError
            self._old = more
        self._old[self._old_count] = token
        self._old_count += 1
        return 0

    cdef bint read(self, const uint8_t* packed, Py_ssize_t size, Py_ssize_t plain) except -1:
        """Whether the old stream could be read; `plain` is the size of what is in it."""
        cdef Bits b
        cdef Code literals, distances
        cdef bint is_last = False
        cdef uint32_t kind
        self._before = PyBytes_FromStringAndSize(NULL, plain)
        self._plain = <uint8_t*>PyBytes_AS_STRING(self._before)
        b.data, b.size, b.at, b.held, b.count = packed, size, 0, 0, 0
        while not is_last:
            _refill(&b)
            is_last = _take(&b, 1)
            kind = _take(&b, 2)
            if kind == 1:
                _fixed_codes(&literals, &distances)
            elif kind != 2 or not _read_codes(&b, &literals, &distances):
                return False  # what was stored as it is was not worth packing
            if not self._read_block(&b, &literals, &distances, plain) or _is_over(&b):
                return False
        return self._plain_size == plain

    cdef bint _read_block(self, Bits* b, const Code* literals, const Code* distances, Py_ssize_t most) except -1:
        cdef int symbol
        cdef uint32_t length, distance, run = 0
        cdef Py_ssize_t at = self._plain_size
        cdef uint8_t* out = self._plain
        while True:
            _refill(b)
            symbol = _symbol(b, literals)
            if 0 <= symbol < 256:
                if at >= most:
                    return False
                out[at] = <uint8_t>symbol
                at += 1
                run += 1
                if run == 0xFFFF:
                    self._hint(run << 16)
                    run = 0
                continue
            if run:
                self._hint(run << 16)
                run = 0
            if symbol == 256:
                self._plain_size = at
                return True
            if symbol < 0 or symbol > 285 or _is_over(b):
                return False
            length = LENGTH_BASE[symbol - 257] + _take(b, LENGTH_EXTRA[symbol - 257])
            symbol = _symbol(b, distances)
            if symbol < 0 or symbol > 29:
                return False
            _refill(b)
            distance = DISTANCE_BASE[symbol] + _take(b, DISTANCE_EXTRA[symbol])
            if distance > at or at + length > most:
                return False
            self._hint(length << 16 | distance)
            if distance >= length:
                memcpy(out + at, out + at - distance, length)
                at += length
            else:
                while length:
                    out[at] = out[at - distance]
                    at += 1
                    length -= 1

    # what both have

    cdef int run(self) except -1:
        """Pack the new bytes: stretches that both have with the hints of the old stream, all others without."""
        cdef Py_ssize_t old = 0, new = 0, same, hint = 0, hint_at = 0, old_entry, new_entry, done = 0
        cdef int order
        while new < self._size:
            same = self._common(old, new)
            if same:
                self._starts[self._segments % SEGMENTS] = old
                self._shifts[self._segments % SEGMENTS] = new - old
                self._segments += 1
                self._fresh(done, new)
                done = self._with_hints(old, new, same, &hint, &hint_at)
            old += same
            new += same
            if new >= self._size or old >= self._plain_size:
                break
            old_entry = self._entry_before(self._plain, old, self._plain_size)
            new_entry = self._entry_before(self._data, new, self._size)
            order = self._order(old_entry, new_entry)
            if order >= 0:
                new = self._entry_behind(self._data, new, self._size)
            if order <= 0:
                old = self._entry_behind(self._plain, old, self._plain_size)
            if order > 0:
                old = old_entry
            elif order < 0:
                new = max(new_entry, done)
        self._fresh(done, self._size)
        return self._write_block(True)

    cdef Py_ssize_t _common(self, Py_ssize_t old, Py_ssize_t new) noexcept:
        """How many bytes are the same from there on."""
        cdef Py_ssize_t n = 0, most = min(self._plain_size - old, self._size - new)
        cdef uint64_t one, two
        while n + 8 <= most:
            memcpy(&one, self._plain + old + n, 8)
            memcpy(&two, self._data + new + n, 8)
            if one != two:
                break
            n += 8
        while n < most and self._plain[old + n] == self._data[new + n]:
            n += 1
        return n

    cdef Py_ssize_t _entry_before(self, const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept:
        """Where the entry of that byte begins."""
        while at > 0 and not (d[at - 1] == 10 and size - at > 7 and memcmp(d + at, b"  <url>", 7) == 0):
            at -= 1
        return at

    cdef Py_ssize_t _entry_behind(self, const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept:
        """Where the next entry begins."""
        cdef const void* found
        while at < size:
            found = memchr(d + at, 10, size - at)
            if found == NULL:
                return size
            at = <const uint8_t*>found - d + 1
            if size - at > 7 and memcmp(d + at, b"  <url>", 7) == 0:
                return at
        return size

    cdef int _order(self, Py_ssize_t old, Py_ssize_t new) noexcept:
        """0 for entries of one address; 1 if the new one is to come first, as entries are sorted by address."""
        cdef Py_ssize_t n = 17, most = min(self._plain_size - old, self._size - new)
        cdef const uint8_t* one = self._plain + old
        cdef const uint8_t* two = self._data + new
        while n < most and one[n] == two[n] and one[n] != 60:
            n += 1
        if n >= most or one[n] == two[n]:
            return 0
        if one[n] == 60 or two[n] == 60:
            return -1 if one[n] == 60 else 1
        return 1 if two[n] < one[n] else -1

    cdef Py_ssize_t _with_hints(
        self, Py_ssize_t old, Py_ssize_t new, Py_ssize_t size, Py_ssize_t* hint, Py_ssize_t* hint_at
    ) except -1:
        """A stretch that both have; gives the place in the new bytes up to which it was packed."""
        cdef Py_ssize_t at, length, i
        cdef uint32_t token, distance
        while hint[0] < self._old_count and hint_at[0] < old:
            length = self._old[hint[0]] >> 16
            if hint_at[0] + length > old and not self._old[hint[0]] & 0xFFFF:
                break  # the rest of a number of bytes
            hint_at[0] += length
            hint[0] += 1
        at = max(new, new - old + hint_at[0])
        if at > new:
            at = min(at, new + size)
            self._fresh(new, at)
        while hint[0] < self._old_count and at < new + size:
            token = self._old[hint[0]]
            distance, length = token & 0xFFFF, <Py_ssize_t>(token >> 16) + hint_at[0] + new - old - at
            if distance == 0:
                for i in range(min(length, new + size - at)):
                    self._literal(self._data[at + i])
                at += min(length, new + size - at)
                if at == new + size and hint_at[0] + <Py_ssize_t>(token >> 16) > old + size:
                    break
            elif at + length > new + size:
                break
            else:
                self._reference(at, length, self._moved(hint_at[0], at, distance))
                at += length
            hint_at[0] += token >> 16
            hint[0] += 1
        return at

    cdef uint32_t _moved(self, Py_ssize_t old, Py_ssize_t new, uint32_t distance) noexcept:
        """The distance to what a reference of the old stream referred to; 0 where that is not known."""
        cdef int i = self._segments - 1
        cdef Py_ssize_t source = old - distance, found
        while i >= 0 and i > self._segments - SEGMENTS:
            if self._starts[i % SEGMENTS] <= source:
                found = new - source - self._shifts[i % SEGMENTS]
                return <uint32_t>found if 0 < found <= WINDOW and found <= new else 0
            i -= 1
        return 0

    # writing

    cdef int _reference(self, Py_ssize_t at, Py_ssize_t length, uint32_t distance) except -1:
        """To the same bytes before; searched for where they are not there."""
        if distance == 0 or memcmp(self._data + at - distance, self._data + at, length) != 0:
            return self._fresh(at, at + length)
        return self._match(<uint32_t>length, distance)

    cdef inline uint32_t _place(self, Py_ssize_t at) noexcept:
        cdef uint32_t four
        memcpy(&four, self._data + at, 4)
        return (four * <uint32_t>2654435761) >> (32 - HASH_BITS)

    cdef int _fresh(self, Py_ssize_t at, Py_ssize_t end) except -1:
        """Bytes without hints."""
        cdef Py_ssize_t found, length, most
        cdef uint32_t place
        if at >= end:
            return 0
        self._entered = max(self._entered, at - NEAR)
        while self._entered < at:
            if self._entered + 4 <= self._size:
                self._places[self._place(self._entered)] = <uint32_t>self._entered
            self._entered += 1
        while at < end:
            length = 0
            if at + LEAST <= end:
                place = self._place(at)
                found = self._places[place]
                self._places[place] = <uint32_t>at
                most = min(end - at, LONGEST)
                if found < at and at - found <= WINDOW:
                    while length < most and self._data[found + length] == self._data[at + length]:
                        length += 1
            if length >= LEAST:
                self._match(<uint32_t>length, <uint32_t>(at - found))
                at += length
            else:
                self._literal(self._data[at])
                at += 1
        self._entered = max(self._entered, at)
        return 0

    cdef inline int _literal(self, uint8_t byte) except -1:
        self._tokens[self._count] = byte
        self._literals[byte] += 1
        self._count += 1
        return self._write_block(False) if self._count == BLOCK_TOKENS else 0

    cdef inline int _match(self, uint32_t length, uint32_t distance) except -1:
        self._tokens[self._count] = length << 16 | distance
        self._literals[257 + LENGTH_CODE[length]] += 1
        self._distances[_distance_code(distance)] += 1
        self._count += 1
        return self._write_block(False) if self._count == BLOCK_TOKENS else 0

    cdef inline void _put(self, uint64_t bits, int count) noexcept:
        """At most 32 bits, for which there is room."""
        cdef int i
        self._held |= bits << self._bits
        self._bits += count
        if self._bits >= 32:
            for i in range(4):
                self._out[self._used + i] = <uint8_t>(self._held >> 8 * i)
            self._used += 4
            self._held >>= 32
            self._bits -= 32

    cdef int _write_block(self, bint is_last) except -1:
        cdef uint8_t[LITERALS] lengths
        cdef uint8_t[DISTANCES] far
        cdef uint32_t[LITERALS] codes
        cdef uint32_t[DISTANCES] far_codes
        cdef uint8_t* more
        cdef int i, code
        cdef uint32_t token, length, distance
        self._literals[256] = 1
        if self._room - self._used < 8 * BLOCK_TOKENS:  # a token has at most 48 bits
            self._room += max(self._room, 16 * BLOCK_TOKENS)
            more = <uint8_t*>realloc(self._out, self._room)
            if more == NULL:
                raise MemoryError
            self._out = more
        _lengths(self._literals, LITERALS, MOST_BITS, lengths)
        _lengths(self._distances, DISTANCES, MOST_BITS, far)
        _codes(lengths, LITERALS, codes)
        _codes(far, DISTANCES, far_codes)
        self._put(is_last, 1)
        self._put(2, 2)
        self._write_lengths(lengths, far)
        for i in range(self._count):
            token = self._tokens[i]
            if token < 256:
                self._put(codes[token], lengths[token])
                continue
            length, distance = token >> 16, token & 0xFFFF
            code = LENGTH_CODE[length]
            self._put(codes[257 + code] | <uint64_t>(length - LENGTH_BASE[code]) << lengths[257 + code],
                      lengths[257 + code] + LENGTH_EXTRA[code])
            code = _distance_code(distance)
            self._put(far_codes[code] | <uint64_t>(distance - DISTANCE_BASE[code]) << far[code],
                      far[code] + DISTANCE_EXTRA[code])
        self._put(codes[256], lengths[256])
        self._count = 0
        memset(self._literals, 0, sizeof(self._literals))
        memset(self._distances, 0, sizeof(self._distances))
        return 0

    cdef void _write_lengths(self, const uint8_t* lengths, const uint8_t* far) noexcept:
        """Of both codes, packed by a third one."""
        cdef uint8_t[LITERALS + DISTANCES] both, packed, extra
        cdef uint32_t[19] counts
        cdef uint32_t[19] codes
        cdef uint8_t[19] few
        cdef int n = LITERALS, m = DISTANCES, i = 0, run, used = 0, last = 19
        while n > 257 and lengths[n - 1] == 0:
            n -= 1
        while m > 1 and far[m - 1] == 0:
            m -= 1
        memcpy(both, lengths, n)
        memcpy(&both[n], far, m)
        memset(counts, 0, sizeof(counts))
        while i < n + m:
            run = 1
            while i + run < n + m and both[i + run] == both[i] and run < 138:
                run += 1
            if both[i] == 0 and run >= 3:
                packed[used] = 17 if run <= 10 else 18
                extra[used] = <uint8_t>(run - 3 if run <= 10 else run - 11)
            elif run >= 4:  # the length itself, and then the run
                run = min(run, 7)
                packed[used], extra[used] = both[i], 0
                counts[both[i]] += 1
                used += 1
                packed[used], extra[used] = 16, <uint8_t>(run - 4)
            else:
                run = 1
                packed[used], extra[used] = both[i], 0
            counts[packed[used]] += 1
            used += 1
            i += run
        _lengths(counts, 19, 7, few)
        _codes(few, 19, codes)
        while last > 4 and few[CODE_ORDER[last - 1]] == 0:
            last -= 1
        self._put(n - 257, 5)
        self._put(m - 1, 5)
        self._put(last - 4, 4)
        for i in range(last):
            self._put(few[CODE_ORDER[i]], 3)
        for i in range(used):
            self._put(codes[packed[i]], few[packed[i]])
            if packed[i] >= 16:
                self._put(extra[i], 2 if packed[i] == 16 else 3 if packed[i] == 17 else 7)

    cdef bytes written(self):
        while self._bits > 0:
            self._out[self._used] = <uint8_t>self._held
            self._used += 1
            self._held >>= 8
            self._bits -= 8
        return PyBytes_FromStringAndSize(<char*>self._out, self._used)


cdef void _lengths(const uint32_t* counts, int symbols, int most, uint8_t* lengths) noexcept:
    """The lengths of a code for symbols that are so frequent, none longer than `most`; at least two have one."""
    cdef uint32_t[LITERALS] weights
    cdef uint16_t[LITERALS] order
    cdef int[MOST_BITS * 20] by_length
    cdef int n = 0, i, j, length
    cdef uint32_t weight
    memset(lengths, 0, symbols)
    for i in range(symbols):
        if counts[i]:
            j = n
            while j and weights[j - 1] > counts[i]:
                weights[j], order[j] = weights[j - 1], order[j - 1]
                j -= 1
            weights[j], order[j] = counts[i], <uint16_t>i
            n += 1
    if n < 2:
        lengths[order[0] if n else 0] = 1
        lengths[1 if (order[0] if n else 0) == 0 else 0] = 1
        return
    _redundancies(weights, n)
    memset(by_length, 0, sizeof(by_length))
    for i in range(n):
        by_length[min(<int>weights[i], most)] += 1
    # codes that were cut are paid for by some that become longer
    weight = 0
    for length in range(1, most + 1):
        weight += <uint32_t>by_length[length] << (most - length)
    while weight > <uint32_t>1 << most:
        by_length[most] -= 1
        for length in range(most - 1, 0, -1):
            if by_length[length]:
                by_length[length] -= 1
                by_length[length + 1] += 2
                break
        weight -= 1
    i = n - 1
    for length in range(1, most + 1):
        for j in range(by_length[length]):
            lengths[order[i]] = <uint8_t>length
            i -= 1


cdef void _redundancies(uint32_t* a, int n) noexcept:
    """Weights in order → the lengths of their codes, in place (Moffat and Katajainen, 1995)."""
    cdef int root = 0, leaf = 2, following, available = 1, used = 0, depth = 0
    a[0] += a[1]
    for following in range(1, n - 1):
        if leaf >= n or a[root] < a[leaf]:
            a[following] = a[root]
            a[root] = following
            root += 1
        else:
            a[following] = a[leaf]
            leaf += 1
        if leaf >= n or (root < following and a[root] < a[leaf]):
            a[following] += a[root]
            a[root] = following
            root += 1
        else:
            a[following] += a[leaf]
            leaf += 1
    a[n - 2] = 0
    for following in range(n - 3, -1, -1):
        a[following] = a[a[following]] + 1
    root, following = n - 2, n - 1
    while available > 0:
        while root >= 0 and <int>a[root] == depth:
            used += 1
            root -= 1
        while available > used:
            a[following] = depth
            following -= 1
            available -= 1
        available = 2 * used
        depth += 1
        used = 0


cdef void _codes(const uint8_t* lengths, int symbols, uint32_t* codes) noexcept:
    """The bits of each, in the order they are written."""
    cdef uint32_t[MOST_BITS + 2] following
    cdef int[MOST_BITS + 1] count
    cdef int i
    memset(count, 0, sizeof(count))
    for i in range(symbols):
        count[lengths[i]] += 1
    count[0] = 0
    following[1] = 0
    for i in range(1, MOST_BITS + 1):
        following[i + 1] = (following[i] + count[i]) << 1
    for i in range(symbols):
        if lengths[i]:
            codes[i] = _reversed(following[lengths[i]], lengths[i])
            following[lengths[i]] += 1


def repacked(bytes packed, bytes data):
    """The deflate stream of `data`, like that of a gzip file; None where the file is not as `writing.gzip` writes it."""
    cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(packed)
    cdef Py_ssize_t size = len(packed), plain
    if size < HEADER + TRAILER or packed[:4] != b"\x1f\x8b\x08\0" or len(data) >= 1 << 31:
        return None
    plain = int.from_bytes(packed[size - 4 :], "little")
    packer = Packer()
    if plain > 1100 * size or not packer.read(d + HEADER, size - HEADER - TRAILER, plain):
        return None
    packer._data, packer._size = <const uint8_t*>PyBytes_AS_STRING(data), len(data)
    packer.run()
    return packer.written()
