# Values of rows as JSON and as text writes them. Included by compiled_pages.pyx.

cdef enum:
    IGNORED = 0
    LOC = 1
    LASTMOD = 2
    FREQUENCY = 3
    PRIORITY = 4
    IMAGES = 5
    VIDEOS = 6
    ALTERNATES = 7
    SECTION = 8
    LANGUAGE = 9
    NEWS = 10
    OTHER = 11  # left to Python

cdef enum:
    DEEPEST = 32
    LONGEST_NUMBER = 15
    MOST_KEYS = 1024

KINDS = {
    None: IGNORED, "title": IGNORED, "loc": LOC, "lastmod": LASTMOD, "changefreq": FREQUENCY, "priority": PRIORITY,
    "images": IMAGES, "videos": VIDEOS, "alternates": ALTERNATES, "section": SECTION, "language": LANGUAGE,
    "news": NEWS,
}

cdef frozenset FREQUENCIES = frozenset(each.encode() for each in CHANGEFREQ)
cdef bytes FREQUENCY_OPEN = b"    <changefreq>", FREQUENCY_CLOSE = b"</changefreq>\n"
cdef bytes PRIORITY_OPEN = b"    <priority>", PRIORITY_CLOSE = b"</priority>\n"
_LINK = translation_line("*", "+").encode()
cdef bytes LINK_OPEN = _LINK.partition(b"*")[0], LINK_CLOSE = _LINK.rpartition(b"+")[2]
cdef bytes LINK_MIDDLE = _LINK.partition(b"*")[2].rpartition(b"+")[0]
cdef uint8_t LINKS_MASK = 1 << EXTENSIONS.index("xhtml")


cdef object _DECODE = Decoder().decode


cdef inline object _decoded(const Text* value):
    """What Python makes of a value that `_json_value` passed."""
    return _DECODE(PyBytes_FromStringAndSize(<const char*>value.at, value.size))


cdef inline Py_ssize_t _spaces(const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    while at < size and (d[at] == 32 or d[at] == 9 or d[at] == 13):
        at += 1
    return at


cdef Py_ssize_t _json_string(const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """Behind the string that begins at `at`; -1 where there is none that every reader takes."""
    cdef int length, code
    if at >= size or d[at] != 34:
        return -1
    at += 1
    while at < size and d[at] != 34:
        while size - at >= 8 and not in_json_string(d + at):
            at += 8
        if at >= size or d[at] == 34:
            break
        length = 1
        if d[at] < 32:
            return -1
        if d[at] >= 128:
            length = _utf8_size(d + at, size - at)
        elif d[at] == 92:
            length = 2
            if at + 1 < size and d[at + 1] == 117:
                length = 6
                code = _code(d + at, size - at)
                if 0xD800 <= code <= 0xDBFF and 0xDC00 <= _code(d + at + 6, size - at - 6) <= 0xDFFF:
                    length = 12
                elif code < 0 or 0xD800 <= code <= 0xDFFF:
                    return -1
            elif at + 1 >= size or memchr(b'"\\/bfnrt', d[at + 1], 8) == NULL:
                return -1
        if length == 0:
            return -1
        at += length
    return at + 1 if at < size else -1


cdef Py_ssize_t _json_value(const uint8_t* d, Py_ssize_t at, Py_ssize_t size, int depth) noexcept nogil:
    """Behind the value that begins at `at`; -1 for what is none, or is seldom enough to be left to Python."""
    cdef uint8_t close
    if at >= size or depth > DEEPEST:
        return -1
    if d[at] == 34:
        return _json_string(d, at, size)
    if d[at] != 123 and d[at] != 91:
        return _json_scalar(d, at, size)
    close = d[at] + 2
    at = _spaces(d, at + 1, size)
    if at < size and d[at] == close:
        return at + 1
    while True:
        if close == 125:
            at = _json_string(d, at, size)
            at = _spaces(d, at, size) if at >= 0 else size
            if at >= size or d[at] != 58:
                return -1
            at = _spaces(d, at + 1, size)
        at = _json_value(d, at, size, depth + 1)
        at = _spaces(d, at, size) if at >= 0 else size
        if at >= size or (d[at] != close and d[at] != 44):
            return -1
        if d[at] == close:
            return at + 1
        at = _spaces(d, at + 1, size)


cdef Py_ssize_t _json_scalar(const uint8_t* d, Py_ssize_t at, Py_ssize_t size) noexcept nogil:
    """A word, or a number of a few digits without an exponent."""
    cdef Py_ssize_t left = size - at, start = at, whole
    if left >= 4 and (memcmp(d + at, b"null", 4) == 0 or memcmp(d + at, b"true", 4) == 0):
        return at + 4
    if left >= 5 and memcmp(d + at, b"false", 5) == 0:
        return at + 5
    if d[at] == 45:
        at += 1
    whole = at
    while at < size and _digit(d[at]):
        at += 1
    if at == whole or (d[whole] == 48 and at > whole + 1):
        return -1
    if at < size and d[at] == 46:
        whole = at = at + 1
        while at < size and _digit(d[at]):
            at += 1
        if at == whole:
            return -1
    if at - start > LONGEST_NUMBER or (at < size and d[at] | 32 == 101):
        return -1
    return at


cdef inline bint _is_empty(const uint8_t* value, Py_ssize_t size) noexcept nogil:
    """null or an empty string."""
    return (size == 2 and value[0] == 34) or (size == 4 and value[0] == 110)


cdef inline bint _inside(Text* text) noexcept nogil:
    """Narrow a string to what is between its quotes; False for other values, and where there are escapes."""
    if text.size < 2 or text.at[0] != 34 or memchr(text.at, 92, text.size) != NULL:
        return False
    text.at, text.size = text.at + 1, text.size - 2
    return True


cdef bint _is_priority(const uint8_t* s, Py_ssize_t size, bint is_number) noexcept nogil:
    """From 0 to 1 with at most six digits; of a number also that Python would write it so."""
    cdef Py_ssize_t i
    if (s[0] != 48 and s[0] != 49) or size == 2 or size > 8 or (size > 1 and s[1] != 46):
        return False
    for i in range(2, size):
        if not _digit(s[i]) or (s[0] == 49 and s[i] != 48):
            return False
    return not is_number or size <= 3 or (size <= 6 and s[size - 1] != 48)
