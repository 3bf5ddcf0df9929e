# An address as a source writes it → as it is listed, and its key. Included by compiled_pages.pyx.
#
# `to_loc` of sources.cells and `key_of` of model.address define what is right. Scheme and authority are spelled in
# Python, once for each spelling; the rest, in which addresses differ, here.

cdef enum:
    BAD, WORD, SLASH, DOT, PERCENT, QUESTION, HASH, ENCODED, LETTER, AMPERSAND, APOSTROPHE, BACKSLASH, DROPPED
    MOST_HEADS = 4096

cdef uint8_t[256] CLASS
cdef uint8_t[16] HEX = b"0123456789ABCDEF"


cdef void _fill_table() noexcept:
    cdef int i
    for i in range(256):
        CLASS[i] = LETTER if i >= 128 else ENCODED
        if 48 <= i <= 57 or 65 <= i <= 90 or 97 <= i <= 122:
            CLASS[i] = WORD
    for i in b"-_~!$()*+,:@;=":
        CLASS[i] = WORD
    for i in b"\t\r\n":
        CLASS[i] = DROPPED
    CLASS[47], CLASS[46], CLASS[37], CLASS[63], CLASS[35] = SLASH, DOT, PERCENT, QUESTION, HASH
    CLASS[38], CLASS[39], CLASS[92] = AMPERSAND, APOSTROPHE, BACKSLASH


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


