# One row's bytes → its element with all places, where nothing in it needs expat. Included by compiled.pyx.
# The meaning is that of reading/row_reader.py, which reads what is left here: comments, CDATA sections, carriage returns,
# text beside elements, attributes with a prefix.


cdef enum:
    MOST_STEPS = 16


@final
cdef class ElementReader(Names):
    """Reads rows of one document; `uris` are the namespaces of the prefixes, the last that of the core elements."""

    cdef tuple uris
    cdef bint busy
    cdef Py_ssize_t behind
    """where the element read last ends"""
    cdef Py_ssize_t origin
    """where the bytes begin in the document, when they are those of a repaired row"""
    # of each repair of that row twice, at its begin and at its end: where in the bytes, how long the text written
    # there, and where in the document
    cdef Numbers steps

    def __init__(self, bytes data, bytes own, tuple prefixes, tuple uris):
        Names.__init__(self, data, own, prefixes)
        self.uris = uris
        self.steps = Numbers()

    def read_repaired(self, bytes text, Py_ssize_t origin, edits):
        """The element that a repaired row is, with places in the document; None as for `read`."""
        cdef Py_ssize_t at = origin, offset, length, here, shift = 0
        self.source = text
        self.data = text
        self.limit = len(text)
        self.met_size[:] = 0
        self.origin = origin
        self.steps.size = 0
        for offset, length, written in edits.triples():
            if offset < at or self.steps.size >= 6 * MOST_STEPS:
                return None
            here = offset - origin + shift
            shift += len(written) - length
            at = offset + length
            for step in (here, len(written), offset, here + len(written), 0, at):
                self.steps.push(step)
        return self.read(0, self.limit)

    cdef inline Py_ssize_t _mapped(self, Py_ssize_t offset) except -1:
        """Where an offset of a repaired row is in the document; as reading/row_reader.py has it."""
        cdef Py_ssize_t step = self.steps.size - 3
        while step >= 0 and self.steps.items[step] > offset:
            step -= 3
        if step < 0:
            return self.origin + offset
        offset -= self.steps.items[step]
        return self.steps.items[step + 2] + (min(offset, self.steps.items[step + 1]) if self.steps.items[step + 1] else offset)

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
            found = self._tree(start, 0)
        finally:
            self.busy = False
        return found if self.behind == end else None

    cdef _tree(self, Py_ssize_t start, int depth):
        cdef Py_ssize_t name = start + 1, end = self._name(name), inner, at, stop
        cdef list children = [], gaps = []
        cdef str uri, local, written
        cdef bint is_empty
        if end < 0 or depth >= MAX_NESTING:
            return None
        uri = self.uris[len(self.uris) - 1] if self.core else self.uris[self.last_prefix]
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
            self.coded, self.blank = False, True
            stop = self._content(at)
            if stop < 0 or self.room - stop < 2 or self.coded and not self._has_only_references(at, stop):
                return None
            if self.data[stop + 1] == 47:
                break
            if not self.blank or self.coded:
                return None
            gaps.append(self.source[at:stop].decode("utf-8"))
            child = self._tree(stop, depth + 1)
            if child is None:
                return None
            children.append(child)
            at = self.behind
        if children:
            if not self.blank or self.coded:
                return None
            gaps.append(self.source[at:stop].decode("utf-8"))
            value = Value("".join(gaps), self._place(inner, stop))
        else:
            value = self._value_between(inner, stop)
            if value is None:
                return None
        self.behind = self._close_tag(stop, name, end - name)
        if self.behind < 0:
            return None
        return Element(
            uri, local, written, self._place(start, self.behind), open_tag, self._place(stop, self.behind),
            attributes, value, tuple(children),
        )

    cdef bint _has_only_references(self, Py_ssize_t at, Py_ssize_t end) except -1:
        return self.source.find(b"<", at, end) < 0 and self.source.find(b"\r", at, end) < 0

    cdef _value_between(self, Py_ssize_t start, Py_ssize_t end, bint quoted=False):
        """Of a text in which only references are not written as their own bytes; a line feed is a run of its own."""
        cdef Py_ssize_t at = start, begin = start
        cdef list runs = []
        cdef str text
        while at < end:
            if self.data[at] != 38 and (quoted or self.data[at] != 10):
                at += 1
                continue
            if at > begin:
                self._add_run(runs, begin, at, quoted)
            if self.data[at] == 10:  # a line break is a run of its own
                begin = at + 1
                self._add_run(runs, at, begin, quoted)
                at = begin
                continue
            begin = self._predefined(at)
            if begin < 0:
                begin = self._character_reference(at)
            if begin < 0:
                return None
            runs.append(TextRun(chr(self.character), self._place(at, begin), False))
            at = begin
        if end > begin:
            self._add_run(runs, begin, end, quoted)
        text = runs[0].text if len(runs) == 1 else "".join([run.text for run in runs])
        return Value(text, self._place(start, end), tuple(runs))

    cdef int _add_run(self, list runs, Py_ssize_t start, Py_ssize_t end, bint quoted) except -1:
        """Text as it is written; with repairs inside, each character of content has its own place."""
        cdef str text = self.source[start:end].decode("utf-8"), character
        place = self._place(start, end)
        if quoted or self.steps.size == 0 or place.length == end - start:
            runs.append(TextRun(text, place, True))
            return 0
        for character in text:
            end = start + len(character.encode("utf-8"))
            runs.append(TextRun(character, self._place(start, end), False))
            start = end
        return 0

    cdef _all_attributes(self):
        """Those of the tag read last; None where one of them needs the general reader."""
        cdef Py_ssize_t number, name, at, end
        cdef list found = []
        cdef str local
        for number in range(self.attribute_count):
            name = self.attributes[ATTRIBUTE * number]
            at, end = self.attributes[ATTRIBUTE * number + 3], self.attributes[ATTRIBUTE * number + 4]
            if name != self.attributes[ATTRIBUTE * number + 2]:
                return None
            if self.attributes[ATTRIBUTE * number + 5] and any([self.source.find(space, at, end) >= 0 for space in (b"\t", b"\n", b"\r")]):
                return None
            value = self._value_between(at, end, True)
            if value is None:
                return None
            local = self.known_names[self._attribute_slot(number)]
            found.append(Attribute("", local, local, value, self._place(name, end + 1)))
        return tuple(found)
