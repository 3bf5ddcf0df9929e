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


# dates; first the Unix times that `to_lastmod` takes, as numbers and as texts

cdef int64_t SECONDS = 10**8, SECONDS_BELOW = 10**10, MILLISECONDS = 10**11, MILLISECONDS_BELOW = 10**13
cdef int64_t SECONDS_IN_TEXT = 662_688_000, SECONDS_IN_TEXT_BELOW = 4_102_444_800

cdef inline bint _digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline int _two(const uint8_t* d) noexcept nogil:
    """Two digits as a number; -1 for anything else."""
    return (d[0] - 48) * 10 + d[1] - 48 if _digit(d[0]) and _digit(d[1]) else -1


cdef inline void _put_digits(char* out, int number, int size, char behind) noexcept nogil:
    out[size] = behind
    while size:
        size -= 1
        out[size] = 48 + number % 10
        number //= 10


cdef void _put_moment(char* out, int64_t seconds) noexcept nogil:
    """`YYYY-MM-DDTHH:MM:SSZ` for a Unix time, in 20 bytes."""
    cdef int of_day = seconds % 86_400
    cdef int day = seconds // 86_400 + 719_468  # since March of the year 0, so that leap days end years
    cdef int age = day // 146_097, year, month
    day %= 146_097
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    _put_digits(out, 400 * age + year + month // 10, 4, 45)
    _put_digits(out + 5, (month + 2) % 12 + 1, 2, 45)
    _put_digits(out + 8, day - (153 * month + 2) // 5 + 1, 2, 84)
    _put_digits(out + 11, of_day // 3_600, 2, 58)
    _put_digits(out + 14, of_day // 60 % 60, 2, 58)
    _put_digits(out + 17, of_day % 60, 2, 90)


cdef bint _is_day(const uint8_t* d, Py_ssize_t length) noexcept nogil:
    """Begins with a day that there is, `YYYY-MM-DD`."""
    cdef int year, month, day, longest
    if length < 10 or d[4] != 45 or d[7] != 45:
        return False
    year, month, day = _two(d), _two(d + 5), _two(d + 8)
    if year < 0 or _two(d + 2) < 0 or not 1 <= month <= 12 or day < 1:
        return False
    year = year * 100 + _two(d + 2)
    longest = 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31
    if month == 2:
        longest = 29 if year and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return year > 0 and day <= longest


cdef bint _is_usual(const uint8_t* d, Py_ssize_t length, const uint8_t* today) noexcept nogil:
    """A W3C date up to today, with a zone if it has a time: `to_lastmod` keeps it and `doubt` has no doubt."""
    cdef int later
    if length == 4 or (length == 7 and d[4] == 45 and 1 <= _two(d + 5) <= 12):
        return _two(d) >= 0 and _two(d + 2) >= 0 and memcmp(d, today, length) <= 0
    if not _is_day(d, length):
        return False
    later = memcmp(d, today, 10)
    if later > 0 or (later == 0 and length > 15 and d[length - 6] == 45):  # tomorrow, by Greenwich
        return False
    return length == 10 or _is_usual_time(d + 10, length - 10)


cdef Py_ssize_t _respelled(const uint8_t* d, Py_ssize_t size, const uint8_t[::1] zone, uint8_t* out) noexcept nogil:
    """What `to_lastmod` makes of the notations of databases, logs and feeds; 0 for others. It has 48 bytes of room."""
    cdef Py_ssize_t at = 16
    if size > 40:
        return 0
    if size >= 24 and d[3] == 44:
        return _of_feed(d, size, out)
    if size > 8 and _digit(d[4]):
        return _of_unix(d, size, out)
    if size < 16 or not _is_day(d, size) or (d[10] != 32 and d[10] | 32 != 116) or d[13] != 58 or _two(d + 14) < 0:
        return 0
    if size >= 19 and d[16] == 58 and _two(d + 17) >= 0:
        at = 19
    if at == 19 and size > 20 and d[19] == 46:
        at = 20
        while at < size and _digit(d[at]):
            at += 1
    memcpy(out, d, at)
    out[10] = 84
    if at == size:  # without a zone
        if not 0 <= _two(d + 11) <= 23 or not 0 <= _two(d + 14) <= 59:
            return 0
        if at > 16 and not 0 <= _two(d + 17) <= 59:
            return 0
        if at > 29:
            return 0
        if zone.shape[0] == 0:
            return 10
        if zone.shape[0] != 6:
            return 0
        memcpy(out + at, &zone[0], 6)
        return at + 6
    return _with_zone(d + at, size - at, out, at)


cdef Py_ssize_t _with_zone(const uint8_t* d, Py_ssize_t size, uint8_t* out, Py_ssize_t at) noexcept nogil:
    """A moment with the zone that is written behind it."""
    if size and d[0] == 32:
        d, size = d + 1, size - 1
    if (size == 1 and d[0] | 32 == 122) or (size == 3 and (memcmp(d, b"UTC", 3) == 0 or memcmp(d, b"GMT", 3) == 0)):
        out[at] = 90
        return at + 1
    if size < 3 or (d[0] != 43 and d[0] != 45):
        return 0
    memcpy(out + at, d, 3)
    memcpy(out + at + 3, b":00", 3)
    if size == 5:
        memcpy(out + at + 4, d + 3, 2)
    elif size == 6 and d[3] == 58:
        memcpy(out + at + 4, d + 4, 2)
    elif size != 3:
        return 0
    return at + 6


cdef Py_ssize_t _of_feed(const uint8_t* d, Py_ssize_t size, uint8_t* out) noexcept nogil:
    """`Tue, 07 May 2024 10:00:00 GMT`, if that is a Tuesday."""
    cdef const char* months = "JanFebMarAprMayJunJulAugSepOctNovDec"
    cdef const char* days = "SunMonTueWedThuFriSat"
    cdef int month = 0, day, year, shifted, weekday
    if size < 26 or d[4] != 32 or d[7] != 32 or d[11] != 32 or d[16] != 32 or d[19] != 58 or d[22] != 58:
        return 0
    while month < 12 and memcmp(months + 3 * month, d + 8, 3) != 0:
        month += 1
    if month == 12 or _two(d + 5) < 1 or _two(d + 12) < 0 or _two(d + 14) < 0:
        return 0
    memcpy(out, d + 12, 4)
    out[4] = out[7] = 45
    out[5], out[6] = 48 + (month + 1) // 10, 48 + (month + 1) % 10
    memcpy(out + 8, d + 5, 2)
    if not _is_day(out, 10):
        return 0
    year, day = _two(d + 12) * 100 + _two(d + 14), _two(d + 5)
    shifted = year - (1 if month < 2 else 0)
    weekday = (shifted + shifted // 4 - shifted // 100 + shifted // 400 + b"\0\3\2\5\0\3\5\1\4\6\2\4"[month] + day) % 7
    if memcmp(days + 3 * weekday, d, 3) != 0:
        return 0
    out[10] = 84
    memcpy(out + 11, d + 17, 8)
    return _with_zone(d + 25, size - 25, out, 19)


cdef Py_ssize_t _of_unix(const uint8_t* d, Py_ssize_t size, uint8_t* out) noexcept nogil:
    """`1714557600`, its fraction or milliseconds kept."""
    cdef int64_t number = 0
    cdef Py_ssize_t at = 0, end = 19
    while at < size and at < 13 and _digit(d[at]):
        number = number * 10 + d[at] - 48
        at += 1
    if at == size and number >= MILLISECONDS:
        number //= 1000
        memcpy(out + 20, d + at - 3, 3)
        end = 19 if memcmp(d + at - 3, b"000", 3) == 0 else 23
    elif at < size and d[at] == 46 and size - at <= 10:
        memcpy(out + 20, d + at + 1, size - at - 1)
        end += size - at
    elif at < size:
        return 0
    if not SECONDS_IN_TEXT <= number < SECONDS_IN_TEXT_BELOW:
        return 0
    _put_moment(<char*>out, number)
    out[19], out[end] = 46, 90
    return end + 1


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


cdef inline Py_ssize_t _line_end(const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Behind its LF, if it has one."""
    cdef const void* found = memchr(d + at, 10, size - at)
    return size if found == NULL else <const uint8_t*>found - d + 1


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


cdef struct Rest:
    uint64_t said  # a hash of what an entry says behind its address
    uint64_t links  # one of its lines of translations; 0 for none


cdef inline bint _is_link(const uint8_t* said, Py_ssize_t size) noexcept nogil:
    return size > 15 and memcmp(said, b"    <xhtml:link", 15) == 0


cdef struct Span:
    Py_ssize_t start, end


cdef Span _links_of(const uint8_t* said, Py_ssize_t size) noexcept nogil:
    """The lines of translations among what an entry says behind its address: behind a date and two hints at most."""
    cdef Span span
    cdef int line
    span.start = 0
    for line in range(3):
        if not _is_link(said + span.start, size - span.start):
            span.start = _line_end(said, span.start, size)
    span.end = span.start
    while _is_link(said + span.end, size - span.end):
        span.end = _line_end(said, span.end, size)
    return span


cdef Rest _rest_of(const uint8_t* said, Py_ssize_t size, bint has_links, uint64_t k0, uint64_t k1) noexcept nogil:
    """`has_links`: the entry may have translations."""
    cdef Rest found
    cdef uint64_t[3] parts
    cdef Span span
    span.start = span.end = 0
    if has_links:
        span = _links_of(said, size)
    if span.end == span.start:
        found.said, found.links = _hash(said, size, k0, k1), 0
        return found
    parts[0], parts[2] = _hash(said, span.start, k0, k1), _hash(said + span.end, size - span.end, k0, k1)
    parts[1] = found.links = _hash(said + span.start, span.end - span.start, k0, k1)
    found.said = _hash(<const uint8_t*>parts, sizeof(parts), k0, k1)
    return found


cdef Span _attribute(const uint8_t* line, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """The value of the first attribute from there on."""
    cdef Span span
    cdef const void* found = memchr(line + at, 34, size - at) if at < size else NULL
    span.start = span.end = size if found == NULL else <const uint8_t*>found - line + 1
    found = memchr(line + span.start, 34, size - span.start)
    span.end = span.start if found == NULL else <const uint8_t*>found - line
    return span


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


cdef Py_ssize_t _write_entry(
    const uint8_t* loc, Py_ssize_t loc_size, bint escape, const uint8_t* day, Py_ssize_t day_size,
    const uint8_t* rest, Py_ssize_t rest_size, uint8_t* out, Py_ssize_t* behind,
) noexcept:
    """One entry, for which there is room; gives its size, and where the line of the address ends."""
    cdef Py_ssize_t at = OPEN_SIZE
    memcpy(out, &OPEN[0], OPEN_SIZE)
    if escape:
        at += _escape(loc, loc_size, out + at)
    else:
        memcpy(out + at, loc, loc_size)
        at += loc_size
    memcpy(out + at, &LOC_END[0], LOC_END_SIZE)
    at += LOC_END_SIZE
    if behind != NULL:
        behind[0] = at
    if day_size:
        memcpy(out + at, &DAY[0], DAY_SIZE)
        memcpy(out + at + DAY_SIZE, day, day_size)
        memcpy(out + at + DAY_SIZE + day_size, &DAY_END[0], DAY_END_SIZE)
        at += DAY_SIZE + day_size + DAY_END_SIZE
    if rest_size:
        memcpy(out + at, rest, rest_size)
        at += rest_size
    memcpy(out + at, &CLOSE[0], CLOSE_SIZE)
    return at + CLOSE_SIZE
