# A broken entry → its repairs, and the entry as it reads after them. Included by compiled.pyx.
# The meaning of every repair is that of reading/salvage.py, which takes what is left here. Beside the elements that
# count as open, the ones that a parser would have open are kept: an entry is salvaged here only where that parser is
# certain to stop inside it.

cdef enum:
    ROOM = 16384
    MOST_OPEN = 24
    MOST_REPAIRS = 64
    MOST_ATTRIBUTES = 8
    RUN = 8

cdef tuple LEAVES = (b"loc", b"lastmod", b"changefreq", b"priority")
cdef tuple GLUED_VALUES = (b"http://", b"https://", *[b"%d" % digit for digit in range(10)])


cdef class Mending(AnyEntry):
    """What is open in an entry, the repairs made so far, and those of text and attributes."""

    # the elements that are open, with the offsets of their content; and their names as a parser sees them
    cdef list opened, strict
    cdef Numbers contents
    cdef bint broken
    """a parser has stopped before this place"""
    # the repairs: kinds, texts, details; offsets and lengths in turn
    cdef list kinds, written, shown
    cdef Numbers places
    # of each attribute of a tag: its begin, with the space before it, and its end; those of its name; its value or -1
    cdef Numbers found

    def __init__(self, bytes data, bytes own, bytes row, tuple prefixes):
        AnyEntry.__init__(self, data, own, row, prefixes)
        self.contents, self.places, self.found = Numbers(), Numbers(), Numbers()

    cdef int _start_mending(self) except -1:
        self.comments.size = self.places.size = self.contents.size = 0
        self.opened, self.strict, self.kinds, self.written, self.shown = [], [], [], [], []
        self.broken = False
        return 0

    cdef int _fault(self, kind, Py_ssize_t at, Py_ssize_t size, bytes text, bytes shown=None) except -1:
        """Note what stops a parser."""
        self.broken = True
        return self._note(kind, at, size, text, shown)

    cdef int _note(self, kind, Py_ssize_t at, Py_ssize_t size, bytes text, bytes shown=None) except -1:
        self.kinds.append(kind)
        self.places.push(at)
        self.places.push(size)
        self.written.append(text)
        self.shown.append((self.source[at : at + size] if shown is None else shown).decode("utf-8", "replace"))
        return 0

    cdef int _open(self, bytes name, Py_ssize_t content) except -1:
        self.opened.append(name)
        self.contents.push(content)
        return 0

    cdef bytes _pop(self):
        self.contents.size -= 1
        return self.opened.pop()

    cdef int _close_top(self, Py_ssize_t before) except -1:
        """Put the close tag that is missing behind the content."""
        cdef Py_ssize_t content = self.contents.items[self.contents.size - 1]
        cdef bytes tag = b"</" + self._pop() + b">"
        while before > content and (self.data[before - 1] == 32 or 9 <= self.data[before - 1] <= 13):
            before -= 1
        return self._note(TroubleKind.UNCLOSED_TAG, before, 0, tag, tag)

    cdef Py_ssize_t _control(self, Py_ssize_t at) except -2:
        cdef Py_ssize_t end = at
        cdef str shown
        while end < self.room and self.data[end] < 32 and not CLASS[self.data[end]] & SPACE:
            end += 1
        shown = repr(self.source[at:end])
        self._fault(TroubleKind.CONTROL_CHARACTER, at, end - at, b"", shown[2 : len(shown) - 1].encode())
        return end

    cdef Py_ssize_t _high(self, Py_ssize_t at) except -2:
        """Behind one character, or behind bytes that are none."""
        cdef Py_ssize_t end = self._sequence(at)
        if end >= 0:
            return end
        end = at
        while end < self.room and self.data[end] >= 128 and self._sequence(end) < 0:
            if self.data[end] == 0xEF:
                return -1  # perhaps a character that XML does not allow
            end += 1
        shown = " ".join([f"{byte:02X}" for byte in self.source[at : min(end, at + 64)]])
        self._fault(TroubleKind.BAD_UTF8, at, end - at, "\N{REPLACEMENT CHARACTER}".encode(), shown.encode())
        return end

    cdef Py_ssize_t _ampersand(self, Py_ssize_t at) except -2:
        """Behind a reference, or what is taken for text."""
        cdef Py_ssize_t end = self._predefined(at)
        if end >= 0:
            return end
        if self._is_run(at):
            return -1
        end = self._character_reference(at)
        if end >= 0:
            if end - at > 20:
                return -1
            if not _is_allowed(self.character):
                self._fault(TroubleKind.BAD_CHARACTER_REFERENCE, at, end - at, b"")
            return end
        return self._unescaped(at)

    cdef Py_ssize_t _unescaped(self, Py_ssize_t at) except -2:
        """Behind an undefined entity, or an ampersand that begins nothing."""
        cdef Py_ssize_t end = self._entity(at)
        if end >= 0:
            self._fault(TroubleKind.UNDEFINED_ENTITY, at, end - at, doctype.escaped(self.source[at:end]))
            return end
        self._fault(TroubleKind.BARE_AMPERSAND, at, 1, b"&amp;")
        return at + 1

    cdef bint _is_run(self, Py_ssize_t at) except -1:
        """Whether many of the same sign begin there."""
        cdef Py_ssize_t end = at
        while end < self.room and end - at < RUN and self.data[end] == self.data[at]:
            end += 1
        return end - at == RUN or end == self.room or self.places.size >= 2 * MOST_REPAIRS

    cdef Py_ssize_t _past_attributes(self, Py_ssize_t at) except -2:
        """Behind the attributes of a tag, which are `found`, and the space after them."""
        cdef Py_ssize_t name, behind, value, end, here
        self.found.size = 0
        while True:
            name = self._space(at)
            behind = self._attribute_word(name)
            if behind < 0 or name == at or behind == name:
                return -1 if behind < 0 else name
            value, end = -1, behind
            here = self._space(behind)
            if here >= self.room or self.found.size >= 5 * MOST_ATTRIBUTES:
                return -1
            if self.data[here] == 61:
                value = self._space(here + 1)
                end = self._attribute_value(value)
                if end < 0:
                    return -1
            for here in (at, end, name, behind, value):
                self.found.push(here)
            at = end

    cdef Py_ssize_t _attribute_word(self, Py_ssize_t at) except -2:
        cdef unsigned char byte
        while at < self.room:
            byte = self.data[at]
            if CLASS[byte] & SPACE or byte == 60 or byte == 62 or byte == 61 or byte == 47:
                return at
            if byte >= 127 or byte < 32:
                return -1
            at += 1
        return -1

    cdef Py_ssize_t _attribute_value(self, Py_ssize_t at) except -2:
        """Behind a value in quotes or without; a quote that has no other is not part of any."""
        cdef Py_ssize_t end = at
        cdef unsigned char byte
        if at < self.room and (self.data[at] == 34 or self.data[at] == 39):
            end += 1
            while 0 <= end < self.room and self.data[end] != self.data[at] and self.data[end] != 60:
                end = self._any_character(end)
            if end < 0 or end >= self.room:
                return -1
            return end + 1 if self.data[end] == self.data[at] else at
        while self.room - end >= 2:
            byte = self.data[end]
            if CLASS[byte] & SPACE or byte == 34 or byte == 39 or byte == 60 or byte == 62:
                return end
            if byte == 47 and self.data[end + 1] == 62:
                return end
            if byte >= 127 or byte < 32:
                return -1
            end += 1
        return -1

    cdef bint _repair_attributes(self) except -1:
        """Note what is wrong with those of the tag; False where it is not certain that nothing else is."""
        cdef Py_ssize_t number, begin, end, name_at, behind, value
        cdef list seen = []
        cdef bytes name
        for number in range(0, self.found.size, 5):
            begin, end, name_at = self.found.items[number], self.found.items[number + 1], self.found.items[number + 2]
            behind, value = self.found.items[number + 3], self.found.items[number + 4]
            name = self.source[name_at:behind]
            if b":" in name or name.startswith(b"xml"):
                return False
            if name in seen:
                self._fault(TroubleKind.DUPLICATE_ATTRIBUTE, begin, end - begin, b"", name)
                continue
            seen.append(name)
            if self._salvaged_name(name_at) != behind:
                self._fault(TroubleKind.BAD_ATTRIBUTE, begin, end - begin, b"")
            elif 0 <= value < end and (self.data[value] == 34 or self.data[value] == 39):
                if not self._repair_value(value, end):
                    return False
            else:
                if self.source.find(b"&", begin, end) >= 0:
                    return False
                written = b"" if value < 0 else self.source[value:end]
                self._fault(TroubleKind.BAD_ATTRIBUTE, begin, end - begin, b" " + name + b'="' + written + b'"')
        return True

    cdef bint _repair_value(self, Py_ssize_t at, Py_ssize_t end) except -1:
        cdef Py_ssize_t behind
        at = self.source.find(b"&", at, end)
        while at >= 0:
            behind = self._predefined(at)
            if behind < 0:
                behind = self._character_reference(at)
                if behind >= 0 and not _is_allowed(self.character) or self._is_run(at):
                    return False
            if behind < 0:
                behind = self._unescaped(at)
            at = self.source.find(b"&", behind, end)
        return True

    cdef Py_ssize_t _salvaged_name(self, Py_ssize_t at) except -2:
        """Behind an ASCII name that may have a prefix; -1 when there is none or it may go on."""
        if at >= self.room or not CLASS[self.data[at]] & FIRST:
            return -1
        while at < self.room and CLASS[self.data[at]] & NAME:
            at += 1
        if self.room - at >= 2 and self.data[at] == 58 and CLASS[self.data[at + 1]] & FIRST:
            at += 1
            while at < self.room and CLASS[self.data[at]] & NAME:
                at += 1
        if self.room - at < 2 or self.data[at] >= 128 or self.data[at] == 58 and self.data[at + 1] >= 128:
            return -1  # perhaps a letter of another script
        return at

    cdef bint _put_in_order(self) except -1:
        """By place; False when two repairs concern the same bytes."""
        cdef Py_ssize_t number, end = 0
        if len(self.kinds) == 1:
            return True
        cdef list order = sorted([(self.places.items[2 * number], self.places.items[2 * number + 1], number) for number in range(len(self.kinds))])
        for number in range(len(order)):
            if order[number][0] < end:
                return False
            end = order[number][0] + order[number][1]
            self.places.items[2 * number], self.places.items[2 * number + 1] = order[number][:2]
        self.kinds = [self.kinds[number] for _, _, number in order]
        self.written = [self.written[number] for _, _, number in order]
        self.shown = [self.shown[number] for _, _, number in order]
        return True
