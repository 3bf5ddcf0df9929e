# Columns → what rules across entries and files want to know of them: hashes of addresses, shared ones, counts.
# Included by compiled.pyx. Hashes are those of hashlib's blake2b with eight bytes: a test compares them.

cdef enum:
    BLOCK = 128
    DAYS = 1 << 16

cdef uint64_t[8] START
for _at, _word in enumerate(
    (
        0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
        0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179,
    )
):
    START[_at & 7] = _word
cdef unsigned char[192] SIGMA
"""which word of the block goes where: twelve rounds of sixteen, each a number below sixteen"""
for _at, _word in enumerate(
    (
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
        11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4,
        7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8,
        9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13,
        2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9,
        12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11,
        13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10,
        6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5,
        10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0,
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3,
    )
):
    SIGMA[_at % 192] = _word


cdef inline uint64_t _turned(uint64_t word, int bits) noexcept nogil:
    return word >> bits | word << (64 - bits)


cdef inline void _mix(uint64_t* a, uint64_t* b, uint64_t* c, uint64_t* d, uint64_t x, uint64_t y) noexcept nogil:
    a[0] = a[0] + b[0] + x
    d[0] = _turned(d[0] ^ a[0], 32)
    c[0] = c[0] + d[0]
    b[0] = _turned(b[0] ^ c[0], 24)
    a[0] = a[0] + b[0] + y
    d[0] = _turned(d[0] ^ a[0], 16)
    c[0] = c[0] + d[0]
    b[0] = _turned(b[0] ^ c[0], 63)


cdef struct State:
    uint64_t[8] chained
    uint64_t[16] block


cdef void _compress(State* state, uint64_t counted, bint last) noexcept nogil:
    """One block of sixteen words; nothing here depends on lengths of the input."""
    cdef uint64_t[16] v
    cdef int at, turn
    for at in range(8):
        v[at] = state.chained[at]
        v[at + 8] = START[at]
    v[12] ^= counted
    if last:
        v[14] = ~v[14]
    for turn in range(0, 192, 16):
        _mix(&v[0], &v[4], &v[8], &v[12], state.block[SIGMA[turn]], state.block[SIGMA[turn + 1]])
        _mix(&v[1], &v[5], &v[9], &v[13], state.block[SIGMA[turn + 2]], state.block[SIGMA[turn + 3]])
        _mix(&v[2], &v[6], &v[10], &v[14], state.block[SIGMA[turn + 4]], state.block[SIGMA[turn + 5]])
        _mix(&v[3], &v[7], &v[11], &v[15], state.block[SIGMA[turn + 6]], state.block[SIGMA[turn + 7]])
        _mix(&v[0], &v[5], &v[10], &v[15], state.block[SIGMA[turn + 8]], state.block[SIGMA[turn + 9]])
        _mix(&v[1], &v[6], &v[11], &v[12], state.block[SIGMA[turn + 10]], state.block[SIGMA[turn + 11]])
        _mix(&v[2], &v[7], &v[8], &v[13], state.block[SIGMA[turn + 12]], state.block[SIGMA[turn + 13]])
        _mix(&v[3], &v[4], &v[9], &v[14], state.block[SIGMA[turn + 14]], state.block[SIGMA[turn + 15]])
    for at in range(8):
        state.chained[at] ^= v[at] ^ v[at + 8]


cdef int _digest(bytes text, uint64_t* first, uint64_t* second) except -1:
    """The two halves of the 16 bytes."""
    cdef State state
    cdef Py_ssize_t size = len(text), at = 0, stop, word
    for word in range(8):
        state.chained[word] = START[word]
    state.chained[0] ^= 0x01010010  # no key, sixteen bytes
    while True:
        stop = min(size, at + BLOCK)
        for word in range(16):
            state.block[word] = 0
        for word in range(stop - at):
            state.block[word >> 3] |= <uint64_t><unsigned char>text[at + word] << ((word & 7) * 8)
        at = stop
        _compress(&state, at, at == size)
        if at == size:
            first[0], second[0] = state.chained[0], state.chained[1]
            return 0


