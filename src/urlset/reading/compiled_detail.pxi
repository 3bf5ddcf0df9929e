# One row's bytes → its element with all places. Included by compiled.pyx.
# The meaning is that of reading/row_reader.py, which reads what is left here: entities that a DOCTYPE declares, names
# in other scripts, prefixes that nothing declares. 50,000 rows with CDATA: 0.6 s instead of 3.5 s.

cdef str _XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
cdef tuple _RESERVED_NAMESPACES = (_XML_NAMESPACE, "http://www.w3.org/2000/xmlns/")


@final
cdef class ElementReader(Names):
    """Reads rows of one document; `uris` are the namespaces of the prefixes, the last that of the core elements."""

    cdef list uris
    """of the prefixes, then of those that are declared inside the row"""
    cdef Py_ssize_t outside
    """how many of them the root declares"""
    cdef str core_uri
    cdef bint busy
    cdef bint sectioned
    """a CDATA section was met"""
    cdef Py_ssize_t behind
    """where the element read last ends"""
    cdef Py_ssize_t origin
    """where the bytes begin in the document, when they are those of a repaired row"""
    # of each repair of that row twice, at its begin and at its end: where in the bytes, how long the text written
    # there, and where in the document
    cdef Numbers steps

    def __init__(self, bytes data, bytes own, tuple prefixes, tuple uris):
        cdef list inside = list(uris[:-1])
        Names.__init__(self, data, own, prefixes)
        self.uris, self.outside, self.core_uri = inside, len(inside), uris[-1]
        self.steps = Numbers()

        def meaning(bytes written):
            inside.append(written.decode("ascii"))
            return -1 if inside[-1] in _RESERVED_NAMESPACES else len(inside) - 1

        self.meaning = meaning

    def read_repaired(self, bytes text, Py_ssize_t origin, edits):
        """The element that a repaired row is, with places in the document; None as for `read`."""
        cdef Py_ssize_t at = origin, offset, length, here, shift = 0
        if self.busy:
            return None
        self._read_from(text)
        self.origin = origin
        self.steps.size = 0
        for offset, length, written in edits.triples():
            if offset < at:
                continue
            here = offset - origin + shift
            shift += len(written) - length
            at = offset + length
            for step in (here, len(written), offset, here + len(written), 0, at):
                self.steps.push(step)
        return self.read(0, self.limit)

    cdef inline Py_ssize_t _steps_up_to(self, Py_ssize_t offset) except -1:
        """How many steps do not begin behind an offset of a repaired row."""
        cdef Py_ssize_t low = 0, high = self.steps.size // 3, middle
        while low < high:
            middle = (low + high) // 2
            if self.steps.items[3 * middle] > offset:
                high = middle
            else:
                low = middle + 1
        return low

    cdef inline Py_ssize_t _mapped(self, Py_ssize_t offset) except -1:
        """Where an offset of a repaired row is in the document; as reading/row_reader.py has it."""
        cdef Py_ssize_t step = self._steps_up_to(offset)
        if step == 0:
            return self.origin + offset
        offset -= self.steps.items[3 * step - 3]
        return self.steps.items[3 * step - 1] + (min(offset, self.steps.items[3 * step - 2]) if self.steps.items[3 * step - 2] else offset)

    cdef inline Py_ssize_t _unrepaired(self, Py_ssize_t start, Py_ssize_t end) except -1:
        """How far the bytes from `start` on are those of the document, without the character before a repair."""
        cdef Py_ssize_t step = self._steps_up_to(start), stop
        if step and self.steps.items[3 * step - 2]:
            return start
        stop = self.steps.items[3 * step] if 3 * step < self.steps.size else end + 1
        if stop > end:
            return end
        stop -= 1
        while stop > start and self.data[stop] & 0xC0 == 0x80:
            stop -= 1
        return stop

    cdef inline _place(self, Py_ssize_t start, Py_ssize_t end):
        if self.steps.size:
            start, end = self._mapped(start), self._mapped(end)
        return Place(start, max(end - start, 0))

    def read(self, Py_ssize_t start, Py_ssize_t end):
        """The element between two offsets; None when something in it needs the general reader."""
        if not 0 <= start < end <= self.limit:
            raise IndexError(f"row from {start} to {end} in {self.limit} bytes")
        if self.busy:
            return None  # another thread is using the reader
        self.busy = True
        self.room = end
        try:
            self._start_row(False)
            found = self._tree(start, 0)
            if found is None and self.declared:
                del self.uris[self.outside :]
                self._start_row(True)
                found = self._tree(start, 0)
        finally:
            self.comments.size = 0
            self.busy = False
        return found if self._space(self.behind) == end else None  # an entry that is not closed has all before the next

    cdef _tree(self, Py_ssize_t start, int depth):
        cdef Py_ssize_t name = start + 1, end = self._name(name), inner, at, stop
        cdef list children = [], gaps = [], runs = [], comments = []
        cdef str uri, local, written, text = ""
        cdef bint is_empty, is_blank
        if end < 0 or depth >= MAX_NESTING:
            return None
        uri = self.core_uri if self.core else self.uris[self.last_prefix]
        local = self.known_names[self._name_slot(self.local, end - self.local)]
        written = local if self.local == name else self.known_names[self._name_slot(name, end - name)]
        inner = at = self._tag_end(end)
        is_empty = self.is_empty
        attributes = self._all_attributes() if inner >= 0 and self.attribute_count else ()
        if inner < 0 or attributes is None:
            return None
        open_tag = self._place(start, inner)
        if is_empty:
            self.behind = inner
            nothing = self._place(inner, inner)
            return Element(uri, local, written, open_tag, open_tag, nothing, attributes, Value("", nothing), ())
        while True:
            self.coded = False
            stop = self._content(at)
            if stop < 0 or self.room - stop < 2:
                return None
            gaps.append((at, stop, self.coded))
            if self.data[stop + 1] == 47:
                break
            child = self._tree(stop, depth + 1)
            if child is None:
                return None
            children.append(child)
            at = self.behind
        self.sectioned = is_blank = False
        if children:
            text = "".join([self._string(first, last, coded) for first, last, coded in gaps])
            is_blank = not text or text.isspace()
        for first, last, coded in gaps:
            if not is_blank or coded:
                self._add_runs(runs, comments, first, last, False)
        if is_blank:  # white space between children needs no places
            runs = []
        elif len(runs) == 1:
            text = runs[0].text
        elif not children:
            text = "".join([run.text for run in runs])
        value = Value(text, self._place(inner, stop), tuple(runs))
        self.behind = self._close_tag(stop, name, end - name)
        if self.behind < 0:
            return None
        return Element(
            uri, local, written, self._place(start, self.behind), open_tag, self._place(stop, self.behind),
            attributes, value, tuple(children), tuple(comments), self.sectioned,
        )

    cdef int _add_runs(self, list runs, list comments, Py_ssize_t at, Py_ssize_t end, bint quoted) except -1:
        """Of content or an attribute that was read before: references, line ends and sections divide the text."""
        cdef Py_ssize_t begin = at, here
        cdef unsigned char byte
        cdef bint section = False
        while at < end:
            byte = self.data[at]
            if byte == 38:
                if section:
                    at += 1
                    continue
            elif byte == 60:
                if section or quoted:
                    at += 1
                    continue
            elif byte != 10 and byte != 13 and not (byte == 9 and quoted) and not (byte == 93 and section):
                at += 1
                continue
            if at > begin:
                self._add_run(runs, begin, at, quoted)
            begin = here = at
            at += 1
            if byte == 38:
                begin = at = self._refer_to(here)
                runs.append(TextRun(chr(self.character), self._place(here, at), False))
            elif byte == 60:
                if self.data[here + 1] == 33 and self.data[here + 2] == 91:
                    self.sectioned = section = True
                    begin = at = here + 9
                else:
                    begin = at = self._past(here)
                    if self.data[here + 1] == 33:
                        comments.append(self._place(here, at))
            elif byte == 93:
                if end - here >= 3 and self.data[here + 1] == 93 and self.data[here + 2] == 62:
                    section = False
                    begin = at = here + 3
            else:
                if byte == 13 and at < end and self.data[at] == 10:
                    at += 1
                begin = at
                if byte == 10 and not quoted:
                    self._add_run(runs, here, at, False)
                else:
                    runs.append(TextRun(" " if quoted else "\n", self._place(here, at), False))
        if end > begin:
            self._add_run(runs, begin, end, quoted)
        return 0

    cdef inline Py_ssize_t _refer_to(self, Py_ssize_t at) except -1:
        """Behind a reference that was read before; `character` is what it means."""
        cdef Py_ssize_t end = self._sound_reference(at)
        if end < 0:
            raise ValueError(f"no reference at {at}")
        return end

    cdef int _add_run(self, list runs, Py_ssize_t start, Py_ssize_t end, bint quoted) except -1:
        """Text as it is written; with repairs inside, each character of content at one of them has its own place."""
        cdef Py_ssize_t stop
        place = self._place(start, end)
        if quoted or self.steps.size == 0 or place.length == end - start:
            runs.append(TextRun(self.source[start:end].decode("utf-8"), place, True))
            return 0
        while start < end:
            stop = self._unrepaired(start, end)
            if stop > start:
                runs.append(TextRun(self.source[start:stop].decode("utf-8"), self._place(start, stop), True))
            else:
                stop = start + 1
                while stop < end and self.data[stop] & 0xC0 == 0x80:
                    stop += 1
                runs.append(TextRun(self.source[start:stop].decode("utf-8"), self._place(start, stop), False))
            start = stop
        return 0

    cdef _all_attributes(self):
        """Those of the tag read last; None where one of them needs the general reader."""
        cdef Py_ssize_t number, name, at, end, prefix
        cdef list found = [], runs
        cdef str local, written, uri, text
        for number in range(self.attribute_count):
            name = self.attributes[ATTRIBUTE * number]
            at, end = self.attributes[ATTRIBUTE * number + 3], self.attributes[ATTRIBUTE * number + 4]
            prefix = self.attributes[ATTRIBUTE * number + 2] - name
            uri, local = "", self.known_names[self._attribute_slot(number)]
            written = local
            if prefix:
                uri = self._attribute_uri(name, prefix)
                if uri is None:
                    return None
                written = self.source[name : name + prefix].decode("ascii") + local
            text = self._attribute(number)
            place = self._place(at, end)
            runs = []
            if self.attributes[ATTRIBUTE * number + 5]:
                self._add_runs(runs, None, at, end, True)
            elif end > at:
                runs.append(TextRun(text, place, True))
            found.append(Attribute(uri, local, written, Value(text, place, tuple(runs)), self._place(name, end + 1)))
        return tuple(found)

    cdef str _attribute_uri(self, Py_ssize_t at, Py_ssize_t size):
        """The namespace of a prefix, with its colon; None where that is forgotten with the declarations of its tag."""
        if size == 4 and self.source[at : at + size] == b"xml:":
            return _XML_NAMESPACE
        if self.scoped and self.is_empty or not self._is_bound(at, size):
            return None
        return self.core_uri if self._is_own(at, size) and not (self.scoped and self._is_declared_inside(at, size - 1)) else self.uris[self.last_prefix]
