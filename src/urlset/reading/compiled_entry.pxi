# One entry of any well-formed shape, or with the commonest damage. Included by compiled.pyx.
# The meaning of marks, order and text is that of reading/reference.py; that of repairs is that of reading/salvage.py.


cdef class AnyEntry(Batch):
    """Reads an entry with whatever is before it: comments, attributes, any order, repeated and unknown elements."""

    # the tags of the row and its fields, one behind the other
    cdef const unsigned char[::1] tags
    cdef const int64_t[::1] opens
    cdef const int64_t[::1] closes
    cdef Py_ssize_t first_row
    """the number of the first entry of the batch"""
    cdef bint is_feed
    cdef int first_field, last_field
    """the fields that are elements of their own name"""
    cdef const unsigned char[::1] dated
    """by prefix: whether its element `date` is a spare date"""
    cdef bint spare_date, spare_loc
    """the entry has one"""

    def __init__(self, bytes data, bytes own, bytes row, tuple prefixes, feed=None):
        Batch.__init__(self, data, own, prefixes)
        names = (row, b"loc", b"lastmod", b"changefreq", b"priority")
        self.first_field, self.last_field = LOC, PRIORITY
        if feed is not None:
            loc, lastmod, words, self.dated = feed
            self.is_feed = True
            self.first_field, self.last_field = LOC if loc else LASTMOD, LASTMOD
            names = (row, loc, lastmod, b"", b"")
            self._know_words(words)
        opens = [b"<" + own + name + b">" for name in names]
        closes = [b"</" + own + name + b">" for name in names]
        self.tags = b"".join(opens + closes)
        ends = list(accumulate(map(len, opens + closes), initial=0))
        self.opens = array("q", ends[:6])
        self.closes = array("q", ends[5:])

    cdef Py_ssize_t _any_entry(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind the entry; -1 when it is not certain to be read as the reference reader does."""
        self._begin_row(row)
        at = self._misc(at)
        if at < 0:
            return -1
        self.commented = False
        self.starts[row] = at
        self._note_no_loc(row)
        return self._row(at, row)

    cdef inline int _begin_row(self, Py_ssize_t row) except -1 nogil:
        cdef int field
        for field in range(LASTMOD, PRIORITY + 1):
            self.brief[KEPT * row + field] = ABSENT
        self.marks[row] = 0
        self.tangled = self.commented = self.repairing = self.spare_date = self.spare_loc = False
        self._start_row(self.scoped)
        return 0

    cdef inline Py_ssize_t _settle(self, Py_ssize_t end, Py_ssize_t row, Py_ssize_t comments, Py_ssize_t repairs) except -2 nogil:
        """The end of the entry, after its comments and repairs were taken or dropped with it."""
        cdef Py_ssize_t repair
        if end >= 0 and (self.spare_date and self.brief[KEPT * row + LASTMOD] == ABSENT or self.spare_loc and not self._has_loc(row)):
            end = -1
        if end >= 0 and self.repairs.size > repairs:
            if self.tangled or self.spans[8 * row] == <Py_ssize_t>self.starts[row]:
                end = -1  # a broken entry without an address is not salvaged
            if self.repairs.size - repairs >= 2 * MAX_REPAIRS:
                end = -1  # what needs so many is not an entry
            self.marks[row] |= MARK_SALVAGED
            self._forget_comments(comments, self.repairs.items[repairs])
        if end < 0:
            self.comments.size = comments
            self.repairs.size = repairs
            return -1
        for repair in range(repairs, self.repairs.size, 2):
            self.repaired_rows.push(self.first_row + row)
        if self.commented:
            self.marks[row] |= MARK_COMMENTED
        self._judge_loc(row)
        return end

    cdef inline int _forget_comments(self, Py_ssize_t first, Py_ssize_t fault) except -1 nogil:
        """Those behind the first fault: the reference reader stops there, and they are not its business any more."""
        while self.comments.size > first and self.comments.items[self.comments.size - 2] > fault:
            self.comments.size -= 2
        return 0

    cdef inline Py_ssize_t _misc(self, Py_ssize_t at) except -2 nogil:
        """Behind white space, comments and instructions between entries."""
        while True:
            at = self._space(at)
            if self.room - at < 2 or self.data[at] != 60:
                return -1
            if self.data[at + 1] == 33:
                at = self._section(at) if self.room - at >= 3 and self.data[at + 2] == 45 else -1
            elif self.data[at + 1] == 63:
                at = self._instruction(at)
            else:
                return at
            if at < 0:
                return -1

    cdef inline Py_ssize_t _row(self, Py_ssize_t at, Py_ssize_t row) except -2 nogil:
        """Behind the row that begins there."""
        cdef Py_ssize_t start = at
        at = self._named(at, 0)
        if at >= 0:
            at = self._tag_end(at)
        if at < 0:
            return -1
        if self.attribute_count:
            self.marks[row] = MARK_ATTRIBUTED
        if self.is_empty:
            # the reference reader looks for the end of the tag by its first `>`
            return at if not self.attribute_count else -1
        return self._children(at, start, row, -1)

    cdef Py_ssize_t _children(self, Py_ssize_t at, Py_ssize_t start, Py_ssize_t row, int last) except -2 nogil:
        """Behind the row that begins at `start`, from inside it on; `last` is the field before."""
        cdef Py_ssize_t size = self.opens[1] - 2
        self.repairing = not self.is_feed
        while True:
            self.blank = True
            at = self._content(at)
            if at < 0 or self.room - at < 2:
                return -1
            if not self.blank:
                self.marks[row] |= MARK_IRREGULAR
            if self.data[at + 1] == 47:
                return self._close_tag(at, start + 1, size)
            at = self._child(at, row, &last)
            if at < 0:
                return -1

    cdef inline Py_ssize_t _named(self, Py_ssize_t at, int which) except -2 nogil:
        """Behind `<` and the name of the row or a field; -1 when it is not just that name."""
        cdef Py_ssize_t size = self.opens[which + 1] - self.opens[which] - 1
        if size >= self.room - at or memcmp(&self.data[at], &self.tags[self.opens[which]], size) != 0:
            return -1
        at += size
        if not (CLASS[self.data[at]] & SPACE or self.data[at] == 62 or self.data[at] == 47):
            return -1
        return -1 if self.scoped and (not self._declare(at) or self._hides_core()) else at

    cdef inline Py_ssize_t _child(self, Py_ssize_t at, Py_ssize_t row, int* last) except -2 nogil:
        """Behind an element of the row."""
        cdef Py_ssize_t name = at + 1, end
        cdef int field
        for field in range(self.first_field, self.last_field + 1):
            end = self._named(at, field + 1)
            if end >= 0:
                return self._any_field(name, end, row, field, last)
        end = self._name(name)
        if end < 0:
            return -1
        if self.is_feed:
            return self._feed_child(name, end, row)
        if self._meaning(end):
            if self.core:
                return -1  # an entry in an entry, or a field in another spelling
            self.tangled = self.tangled or self._meaning(end) == ROW_NAME
        self.marks[row] |= MARK_IRREGULAR if self.core else MARK_EXTENDED
        at = self._tag_end(end)
        return at if at < 0 or self.is_empty else self._rest(at, name, end - name)

    cdef Py_ssize_t _feed_child(self, Py_ssize_t name, Py_ssize_t end, Py_ssize_t row) except -2 nogil:
        """Behind an element of the row that is not one of its fields, from behind its name on."""
        cdef int meaning = self._meaning(end)
        cdef Py_ssize_t at
        if not self.core:
            at = self.last_prefix
            meaning = SPARE_DATE if meaning == SPARE_DATE and at < self.dated.shape[0] and self.dated[at] else 0
        if meaning == ROW_NAME or meaning == FIELD_NAME:
            return -1  # an entry in an entry, or a field in another spelling
        at = self._tag_end(end)
        if at < 0:
            return -1
        if meaning == LINK_NAME and not self._take_link(row):
            return -1
        if meaning == SPARE_DATE or meaning == SPARE_LOC:
            self.spare_date = self.spare_date or meaning == SPARE_DATE
            self.spare_loc = self.spare_loc or meaning == SPARE_LOC
            if self.is_empty:
                return at
            at = self._content(at)
            return at if at < 0 else self._close_tag(at, name, end - name)
        if meaning == 0:
            self.marks[row] |= MARK_EXTENDED
        return at if self.is_empty else self._rest(at, name, end - name)

    cdef inline bint _has_loc(self, Py_ssize_t row) except -1 nogil:
        return self.brief[KEPT * row + LEAD] > 0 or self.spans[8 * row] > <Py_ssize_t>self.starts[row]

    cdef bint _take_link(self, Py_ssize_t row) except -1 nogil:
        """The first link to the page itself has its address; False when that is not certain."""
        cdef Py_ssize_t number, start, end, at
        cdef Py_ssize_t href = -1
        for number in range(self.attribute_count):
            at, end = self.attributes[ATTRIBUTE * number], self.attributes[ATTRIBUTE * number + 1]
            if at != self.attributes[ATTRIBUTE * number + 2]:
                continue
            if end == 4 and memcmp(&self.data[at], <const unsigned char*>b"href", 4) == 0:
                href = number
            elif end == 3 and memcmp(&self.data[at], <const unsigned char*>b"rel", 3) == 0:
                start, end = self.attributes[ATTRIBUTE * number + 3], self.attributes[ATTRIBUTE * number + 4]
                if self.attributes[ATTRIBUTE * number + 5]:
                    return False
                if end - start != 9 or memcmp(&self.data[start], <const unsigned char*>b"alternate", 9) != 0:
                    return True
        if href < 0 or self._has_loc(row):
            return True
        start, end = self.attributes[ATTRIBUTE * href + 3], self.attributes[ATTRIBUTE * href + 4]
        if self.attributes[ATTRIBUTE * href + 5]:
            for at in range(start, end):
                if self.data[at] < 32:
                    return False  # read as a space
        self._note_loc(row, start, end, self.attributes[ATTRIBUTE * href + 5])
        return True

    cdef inline Py_ssize_t _any_field(self, Py_ssize_t name, Py_ssize_t at, Py_ssize_t row, int field, int* last) except -2 nogil:
        """From behind the name of a field to behind its close tag."""
        cdef Py_ssize_t size = at - name, start, end
        at = self._tag_end(at)
        if at < 0:
            return -1
        if self.attribute_count:
            self.marks[row] |= MARK_ATTRIBUTED
        if field <= last[0] or self.marks[row] & MARK_EXTENDED:
            self.marks[row] |= MARK_DISORDERED
        last[0] = field
        start = end = at
        self.coded = False
        if not self.is_empty:
            end = self._content(at)
            if end < 0:
                return -1
            at = self._close_tag(end, name, size)
            if at < 0:
                return -1
        if field == LOC:
            if self._has_loc(row):
                self.marks[row] |= MARK_IRREGULAR
            else:
                self._note_loc(row, start, end, self.coded)
        elif self.brief[KEPT * row + field] != ABSENT:
            if self.is_feed:
                return -1  # the last one counts
            self.marks[row] |= MARK_IRREGULAR
        else:
            self._is_known(start, end - start, field)
            self._note_field(row, field, start, end)
        return at

    cdef inline Py_ssize_t _tag(self, Py_ssize_t at, Py_ssize_t start, Py_ssize_t end) except -2 nogil:
        """Behind the tag when just this one is there."""
        cdef Py_ssize_t size = end - start
        if size <= 0 or size > self.room - at or self.data[at] != 60:
            return -1
        if memcmp(&self.data[at], &self.tags[start], size) != 0:
            return -1
        return at + size
