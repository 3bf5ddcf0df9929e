# One row's bytes → images, videos, news and alternates. Included by compiled.pyx.
# The meaning is that of reading/media.py, which reads what is left here: other namespaces, elements inside of texts.

cdef enum:
    IMAGES = 1
    VIDEOS = 2
    NEWS = 3
    LINKS = 4
    PUBLICATION = 5
    TVSHOW = 6

cdef frozenset _NEWS_NAMES = frozenset(News.__struct_fields__)
cdef frozenset _IMAGE_NAMES = frozenset(Image.__struct_fields__)
cdef dict _MANY = media.VIDEO_MANY
cdef frozenset _VIDEO_TEXT = media.VIDEO_TEXT
cdef frozenset _VIDEO_MARKED = media.VIDEO_MARKED


@final
cdef class MediaReader(Texts):
    """Reads rows of one document; a prefix means what `kinds` says at its place."""

    cdef const unsigned char[::1] kinds
    cdef list images, videos, news, alternates
    # of the element being read: its values, and of a video the tags and what may be repeated
    cdef dict fields, many
    cdef list tags
    cdef bint busy
    # where the text read last is
    cdef Py_ssize_t text_at, text_end

    def __init__(self, bytes data, bytes own, tuple prefixes, bytes kinds):
        Texts.__init__(self, data, own, prefixes)
        self.kinds = kinds

    def read(self, Py_ssize_t start, Py_ssize_t end):
        """The media of the row between two offsets; None when something in it needs the general reader."""
        if not 0 <= start < end <= self.limit:
            raise IndexError(f"row from {start} to {end} in {self.limit} bytes")
        if self.busy:
            return None  # another thread is using the reader
        self.busy = True
        try:
            return self._row_media(start, end)
        finally:
            self.busy = False

    cdef _row_media(self, Py_ssize_t start, Py_ssize_t end):
        cdef Py_ssize_t at
        self.room = end
        self.comments.size = 0
        self.images, self.videos, self.news, self.alternates = [], [], [], []
        at = self._name(start + 1)
        if at >= 0:
            at = self._tag_end(at)
        while at >= 0:
            at = self._content(at)
            if at < 0 or end - at < 2:
                return None
            if self.data[at + 1] == 47:
                return Media(tuple(self.images), tuple(self.videos), tuple(self.news), tuple(self.alternates))
            at = self._medium(at)
        return None

    cdef Py_ssize_t _medium(self, Py_ssize_t at) except -2:
        """Behind one element of the row."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), local = self.local
        cdef int kind
        cdef bytes word
        if end < 0:
            return -1
        kind = 0 if self.core else self.kinds[self.last_prefix]
        if kind == 0 and not self.core:
            return -1
        at = self._tag_end(end)
        if at < 0:
            return -1
        if self.core:
            return at if self.is_empty else self._rest(at, name, end - name)
        word = self.source[local:end].lower()
        if kind == LINKS and word == b"link":
            self.alternates.append(self._alternate())
            return at if self.is_empty else self._rest(at, name, end - name)
        if kind == IMAGES and word == b"image":
            at = self._begin(at, name, end, kind)
            self.images.append(Image(**self.fields))
        elif kind == VIDEOS and word == b"video":
            at = self._begin(at, name, end, kind)
            if at >= 0:
                self.videos.append(Video(**self.fields, **{one: tuple(found) for one, found in self.many.items()}, tags=tuple(self.tags)))
        elif kind == NEWS and word == b"news":
            at = self._begin(at, name, end, kind)
            self.fields.update(self.many)
            self.news.append(News(**self.fields))
        else:
            return -1
        return at

    cdef Py_ssize_t _begin(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t end, int kind) except -2:
        """Behind the element whose open tag was read, its values collected."""
        self.fields, self.many, self.tags = {}, {}, []
        return at if self.is_empty else self._members(at, name, end - name, kind)

    cdef Py_ssize_t _members(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size, int kind) except -2:
        """Behind the close tag of an element, its members taken."""
        while True:
            at = self._content(at)
            if at < 0 or self.room - at < 2:
                return -1
            if self.data[at + 1] == 47:
                return self._close_tag(at, name, size)
            at = self._member(at, kind)
            if at < 0:
                return -1

    cdef Py_ssize_t _member(self, Py_ssize_t at, int kind) except -2:
        cdef Py_ssize_t name = at + 1, end = self._name(name)
        cdef str local
        if end < 0:
            return -1
        local = self.source[self.local : end].decode("ascii")
        at = self._tag_end(end)
        if at < 0:
            return -1
        if kind == IMAGES:
            at = self._leaf(at, name, end - name)
            if at >= 0 and local in _IMAGE_NAMES:
                self.fields.setdefault(local, self._value())
            return at
        if kind == VIDEOS:
            return self._video_member(local, at, name, end - name)
        if kind == NEWS and local == "publication":
            if self.many or self.is_empty:
                return -1  # of several publications the first counts
            return self._members(at, name, end - name, PUBLICATION)
        at = self._leaf(at, name, end - name)
        if at < 0 or kind != TVSHOW and local not in _NEWS_NAMES:
            return at
        (self.fields if kind == NEWS else self.many).setdefault(local, self._value())
        return at

    cdef Py_ssize_t _video_member(self, str local, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        cdef dict outer
        if local == "tvshow":
            if self.is_empty or "tvshow" in self.fields:
                return -1
            outer, self.many = self.many, {}
            at = self._members(at, name, size, TVSHOW)
            self.fields["tvshow"], self.many = self.many, outer
            return at
        at = self._leaf(at, name, size)
        if at < 0:
            return -1
        if local in _VIDEO_TEXT:
            self.fields.setdefault(local, self._value())
        elif local in _VIDEO_MARKED:
            self.fields.setdefault(local, self._marked())
        elif local == "tag":
            self.tags.append(self._value())
        elif local in _MANY:
            self.many.setdefault(_MANY[local], []).append(self._marked())
        return at

    cdef inline Py_ssize_t _leaf(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        """Behind the close tag of an element with nothing but text in it."""
        self.coded = False
        self.text_at = self.text_end = at
        if self.is_empty:
            return at
        self.text_end = self._content(at)
        return -1 if self.text_end < 0 else self._close_tag(self.text_end, name, size)

    cdef inline str _value(self):
        return self._string(self.text_at, self.text_end, self.coded).strip()

    cdef _marked(self):
        cdef str text = self._value()
        cdef dict found = {}
        cdef Py_ssize_t number, local
        for number in range(self.attribute_count):
            local = self.attributes[ATTRIBUTE * number + 2]
            name = self.source[local : local + self.attributes[ATTRIBUTE * number + 1]].decode("ascii")
            found[name] = self._attribute(number)
        return Marked(text, found)

    cdef _alternate(self):
        cdef Py_ssize_t number, size
        cdef unsigned char first
        hreflang = href = rel = kind = None
        for number in range(self.attribute_count):
            if self.attributes[ATTRIBUTE * number] != self.attributes[ATTRIBUTE * number + 2]:
                continue  # with a prefix
            size, first = self.attributes[ATTRIBUTE * number + 1], self.data[self.attributes[ATTRIBUTE * number]]
            if size == 4 and first == 104 and self._attribute_is(number, b"href"):
                href = self._attribute(number)
            elif size == 8 and first == 104 and self._attribute_is(number, b"hreflang"):
                hreflang = self._attribute(number)
            elif size == 3 and first == 114 and self._attribute_is(number, b"rel"):
                rel = self._attribute(number)
                rel = "alternate" if rel == "alternate" else rel
            elif size == 5 and first == 109 and self._attribute_is(number, b"media"):
                kind = self._attribute(number)
        return Alternate(hreflang, href, rel, kind)

    cdef inline bint _attribute_is(self, Py_ssize_t number, bytes name) except -1:
        cdef Py_ssize_t at = self.attributes[ATTRIBUTE * number]
        return self.source[at : at + len(name)] == name

    cdef inline str _attribute(self, Py_ssize_t number):
        """The value of an attribute of the tag read last."""
        cdef Py_ssize_t start = self.attributes[ATTRIBUTE * number + 3], end = self.attributes[ATTRIBUTE * number + 4], size
        if not self.attributes[ATTRIBUTE * number + 5]:
            return self.source[start:end].decode("utf-8")
        size = self._decode_attribute(start, end)
        return self.scratch[:size].decode("utf-8")
