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
    LONGEST_HINT = 64

KINDS = {
    None: IGNORED, "title": IGNORED, "loc": LOC, "lastmod": LASTMOD, "changefreq": FREQUENCY, "priority": PRIORITY,
    "images": IMAGES, "videos": VIDEOS, "alternates": ALTERNATES, "section": SECTION, "language": LANGUAGE,
    "news": NEWS,
}

cdef bytes FREQUENCY_OPEN = b"    <changefreq>", FREQUENCY_CLOSE = b"</changefreq>\n"
cdef bytes PRIORITY_OPEN = b"    <priority>", PRIORITY_CLOSE = b"</priority>\n"
_LINK = translation_line("*", "+").encode()
cdef bytes LINK_OPEN = _LINK.partition(b"*")[0], LINK_CLOSE = _LINK.rpartition(b"+")[2]
cdef bytes LINK_MIDDLE = _LINK.partition(b"*")[2].rpartition(b"+")[0]
cdef uint8_t LINKS_MASK = 1 << EXTENSIONS.index("xhtml")
cdef object _DECODE = Decoder().decode
cdef object _FREQUENCY = lru_cache(MOST_KEYS)(to_frequency), _PRIORITY = lru_cache(MOST_KEYS)(to_priority)


cdef inline object _plain(value):
    """A number as a text, anything else as it is."""
    return str(value) if type(value) in (int, float, Decimal) else value
