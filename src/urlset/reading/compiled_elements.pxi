# Markup inside an entry: names, tags, attributes, comments, instructions, CDATA sections, nested elements.
# Included by compiled.pyx. Elements of other namespaces are not taken apart here: their bytes are read when needed.

cdef enum:
    MAX_NESTING = 32
    MAX_ATTRIBUTES = 32
    ATTRIBUTE = 6
    # what core names mean, in any spelling
    ROW_NAME = 1
    FIELD_NAME = 2
    # in feeds: an element whose `href` is the address; a date for want of a better one; an address likewise
    LINK_NAME = 3
    SPARE_DATE = 4
    SPARE_LOC = 5

cdef tuple SITEMAP_WORDS = (
    (b"url", ROW_NAME), (b"sitemap", ROW_NAME),
    (b"loc", FIELD_NAME), (b"lastmod", FIELD_NAME), (b"changefreq", FIELD_NAME), (b"priority", FIELD_NAME),
)


cdef class Elements(Scopes):
    """Finds the end of tags, elements and text, or that they are not certain to be well-formed."""

    # of the tag read last
    cdef Py_ssize_t attribute_count
    cdef bint is_empty
    cdef int depth, deepest
    # of the open elements: where their names begin, and their sizes
    cdef int64_t[::1] names
    # six numbers for each attribute of a tag: where its name begins, the size of its local part, where that begins;
    # where its value begins and ends, and whether that is not written as its own bytes
    cdef int64_t[::1] attributes
    cdef Numbers comments
    """where comments begin and end"""
    cdef bint commented
    """a comment or instruction was met"""
    cdef bint tangled
    """the salvage reader could take something in the entry for the begin of another, or for a stray tag"""
    # names that mean something, in lower case and one behind the other, and what each means
    cdef const unsigned char[::1] words
    cdef const int64_t[::1] word_ends
    cdef const unsigned char[::1] word_meanings

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Scopes.__init__(self, data, own, prefixes)
        self.names = array("q", bytes(8 * 2 * MAX_NESTING))
        self.attributes = array("q", bytes(8 * ATTRIBUTE * MAX_ATTRIBUTES))
        self.comments = Numbers()
        self._know_words(SITEMAP_WORDS)

    cdef int _know_words(self, tuple words) except -1:
        self.words = b"".join([name for name, _ in words])
        self.word_ends = array("q", accumulate([len(name) for name, _ in words], initial=0))
        self.word_meanings = bytes([meaning for _, meaning in words])
        return 0

    cdef inline Py_ssize_t _content(self, Py_ssize_t at) except -2 nogil:
        """At the next tag, behind text, references, CDATA sections, comments and instructions."""
        cdef Py_ssize_t room = self.room
        cdef unsigned char byte
        while at < room:
            byte = self.data[at]
            if CLASS[byte] & SPACE and byte != 13:
                at += 1
            elif CLASS[byte] & VALUE:
                self.blank = False
                while at < room and CLASS[self.data[at]] & VALUE:
                    at += 1
            elif byte == 60:
                if room - at < 2:
                    return -1
                if self.data[at + 1] == 33:
                    at = self._section(at)
                elif self.data[at + 1] == 63:
                    at = self._instruction(at)
                else:
                    return at
                self.coded = True
            elif byte == 38:
                at = self._reference(at)
            elif byte == 13:
                self.coded = True
                at += 1
            elif byte >= 128:
                at = self._sequence(at)
            elif byte == 127 or byte == 62 and not (self.data[at - 1] == 93 and at >= 2 and self.data[at - 2] == 93):
                self.blank = False
                at += 1
            else:
                return -1
            if at < 0:
                return -1
        return -1

    cdef inline Py_ssize_t _section(self, Py_ssize_t at) except -2 nogil:
        """Behind a comment or a CDATA section."""
        if self.room - at >= 7 and self.data[at + 2] == 45 and self.data[at + 3] == 45:
            return self._comment(at)
        if self.room - at < 12 or self.data[at + 2] != 91 or self.data[at + 8] != 91:
            return -1
        if self.data[at + 3] != 67 or self.data[at + 4] != 68 or self.data[at + 5] != 65 or self.data[at + 6] != 84 or self.data[at + 7] != 65:
            return -1
        at += 9
        while self.room - at >= 3:
            if self.data[at] == 93 and self.data[at + 1] == 93 and self.data[at + 2] == 62:
                return at + 3
            if not CLASS[self.data[at]] & SPACE and self.data[at] < 128:
                self.blank = False
            at = self._any_character(at)
            if at < 0:
                return -1
        return -1

    cdef inline Py_ssize_t _any_character(self, Py_ssize_t at) except -2 nogil:
        """Behind one character where no markup counts."""
        cdef unsigned char byte = self.data[at]
        if byte >= 128:
            return self._sequence(at)
        if byte == 60:
            self.tangled = self.unusual = True
        elif byte == 38:
            self.twice = self.twice or self._may_refer(at)
        return at + 1 if byte >= 32 or CLASS[byte] & SPACE else -1

    cdef inline Py_ssize_t _comment(self, Py_ssize_t at) except -2 nogil:
        cdef Py_ssize_t start = at
        cdef bint blank = self.blank
        at += 4
        while self.room - at >= 3:
            if self.data[at] == 45 and self.data[at + 1] == 45:
                if self.data[at + 2] != 62:
                    return -1
                self.comments.push(start)
                self.comments.push(at + 3)
                self.commented = True
                self.blank = blank
                return at + 3
            at = self._any_character(at)
            if at < 0:
                return -1
        return -1

    cdef inline Py_ssize_t _instruction(self, Py_ssize_t at) except -2 nogil:
        """Behind an instruction whose name has nothing to do with XML itself."""
        cdef bint blank = self.blank
        self.unusual = True
        at += 2
        if self.room - at < 3 or not CLASS[self.data[at]] & FIRST:
            return -1
        if LOWER[self.data[at]] == 120 and LOWER[self.data[at + 1]] == 109 and LOWER[self.data[at + 2]] == 108:
            return -1
        while at < self.room and CLASS[self.data[at]] & NAME:
            at += 1
        if at >= self.room or not (CLASS[self.data[at]] & SPACE or self.data[at] == 63):
            return -1
        if self.data[at] == 63 and (self.room - at < 2 or self.data[at + 1] != 62):
            return -1
        while self.room - at >= 2:
            if self.data[at] == 63 and self.data[at + 1] == 62:
                self.commented = True
                self.blank = blank
                return at + 2
            at = self._any_character(at)
            if at < 0:
                return -1
        return -1

    cdef inline Py_ssize_t _name(self, Py_ssize_t at) except -2 nogil:
        """Behind the name of an element whose namespace is certain: `core` and `local` tell what it is."""
        cdef Py_ssize_t here
        if self.scoped:
            return self._scoped_name(at)
        here = self._word(at)
        if here < 0:
            return -1
        self.local = at
        self.core = self.own.shape[0] == 0
        if self.data[here] != 58:
            return here if self.core or self._is_known_prefix(at, 0) else -1
        here += 1
        self.core = self._is_own(at, here - at)
        if not self.core and not self._is_known_prefix(at, here - at):
            self.declared = True  # perhaps, by this tag
            return -1
        self.local = here
        return self._word(here)

    cdef inline int _meaning(self, Py_ssize_t end) except -1 nogil:
        """What a local name that ends there means, however it is spelled; 0 for nothing."""
        cdef Py_ssize_t size = end - self.local, word, first, letter
        for word in range(self.word_meanings.shape[0]):
            first = self.word_ends[word]
            if size != self.word_ends[word + 1] - first:
                continue
            letter = 0
            while letter < size and LOWER[self.data[self.local + letter]] == self.words[first + letter]:
                letter += 1
            if letter == size:
                return self.word_meanings[word]
        return 0

    cdef inline Py_ssize_t _tag_end(self, Py_ssize_t at) except -2 nogil:
        """From behind the name to behind the tag, past its attributes; `is_empty` for `/>`."""
        self.attribute_count = 0
        self.is_empty = False
        if at < self.room and self.data[at] == 62:
            self.level += 1
            return at + 1
        at = self._attributes(at)
        if at < 0 or self.room - at < 2:
            return -1
        if self.data[at] == 62:
            self.level += 1
            return at + 1
        self.is_empty = True
        if self.scoped:
            self._leave(self.level)
        return at + 2 if self.data[at] == 47 and self.data[at + 1] == 62 else -1

    cdef inline Py_ssize_t _attributes(self, Py_ssize_t at) except -2 nogil:
        """Behind the attributes of a tag and the space after them."""
        cdef Py_ssize_t here, end
        while True:
            here = self._space(at)
            if here >= self.room:
                return -1
            if self.data[here] == 62 or self.data[here] == 47:
                return here
            if here == at or self.attribute_count >= MAX_ATTRIBUTES:
                return -1
            end = self._attribute_name(here)
            if end < 0:
                return -1
            at = self._space(end)
            if at >= self.room or self.data[at] != 61:
                return -1
            at = self._space(at + 1)
            if at >= self.room or self.data[at] != 34 and self.data[at] != 39:
                return -1
            here = at + 1
            self.coded = False
            at = self._quoted(here, self.data[at])
            if at < 0:
                return -1
            if self.declaring:
                self.declaring = False
                at += 1
                continue
            self.attributes[ATTRIBUTE * self.attribute_count - 3] = here
            self.attributes[ATTRIBUTE * self.attribute_count - 2] = at
            self.attributes[ATTRIBUTE * self.attribute_count - 1] = self.coded
            at += 1

    cdef inline Py_ssize_t _attribute_name(self, Py_ssize_t at) except -2 nogil:
        """Behind a name that the tag has not had yet, or a declaration of a namespace where those are read."""
        cdef Py_ssize_t end = self._word(at), local = at, size, other
        cdef bint reserved
        if end < 0:
            return -1
        reserved = end - at >= 3 and self.data[at] == 120 and self.data[at + 1] == 109 and self.data[at + 2] == 108
        self.unusual = self.unusual or reserved or self.data[end] == 58
        if reserved and self._is_declaration(at, end):
            self.declared = self.declaring = True
            if not self.scoped:
                self.declaring = False
                return -1
            return end if self.data[end] != 58 else self._word(end + 1)
        if reserved and (end - at > 3 or self.data[end] != 58):
            return -1
        if self.data[end] == 58:
            local = end + 1
            if not reserved and not self._is_bound(at, local - at):
                return -1
            end = self._word(local)
            if end < 0 or self.data[end] == 58:
                return -1
        size = end - local
        for other in range(self.attribute_count):
            # two prefixes may mean one namespace
            if self.attributes[ATTRIBUTE * other + 1] == size and (local > at) == (self.attributes[ATTRIBUTE * other + 2] > self.attributes[ATTRIBUTE * other]):
                if self._same(local, self.attributes[ATTRIBUTE * other + 2], size):
                    return -1
        self.attributes[ATTRIBUTE * self.attribute_count] = at
        self.attributes[ATTRIBUTE * self.attribute_count + 1] = size
        self.attributes[ATTRIBUTE * self.attribute_count + 2] = local
        self.attribute_count += 1
        return end

    cdef inline Py_ssize_t _close_tag(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2 nogil:
        """Behind `</name>`, the name being that of an open tag."""
        if self.room - at < size + 3 or self.data[at] != 60 or self.data[at + 1] != 47 or not self._same(at + 2, name, size):
            return -1
        at = self._space(at + 2 + size)
        self.level -= 1
        if self.scoped:
            self._leave(self.level)
        return at + 1 if at < self.room and self.data[at] == 62 else -1

    cdef inline Py_ssize_t _rest(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2 nogil:
        """Behind the close tag of an element whose open tag was read, and all that is in it."""
        cdef Py_ssize_t start
        self.depth = 0
        while True:
            self.names[2 * self.depth] = name
            self.names[2 * self.depth + 1] = size
            self.depth += 1
            self.deepest = max(self.deepest, self.depth)
            while True:
                at = self._content(at)
                if at < 0 or self.room - at < 2:
                    return -1
                if self.data[at + 1] == 47:
                    name, size = self.names[2 * self.depth - 2], self.names[2 * self.depth - 1]
                    at = self._close_tag(at, name, size)
                    self.depth -= 1
                    if at < 0 or self.depth == 0:
                        return at
                    continue
                start = at + 1
                at = self._name(start)
                if at < 0 or self.depth >= MAX_NESTING or not self._is_sound_inside(at):
                    return -1
                name, size = start, at - start
                at = self._tag_end(at)
                if at < 0:
                    return -1
                if not self.is_empty:
                    break

    cdef inline bint _is_sound_inside(self, Py_ssize_t end) except -1 nogil:
        """Whether the element named last may be inside another one; False for an entry inside an entry."""
        cdef int meaning = self._meaning(end)
        cdef Py_ssize_t name = self.names[2 * self.depth - 2], local = self.local
        if meaning == ROW_NAME:
            self.tangled = True
            return not self.core
        # what is open around it: its local part begins behind the colon
        self.local = name
        while self.local < name + self.names[2 * self.depth - 1] and self.data[self.local] != 58:
            self.local += 1
        self.local = self.local + 1 if self.local < name + self.names[2 * self.depth - 1] else name
        if self._meaning(name + self.names[2 * self.depth - 1]) == FIELD_NAME:
            self.tangled = True
        self.local = local
        return True
