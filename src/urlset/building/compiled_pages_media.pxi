# Images, videos, news and translations of rows, as entries will say them. Included by compiled_pages.pyx.

cdef enum:
    MOST_FIELDS = 32
    A_TEXT = 0
    A_PLACE = 1
    A_DAY = 2
    MANY_TEXTS = 3

cdef const uint8_t* NO_DAY = b"9999-99-99"
"""later than any day, which media may name in the future"""


@final
cdef class Form:
    """The fields of one kind of media that are texts; a row with any other is left to Python."""

    cdef dict _ranks
    """by name"""
    cdef list _openings, _closings
    cdef bytes _opening, _closing
    cdef uint8_t[MOST_FIELDS] _kinds, _coded
    cdef int _size
    cdef uint32_t _required, _one_of
    cdef uint8_t _mask

    def __init__(self, str name, fields, required, one_of):
        opening, closing = element_lines(name)
        self._opening, self._closing = opening.encode(), closing.encode()
        self._mask = 1 << EXTENSIONS.index(name)
        self._ranks, self._openings, self._closings = {}, [], []
        for rank, field in enumerate(fields):
            for each in field.names:
                self._ranks[each] = rank
            self._openings.append(field.opening.encode())
            self._closings.append(field.closing.encode())
            self._kinds[rank] = MANY_TEXTS if field.is_many else A_PLACE if field.is_address else A_DAY if field.is_date else A_TEXT
            self._coded[rank] = field.may_be_json
            self._required |= (field.name in required) << rank
            self._one_of |= (field.name in one_of) << rank
        self._size = len(fields)

    cdef int _rank(self, name) except -2:
        """The place of a field; -1 for one that is left to Python."""
        return self._ranks.get(name, -1)

    cdef bint _is_enough(self, uint32_t given) noexcept:
        return given & self._required == self._required and (self._one_of == 0 or given & self._one_of != 0)


cdef Form IMAGE_FORM = Form("image", *text_fields("image"))
cdef Form VIDEO_FORM = Form("video", *text_fields("video"))
cdef Form NEWS_FORM = Form("news", *text_fields("news"))


cdef Py_ssize_t _escape_text(const uint8_t* text, Py_ssize_t size, uint8_t* out) noexcept nogil:
    """As `writing.xml.escaped` does, for which there is room for six times the size; -1 for what XML cannot hold."""
    cdef Py_ssize_t i, at = 0
    cdef uint8_t c
    for i in range(size):
        c = text[i]
        if c > 62 and c != 0xEF:
            out[at] = c
            at += 1
        elif c == 38:
            memcpy(out + at, b"&amp;", 5)
            at += 5
        elif c == 60:
            memcpy(out + at, b"&lt;", 4)
            at += 4
        elif c == 62:
            memcpy(out + at, b"&gt;", 4)
            at += 4
        elif c == 34:
            memcpy(out + at, b"&quot;", 6)
            at += 6
        elif c == 39:
            memcpy(out + at, b"&apos;", 6)
            at += 6
        elif c == 13:
            memcpy(out + at, b"&#13;", 5)
            at += 5
        elif c < 32 and c != 9 and c != 10:
            return -1
        elif c == 0xEF and i + 2 < size and text[i + 1] == 0xBF and text[i + 2] >= 0xBE:
            return -1
        else:
            out[at] = c
            at += 1
    return at


cdef bint _is_name(const uint8_t* s, Py_ssize_t size) noexcept nogil:
    """Letters of ASCII, digits and marks that JSON does not escape."""
    cdef Py_ssize_t i
    for i in range(size):
        if not 32 < s[i] < 127 or s[i] == 34 or s[i] == 92:
            return False
    # an object with `href` is one link, not links by language
    return size > 0 and not (size == 4 and memcmp(s, b"href", 4) == 0)


cdef bint _names(bytes links, const Text* loc) noexcept:
    """Whether an object of links gives the page a language; never where a name has escapes."""
    cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(links)
    cdef const uint8_t* end = d + len(links)
    cdef const uint8_t* name
    cdef Py_ssize_t size
    if memchr(d, 92, end - d) != NULL:
        return False
    d += 2
    while d < end:
        name, d = d, <const uint8_t*>memchr(d, 34, end - d)
        if d == NULL or end - d <= 3:
            return False
        size = d - name
        d += 3
        if end - d > loc.size and d[loc.size] == 34 and memcmp(d, loc.at, loc.size) == 0:
            return not (size == 9 and name[0] | 32 == 120)  # any spelling of x-default
        d = <const uint8_t*>memchr(d, 34, end - d)
        if d == NULL:
            return False
        d += 3
    return False