cdef inline int _escaped_value(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """The byte that %XX stands for; -1 where that is no escape."""
    return _hex(s[1]) * 16 + _hex(s[2]) if left >= 3 and _hex(s[1]) >= 0 and _hex(s[2]) >= 0 else -1


cdef inline void _percent(uint8_t byte, uint8_t* out) noexcept nogil:
    out[0], out[1], out[2] = 37, HEX[byte >> 4], HEX[byte & 15]


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


cdef inline int _decoded_size(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """The same; 0 also for U+FFFD, which stands for what could not be decoded."""
    return 0 if left >= 3 and s[0] == 0xEF and s[1] == 0xBF and s[2] == 0xBD else _utf8_size(s, left)


cdef bint _is_space(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """Whether one of the spaces outside ASCII begins here."""
    if left >= 2 and s[0] == 0xC2:
        return s[1] == 0x85 or s[1] == 0xA0
    if left < 3:
        return False
    if s[0] == 0xE2:
        return (
            (s[1] == 0x80 and (0x80 <= s[2] <= 0x8A or s[2] == 0xA8 or s[2] == 0xA9 or s[2] == 0xAF))
            or (s[1] == 0x81 and s[2] == 0x9F)
        )
    return (s[0] == 0xE1 and s[1] == 0x9A and s[2] == 0x80) or (s[0] == 0xE3 and s[1] == 0x80 and s[2] == 0x80)


cdef struct Text:
    const uint8_t* at
    Py_ssize_t size


cdef inline bint _is_blank(uint8_t c) noexcept nogil:
    """White space of ASCII, as `str.strip` takes it."""
    return c == 32 or 9 <= c <= 13 or 28 <= c <= 31


cdef void _strip(Text* text) noexcept nogil:
    """As `str.strip` does."""
    cdef Py_ssize_t last
    while text.size and (_is_blank(text.at[0]) or (text.at[0] >= 128 and _is_space(text.at, text.size))):
        last = 1 if text.at[0] < 128 else 2 if text.at[0] < 0xE0 else 3
        text.at, text.size = text.at + last, text.size - last
    while text.size:
        last = text.size - 1
        while last > 0 and text.at[last] & 0xC0 == 0x80:
            last -= 1
        if not (_is_blank(text.at[last]) or (text.at[last] >= 128 and _is_space(text.at + last, text.size - last))):
            return
        text.size = last


@final
cdef class Head:
    """One spelling of scheme and authority."""

    cdef bytes raw, loc, key
    cdef Py_ssize_t loc_size, key_size
    cdef bint web, listed, own

    def __init__(self, bytes raw, bytes loc, bytes key, bint listed, bint own):
        self.raw, self.loc, self.key, self.listed, self.own = raw, loc, key, listed, own
        self.loc_size, self.key_size = len(loc), len(key)
        self.web = loc.isascii() and key.isascii() and not (loc or b"/").endswith(b"/")


@final
cdef class Speller:
    """Spells addresses one after the other.

    `heads` is called with each new spelling of scheme and authority, empty for that of the base: it gives them as
    they are listed and as they are in a key, whether such pages are listed, and whether they are on the site of the
    base; None for what is no address of the web.
    """

    cdef object _heads
    cdef dict _known
    cdef Head head
    cdef uint8_t[::1] _room, _cleaned
    cdef const uint8_t* loc
    cdef const uint8_t* key
    cdef Py_ssize_t size, key_size
    """there is no key where the address is its own"""
    cdef bint escaped, stray
    """XML escapes some of it; it has a % that begins no escape"""

    def __init__(self, heads):
        self._heads, self._known = heads, {}
        self._room, self._cleaned = view.array((1 << 14,), 1, "B"), view.array((1 << 12,), 1, "B")
        self.head = Head(b"?", b"", b"", False, False)

    def spelled(self, str value):
        """(address, key) of a value; None for what `to_loc` refuses, which includes what cannot be encoded."""
        cdef Py_ssize_t size
        cdef const char* text
        try:
            text = PyUnicode_AsUTF8AndSize(value, &size)
        except UnicodeEncodeError:
            return None
        if not self.spell(<const uint8_t*>text, size):
            return None
        loc = PyBytes_FromStringAndSize(<const char*>self.loc, self.size)
        key = PyBytes_FromStringAndSize(<const char*>self.key, self.key_size) if self.key_size else loc
        return loc.decode("ascii"), key.decode("ascii")

    cdef int _find_head(self, const uint8_t* raw, Py_ssize_t size) except -1:
        cdef bytes written
        if len(self.head.raw) == size and memcmp(PyBytes_AS_STRING(self.head.raw), raw, size) == 0:
            return 0
        written = PyBytes_FromStringAndSize(<const char*>raw, size)
        found = self._known.get(written)
        if found is None:
            if len(self._known) >= MOST_HEADS:
                self._known.clear()
            found = self._known[written] = Head(written, *(self._heads(written) or (b"", b"", False, False)))
        self.head = found
        return 0

    cdef bint spell(self, const uint8_t* s, Py_ssize_t n) except -1:
        """Whether the value is an address; then it is at `loc`, its key at `key`, until the next one."""
        cdef Text text
        cdef Py_ssize_t start = 0, i
        cdef bint relative
        text.at, text.size = s, n
        if n and (s[0] <= 32 or s[0] >= 128 or s[n - 1] <= 32 or s[n - 1] >= 128):
            _strip(&text)
        while text.size and text.at[text.size - 1] <= 32:  # what URL parsers drop
            text.size -= 1
        s, n = text.at, text.size
        if n == 0:
            return False
        relative = s[0] == 47
        if not relative:
            if n < 8 or (s[0] | 32) != 104 or (s[4] != 58 and s[5] != 58):
                return False
            start = 7 if s[4] == 58 else 8
            if s[start - 1] != 47 or s[start - 2] != 47:
                return False
        elif n > 1 and (s[1] == 47 or CLASS[s[1]] >= BACKSLASH):
            if s[1] != 47 or n == 2 or s[2] == 47 or CLASS[s[2]] >= BACKSLASH:
                return False
            start = 2
        i = start
        if start:
            while i < n and s[i] != 47 and s[i] != 63 and s[i] != 35 and s[i] != 92:
                i += 1
        if i < n and start and s[i] == 92:  # everything up to an @ behind it may be a user name
            return False
        self._find_head(s, i)
        return self.head.web and self._spell_rest(s + i, n - i, relative)

    cdef bint _spell_rest(self, const uint8_t* s, Py_ssize_t n, bint relative) except -1:
        cdef Py_ssize_t head = self.head.loc_size, key_head = self.head.key_size, need = head + key_head + 6 * n + 16
        cdef Py_ssize_t i = 0, run, at = head, key_at = 0
        cdef uint8_t* out
        cdef uint8_t* key
        cdef bint in_query = False, keyed = False
        cdef int kind, value, length
        if self._room.shape[0] < need:
            self._room = view.array((2 * need,), 1, "B")
        out = &self._room[0]
        key = out + head + 3 * n + 8
        self.escaped, self.stray = memchr(PyBytes_AS_STRING(self.head.loc), 38, head) != NULL, False
        memcpy(out, PyBytes_AS_STRING(self.head.loc), head)
        if key_head != head or memcmp(out, PyBytes_AS_STRING(self.head.key), head) != 0:
            memcpy(key, PyBytes_AS_STRING(self.head.key), key_head)
            key_at, keyed = key_head, True
        if n == 0 or (s[0] != 47 and s[0] != 92):  # no path
            if not keyed:
                memcpy(key, out, at)
                key_at, keyed = at, True
            key[key_at] = 47
            key_at += 1
            if relative:
                out[at] = 47
                at += 1
        while i < n:
            run = i
            while i < n and CLASS[s[i]] == WORD:
                i += 1
            if i > run:
                memcpy(out + at, s + run, i - run)
                at += i - run
                if keyed:
                    memcpy(key + key_at, s + run, i - run)
                    key_at += i - run
                if i == n:
                    break
            kind = CLASS[s[i]]
            if (kind == DOT or kind == PERCENT) and not in_query and out[at - 1] == 47:
                length = _dot_segment(s + i, n - i)
                if length:
                    if not keyed:
                        memcpy(key, out, at)
                        key_at, keyed = at, True
                    value = 1 if length < 0 else 0
                    length = -length if length < 0 else length
                    if value:
                        key_at = _parent(key, key_at, key_head)
                    if relative:
                        at = _parent(out, at, head) if value else at
                    else:
                        memcpy(out + at, s + i, length)
                        at += length
                    i += length
                    if i < n and (s[i] == 47 or s[i] == 92):
                        i += 1
                        if not relative:
                            out[at] = 47
                            at += 1
                    continue
            if kind == PERCENT:
                value = _escaped_value(s + i, n - i)
                if value < 0:
                    self.stray = True
                    out[at] = 37
                    at += 1
                    i += 1
                    continue
                if not keyed and (_unreserved(value) or s[i + 1] >= 97 or s[i + 2] >= 97):
                    memcpy(key, out, at)
                    key_at, keyed = at, True
                memcpy(out + at, s + i, 3)
                at += 3
                if keyed:
                    if _unreserved(value):
                        key[key_at] = value
                        key_at += 1
                    else:
                        _percent(value, key + key_at)
                        key_at += 3
                i += 3
                continue
            if kind == DROPPED:
                return self._spell_cleaned(s, n, relative)
            if kind == LETTER or kind == ENCODED or (kind == BACKSLASH and in_query):
                length = 1 if kind != LETTER else _decoded_size(s + i, n - i)
                if length == 0:
                    return False
                for run in range(length):
                    _percent(s[i + run], out + at)
                    if keyed:
                        _percent(s[i + run], key + key_at)
                        key_at += 3
                    at += 3
                i += length
                continue
            if kind == HASH:
                break
            if kind == APOSTROPHE and in_query:  # which URL parsers escape there
                if relative:
                    _percent(39, out + at)
                    at += 3
                else:
                    if not keyed:
                        memcpy(key, out, at)
                        key_at, keyed = at, True
                    out[at] = 39
                    at += 1
                    self.escaped = True
                if keyed:
                    _percent(39, key + key_at)
                    key_at += 3
                i += 1
                continue
            in_query = in_query or kind == QUESTION
            self.escaped = self.escaped or kind == AMPERSAND or kind == APOSTROPHE
            out[at] = 47 if kind == BACKSLASH else s[i]
            if keyed:
                key[key_at] = out[at]
                key_at += 1
            at += 1
            i += 1
        while i < n:  # the fragment is left out
            length = 1 if s[i] < 128 else _decoded_size(s + i, n - i)
            if length == 0:
                return False
            i += length
        self.loc, self.size, self.key, self.key_size = out, at, key, key_at
        if keyed and key_at == at and memcmp(out, key, at) == 0:
            self.key_size = 0
        return True

    cdef bint _spell_cleaned(self, const uint8_t* s, Py_ssize_t n, bint relative) except -1:
        """Without the tabs and line breaks, which URL parsers drop."""
        cdef Py_ssize_t i, at = 0
        if self._cleaned.shape[0] < n:
            self._cleaned = view.array((2 * n,), 1, "B")
        for i in range(n):
            if CLASS[s[i]] != DROPPED:
                self._cleaned[at] = s[i]
                at += 1
        return self._spell_rest(&self._cleaned[0], at, relative)


cdef int _dot_segment(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """The size of a segment that is `.`, negative for `..`, in any spelling; 0 for any other."""
    cdef Py_ssize_t at = 0
    cdef int dots = 0
    while at < left and s[at] != 47 and s[at] != 92 and s[at] != 63 and s[at] != 35:
        if s[at] == 46:
            at += 1
        elif left - at >= 3 and s[at] == 37 and s[at + 1] == 50 and (s[at + 2] | 32) == 101:
            at += 3
        else:
            return 0
        dots += 1
        if dots > 2:
            return 0
    return <int>at if dots == 1 else -<int>at


cdef Py_ssize_t _parent(const uint8_t* path, Py_ssize_t end, Py_ssize_t head) noexcept nogil:
    """Where the folder above ends, of a path that ends with a slash."""
    end -= 1
    while end > head and path[end - 1] != 47:
        end -= 1
    return end if end > head else head + 1


@final
cdef class Screen:
    """What pages of one site may be; `suspicious` are the signals of addresses that need a closer look.

    `heads` is that of `Speller`, `below` the path that pages of the site lie below. No date is later than `today`, and
    one that names no zone has `zone`, or is kept to the day.
    """

    cdef const uint8_t[::1] _below, _today, _zone
    cdef LocSignals _signals
    cdef uint64_t _suspicious
    cdef Speller _speller

    def __init__(self, heads, bytes below=b"/", bytes today=b"9999-99-99", uint64_t suspicious=0, bytes zone=b""):
        if len(today) != 10 or not below:
            raise ValueError("a path and a day are needed")
        self._below, self._today, self._zone = below, today, zone
        self._speller = Speller(heads)
        self._signals, self._suspicious = LocSignals() if suspicious else None, suspicious
