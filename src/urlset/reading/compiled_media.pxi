# One row's bytes → images, videos, news and alternates. Included by compiled.pyx.
# The meaning is that of reading/row_reader.py, which reads what is left here: other namespaces, elements inside of texts.

cdef enum:
    IMAGES = 1
    VIDEOS = 2
    NEWS = 3
    LINKS = 4
    INNER = 5

    # what a member of a video is; below them: a text, counted as the fields of the struct are
    MARKED = 100
    MANY = 200
    TAG = 300
    SHOW = 301
    # which attribute of a link a name is
    HREF = 1
    HREFLANG = 2
    REL = 3
    MEDIUM = 4

cdef tuple _IMAGE_NAMES = Image.__struct_fields__
cdef tuple _NEWS_NAMES = News.__struct_fields__
cdef tuple _VIDEO_NAMES = Video.__struct_fields__
cdef Py_ssize_t _TAGS = _VIDEO_NAMES.index("tags")
cdef Py_ssize_t _TVSHOW = _VIDEO_NAMES.index("tvshow")
cdef tuple _NO_VIDEO = tuple(() if name in ("tags", *row_reader.VIDEO_MANY.values()) else None for name in _VIDEO_NAMES)
cdef dict _LINK_NAMES = {"href": HREF, "hreflang": HREFLANG, "rel": REL, "media": MEDIUM}


cdef int _video_role(str name) except -2:
    if name in row_reader.VIDEO_TEXT:
        return _VIDEO_NAMES.index(name)
    if name in row_reader.VIDEO_MARKED:
        return MARKED + <int>_VIDEO_NAMES.index(name)
    if name in row_reader.VIDEO_MANY:
        return MANY + <int>_VIDEO_NAMES.index(row_reader.VIDEO_MANY[name])
    return TAG if name == "tag" else SHOW if name == "tvshow" else -1


@final
cdef class MediaReader(Names):
    """Reads rows of one document; a prefix means what `kinds` says at its place."""

    cdef const unsigned char[::1] kinds
    cdef list images, videos, news, alternates
    # what names are as members, by the slots in which they are kept
    cdef int[::1] image_roles
    cdef int[::1] video_roles
    cdef int[::1] news_roles
    cdef int[::1] link_roles
    # of the element being read: its values; of a publication or a show its members
    cdef list values, tags
    cdef dict members
    cdef bint busy
    # where the text read last is
    cdef Py_ssize_t text_at, text_end

    def __init__(self, bytes data, bytes own, tuple prefixes, bytes kinds):
        Names.__init__(self, data, own, prefixes)
        self.kinds = kinds
        self.image_roles = array("i", bytes(4 * NAME_SLOTS))
        self.video_roles = array("i", bytes(4 * NAME_SLOTS))
        self.news_roles = array("i", bytes(4 * NAME_SLOTS))
        self.link_roles = array("i", bytes(4 * NAME_SLOTS))

    cdef int _meet(self, Py_ssize_t slot, Py_ssize_t at, Py_ssize_t size) except -1:
        cdef str name
        Names._meet(self, slot, at, size)
        name = self.known_names[slot]
        self.image_roles[slot] = _IMAGE_NAMES.index(name) if name in _IMAGE_NAMES else -1
        self.news_roles[slot] = _NEWS_NAMES.index(name) if name in _NEWS_NAMES else -1
        self.video_roles[slot] = _video_role(name)
        self.link_roles[slot] = _LINK_NAMES.get(name, -1)
        return 0

    def read_repaired(self, bytes text):
        """The same for a row as it reads after repairs."""
        if self.busy:
            return None
        self._read_from(text)
        return self.read(0, self.limit)

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
            return self._image(at, name, end - name)
        if kind == VIDEOS and word == b"video":
            return self._video(at, name, end - name)
        if kind == NEWS and word == b"news":
            return self._news(at, name, end - name)
        return -1

    cdef Py_ssize_t _image(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        self.values = [None] * len(_IMAGE_NAMES)
        if not self.is_empty:
            at = self._members(at, name, size, IMAGES)
        self.images.append(Image(*self.values))
        return at

    cdef Py_ssize_t _video(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        self.values, self.tags = list(_NO_VIDEO), []
        if not self.is_empty:
            at = self._members(at, name, size, VIDEOS)
        self.values[_TAGS] = tuple(self.tags)
        if self.values[_TVSHOW] is None:
            self.values[_TVSHOW] = {}
        self.videos.append(Video(*self.values))
        return at

    cdef Py_ssize_t _news(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        cdef Py_ssize_t number
        self.values, self.members = [None] * len(_NEWS_NAMES), None
        if not self.is_empty:
            at = self._members(at, name, size, NEWS)
        if self.members:
            self.values = [self.members.get(field, self.values[number]) for number, field in enumerate(_NEWS_NAMES)]
        self.news.append(News(*self.values))
        return at

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
        """Behind a member of an element, its value taken."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), slot
        cdef int role
        if end < 0:
            return -1
        slot = self._name_slot(self.local, end - self.local)
        at = self._tag_end(end)
        if at < 0:
            return -1
        if kind == VIDEOS and self.video_roles[slot] == SHOW or kind == NEWS and self.known_names[slot] == "publication":
            return self._inner(at, name, end - name, kind)
        at = self._leaf(at, name, end - name)
        if at < 0:
            return -1
        if kind == VIDEOS:
            self._take_video(self.video_roles[slot])
        elif kind == INNER:
            self.members.setdefault(self.known_names[slot], self._value())
        else:
            role = self.image_roles[slot] if kind == IMAGES else self.news_roles[slot]
            if role >= 0 and self.values[role] is None:
                self.values[role] = self._value()
        return at

    cdef Py_ssize_t _inner(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size, int kind) except -2:
        """Behind the publication of a news item or the show of a video; the first one counts."""
        if self.is_empty or kind == NEWS and self.members is not None or kind == VIDEOS and self.values[_TVSHOW] is not None:
            return -1
        self.members = {}
        at = self._members(at, name, size, INNER)
        if kind == VIDEOS:
            self.values[_TVSHOW] = self.members
        return at

    cdef int _take_video(self, int role) except -1:
        if role < 0:
            return 0
        if role == TAG:
            self.tags.append(self._value())
        elif role >= MANY:
            self.values[role - MANY] += (self._marked(),)
        elif role >= MARKED:
            if self.values[role - MARKED] is None:
                self.values[role - MARKED] = self._marked()
        elif self.values[role] is None:
            self.values[role] = self._value()
        return 0

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
        cdef Py_ssize_t number
        for number in range(self.attribute_count):
            found[self.known_names[self._attribute_slot(number)]] = self._attribute(number)
        return Marked(text, found)

    cdef _alternate(self):
        cdef Py_ssize_t number
        cdef int role
        hreflang = href = rel = medium = None
        for number in range(self.attribute_count):
            if self.attributes[ATTRIBUTE * number] != self.attributes[ATTRIBUTE * number + 2]:
                continue  # with a prefix
            role = self.link_roles[self._attribute_slot(number)]
            if role == HREF:
                href = self._attribute(number)
            elif role == HREFLANG:
                hreflang = self._attribute(number)
            elif role == REL:
                rel = self._attribute(number)
            elif role == MEDIUM:
                medium = self._attribute(number)
        if rel == "alternate":
            rel = "alternate"  # the object that is the default, so it is omitted like other defaults
        return Alternate(hreflang, href, rel, medium)
