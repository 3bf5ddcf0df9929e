# Words of entries as written, dates, and the screen of addresses. Included by compiled_pages.pyx.

cdef const uint8_t[::1] OPEN = b"  <url>\n    <loc>", LOC_END = b"</loc>\n", DAY = b"    <lastmod>"
cdef const uint8_t[::1] DAY_END = b"</lastmod>\n", CLOSE = b"  </url>\n"

cdef enum:  # their sizes, for the compiler
    OPEN_SIZE = 17
    LOC_END_SIZE = 7
    DAY_SIZE = 13
    DAY_END_SIZE = 11
    CLOSE_SIZE = 9

cdef Py_ssize_t LOC_AT = OPEN_SIZE
"""where the address begins in an entry as written"""

if (len(OPEN), len(LOC_END), len(DAY), len(DAY_END), len(CLOSE)) != (
    OPEN_SIZE, LOC_END_SIZE, DAY_SIZE, DAY_END_SIZE, CLOSE_SIZE
):
    raise ImportError("the sizes of what is written are others")

cdef enum:
    FIXED_SIZE = 17 + 7 + 13 + 11 + 9


# dates

cdef inline bint _digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline int _two(const uint8_t* d) noexcept nogil:
    """Two digits as a number; -1 for anything else."""
    return (d[0] - 48) * 10 + d[1] - 48 if _digit(d[0]) and _digit(d[1]) else -1


cdef bint _is_usual(const uint8_t* d, Py_ssize_t length, const uint8_t* today) noexcept nogil:
    """A W3C day before today, or such a day with a time and a zone: `to_lastmod` keeps it and `doubt` has no doubt."""
    cdef int year, month, day, longest
    if length < 10 or d[4] != 45 or d[7] != 45 or memcmp(d, today, 10) >= 0:
        return False
    year, month, day = _two(d), _two(d + 5), _two(d + 8)
    if year < 0 or _two(d + 2) < 0 or not 1 <= month <= 12 or day < 1:
        return False
    year = year * 100 + _two(d + 2)
    longest = 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31
    if month == 2:
        longest = 29 if year and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return year > 0 and day <= longest and (length == 10 or _is_usual_time(d + 10, length - 10))


cdef bint _is_usual_time(const uint8_t* d, Py_ssize_t length) noexcept nogil:
    """THH:MM, seconds and their fraction where there are some, and a zone."""
    cdef Py_ssize_t at = 6, digits = 0
    if length < 7 or d[0] != 84 or d[3] != 58 or not 0 <= _two(d + 1) <= 23 or not 0 <= _two(d + 4) <= 59:
        return False
    if d[6] == 58:
        if length < 10 or not 0 <= _two(d + 7) <= 59:
            return False
        at = 9
        if d[9] == 46:
            at += 1
            while at < length and _digit(d[at]):
                at += 1
                digits += 1
            if not 1 <= digits <= 9:
                return False
    if at >= length:
        return False
    if d[at] == 90:
        return at + 1 == length
    return (
        at + 6 == length and d[at + 3] == 58 and 0 <= _two(d + at + 4) <= 59 and _two(d + at + 1) >= 0
        and ((d[at] == 43 and _two(d + at + 1) <= 13) or (d[at] == 45 and 1 <= _two(d + at + 1) <= 11))
    )


# entries as they were written

cdef struct Entry:
    Py_ssize_t loc_end
    Py_ssize_t rest  # behind the line of the address
    Py_ssize_t day  # zero where there is none
    Py_ssize_t day_end
    Py_ssize_t end  # negative where this is no entry


cdef inline bint _starts(const uint8_t[::1] d, Py_ssize_t at, const uint8_t[::1] word) noexcept nogil:
    return d.shape[0] - at >= word.shape[0] and memcmp(&d[at], &word[0], word.shape[0]) == 0


cdef Py_ssize_t _find(const uint8_t[::1] d, Py_ssize_t at, uint8_t byte) noexcept nogil:
    """The first such byte from `at`; the end of the data when there is none."""
    cdef const void* found
    if at >= d.shape[0]:
        return d.shape[0]
    found = memchr(&d[at], byte, d.shape[0] - at)
    return d.shape[0] if found == NULL else <const uint8_t*>found - &d[0]


