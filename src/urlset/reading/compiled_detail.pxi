# One row's bytes → its element with all places, where nothing in it needs expat. Included by compiled.pyx.
# The meaning is that of reading/detail.py, which reads what is left here: comments, CDATA sections, carriage returns,
# attributes with a prefix.


@final
cdef class ElementReader(Names):
    """Reads rows of one document; `uris` are the namespaces of the prefixes, the last that of the core elements."""

    cdef tuple uris
    cdef bint busy
    cdef Py_ssize_t behind
    """where the element read last ends"""

    def __init__(self, bytes data, bytes own, tuple prefixes, tuple uris):
        Names.__init__(self, data, own, prefixes)
        self.uris = uris

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
        local = self.met[self._met(self.local, end - self.local)]
        written = local if self.local == name else self.met[self._met(name, end - name)]
        inner = at = self._tag_end(end)
        is_empty = self.is_empty
        attributes = self._all_attributes() if inner >= 0 and self.attribute_count else ()
        if inner < 0 or attributes is None:
            return None
        open_tag = Place(start, inner - start)
        if is_empty:
            self.behind = inner
            return Element(uri, local, written, open_tag, open_tag, Place(inner, 0), attributes, Value("", Place(inner, 0)), ())
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
            value = Value("".join(gaps), Place(inner, stop - inner))
        else:
            value = self._value_between(inner, stop)
            if value is None:
                return None
        self.behind = self._close_tag(stop, name, end - name)
        if self.behind < 0:
            return None
        return Element(
            uri, local, written, Place(start, self.behind - start), open_tag, Place(stop, self.behind - stop),
            attributes, value, tuple(children),
        )

    cdef bint _has_only_references(self, Py_ssize_t at, Py_ssize_t end) except -1:
        return self.source.find(b"<", at, end) < 0 and self.source.find(b"\r", at, end) < 0

    cdef _value_between(self, Py_ssize_t start, Py_ssize_t end):
        """Of a text in which only references are not written as their own bytes; a line feed is a run of its own."""
        cdef Py_ssize_t at = start, begin = start
        cdef list runs = []
        cdef str text
        while at < end:
            if self.data[at] != 38 and self.data[at] != 10:
                at += 1
                continue
            if at > begin:
                runs.append(TextRun(self.source[begin:at].decode("utf-8"), Place(begin, at - begin), True))
            if self.data[at] == 10:
                runs.append(TextRun("\n", Place(at, 1), True))
                at += 1
                begin = at
                continue
            begin = self._predefined(at)
            if begin < 0:
                begin = self._character_reference(at)
            if begin < 0:
                return None
            runs.append(TextRun(chr(self.character), Place(at, begin - at), False))
            at = begin
        if end > begin:
            runs.append(TextRun(self.source[begin:end].decode("utf-8"), Place(begin, end - begin), True))
        text = runs[0].text if len(runs) == 1 else "".join([run.text for run in runs])
        return Value(text, Place(start, end - start), tuple(runs))

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
            value = self._value_between(at, end)
            if value is None:
                return None
            local = self.met[self._attribute_slot(number)]
            found.append(Attribute("", local, local, value, Place(name, end + 1 - name)))
        return tuple(found)
