# What stands in a row of JSON and in an entry as written: words, dates, addresses. Included by compiled_rows.pyx.

# words

cdef const uint8_t[::1] PAGE = b"page", FEED = b"feed", COMMENTS = b"comments"
cdef const uint8_t[::1] LOC_KEY = b'{"loc":', LASTMOD_KEY = b'"lastmod":'
cdef const uint8_t[::1] HTML = b"html", HTM = b"htm", PHP = b"php", ASP = b"asp", ASPX = b"aspx", JSP = b"jsp"
cdef const uint8_t[::1] PDF = b"pdf"
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


cdef inline Py_ssize_t _size_of_entry(Py_ssize_t loc_size, Py_ssize_t day_size) noexcept nogil:
    cdef Py_ssize_t bare = OPEN_SIZE + loc_size + LOC_END_SIZE + CLOSE_SIZE
    return bare + DAY_SIZE + day_size + DAY_END_SIZE if day_size else bare


# dates

cdef bint _digits(const uint8_t[::1] d, Py_ssize_t at, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        if d[at + i] < 48 or d[at + i] > 57:
            return False
    return True


cdef int _two(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    return (d[at] - 48) * 10 + d[at + 1] - 48


cdef bint _is_usual(const uint8_t[::1] d, Py_ssize_t at, Py_ssize_t length, const uint8_t[::1] today) noexcept nogil:
    """YYYY-MM-DD, or with seconds and zone; a day that every month has, before today."""
    cdef int month, day, i
    if length != 10 and length != 20 and length != 25:
        return False
    if not (
        _digits(d, at, 4) and d[at + 4] == 45 and _digits(d, at + 5, 2) and d[at + 7] == 45 and _digits(d, at + 8, 2)
    ):
        return False
    month, day = _two(d, at + 5), _two(d, at + 8)
    if not (1 <= month <= 12 and 1 <= day <= 28):
        return False
    for i in range(10):
        if d[at + i] != today[i]:
            if d[at + i] > today[i]:
                return False
            break
    else:
        return False
    return length == 10 or _is_usual_time(d, at + 10, length == 20)


cdef bint _is_usual_time(const uint8_t[::1] d, Py_ssize_t at, bint utc) noexcept nogil:
    if not (
        d[at] == 84 and _digits(d, at + 1, 2) and d[at + 3] == 58 and _digits(d, at + 4, 2)
        and d[at + 6] == 58 and _digits(d, at + 7, 2)
    ):
        return False
    if _two(d, at + 1) > 23 or _two(d, at + 4) > 59 or _two(d, at + 7) > 59:
        return False
    if utc:
        return d[at + 9] == 90
    return (
        d[at + 9] == 43 and _digits(d, at + 10, 2) and d[at + 12] == 58 and _digits(d, at + 13, 2)
        and _two(d, at + 10) <= 13 and _two(d, at + 13) <= 59
    )


# entries as they were written

cdef struct Entry:
    Py_ssize_t loc_end
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
    at = _find(d, e.loc_end, 10) + 1
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


# addresses

cdef inline uint8_t _lower(uint8_t c) noexcept nogil:
    return c + 32 if 65 <= c <= 90 else c


cdef bint _says(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end, const uint8_t[::1] word) noexcept nogil:
    """The segment is the word, without an ending behind it, or begins with the word and a hyphen.

    `end` lies inside the data, so that there is a byte behind the segment.
    """
    cdef Py_ssize_t i, size = word.shape[0]
    if end - start < size:
        return False
    for i in range(size):
        if _lower(d[start + i]) != word[i]:
            return False
    return d[start + size] == 45 if end - start > size else d[end] != 46


cdef bint _is(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end, const uint8_t[::1] word) noexcept nogil:
    return end - start == word.shape[0] and memcmp(&d[start], &word[0], end - start) == 0


cdef bint _is_ending(const uint8_t[::1] d, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    return (
        _is(d, start, end, HTML) or _is(d, start, end, HTM) or _is(d, start, end, PHP) or _is(d, start, end, ASP)
        or _is(d, start, end, ASPX) or _is(d, start, end, JSP) or _is(d, start, end, PDF)
    )


cdef Py_ssize_t _plain_path(const uint8_t[::1] d, Py_ssize_t at) noexcept nogil:
    """The end of a plain path that begins at `at` and ends before a quote; -1 for anything else."""
    cdef Py_ssize_t segment, stop = d.shape[0]
    cdef uint8_t first
    if at >= stop or d[at] != 47:
        return -1
    while True:
        at += 1
        segment = at
        while at < stop and WORD[d[at]]:
            at += 1
        if at >= stop:
            return -1
        if at > segment:
            first = _lower(d[segment])
            if first == 112 and _says(d, segment, at, PAGE):
                return -1
            if first == 102 and _says(d, segment, at, FEED):
                return -1
            if first == 99 and _says(d, segment, at, COMMENTS):
                return -1
        if d[at] == 47:
            continue
        if d[at] == 34:
            return at
        if d[at] != 46 or at == segment:
            return -1
        at += 1
        segment = at
        while at < stop and WORD[d[at]]:
            at += 1
        return at if at < stop and d[at] == 34 and at > segment and _is_ending(d, segment, at) else -1


cdef Py_ssize_t _after(const uint8_t[::1] d, Py_ssize_t at, const uint8_t[::1] word) noexcept nogil:
    """Behind the word, a space that may follow, and the quote that must; -1 where that does not stand here."""
    cdef Py_ssize_t size = word.shape[0]
    if d.shape[0] - at < size + 2 or memcmp(&d[at], &word[0], size) != 0:
        return -1
    at += size
    if d[at] == 32:
        at += 1
    return at + 1 if at < d.shape[0] and d[at] == 34 else -1
