# What names of values mean, and what is written of some. Included by compiled_pages.pyx.

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


cdef bint _is_priority(const uint8_t* s, Py_ssize_t size) noexcept nogil:
    """From 0 to 1 with at most six digits."""
    cdef Py_ssize_t i
    if (s[0] != 48 and s[0] != 49) or size == 2 or size > 8 or (size > 1 and s[1] != 46):
        return False
    for i in range(2, size):
        if not _digit(s[i]) or (s[0] == 49 and s[i] != 48):
            return False
    return True
