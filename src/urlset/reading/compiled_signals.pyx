# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""Addresses → signals, by compiled code: the same integers as `reading/signals.py`, from the same tables.

Nothing here knows a rule, a word or a character that has a meaning beyond RFC 3986 and UTF-8: all of that comes from
`spec/signals.py` through `reading/signals.py`. Every access to the text is checked against its size; tables are indexed
by a byte, by a region below five, or by nodes that the tables themselves contain.
"""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memcmp, memcpy

from array import array

from urlset.reading import signals
from urlset.spec import signals as spec

cdef enum:
    HEAD = 0
    START = 1
    REST = 2
    QUERY = 3
    FRAGMENT = 4
    KINDS = 8
    LONGEST_HEAD = 256

cdef uint64_t HOOK = signals.HOOK
cdef uint64_t OTHER_HEAD = spec.Signal.OTHER_HEAD
cdef uint64_t MISSING = spec.Signal.MISSING
cdef uint64_t EMPTY = spec.Signal.EMPTY
cdef uint64_t PADDED = spec.Signal.PADDED
cdef uint64_t SHORT = spec.Signal.SHORT
cdef uint64_t LONG = spec.Signal.LONG
cdef uint64_t LONG_FOR_BAIDU = spec.Signal.LONG_FOR_BAIDU
cdef uint64_t NOT_WEB = spec.Signal.NOT_WEB
cdef uint64_t NO_PATH = spec.Signal.NO_PATH
cdef uint64_t HAS_FRAGMENT = spec.Signal.FRAGMENT
cdef uint64_t SLASHED = spec.Signal.SLASHED
cdef uint64_t BROKEN = spec.BROKEN_ESCAPE.signal
cdef uint64_t FOREIGN = spec.FOREIGN_ESCAPE.signal
cdef int FOREIGN_WITHIN = spec.FOREIGN_ESCAPE.within
cdef Py_ssize_t MOST_CHARACTERS = spec.MOST_CHARACTERS
cdef Py_ssize_t FEWEST_CHARACTERS = spec.FEWEST_CHARACTERS
cdef Py_ssize_t MOST_BYTES = spec.MOST_BYTES

cdef unsigned char[256] DIGIT
"""the value of a hexadecimal digit, with 16 added for one in lower case; 255 for other bytes"""
cdef unsigned char[256] LOWER
cdef unsigned char[256] SCHEME


cdef void _fill_tables() noexcept:
    cdef int byte
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
        SCHEME[byte] = 65 <= byte <= 90 or 97 <= byte <= 122 or 48 <= byte <= 57 or byte in b"+.-"
        DIGIT[byte] = 255
        if 48 <= byte <= 57:
            DIGIT[byte] = byte - 48
        elif 65 <= byte <= 70:
            DIGIT[byte] = byte - 55
        elif 97 <= byte <= 102:
            DIGIT[byte] = byte - 87 + 16


_fill_tables()


cdef Py_ssize_t _space(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """How many bytes the white space has that `str.strip` would take off here; 0 when there is none."""
    cdef unsigned char first = text[0]
    if first < 128:
        return 1 if first == 32 or 9 <= first <= 13 or 28 <= first <= 31 else 0
    if first == 0xC2:
        return 2 if size >= 2 and (text[1] == 0x85 or text[1] == 0xA0) else 0
    if size < 3:
        return 0
    if first == 0xE1:
        return 3 if text[1] == 0x9A and text[2] == 0x80 else 0
    if first == 0xE3:
        return 3 if text[1] == 0x80 and text[2] == 0x80 else 0
    if first != 0xE2:
        return 0
    if text[1] == 0x81:
        return 3 if text[2] == 0x9F else 0
    if text[1] == 0x80 and (text[2] <= 0x8A or text[2] == 0xA8 or text[2] == 0xA9 or text[2] == 0xAF):
        return 3
    return 0


cdef Py_ssize_t _characters(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at, found = 0
    for at in range(size):
        found += text[at] & 0xC0 != 0x80
    return found


cdef class LocSignals:

    def __init__(self):
        packed = signals.packed()
        self.classes = packed.classes
        self.exact_roots = packed.exact_roots
        self.folded_roots = packed.folded_roots
        self.symbols = packed.symbols
        self.width = packed.width
        self.following = packed.following
        self.signals = packed.signals
        self.final_nodes = packed.final_nodes
        self.ends = packed.ends
        self.escapes = packed.escapes
        self.lower_escapes = packed.lower_escapes

    def batch(self, list texts):
        """The signals of each text."""
        found = array("Q", bytes(8 * len(texts)))
        cdef uint64_t[::1] signals = found
        cdef Py_ssize_t row
        cdef bytes text
        for row in range(len(texts)):
            if texts[row] is None:
                signals[row] = MISSING
                continue
            text = (<str>texts[row]).encode("utf-8", "surrogatepass")
            signals[row] = self.loc(text, len(text))
        return found

    cdef uint64_t loc(self, const unsigned char* text, Py_ssize_t size) noexcept nogil:
        """The signals of one address: its bytes as UTF-8 with all references resolved, white space included."""
        cdef uint64_t found = 0
        cdef Py_ssize_t space, back, at, query
        while size > 0:
            space = _space(text, size)
            if space == 0:
                break
            found, text, size = PADDED, text + space, size - space
        while size > 0:
            back = 1 if text[size - 1] < 128 else 2 if size >= 2 and text[size - 2] == 0xC2 else min(3, size)
            if _space(text + size - back, back) != back:
                break
            found, size = PADDED, size - back
        if size == 0:
            return EMPTY
        if size > MOST_BYTES:
            found |= LONG_FOR_BAIDU
            if size > MOST_CHARACTERS and _characters(text, size) > MOST_CHARACTERS:
                found |= LONG
        elif size < 4 * FEWEST_CHARACTERS and _characters(text, size) < FEWEST_CHARACTERS:
            found |= SHORT
        at = self.head_size
        self.same_head = at > 0 and size > at and text[at] == 47 and memcmp(text, self.head, at) == 0
        if not self.same_head:
            at = self._head(text, size)
            found |= OTHER_HEAD
        found |= self.head_found
        return found | self._judged(text, at, size, size, START)

    cdef Py_ssize_t _head(self, const unsigned char* text, Py_ssize_t size) noexcept nogil:
        """Behind scheme and authority, which are kept with their signals."""
        cdef Py_ssize_t at = 0, authority
        cdef bint web = False
        cdef uint64_t found
        if SCHEME[text[0]] and LOWER[text[0]] >= 97:
            while at < size and SCHEME[text[at]]:
                at += 1
            if at < size and text[at] == 58:
                at += 1
                web = (at == 5 or at == 6 and LOWER[text[4]] == 115) and LOWER[text[0]] == 104
                web = web and LOWER[text[1]] == 116 and LOWER[text[2]] == 116 and LOWER[text[3]] == 112
            else:
                at = 0
        self.head_size = 0
        if size - at >= 2 and text[at] == 47 and text[at + 1] == 47:
            at += 2
            authority = at
            while at < size and not _opens(text[at]):
                web = web and text[at] != 64
                at += 1
            web = web and at > authority and text[authority] != 58
            found = NO_PATH if at == size or text[at] != 47 else 0
            if at <= LONGEST_HEAD and found == 0:
                memcpy(self.head, text, at)
                self.head_size = at
        else:
            web = False
            found = 0
        if not web:
            found |= NOT_WEB
        self.head_found = found | self._judged(text, 0, at, at, HEAD)
        return at

    cdef uint64_t _judged(
        self, const unsigned char* text, Py_ssize_t at, Py_ssize_t end, Py_ssize_t size, int region
    ) noexcept nogil:
        """The signals of the bytes from `at` to `end`, the first of them in `region`."""
        cdef uint64_t found = 0, raised
        cdef unsigned char byte, first, second, value
        cdef int slashes = 0, row = region * 256
        cdef Py_ssize_t node
        # the bytes of a character that is still to be completed by escapes, where the next one begins, and its limits
        cdef Py_ssize_t next_escape = -1
        cdef int missing = 0
        cdef unsigned char low = 0x80, high = 0xBF
        while at < end:
            byte = text[at]
            raised = self.classes[row + byte]
            if not raised & HOOK:
                found |= raised
                at += 1
                continue
            if byte == 47 and region == START:
                slashes += 1
                if slashes == 3:
                    region = REST
            elif (byte == 63 or byte == 35) and (region == START or region == REST):
                if slashes and text[at - 1] == 47:
                    found |= SLASHED
                region = QUERY if byte == 63 else FRAGMENT
            elif byte == 35 and region == QUERY:
                region = FRAGMENT
            row = region * 256
            found |= self.classes[row + byte]
            node = self.folded_roots[row + byte]
            if node:
                found |= self._words(text, at + 1, size, node, True)
            node = self.exact_roots[row + byte]
            if node:
                found |= self._words(text, at + 1, size, node, False)
            at += 1
            if byte != 37:
                continue
            first = DIGIT[text[at]] if at < end else 255
            second = DIGIT[text[at + 1]] if at + 1 < end else 255
            if first == 255 or second == 255:
                found |= BROKEN
                continue
            value = (first & 15) << 4 | second & 15
            found |= self.escapes[row + value]
            if first > 15 or second > 15:
                found |= self.lower_escapes[region]
            if not FOREIGN_WITHIN >> region & 1:
                continue
            if missing and (at - 1 != next_escape or not low <= value <= high):
                found |= FOREIGN
                missing = 0
            elif missing:
                missing -= 1
                low, high = 0x80, 0xBF
                next_escape = at + 2
                continue
            next_escape = at + 2
            if value < 0x80:
                continue
            low = 0xA0 if value == 0xE0 else 0x90 if value == 0xF0 else 0x80
            high = 0x9F if value == 0xED else 0x8F if value == 0xF4 else 0xBF
            missing = 1 if 0xC2 <= value <= 0xDF else 2 if 0xE0 <= value <= 0xEF else 3 if 0xF0 <= value <= 0xF4 else 0
            if not missing:
                found |= FOREIGN
        if missing:
            found |= FOREIGN
        if (region == START or region == REST) and slashes and text[end - 1] == 47:
            found |= SLASHED
        elif region == FRAGMENT:
            found |= HAS_FRAGMENT
        return found & ~HOOK

    cdef uint64_t _words(
        self, const unsigned char* text, Py_ssize_t at, Py_ssize_t size, Py_ssize_t node, bint folded
    ) noexcept nogil:
        """The signals of the words that begin here."""
        cdef uint64_t found = 0
        cdef unsigned char byte, kinds
        cdef int kind
        while at < size:
            byte = LOWER[text[at]] if folded else text[at]
            node = self.following[node * self.width + self.symbols[byte]]
            if node == 0:
                return found
            at += 1
            if not self.final_nodes[node]:
                continue
            found |= self.signals[node * KINDS]
            kinds = self.ends[text[at]] if at < size else 255
            for kind in range(1, KINDS):
                if kinds >> kind & 1:
                    found |= self.signals[node * KINDS + kind]
        return found


cdef inline bint _opens(unsigned char byte) noexcept nogil:
    """Whether a path, a query or a fragment begins with it."""
    return byte == 47 or byte == 63 or byte == 35