cdef Entry _entry(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    """The entry that begins at `at` with OPEN."""
    cdef Entry e
    e.day = e.day_end = 0
    e.end = -1
    e.loc_end = _find(d, at + LOC_AT, 60)
    e.rest = at = _find(d, e.loc_end, 10) + 1
    if _starts(d, at, DAY):
        e.day = at + DAY.shape[0]
        e.day_end = _find(d, e.day, 60)
        at = _find(d, e.day_end, 10) + 1
    while at < d.shape[0]:
        if _starts(d, at, CLOSE):
            e.end = at + CLOSE.shape[0]
            break
        at = _find(d, at, 10) + 1
    return e


# text in XML

cdef Py_ssize_t _escape(const uint8_t* text, Py_ssize_t size, uint8_t* out) noexcept nogil:
    """An address with `&` and `'` written as `writing.xml.escaped` does; there is room for six times its size."""
    cdef Py_ssize_t i, at = 0
    for i in range(size):
        if text[i] == 38:
            memcpy(out + at, b"&amp;", 5)
            at += 5
        elif text[i] == 39:
            memcpy(out + at, b"&apos;", 6)
            at += 6
        else:
            out[at] = text[i]
            at += 1
    return at


cdef Py_ssize_t _unescape(const uint8_t* text, Py_ssize_t size, uint8_t* out) noexcept nogil:
    """An address out of a file; anything but what `_escape` writes stays as it is."""
    cdef Py_ssize_t i = 0, at = 0
    while i < size:
        if text[i] == 38 and size - i >= 5 and memcmp(text + i, b"&amp;", 5) == 0:
            out[at] = 38
            i += 5
        elif text[i] == 38 and size - i >= 6 and memcmp(text + i, b"&apos;", 6) == 0:
            out[at] = 39
            i += 6
        else:
            out[at] = text[i]
            i += 1
        at += 1
    return at


# characters of addresses

cdef enum:
    BAD, WORD, SLASH, DOT, PERCENT, QUESTION, HASH, ENCODED, LETTER, AMPERSAND, APOSTROPHE

cdef uint8_t[256] CLASS
cdef uint8_t[16] HEX = b"0123456789ABCDEF"


cdef void _fill_table() noexcept:
    cdef int i
    for i in range(256):
        CLASS[i] = LETTER if i >= 128 else BAD
        if 48 <= i <= 57 or 65 <= i <= 90 or 97 <= i <= 122:
            CLASS[i] = WORD
    for i in b"-_~!$()*+,:@;=":
        CLASS[i] = WORD
    for i in b' []{}|^`"<>':
        CLASS[i] = ENCODED
    CLASS[47], CLASS[46], CLASS[37], CLASS[63], CLASS[35] = SLASH, DOT, PERCENT, QUESTION, HASH
    CLASS[38], CLASS[39] = AMPERSAND, APOSTROPHE


_fill_table()


cdef inline uint8_t _lower(uint8_t c) noexcept nogil:
    return c + 32 if 65 <= c <= 90 else c


cdef inline int _hex(uint8_t c) noexcept nogil:
    if 48 <= c <= 57:
        return c - 48
    c = _lower(c)
    return c - 87 if 97 <= c <= 102 else -1


cdef inline bint _unreserved(int c) noexcept nogil:
    return 48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c == 45 or c == 46 or c == 95 or c == 126


cdef int _utf8_size(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """Bytes of the character that begins here; 0 where that is no UTF-8."""
    cdef int size = 2 if 0xC2 <= s[0] <= 0xDF else 3 if 0xE0 <= s[0] <= 0xEF else 4 if 0xF0 <= s[0] <= 0xF4 else 0
    cdef int i
    if size == 0 or left < size:
        return 0
    for i in range(1, size):
        if s[i] & 0xC0 != 0x80:
            return 0
    if (s[0] == 0xE0 and s[1] < 0xA0) or (s[0] == 0xED and s[1] > 0x9F):  # overlong, surrogate
        return 0
    if (s[0] == 0xF0 and s[1] < 0x90) or (s[0] == 0xF4 and s[1] > 0x8F):
        return 0
    return size


cdef int _sequence(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """The same; 0 also for white space and controls."""
    cdef int size = _utf8_size(s, left)
    if size == 2 and s[0] == 0xC2 and s[1] <= 0xA0:
        return 0  # C1 controls, no-break space
    if size == 3 and (
        (s[0] == 0xE1 and s[1] == 0x9A) or (s[0] == 0xE2 and s[1] <= 0x81)  # spaces and formats
        or (s[0] == 0xE3 and s[1] == 0x80 and s[2] == 0x80) or (s[0] == 0xEF and s[1] == 0xBF)  # specials
    ):
        return 0
    return size


@final
cdef class Screen:
    """Passes addresses of one site and dates that are in order; `suspicious` are the signals that need a closer look."""

    cdef const uint8_t[::1] _head, _below, _today
    cdef LocSignals _signals
    cdef uint64_t _suspicious

    def __init__(self, bytes head, bytes below, bytes today, uint64_t suspicious):
        if len(today) != 10 or not head or not below:
            raise ValueError("a head, a path and a day are needed")
        self._head, self._below, self._today = head, below, today
        self._signals, self._suspicious = LocSignals(), suspicious
