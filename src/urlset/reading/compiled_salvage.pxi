# A broken entry → its repairs, and the entry as it reads after them. Included by compiled.pyx.
# The meaning of every repair is that of reading/salvage.py, which takes what is left here. Beside the elements that
# count as open, the ones that a parser would have open are kept: an entry is salvaged here only where that parser is
# certain to stop inside it.

cdef enum:
    ROOM = 16384
    MOST_OPEN = 40
    MOST_REPAIRS = 64
    MOST_ATTRIBUTES = 8
    RUN = 8

cdef tuple LEAVES = (b"loc", b"lastmod", b"changefreq", b"priority")
cdef tuple GLUED_VALUES = (b"http://", b"https://", *[b"%d" % digit for digit in range(10)])


cdef class EntryRepairs(AnyEntry):
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

    cdef int _start_repairs(self) except -1:
        self.comments.size = self.places.size = self.contents.size = 0
        self.opened, self.strict, self.kinds, self.written, self.shown = [], [], [], [], []
        self.broken = self.twice = self.unusual = False
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
            self._fault(TroubleKind.UNDEFINED_ENTITY, at, end - at, around.escaped(self.source[at:end]))
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


@final
cdef class Salvager(EntryRepairs):
    """Repairs entries of one document; `root` is the name of its root as written."""

    cdef CompiledScanner reader
    """of repaired entries"""
    cdef bytes root, row_name
    cdef bint done
    """the entry is closed"""
    cdef bint rowless
    """it has no tag of its own"""

    def __init__(self, bytes data, bytes own, bytes row, tuple prefixes, meaning, bytes root):
        EntryRepairs.__init__(self, data, own, row, prefixes)
        self.reader = CompiledScanner(b"", own, row, prefixes, meaning)
        self.root = root.lower()
        self.row_name = own + row

    def salvage(self, Py_ssize_t at, columns, troubles, Py_ssize_t fault):
        """Append the broken entry behind `at`, or note what is broken before it; the offset behind it, or -1.

        -1 when this is not certain to be right. No stretch that begins at or before `fault` is well-formed to the end of
        the root.
        """
        cdef Py_ssize_t start, stop
        if not 0 <= at <= self.limit:
            raise IndexError(f"offset {at} in {self.limit} bytes")
        self.room = min(self.limit, at + ROOM)
        self._start_repairs()
        self.done = self.rowless = False
        start = self._misc(at)
        if start < 0:
            return self._mend_gap(at, columns, troubles)
        if self.data[start + 1] == 47:
            return self._mend_close(at, start, troubles)
        stop = self._repaired(start, fault)
        if stop < 0 or not self.kinds or not self._put_in_order():
            return -1
        return self._append(at, start, stop, columns, troubles)

    cdef Py_ssize_t _mend_gap(self, Py_ssize_t at, columns, troubles) except -2:
        """Behind the first comment before the next entry that has -- inside."""
        cdef Py_ssize_t end
        self.comments.size = 0
        while True:
            at = self._space(at)
            if self.room - at < 4 or self.data[at] != 60 or self.data[at + 1] != 33 or self.data[at + 2] != 45 or self.data[at + 3] != 45:
                return -1
            end = self._any_comment(at)
            if end < 0:
                return -1
            if self.broken:
                break
            at = end
        self._hand_over_comments(columns)
        columns.comments.append(Place(at, end - at))
        shown = self.source[at : min(end, at + 120)].decode("utf-8", "replace")
        troubles.add(TroubleKind.BAD_COMMENT, at, end - at, shown)
        return end

    cdef Py_ssize_t _mend_close(self, Py_ssize_t before, Py_ssize_t at, troubles) except -2:
        """At the next entry, behind a close tag that closes nothing and has nothing else around it."""
        cdef Py_ssize_t end = self._salvaged_name(at + 2), next_row
        if self._space(before) != at or end < 0 or self.data[end] != 62 or self.source[at + 2 : end].lower() == self.root:
            return -1
        next_row = self._space(end + 1)
        if self.room - next_row < 2 or self.data[next_row] != 60 or not self._is_row(next_row):
            return -1
        troubles.add(TroubleKind.MISMATCHED_TAG, at, end + 1 - at, self.source[at : end + 1].decode())
        return next_row

    cdef int _hand_over_comments(self, columns) except -1:
        cdef Py_ssize_t note, offset
        for note in range(0, self.comments.size, 2):
            offset = self.comments.items[note]
            columns.comments.append(Place(offset, self.comments.items[note + 1] - offset))
        return 0

    cdef Py_ssize_t _repaired(self, Py_ssize_t start, Py_ssize_t fault) except -2:
        """Behind the entry, with all repairs noted."""
        cdef Py_ssize_t at = self._begun(start)
        cdef unsigned char byte
        while 0 <= at < self.room:
            byte = self.data[at]
            if byte == 60:
                if at > start and self._is_row(at):
                    return self._unclosed(start, at, fault)
                at = self._markup(at)
            elif byte == 38:
                at = self._ampersand(at)
            elif byte == 93 and self.room - at >= 3 and self.data[at + 1] == 93 and self.data[at + 2] == 62:
                self._fault(TroubleKind.CDATA_END_IN_TEXT, at, 3, b"]]&gt;")
                at += 3
            elif byte < 32 and not CLASS[byte] & SPACE:
                at = self._control(at)
            elif byte >= 128:
                at = self._high(at)
            else:
                at += 1
            if self.done:
                return at if self.broken or self.rowless and start <= fault else -1
        return -1

    cdef Py_ssize_t _begun(self, Py_ssize_t start) except -2:
        """Where to begin: at the tag of the entry, or at a field that has no entry around it."""
        cdef int field
        if self._named(start, 0) >= 0:
            return start
        for field in range(LOC, PRIORITY + 1):
            if self._tag(start, self.opens[field + 1], self.opens[field + 2]) >= 0:
                self._open(self.row_name, start)
                self._note(TroubleKind.BROKEN_TAG, start, 0, b"<" + self.row_name + b">", b"<" + self.row_name + b">")
                self.rowless = True
                return start
        return -1

    cdef Py_ssize_t _unclosed(self, Py_ssize_t start, Py_ssize_t at, Py_ssize_t fault) except -2:
        """The next entry begins where this one is still open."""
        cdef Py_ssize_t end = self._named(at, 0)
        if not self.broken and (start > fault or end < 0 or self._tag_end(end) < 0):
            return -1
        while self.opened:
            self._close_top(at)
        return at

    cdef bint _is_row(self, Py_ssize_t at) except -1:
        """Whether an entry may begin there, in any spelling."""
        cdef Py_ssize_t end = at + 1
        self.local = end
        while end < self.room and CLASS[self.data[end]] & NAME:
            end += 1
        if at + 1 < end < self.room and self.data[end] == 58:
            end += 1
            self.local = end
            while end < self.room and CLASS[self.data[end]] & NAME:
                end += 1
        if end >= self.room:
            self.room = 0  # nothing is certain any more
            return False
        if not (self.data[end] == 62 or self.data[end] == 47 or self.data[end] == 32 or 9 <= self.data[end] <= 13):
            return False
        return self._meaning(end) == ROW_NAME

    cdef Py_ssize_t _markup(self, Py_ssize_t at) except -2:
        """Behind what begins with a `<`."""
        cdef unsigned char sign
        if self.room - at < 10 or self._is_run(at):
            return -1
        sign = self.data[at + 1]
        if sign == 33:
            if self.data[at + 2] == 45 and self.data[at + 3] == 45:
                return self._any_comment(at)
            return self._cdata(at) if self.source[at : at + 9] == b"<![CDATA[" else self._stray(at, True)
        if sign == 63:
            return self._any_instruction(at)
        if sign == 47:
            return self._close_markup(at)
        if CLASS[sign] & FIRST:
            return self._open_markup(at)
        return -1 if sign >= 128 else self._stray(at, sign != 58)

    cdef Py_ssize_t _stray(self, Py_ssize_t at, bint certain) except -2:
        """A `<` that begins nothing; `certain` when a parser stops there."""
        if not certain and not self.broken:
            return -1
        self._fault(TroubleKind.STRAY_LT, at, 1, b"" if self.data[at + 1] == 60 and self.data[at + 2] == 47 else b"&lt;")
        return at + 1

    cdef Py_ssize_t _any_comment(self, Py_ssize_t at) except -2:
        cdef Py_ssize_t end = self._section_end(at + 4, 45)
        if end < 0:
            return -1
        if self.source.find(b"--", at + 4, end - 3) >= 0 or end - 4 >= at + 4 and self.data[end - 4] == 45:
            self._fault(TroubleKind.BAD_COMMENT, at, end - at, b"")
        elif not self.broken and not self.rowless:
            self.comments.push(at)
            self.comments.push(end)
        return end

    cdef Py_ssize_t _any_instruction(self, Py_ssize_t at) except -2:
        cdef Py_ssize_t end = self._instruction(at)
        if end < 0:
            end = at + 2
            while self.room - end >= 2 and not (self.data[end] == 63 and self.data[end + 1] == 62):
                end = self._any_character(end)
                if end < 0:
                    return -1
            end += 2
            if end > self.room or around.is_legal(self.source, Place(at, end - at)):
                return -1
            self._fault(TroubleKind.BAD_INSTRUCTION, at, end - at, b"")
        return -1 if memchr(&self.data[at + 2], 60, end - at - 2) else end

    cdef Py_ssize_t _cdata(self, Py_ssize_t at) except -2:
        return self._section_end(at + 9, 93)

    cdef Py_ssize_t _section_end(self, Py_ssize_t at, unsigned char sign) except -2:
        """Behind two of these signs and a `>`; -1 when something in the section needs a closer look."""
        while self.room - at >= 3:
            if self.data[at] == sign and self.data[at + 1] == sign and self.data[at + 2] == 62:
                return at + 3
            if self.data[at] == 60 and self._is_row(at):
                return -1
            at = self._any_character(at)
            if at < 0:
                return -1
        return -1

    cdef Py_ssize_t _close_markup(self, Py_ssize_t at) except -2:
        """Behind a close tag, one that has lost its `>`, or a `<` that begins none."""
        cdef Py_ssize_t begin = self._space(at + 2), behind, end
        cdef bint exact
        cdef bytes name
        if begin >= self.room or 11 <= self.data[begin] <= 12:
            return -1
        if not CLASS[self.data[begin]] & FIRST:
            return -1 if self.data[begin] >= 128 else self._stray(at, True)
        behind = self._salvaged_name(begin)
        if behind < 0:
            return -1
        end = behind
        while end < self.room and self.data[end] != 60 and self.data[end] != 62:
            if self.data[end] >= 127 or self.data[end] < 32 and not CLASS[self.data[end]] & SPACE:
                return -1
            end += 1
        if end >= self.room:
            return -1
        name = self.source[begin:behind]
        exact = begin == at + 2 and self._space(behind) == end
        if self.data[end] == 60:
            if not exact or name not in self.opened:
                return self._stray(at, True)
            self._fault(TroubleKind.BROKEN_TAG, behind, 0, b">", self.source[at:behind])
            return self._closed(name, at, behind)
        if not exact:
            self._fault(TroubleKind.BROKEN_TAG, at, end + 1 - at, b"</" + name + b">")
        elif not self.broken:
            self.broken = not self.strict or self.strict.pop() != name
            if not self.strict and not self.broken and not self.rowless:
                return -1  # well-formed
        return self._closed(name, at, end + 1)

    cdef Py_ssize_t _tag_start(self) except -2:
        """Where the innermost open tag begins, if it is nothing but its name; -1 otherwise."""
        cdef bytes tag = b"<" + self.opened[len(self.opened) - 1] + b">"
        cdef Py_ssize_t begin = self.contents.items[self.contents.size - 1] - len(tag)
        return begin if begin >= 0 and self.source.startswith(tag, begin) else -1

    cdef bint _is_misspelled_by(self, bytes name, Py_ssize_t at) except -1:
        """Whether the innermost open tag, with only text behind it, is meant to be of the field that is closed."""
        if len(self.opened) < 2 or name not in FIELDS or not is_misspelled(self.opened[len(self.opened) - 1], name):
            return False
        return self._tag_start() >= 0 and self._text_in_top(at)

    cdef bint _text_in_top(self, Py_ssize_t at) except -1:
        """Whether the innermost open element has nothing but text up to there."""
        cdef Py_ssize_t begin = self.contents.items[self.contents.size - 1]
        return self.source.find(b"<", begin, at) < 0 and not self.source[begin:at].isspace()

    cdef Py_ssize_t _closed(self, bytes name, Py_ssize_t at, Py_ssize_t end) except -2:
        """Behind the close tag of some element that is open, or of none."""
        cdef Py_ssize_t begin
        if name in self.opened:
            while self.opened[len(self.opened) - 1] != name:
                self._close_top(at)
            self._pop()
            self.done = not self.opened
        elif name.lower() == self.root:
            return -1
        elif is_leaf(self.opened[len(self.opened) - 1]):
            self._note(TroubleKind.MISMATCHED_TAG, at, end - at, b"</" + self._pop() + b">")
        elif self._is_misspelled_by(name, at):
            begin = self._tag_start()
            self._note(TroubleKind.MISSPELLED_TAG, begin, self.contents.items[self.contents.size - 1] - begin, b"<" + name + b">")
            self._pop()
        elif name.lower() == self.opened[0].lower() or len(self.opened) == 1 and is_misspelled(name, self.opened[0]):
            while len(self.opened) > 1:
                self._close_top(at)
            self._note(TroubleKind.MISMATCHED_TAG, at, end - at, b"</" + self._pop() + b">")
            self.done = True
        elif len(self.opened) > 1 and self._text_in_top(at):
            self._note(TroubleKind.MISMATCHED_TAG, at, end - at, b"</" + self._pop() + b">")
        else:
            self._note(TroubleKind.MISMATCHED_TAG, at, end - at, b"")
        return end

    cdef Py_ssize_t _open_markup(self, Py_ssize_t at) except -2:
        """Behind an open tag, the begin of one that has lost its `>`, or a `<` that begins none."""
        cdef Py_ssize_t behind = self._salvaged_name(at + 1), end = self._past_attributes(behind) if behind >= 0 else -1, colon
        cdef bytes name
        cdef bint is_empty
        if end < 0:
            return -1
        name = self.source[at + 1 : behind]
        is_empty = self.data[end] == 47
        if is_empty:
            end += 1
        if self.room - end < 2 or len(self.opened) >= MOST_OPEN:
            return -1
        if self.data[end] != 62:
            if self.opened:
                return self._glued(at)
            self._fault(TroubleKind.BROKEN_TAG, behind, 0, b">", self.source[at:behind])
            self._open(name, behind)
            self.unusual = True  # its attributes are text now
            return behind
        end += 1
        if not self.broken:
            colon = name.find(b":") + 1
            if colon > 0 and not self._is_own(at + 1, colon) and not self._is_known_prefix(at + 1, colon):
                return -1
        if self.opened and is_leaf(self.opened[len(self.opened) - 1]):
            if not (b":" in name or name.lower() in LEAVES or name.lower() == self.row_name.lower()):
                if self.found.size:
                    return -1
                self._note(TroubleKind.STRAY_LT, at, 1, b"&lt;", self.source[at:end])
                if not is_empty:
                    self.strict.append(name)
                return end
            self._close_top(at)
        if self.found.size and not self._repair_attributes():
            return -1
        if not is_empty:
            self._open(name, end)
            self.strict.append(name)
        return end if self.opened else -1

    cdef Py_ssize_t _glued(self, Py_ssize_t at) except -2:
        """Behind a tag whose `>` is missing, so its value seems to belong to its name; or a `<` that begins nothing."""
        cdef Py_ssize_t end, here
        cdef bytes name
        for name in LEAVES:
            if not self.source.startswith(name, at + 1):
                continue
            end = at + 1 + len(name)
            if end >= self.room:
                return -1
            here = self._space(end)
            if here == end and (self.data[end] == 60 or self.data[end] == 62 or self.data[end] == 47):
                break
            if here > end:
                if not self.source.startswith(GLUED_VALUES, here):
                    break
                while here < self.room and self.data[here] != 60 and self.data[here] != 62:
                    here += 1
                if self.room - here < 2:
                    return -1
                if self.data[here] == 62 or self.data[here + 1] != 47:
                    break
            self._fault(TroubleKind.BROKEN_TAG, end, 0, b">", b"<" + name)
            self._open(name, end)
            return end
        return self._stray(at, True)

    cdef int _note_removed(self, Py_ssize_t at, Py_ssize_t size) except -1:
        """What is not in the repaired entry may still be found by who searches the document."""
        cdef bytes removed = self.source[at : at + size]
        cdef Py_ssize_t end = at + size
        if size > 1:
            self.twice = self.twice or b"&" in removed
            self.unusual = self.unusual or b":" in removed or b"x" in removed or b"<" in removed
        elif removed == b"<":
            while end < self.limit and self.data[end] not in b"<>:?!":
                end += 1
            self.unusual = self.unusual or end == self.limit or self.data[end] not in b"<>"
            self.unusual = self.unusual or b"xmlns" in self.source[at:end]
        return 0

    cdef Py_ssize_t _append(self, Py_ssize_t before, Py_ssize_t start, Py_ssize_t stop, columns, troubles) except -2:
        """Behind the repaired entry, which is appended, with what was wrong; -1 when it cannot be read.

        One without an address is lost, with all before the next entry.
        """
        cdef Py_ssize_t number, offset, size, at = start, row = len(columns.starts)
        cdef list parts = [], values = [], offsets = [], lengths = []
        cdef bytes text
        for number in range(len(self.kinds)):
            offset, size = self.places.items[2 * number], self.places.items[2 * number + 1]
            parts.append(self.source[at:offset])
            parts.append(self.written[number])
            self._note_removed(offset, size)
            offsets.append(offset)
            lengths.append(size)
            at = offset + size
        if at > stop:
            return -1
        parts.append(self.source[at:stop])
        text = b"".join(parts)
        if not self.reader._read_one(text, values):
            return -1
        if values[0] is None and self.done:
            stop = self._space(stop)
            if self.room - stop < 2 or self.data[stop] != 60 or not self._is_row(stop):
                return -1
        whose = row if values[0] is not None else None
        for number in range(len(self.kinds)):
            troubles.add(self.kinds[number], offsets[number], lengths[number], self.shown[number], whose)
        self._hand_over_comments(columns)
        if whose is None:
            text = self.source[start:stop].rstrip()
            troubles.add(TroubleKind.ENTRY_LOST, start, len(text), text[:120].decode("utf-8", "replace"))
            return stop
        columns.edits.put(row, offsets, lengths, self.written)
        columns.append(EntryFields(start, stop, self.reader.marks[0] | MARK_SALVAGED, *values))
        if len(columns.signals) == row:
            columns.signals.append(self.reader.signals[0] | OTHER_HEAD)
        self.reader._note_prefixes(columns)
        if not (self.twice or self.reader.twice):
            self._note_range(columns.once_ranges, before, stop)
        if not (self.unusual or self.reader.unusual):
            self._note_range(columns.usual_ranges, before, stop)
        return stop
