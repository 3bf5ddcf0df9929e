# The bytes of a page → its text, tags and attributes; nothing here knows which elements are open.
# Included by compiled_html.pyx.

cdef class PageBytes:
    """The page, how far it was read, and what was found so far."""

    cdef const unsigned char* data
    cdef bytes source
    cdef Py_ssize_t size
    cdef Py_ssize_t at
    cdef int tag
    cdef Py_ssize_t name
    cdef Py_ssize_t name_size
    cdef bint one_case
    cdef bint self_closing
    cdef Attribute[MOST_ATTRIBUTES] attributes
    cdef int attribute_count
    cdef Open[DEEPEST] stack
    cdef int depth
    cdef int skipping
    """depth from which nothing is seen; 0 when all is"""
    cdef int container
    cdef int formatting
    cdef Py_ssize_t copies
    cdef Py_ssize_t tags
    cdef unsigned char* out
    cdef Py_ssize_t out_size
    cdef Py_ssize_t piece
    cdef bint pending
    cdef Py_ssize_t spaces
    cdef Py_ssize_t block_count
    cdef list texts
    cdef bint want_links
    cdef bint want_images
    cdef bint want_text
    cdef readonly str language
    cdef readonly str title
    cdef readonly dict base
    cdef readonly list metas
    cdef readonly list links
    cdef readonly list scripts
    cdef readonly list anchors
    cdef readonly list images
    cdef readonly list dated
    cdef readonly list containers
    cdef readonly list ranges
    cdef readonly int heading
    cdef readonly tuple blocks
    cdef readonly list counts

    def __dealloc__(self):
        PyMem_Free(self.out)

    cdef _begin(self, bytes data, bint links, bint images, bint text):
        self.source, self.data, self.size = data, data, len(data)
        self.want_links, self.want_images, self.want_text = links, images, text
        self.container = self.heading = -1
        self.counts = []
        self.texts, self.metas, self.links, self.scripts, self.anchors = [], [], [], [], []
        self.images, self.dated, self.containers, self.ranges = [], [], [], []
        # a reference of five bytes can stand for six
        self.out = <unsigned char*>PyMem_Malloc(2 * self.size + 64)
        if self.out == NULL:
            raise MemoryError

    # characters

    cdef str _str(self, Py_ssize_t start, Py_ssize_t size):
        return PyUnicode_DecodeUTF8(<const char*>self.data + start, size, "strict")

    cdef int _cut(self) except -1:
        """End a block."""
        if self.out_size > self.piece:
            if self.want_text:
                self.texts.append(
                    PyUnicode_DecodeUTF8(<const char*>self.out + self.piece, self.out_size - self.piece, "strict")
                )
                self.counts.append(self.spaces + 1)
            self.spaces = 0
            self.block_count += 1
            if self.block_count >= MOST_BLOCKS:
                raise NotCertainError
            self.piece = self.out_size
        self.pending = False
        return 0

    cdef inline void _put(self, unsigned char byte) noexcept:
        if self.pending:
            self.out[self.out_size] = 32
            self.out_size += 1
            self.spaces += 1
            self.pending = False
        self.out[self.out_size] = byte
        self.out_size += 1

    cdef int _text(self, Py_ssize_t end) except -1:
        """From here to the next tag, at `end`."""
        cdef const unsigned char* data = self.data
        cdef unsigned char* out = self.out
        cdef Py_ssize_t at = self.at
        cdef Py_ssize_t to = self.out_size
        cdef unsigned char kind
        cdef int wide
        cdef bint pending = self.pending
        cdef Py_ssize_t spaces = self.spaces
        cdef Py_ssize_t copied
        cdef Py_ssize_t piece = self.piece
        while at < end:
            kind = KIND[data[at]]
            if kind == PLAIN or kind == OPENS:
                if pending:
                    out[to] = 32
                    to += 1
                    spaces += 1
                    pending = False
                out[to] = data[at]
                to += 1
                at += 1
                copied = copy_plain(data + at, end - at, out + to, &spaces)
                at += copied
                to += copied
                if copied and out[to - 1] == 32:  # whether text follows is not known yet
                    to -= 1
                    spaces -= 1
                    pending = True
                    continue
                while at < end and KIND[data[at]] == PLAIN:
                    out[to] = data[at]
                    to += 1
                    at += 1
                continue
            if kind == SPACE:
                pending = to > piece
                at += 1
                continue
            if kind == WIDE:
                wide = _wide_space(data + at, end - at)
                if wide:
                    pending = to > piece
                    at += wide
                    continue
                if pending:
                    out[to] = 32
                    to += 1
                    spaces += 1
                    pending = False
                out[to] = data[at]
                to += 1
                at += 1
                continue
            self.out_size, self.pending, self.spaces = to, pending, spaces
            if kind == CUTS:
                self._cut()
                at += 1
            elif kind == REFERS:
                at += self._refer(at, end)
            else:
                raise NotCertainError
            to, pending, spaces, piece = self.out_size, self.pending, self.spaces, self.piece
        self.out_size, self.pending, self.spaces, self.at = to, pending, spaces, end
        return 0

    cdef Py_ssize_t _refer(self, Py_ssize_t at, Py_ssize_t end) except -1:
        """The bytes taken by a reference, or by an ampersand that is none."""
        cdef const unsigned char* data = self.data
        cdef Py_ssize_t left = end - at
        cdef Py_ssize_t used
        cdef unsigned char byte
        if left >= 5 and data[at + 1] == 97 and data[at + 2] == 109 and data[at + 3] == 112 and data[at + 4] == 59:
            self._put(38)
            return 5
        if left < 2 or not NAME_BYTE[data[at + 1]] & 1 and data[at + 1] != 35:
            self._put(38)
            return 1
        found = _REFERENCE.match(self._ascii(at, min(end, at + 64)))
        if found is None:
            self._put(38)
            return 1
        used = found.end()
        if used >= 60:
            raise NotCertainError
        for character in _in_text(found):
            if character.isspace():
                if character == "\f":
                    raise NotCertainError
                self.pending = self.out_size > self.piece
                continue
            for byte in character.encode():
                self._put(byte)
        return used

    cdef str _ascii(self, Py_ssize_t start, Py_ssize_t end):
        return self.source[start:end].decode("latin-1")

    cdef str _value(self, Py_ssize_t start, Py_ssize_t size):
        """Of an attribute; one with markup in it is left to the tree builder."""
        cdef Py_ssize_t at
        cdef bint plain = True
        for at in range(start, start + size):
            if self.data[at] == 38:
                plain = False
            elif self.data[at] == 60 or self.data[at] == 12 or self.data[at] == 13 or self.data[at] == 0:
                raise NotCertainError
        text = self._str(start, size)
        return text if plain else _REFERENCE.sub(_in_attribute, text)

    # tags

    cdef int _tag_name(self) except -1:
        """At the first letter; stops after the name."""
        cdef Py_ssize_t at = self.at
        cdef bint lower = True
        cdef bint upper = True
        cdef unsigned char byte = 0
        while at < self.size and NAME_BYTE[self.data[at]] & 1:
            byte = self.data[at]
            if 65 <= byte <= 90:
                lower = False
            elif 97 <= byte <= 122:
                upper = False
            at += 1
        if at >= self.size or not (_is_space(self.data[at]) or self.data[at] == 47 or self.data[at] == 62):
            raise NotCertainError
        self.name, self.name_size = self.at, at - self.at
        self.one_case = lower or upper
        self.tag = _find_tag(self.data + self.name, self.name_size)
        self.at = at
        self.tags += 1
        if self.tags > MOST_TAGS_IN_PAGE:
            raise NotCertainError
        return 0

    cdef int _attributes(self) except -1:
        """After the name of a tag; stops after its end."""
        cdef const unsigned char* data = self.data
        cdef Py_ssize_t at = self.at
        cdef Py_ssize_t size = self.size
        cdef Py_ssize_t start
        cdef int count = 0
        cdef unsigned char quote
        cdef const void* found
        self.self_closing = False
        while True:
            while at < size and (_is_space(data[at]) or data[at] == 47):
                self.self_closing = data[at] == 47
                at += 1
            if at >= size:
                raise NotCertainError
            if data[at] == 62:
                break
            self.self_closing = False
            if count >= MOST_ATTRIBUTES:
                raise NotCertainError
            start = at
            while at < size and NAME_BYTE[data[at]] & 2:
                at += 1
            if at == start:
                raise NotCertainError
            self.attributes[count].name = start
            self.attributes[count].name_size = at - start
            self.attributes[count].value_size = -1
            count += 1
            while at < size and _is_space(data[at]):
                at += 1
            if at < size and data[at] == 61:
                at += 1
                while at < size and _is_space(data[at]):
                    at += 1
                if at >= size or data[at] == 62:
                    raise NotCertainError
                quote = data[at]
                if quote == 34 or quote == 39:
                    at += 1
                    found = memchr(data + at, quote, size - at)
                    if found == NULL:
                        raise NotCertainError
                    start = at
                    at = <const unsigned char*>found - data
                    self.attributes[count - 1].value = start
                    self.attributes[count - 1].value_size = at - start
                    at += 1
                    if at >= size or not (_is_space(data[at]) or data[at] == 47 or data[at] == 62):
                        raise NotCertainError
                else:
                    start = at
                    while at < size and not _is_space(data[at]) and data[at] != 62:
                        at += 1
                    self.attributes[count - 1].value = start
                    self.attributes[count - 1].value_size = at - start
        self.attribute_count = count
        self.at = at + 1
        return 0

    cdef int _has(self, const char* name, int size) noexcept:
        """Where the attribute is; -1 if the tag has none of that name."""
        cdef int each
        cdef int at
        for each in range(self.attribute_count):
            if self.attributes[each].name_size == size:
                at = 0
                while at < size and LOWER[self.data[self.attributes[each].name + at]] == <unsigned char>name[at]:
                    at += 1
                if at == size:
                    return each
        return -1

    cdef str _get(self, const char* name, int size):
        """The value of an attribute; empty where it has none, None where it is missing."""
        cdef int found = self._has(name, size)
        if found < 0:
            return None
        if self.attributes[found].value_size < 0:
            return ""
        return self._value(self.attributes[found].value, self.attributes[found].value_size)

    cdef dict _all(self):
        cdef int each
        cdef dict found = {}
        for each in range(self.attribute_count):
            name = self._str(self.attributes[each].name, self.attributes[each].name_size)
            name = name.lower() if name.isascii() else None
            if name is None:
                raise NotCertainError
            if name not in found:
                found[name] = (
                    None
                    if self.attributes[each].value_size < 0
                    else self._value(self.attributes[each].value, self.attributes[each].value_size)
                )
        return found

    cdef dict _image(self):
        """Only what tells which image it is, how large, and what it shows."""
        cdef dict found = {}
        for name, value in (
            ("src", self._get("src", 3)),
            ("width", self._get("width", 5)),
            ("height", self._get("height", 6)),
            ("data-src", self._get("data-src", 8)),
            ("srcset", self._get("srcset", 6)),
            ("alt", self._get("alt", 3)),
        ):
            if value is not None:
                found[name] = value
        return found