def hash_parts(list locs, Py_ssize_t parts):
    """The sizes of the parts, and behind one another both hashes and the row of every address in each part."""
    sizes, found = array("Q", bytes(8 * parts)), array("Q", bytes(16 * len(locs)))
    cdef uint64_t[::1] counts = sizes, digests = found
    cdef Py_ssize_t row, part, at
    cdef str loc
    present = bytearray(len(locs))
    cdef unsigned char[::1] there = present
    for row in range(len(locs)):
        loc = locs[row]
        if loc:
            _digest(loc.strip().encode("utf-8", "surrogatepass"), &digests[2 * row], &digests[2 * row + 1])
            there[row] = 1
            counts[digests[2 * row] % parts] += 3
    next_free = array("Q", accumulate(sizes, initial=0))
    cdef uint64_t[::1] free = next_free
    rows = array("Q", bytes(8 * next_free[parts]))
    cdef uint64_t[::1] ordered = rows
    for row in range(len(locs)):
        if there[row]:
            part = digests[2 * row] % parts
            at = free[part]
            ordered[at] = digests[2 * row]
            ordered[at + 1] = digests[2 * row + 1]
            ordered[at + 2] = row
            free[part] = at + 3
    return sizes, rows


def shared(rows, starts):
    """File and row of the first, file and row of the second, of every pair of hashes that stands in two files."""
    cdef const uint64_t[::1] data = rows, begins = starts
    cdef Py_ssize_t total = data.shape[0] // 3, size = 16, at, other, slot
    cdef Py_ssize_t files = begins.shape[0], file = 0, low, high, middle
    while size < 2 * total:
        size *= 2
    cdef uint64_t[::1] table = array("Q", bytes(8 * size))
    cdef uint64_t one, two
    found = array("Q")
    for at in range(total):
        while file + 1 < files and begins[file + 1] <= <uint64_t>at:
            file += 1
        one, two = data[3 * at], data[3 * at + 1]
        slot = (one >> 8) & (size - 1)
        while table[slot] != 0:
            other = table[slot] - 1
            if data[3 * other] == one and data[3 * other + 1] == two:
                break
            slot = (slot + 1) & (size - 1)
        if table[slot] == 0:
            table[slot] = at + 1
            continue
        low, high = 0, files
        while high - low > 1:
            middle = (low + high) // 2
            if begins[middle] <= <uint64_t>other:
                low = middle
            else:
                high = middle
        if low != file:
            found.extend((low, data[3 * other + 2], file, data[3 * at + 2]))
    return found


cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef int64_t NO_TIME = -(1 << 62)
cdef int64_t NO_DAY = NO_TIME
cdef int64_t DAY = 86_400_000_000

cdef unsigned char[13] DAYS_OF_MONTH
for _byte, _days in enumerate((0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)):
    DAYS_OF_MONTH[_byte] = _days


