# The images, videos, news and links of entries → signals. Included by compiled.pyx.
# What is ordinary is said by the table that the judge is given (checking/media_signals.py); addresses
# are code in compiled_media_forms.pxi and a pattern in spec/extensions.py. A test compares them.

cdef enum:
    STRANGE = 255
    MOST_KINDS = 8
    MOST_MEMBERS = 40
    MOST_KNOWN = 65536

    # forms of members, as in checking/media_signals.py
    LISTED_FORM = 0
    ADDRESS_FORM = 1
    TEXT_FORM = 2

    # attributes of a link
    OF_REL = 0
    OF_HREFLANG = 1
    OF_HREF = 2

cdef uint64_t SIGNAL_LINKS = Signal.LINKS
cdef uint64_t SIGNAL_CODE = Signal.LINK_CODE
cdef uint64_t SIGNAL_HREF = Signal.LINK_HREF
cdef uint64_t SIGNAL_SELF = Signal.LINK_SELF
cdef uint64_t SIGNAL_MISSING = Signal.MEDIA_MISSING
cdef uint64_t SIGNAL_SHAPE = Signal.MEDIA_SHAPE


@final
cdef class MediaJudge(Names):
    """Of the rows of one document; a prefix means what `kinds` says at its place."""

    cdef const unsigned char[::1] kinds
    cdef list media
    cdef list required
    """by kind: for each group the numbers of its members"""
    cdef list known
    """by kind and number of the member: values that were met, and whether they are ordinary"""
    cdef object link_type, is_tag
    cdef dict tags
    # by kind and slot: the number of the member that a name means
    cdef int[::1] numbers
    # by kind and number of the member
    cdef int[::1] forms
    cdef int[::1] inners
    cdef int64_t[::1] most_characters
    cdef int64_t[::1] most
    cdef uint64_t[::1] raised
    cdef int64_t[::1] met_members
    # of the row being judged
    cdef uint64_t found
    cdef uint64_t everything
    cdef Py_ssize_t page_at, page_end
    cdef bint page_coded
    cdef str page
    cdef list hrefs, languages, addresses, noted
    cdef int64_t[::1] elements

    def __init__(self, bytes data, bytes own, tuple prefixes, bytes kinds, tuple media, tuple tests, uint64_t everything, meaning):
        Names.__init__(self, data, own, prefixes)
        cdef int kind, number
        self.kinds = kinds
        self.media = [None, *media, None]
        self.required = [None] * MOST_KINDS
        self.known = [None] * (MOST_KINDS * MOST_MEMBERS)
        self.link_type, self.is_tag = tests
        self.everything = everything
        self.meaning = meaning
        self.tags = {}
        self.numbers = array("i", bytes(4 * MOST_KINDS * NAME_SLOTS))
        self.forms = array("i", bytes(4 * MOST_KINDS * MOST_MEMBERS))
        self.inners = array("i", bytes(4 * MOST_KINDS * MOST_MEMBERS))
        self.most_characters = array("q", bytes(8 * MOST_KINDS * MOST_MEMBERS))
        self.most = array("q", bytes(8 * MOST_KINDS * MOST_MEMBERS))
        self.raised = array("Q", bytes(8 * MOST_KINDS * MOST_MEMBERS))
        self.met_members = array("q", bytes(8 * MOST_KINDS * MOST_MEMBERS))
        self.elements = array("q", bytes(8 * MOST_KINDS))
        kind = 0
        while kind < len(self.media):
            if self.media[kind] is not None:
                self._take(kind)
            kind += 1

    cdef int _take(self, int kind) except -1:
        """Note what the table says of one kind of element."""
        medium = self.media[kind]
        names = [member.name for member in medium.members]
        self.required[kind] = [tuple(map(names.index, group)) for group in medium.required]
        for number, member in enumerate(medium.members):
            slot = kind * MOST_MEMBERS + number
            self.known[slot] = {}
            self.forms[slot] = member.form
            self.most_characters[slot] = member.most_characters
            self.most[slot] = member.most
            self.raised[slot] = member.raised
            if member.inner is not None:
                self.inners[slot] = len(self.media)
                self.media.append(member.inner)
        return 0

    cdef int _meet(self, Py_ssize_t slot, Py_ssize_t at, Py_ssize_t size) except -1:
        cdef int kind
        cdef str name
        Names._meet(self, slot, at, size)
        name = self.met[slot]
        for kind in range(len(self.media)):
            self.numbers[kind * NAME_SLOTS + slot] = -1
            if kind == LINKS and name in ("rel", "hreflang", "href"):
                self.numbers[kind * NAME_SLOTS + slot] = ("rel", "hreflang", "href").index(name)
            elif self.media[kind] is not None:
                for number, member in enumerate(self.media[kind].members):
                    if member.name == name:
                        self.numbers[kind * NAME_SLOTS + slot] = number
        return 0

    def signals(self, columns, dict links):
        """For each row; links that are ordinary are noted."""
        cdef const uint64_t[::1] starts = columns.starts
        cdef const uint64_t[::1] ends = columns.ends
        cdef const unsigned char[::1] marks = bytes(columns.marks)
        made = array("Q", bytes(8 * starts.shape[0]))
        cdef uint64_t[::1] found = made
        cdef Py_ssize_t row
        for row in range(starts.shape[0]):
            if not marks[row] & MARK_EXTENDED:
                continue
            self.repairing = marks[row] & MARK_SALVAGED
            if not self._judge(starts[row], ends[row], False) and not (self.declared and self._judge(starts[row], ends[row], True)):
                found[row] = self.everything
                continue
            if self.repairing and not self._are_known_repairs(columns.edits[row]) or self.scoped and self.found:
                found[row] = self.everything
                continue
            found[row] = self.found
            if self.languages:
                if not self.found & (SIGNAL_LINKS | SIGNAL_CODE | SIGNAL_HREF):
                    links[row] = self.link_type(tuple(self.languages), tuple(self.hrefs))
                if self._page() not in self.hrefs:
                    found[row] |= SIGNAL_SELF
        return made

    cdef bint _are_known_repairs(self, edits) except -1:
        """Whether the row was repaired just where a bare ampersand or an undefined entity is."""
        cdef Py_ssize_t number = 0
        for edit in edits:
            if 2 * number >= self.repairs.size or self.repairs.items[2 * number] != edit.place.offset:
                return False
            number += 1
        return 2 * number == self.repairs.size

    cdef bint _judge(self, Py_ssize_t start, Py_ssize_t end, bint scoped) except -1:
        """Sets `found`; False where only a closer look can tell."""
        cdef Py_ssize_t at
        self._start_row(scoped)
        self.room = end
        self.repairs.size = 0
        self.comments.size = 0
        self.tangled = False
        self.found = 0
        self.page_at = -1
        self.page = None
        self.hrefs, self.languages, self.addresses = [], [], []
        self.elements[:] = 0
        at = self._name(start + 1)
        if at >= 0:
            at = self._tag_end(at)
        while at >= 0:
            at = self._content(at)
            if at < 0 or end - at < 2:
                return False
            if self.data[at + 1] == 47:
                break
            at = self._element(at)
        if at < 0 or self.repairing and self.tangled:
            return False
        if len(self.addresses) > 1 and len(set(self.addresses)) < len(self.addresses):
            self.found |= SIGNAL_SHAPE
        if len(self.languages) > 1 and len(set(self.languages)) < len(self.languages):
            self.found |= SIGNAL_LINKS
        return True

    cdef str _page(self):
        """The address of the page."""
        if self.page is None:
            self.page = self._string(self.page_at, self.page_end, self.page_coded).strip() if self.page_at >= 0 else ""
        return self.page

    cdef Py_ssize_t _element(self, Py_ssize_t at) except -2:
        """Behind one element of the row."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), local = self.local
        cdef bint core = self.core
        cdef int kind
        if end < 0:
            return -1
        kind = 0 if core else self.kinds[self.last_prefix]
        if kind == STRANGE:
            return -1
        at = self._tag_end(end)
        if at < 0:
            return -1
        if core and end - local == 3 and self.source[local:end] == b"loc":
            return self._loc(at, name, end - name)
        if kind == 0:
            return at if self.is_empty else self._rest(at, name, end - name)
        if kind == LINKS:
            if self.source[local:end] != b"link":
                return -1
            self.found |= self._link()
            return at if self.is_empty else self._nothing(at, name, end - name)
        if self.source[local:end] != self.media[kind].name.encode():
            return -1
        self.elements[kind] += 1
        if self.elements[kind] > self.media[kind].most or self.attribute_count:
            self.found |= SIGNAL_SHAPE
        if self.is_empty:
            self.found |= SIGNAL_MISSING
        return at if self.is_empty else self._members_of(at, name, end - name, kind, kind)

    cdef Py_ssize_t _loc(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        if self.page_at >= 0 or self.is_empty:
            return -1
        self.coded = False
        self.page_at = at
        self.page_end = self._content(at)
        self.page_coded = self.coded
        return -1 if self.page_end < 0 else self._close_tag(self.page_end, name, size)

    cdef Py_ssize_t _nothing(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        """Behind the close tag of a link, in which nothing should be."""
        self.blank = True
        at = self._content(at)
        if not self.blank:
            self.found |= SIGNAL_LINKS
        return -1 if at < 0 else self._close_tag(at, name, size)

    cdef uint64_t _link(self) except? 1:
        """What the link raises whose tag was read last."""
        cdef Py_ssize_t number, which
        cdef Py_ssize_t rel = -1, hreflang = -1, href = -1
        cdef uint64_t raised = 0
        cdef str language, known, address
        if self.attribute_count != 3:
            return SIGNAL_LINKS
        for number in range(3):
            if self.attributes[ATTRIBUTE * number] != self.attributes[ATTRIBUTE * number + 2]:
                return SIGNAL_LINKS
            which = self.numbers[LINKS * NAME_SLOTS + self._attribute_slot(number)]
            if which == OF_REL:
                rel = number
            elif which == OF_HREFLANG:
                hreflang = number
            elif which == OF_HREF:
                href = number
        if rel < 0 or hreflang < 0 or href < 0 or self._attribute(rel) != "alternate":
            return SIGNAL_LINKS
        language = self._attribute(hreflang)
        known = self.tags.get(language)
        if known is None:
            known = self.tags[language] = language.lower() if self.is_tag(language) else ""
        if not known:
            raised = SIGNAL_CODE
            known = language.strip().lower()
        self.languages.append(known)
        address = self._ordinary_href(href)
        if address is None:
            raised |= SIGNAL_HREF
        elif known:
            self.hrefs.append(address)
        return raised

    cdef inline str _ordinary_href(self, Py_ssize_t number):
        """None for any other."""
        cdef Py_ssize_t at = self.attributes[ATTRIBUTE * number + 3], end = self.attributes[ATTRIBUTE * number + 4]
        if self.attributes[ATTRIBUTE * number + 5]:
            end = self._decode_attribute(at, end)
            return self.scratch[:end].decode("ascii") if _is_ordinary_address(self.scratch_view, 0, end) else None
        return self.source[at:end].decode("ascii") if _is_ordinary_address(self.data, at, end) else None

    cdef Py_ssize_t _members_of(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size, int kind, int outer) except -2:
        """Behind the close tag of an element with members."""
        cdef Py_ssize_t first = kind * MOST_MEMBERS
        medium = self.media[kind]
        self.met_members[first : first + MOST_MEMBERS] = 0
        if kind == outer:
            self.noted = []
        while True:
            self.blank = True
            at = self._content(at)
            if at < 0 or self.room - at < 2:
                return -1
            if not self.blank:
                self.found |= SIGNAL_SHAPE
            if self.data[at + 1] == 47:
                break
            at = self._member_of(at, kind, outer)
            if at < 0:
                return -1
        for group in <list>self.required[kind]:
            for number in <tuple>group:
                if self.met_members[first + <int>number]:
                    break
            else:
                self.found |= SIGNAL_MISSING
        if medium.differ:
            self.addresses += self.noted
        if medium.together is not None and not medium.together(self.noted, self._page()):
            self.found |= medium.raised_together
        return self._close_tag(at, name, size)

    cdef Py_ssize_t _member_of(self, Py_ssize_t at, int kind, int outer) except -2:
        """Behind a member of an element, its value judged."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), slot, value
        cdef int number
        if end < 0 or self.core or self.kinds[self.last_prefix] != outer:
            return -1
        number = self.numbers[kind * NAME_SLOTS + self._met(self.local, end - self.local)]
        at = self._tag_end(end)
        if at < 0:
            return -1
        if number < 0 or self.is_empty:
            self.found |= SIGNAL_SHAPE | SIGNAL_MISSING
            if number >= 0:
                self.found |= self.raised[kind * MOST_MEMBERS + number]
            return at if self.is_empty else self._rest(at, name, end - name)
        slot = kind * MOST_MEMBERS + number
        self.met_members[slot] += 1
        if self.met_members[slot] > self.most[slot]:
            self.found |= SIGNAL_SHAPE
        member = self.media[kind].members[number]
        if (self.attribute_count or member.attributes is not None) and not self._are_ordinary(member.attributes):
            self.found |= SIGNAL_SHAPE
        if self.inners[slot]:
            return self._members_of(at, name, end - name, self.inners[slot], outer)
        value = at
        self.coded = False
        self.blank = True
        at = self._content(value)
        if at < 0:
            return -1
        if self.blank:
            self.found |= SIGNAL_MISSING | self.raised[slot]
        elif self.forms[slot] == LISTED_FORM or not self._is_ordinary_value(value, at, slot, member):
            self.found |= self.raised[slot]
        return self._close_tag(at, name, end - name)

    cdef bint _are_ordinary(self, test) except -1:
        """The attributes of the tag read last."""
        cdef Py_ssize_t number
        cdef dict found = {}
        if test is None:
            return False
        for number in range(self.attribute_count):
            if self.attributes[ATTRIBUTE * number] != self.attributes[ATTRIBUTE * number + 2]:
                return False
            found[self.met[self._attribute_slot(number)]] = self._attribute(number)
        return test(found, self._page())

    cdef bint _is_ordinary_value(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t slot, member) except -1:
        cdef int form = self.forms[slot]
        cdef Py_ssize_t size
        cdef str text
        if form == ADDRESS_FORM or form == TEXT_FORM:
            if self.coded:
                size = self._decode(at, end)
                if not self._has_form(form, self.scratch_view, 0, size, self.most_characters[slot]):
                    return False
            elif not self._has_form(form, self.data, at, end, self.most_characters[slot]):
                return False
            if member.test is None and not member.noted:
                return True
        elif member.test is None:
            return False
        text = self._string(at, end, self.coded)
        if member.noted:
            self.noted.append(text)
        return member.test is None or self._passes(<dict>self.known[slot], member.test, text)

    cdef bint _passes(self, dict known, test, str text) except -1:
        """Most values of a field are met again and again."""
        found = known.get(text)
        if found is None:
            found = test(text)
            if len(known) < MOST_KNOWN:
                known[text] = found
        return found

    cdef inline bint _has_form(self, int form, const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t end, Py_ssize_t most) except -1 nogil:
        if form == ADDRESS_FORM:
            return _is_ordinary_address(text, at, end)
        return _is_short(text, at, end, most)
