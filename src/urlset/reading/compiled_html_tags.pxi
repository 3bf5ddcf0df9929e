# The elements of HTML and how the tree builder treats each; attributes of a tag. Included by compiled_html.pyx.

cdef enum:
    VOID = 1
    RAW = 1 << 1          # its content is no markup: script, style, iframe
    UNSEEN = 1 << 2       # no reader of the page sees its text
    INLINE = 1 << 3       # ends no run of text
    CLOSES_P = 1 << 4     # its start tag ends an open paragraph
    IMPLIED = 1 << 5      # its end tag may be left out
    BLOCK = 1 << 6        # its end tag also ends the implied ones inside
    HEADING = 1 << 7
    SPECIAL = 1 << 8      # a list item outside of it is not ended inside of it
    ROWS = 1 << 9         # takes rows or cells only: table, tbody, thead, tfoot, tr, colgroup
    SCOPE = 1 << 10       # a paragraph outside of it is not ended inside of it
    SPEAKS = 1 << 11      # always looked at: meta, link, base, time, nav, main …
    REFUSED = 1 << 12     # left to the tree builder
    FORMATTING = 1 << 13
    TABLE_PART = 1 << 14  # belongs into a table only
    ONE = 1 << 15         # not inside another of its kind
    BREAKS_OUT = 1 << 16  # ends an svg
    IN_HEAD = 1 << 17     # does not begin the body
    MOST_TAGS = 160
    SLOTS = 1024
    LONGEST_NAME = 10

_KINDS = {
    VOID: "area base br col embed hr img input link meta param source track wbr",
    RAW: "script style iframe",
    UNSEEN: "script style template noscript svg math iframe object canvas",
    INLINE: "a abbr acronym b bdi bdo big canvas cite code data del dfn em font i iframe img ins kbd label mark math"
    " nobr noscript object q ruby rtc rb rp rt s samp script small span strike strong style sub sup svg template time"
    " tt u var wbr",
    CLOSES_P: "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form"
    " h1 h2 h3 h4 h5 h6 header hgroup hr main menu nav ol p pre search section summary table ul li dd dt",
    IMPLIED: "dd dt li optgroup option p rp rt",
    BLOCK: "address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer"
    " form h1 h2 h3 h4 h5 h6 header hgroup main menu nav object ol pre search section summary ul",
    HEADING: "h1 h2 h3 h4 h5 h6",
    SPECIAL: "area article aside base blockquote body br button caption center col colgroup dd details dir dl dt embed"
    " fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe img input li link main"
    " menu meta nav noscript object ol param pre script search section select source style summary table tbody td"
    " template textarea tfoot th thead title tr track ul wbr",
    ROWS: "table tbody thead tfoot tr colgroup",
    SCOPE: "html body button table td th caption object template",
    SPEAKS: "meta link base h1 time nav aside header footer main article",
    REFUSED: "html head body title frameset frame image keygen basefont bgsound plaintext xmp listing noembed noframes"
    " nobr marquee applet math isindex rb rtc dir menuitem",
    FORMATTING: "b big code em font i s small strike strong tt u",
    TABLE_PART: "caption col colgroup tbody td tfoot th thead tr",
    ONE: "a button form select",
    BREAKS_OUT: "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing"
    " menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var font script style math"
    " foreignobject template",
    IN_HEAD: "base link meta noscript script style title",
}

cdef unsigned int[MOST_TAGS] FLAGS
cdef unsigned char[MOST_TAGS][LONGEST_NAME + 3] NAMES
cdef int[MOST_TAGS] NAME_SIZES
cdef short[SLOTS] TAG_AT
cdef unsigned char[256] LOWER
cdef unsigned char[256] NAME_BYTE
"""1 for a byte of a tag name, 2 for one of an attribute name"""
cdef int count_tags = 1

TAG_NAMES = [None]
_known = {}


cdef unsigned int _slot(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    cdef unsigned int value = 5381
    cdef Py_ssize_t at
    for at in range(size):
        value = value * 33 + LOWER[name[at]]
    return value & (SLOTS - 1)


cdef int _find_tag(const unsigned char* name, Py_ssize_t size) noexcept nogil:
    """Its number; 0 for an element that is not in the table."""
    if size > LONGEST_NAME + 3:
        return 0
    cdef unsigned int slot = _slot(name, size)
    cdef int tag
    cdef Py_ssize_t at
    while True:
        tag = TAG_AT[slot]
        if tag == 0:
            return 0
        if NAME_SIZES[tag] == size:
            at = 0
            while at < size and LOWER[name[at]] == NAMES[tag][at]:
                at += 1
            if at == size:
                return tag
        slot = (slot + 1) & (SLOTS - 1)


def _fill_tags():
    global count_tags
    cdef int byte, at
    cdef unsigned int slot
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        letter = 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57 or byte in b"-_:"
        NAME_BYTE[byte] = 3 if letter else 2 if byte > 32 and byte not in b"\"'<>/=&\x7f" else 0
    for flag, names in _KINDS.items():
        for name in names.split():
            if name not in _known:
                _known[name] = count_tags
                raw = name.encode()
                NAME_SIZES[count_tags] = len(raw)
                for at in range(len(raw)):
                    NAMES[count_tags][at] = raw[at]
                slot = _slot(raw, len(raw))
                while TAG_AT[slot]:
                    slot = (slot + 1) & (SLOTS - 1)
                TAG_AT[slot] = count_tags
                TAG_NAMES.append(name)
                count_tags += 1
                assert count_tags < MOST_TAGS
            FLAGS[<int>_known[name]] |= <unsigned int>flag


_fill_tags()

cdef int A = _known["a"], AREA = _known["area"], BASE = _known["base"], BODY = _known["body"], BR = _known["br"]
cdef int BUTTON = _known["button"], CAPTION = _known["caption"], COL = _known["col"], COLGROUP = _known["colgroup"]
cdef int DD = _known["dd"], DIV = _known["div"], DT = _known["dt"], FOOTER = _known["footer"], H1 = _known["h1"]
cdef int HEAD = _known["head"], HEADER = _known["header"], HTML = _known["html"], IMG = _known["img"]
cdef int LI = _known["li"], LINK = _known["link"], META = _known["meta"], NAV = _known["nav"], ASIDE = _known["aside"]
cdef int MAIN = _known["main"], ARTICLE = _known["article"], NOSCRIPT = _known["noscript"], OPTION = _known["option"]
cdef int OPTGROUP = _known["optgroup"], P = _known["p"], RP = _known["rp"], RT = _known["rt"]
cdef int SCRIPT = _known["script"], SELECT = _known["select"], STYLE = _known["style"], SVG = _known["svg"]
cdef int TABLE = _known["table"], TBODY = _known["tbody"], TD = _known["td"], TEMPLATE = _known["template"]
cdef int TEXTAREA = _known["textarea"], TFOOT = _known["tfoot"], TH = _known["th"], THEAD = _known["thead"]
cdef int TIME = _known["time"], TITLE = _known["title"], TR = _known["tr"], IFRAME = _known["iframe"], HR = _known["hr"]


cdef struct Attribute:
    Py_ssize_t name
    Py_ssize_t name_size
    Py_ssize_t value
    Py_ssize_t value_size  # -1 without a value


cdef inline bint _is_space(unsigned char byte) noexcept nogil:
    return byte == 32 or byte == 10 or byte == 9 or byte == 13 or byte == 12