cdef inline int64_t _digits(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """The number that a few digits are; -1 for anything else."""
    cdef int64_t found = 0
    cdef Py_ssize_t at
    for at in range(size):
        if DIGIT[text[at]] > 9:
            return -1
        found = 10 * found + DIGIT[text[at]]
    return found


cdef int64_t _days_since_1970(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Of a year, month or day; NO_DAY for anything else, and where a zone may leave the calendar."""
    cdef int64_t year = _digits(text, 4), month = 1, day = 1, era
    if size >= 7:
        month = _digits(text + 5, 2) if text[4] == 45 else -1
    if size == 10:
        day = _digits(text + 8, 2) if text[7] == 45 else -1
    if not (1 < year < 9999 and 1 <= month <= 12 and 1 <= day <= DAYS_OF_MONTH[month]):
        return NO_DAY
    if month == 2 and day == 29 and (year % 4 != 0 or year % 100 == 0 and year % 400 != 0):
        return NO_DAY
    # years that begin in March have their leap day at the end
    year -= month <= 2
    era = year // 400
    return era * 146097 + (year - era * 400) * 365 + (year - era * 400) // 4 - (year - era * 400) // 100 + (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1 - 719468


cdef int64_t _microseconds_of(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Of a date in a usual notation, in UTC; NO_TIME for any other."""
    cdef int64_t day, hour, minute, second = 0, fraction = 0, offset = 0
    cdef Py_ssize_t at = 16, digits
    if size != 4 and size != 7 and size != 10 and size < 16:
        return NO_TIME
    day = _days_since_1970(text, min(size, 10))
    if day == NO_DAY:
        return NO_TIME
    if size <= 10:
        return day * DAY
    hour, minute = _digits(text + 11, 2), _digits(text + 14, 2)
    if (text[10] != 84 and text[10] != 32) or not 0 <= hour <= 23 or text[13] != 58 or not 0 <= minute <= 59:
        return NO_TIME
    if size >= 19 and text[16] == 58:
        second = _digits(text + 17, 2)
        if not 0 <= second <= 59:
            return NO_TIME
        at = 19
        if size > 20 and text[19] == 46:
            digits = 0
            while 20 + digits < size and digits < 6 and DIGIT[text[20 + digits]] < 10:
                digits += 1
            at = 20 + digits
            if digits == 0:
                return NO_TIME
            fraction = _digits(text + 20, digits)
            while digits < 6:
                fraction, digits = fraction * 10, digits + 1
    if size == at + 6 and (text[at] == 43 or text[at] == 45) and text[at + 3] == 58:
        offset, at = _digits(text + at + 1, 2), at + 6
        digits = _digits(text + at - 2, 2)
        if not 0 <= offset <= 13 or not 0 <= digits <= 59:
            return NO_TIME
        offset = (60 * offset + digits) * (-1 if text[at - 6] == 45 else 1)
    elif size == at + 1 and text[at] == 90:
        at += 1
    if at != size:
        return NO_TIME
    return day * DAY + ((hour * 60 + minute - offset) * 60 + second) * 1_000_000 + fraction


def instants(list texts, other):
    """The instants that dates start, in microseconds since 1970; `other` says what the unusual ones mean."""
    cdef list found = []
    cdef const unsigned char* written
    cdef Py_ssize_t size
    cdef int64_t instant
    for text in texts:
        if text is None:
            found.append(None)
            continue
        instant = NO_TIME
        if PyUnicode_IS_ASCII(text):
            written = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
            instant = _microseconds_of(written, size)
        found.append(other(text) if instant == NO_TIME else instant)
    return found


cdef bint _is_ordinary(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Whether a date that could be read is for sure one of `spec.signals.ORDINARY_DATE`."""
    if memcmp(text, b"1992", 4) < 0 or memcmp(text, b"2099", 4) > 0:
        return False
    if size == 10:
        return True
    if size < 20 or text[10] != 84 or text[16] != 58:
        return False
    if text[size - 1] == 90:
        return True
    if text[size - 3] != 58:  # a time without a zone
        return False
    return memcmp(text + size - 5, b"00:", 3) != 0 or (text[size - 6] == 43 and memcmp(text + size - 5, b"00:00", 5) == 0)


def summarized_dates(counts, str last):
    """The texts that may be another date than an ordinary one until the day `last`, and how many dates each day has."""
    cdef list unusual = []
    cdef dict days = {}, firsts = {}
    cdef int64_t[::1] numbers = memoryview(bytearray(8 * DAYS)).cast("q")
    cdef const unsigned char* written
    cdef bytes limit = last.encode()
    cdef const unsigned char* latest = limit
    cdef Py_ssize_t size, number, day
    if len(limit) != 10:
        raise ValueError(last)
    for text, number in counts.items():
        if text is None:
            continue
        day = -1
        if PyUnicode_IS_ASCII(text):
            written = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
            if size >= 10 and _microseconds_of(written, size) != NO_TIME and _is_ordinary(written, size):
                day = _days_since_1970(written, 10)
        if not 0 <= day < DAYS:
            unusual.append(text)
            trimmed = text.strip()[:10]
            if trimmed:
                days[trimmed] = days.get(trimmed, 0) + number
            continue
        if memcmp(written, latest, 10) > 0:
            unusual.append(text)
        if numbers[day] == 0:
            firsts[day] = text[:10]
        numbers[day] += number
    for day, text in sorted(firsts.items()):
        days[text] = days.get(text, 0) + numbers[day]
    return unusual, days
