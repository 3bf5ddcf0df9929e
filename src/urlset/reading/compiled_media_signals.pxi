# The images, videos, news and links of entries → signals. Included by compiled.pyx.
# What is ordinary is said by the table that the judge is given (checking/media_signals.py); addresses are code here
# and a pattern in spec/extensions.py. A test compares them.

cdef enum:
    LEGAL = 1
    OF_HOST = 2
    ALPHANUMERIC = 4

cdef unsigned char[256] ADDRESS_CLASS


cdef void _fill_address_class() noexcept:
    cdef int byte
    for byte in range(256):
        ADDRESS_CLASS[byte] = 0
        if 97 <= LOWER[byte] <= 122 or 48 <= byte <= 57:
            ADDRESS_CLASS[byte] = LEGAL | OF_HOST | ALPHANUMERIC
        elif byte in b"-._":
            ADDRESS_CLASS[byte] = LEGAL | OF_HOST
        elif byte in b"~!$&'()*+,;=:@/":
            ADDRESS_CLASS[byte] = LEGAL


_fill_address_class()


cdef bint _is_ordinary_address(const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t end) except -1 nogil:
    """Whether `text[at:end]` is an address as in spec/extensions.py."""
    cdef Py_ssize_t digits
    if end - at < 9 or end > text.shape[0] or memcmp(&text[at], <const unsigned char*>b"http", 4) != 0:
        return False
    at += 5 if text[at + 4] == 115 else 4
    if end - at < 4 or text[at] != 58 or text[at + 1] != 47 or text[at + 2] != 47 or not ADDRESS_CLASS[text[at + 3]] & ALPHANUMERIC:
        return False
    at += 4
    while at < end and ADDRESS_CLASS[text[at]] & OF_HOST:
        at += 1
    if at < end and text[at] == 58:
        digits = at + 1
        at = digits
        while at < end and 48 <= text[at] <= 57:
            at += 1
        if not 1 <= at - digits <= 5:
            return False
    if at >= end or text[at] != 47:
        return False
    while at < end:
        if ADDRESS_CLASS[text[at]] & LEGAL:
            at += 1
        elif text[at] == 37:
            if end - at < 3 or DIGIT[text[at + 1]] > 15 or DIGIT[text[at + 2]] > 15:
                return False
            at += 3
        elif text[at] == 63:
            at += 1
        else:
            return False
    return True


cdef bint _is_short(const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t end, Py_ssize_t most) except -1 nogil:
    """Whether `text[at:end]` has no more than `most` characters."""
    cdef Py_ssize_t count = 0
    if end - at <= most:
        return True
    for at in range(at, end):
        count += text[at] & 0xC0 != 0x80
    return count <= most


cdef enum:
    STRANGE = 255
    MOST_KINDS = 8
    MOST_MEMBERS = 40
    MOST_GROUPS = 8
    OF_ITSELF = -2
    MOST_KNOWN = 65536

    LONGEST_ENDING = 8

    # forms of members, and how their values are counted, as in checking/media_signals.py
    BY_HOST = 1
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
    # by kind: its groups of members of which one must be there, as bits; how many elements an entry may have;
    # whether no two of them may have the same noted value; whether the noted values are judged together, and whether
    # they are addresses that only must not be that of the page
    cdef uint64_t[::1] required
    cdef int64_t[::1] most_elements
    cdef unsigned char[::1] differ
    cdef unsigned char[::1] together
    cdef unsigned char[::1] apart
    cdef list known
    """by kind and number of the member: values that were met, and whether they are ordinary"""
    cdef object link_type, is_tag
    cdef dict tags
    # by kind and slot: the number of the member that a name means
    cdef int[::1] numbers
    # by kind and number of the member
    cdef unsigned char[::1] attributed
    cdef unsigned char[::1] tested
    cdef unsigned char[::1] noting
    cdef unsigned char[::1] by_ending
    cdef unsigned char[::1] counting
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
    """of the address of the page, -1 where it is not known to be the one in the column"""
    cdef bint page_coded, irregular
    cdef str page
    cdef object columns
    cdef Py_ssize_t row
    cdef list hrefs, languages, noted
    cdef Numbers digests
    """of noted values that must differ: two equal ones raise a signal, even if the values are not the same"""
    cdef int64_t[::1] elements
    cdef Py_ssize_t first_link
    """where the links begin that are the rest of the row, -1 while there are none"""
    cdef bint repaired
    """the bytes are those of the row after its repairs"""
    cdef object row_links
    """what they say, where they are ordinary"""
    cdef readonly bint complete
    """the values of all entries were met, so `hosts` and `repeated` are right"""
    cdef readonly dict hosts
    """of the values of members that are counted by host"""
    cdef readonly set repeated
    """the names of members that are counted by value and have one twice, or may have"""
    cdef bytes host
    cdef Py_ssize_t host_count
    """the one met last, and how often in a row"""
    cdef uint64_t[::1] met_values
    cdef int bits
    cdef Py_ssize_t tries
    cdef dict blocks
    """by the hash of their bytes up to the end of the row: where they were met first, and what they say; the pages of
    a cluster repeat them"""

    def __init__(self, bytes data, bytes own, tuple prefixes, bytes kinds, tuple media, tuple tests, uint64_t everything, meaning):
        Names.__init__(self, data, own, prefixes)
        cdef int kind, number
        self.kinds = kinds
        self.media = [None, *media, None]
        self.required = array("Q", bytes(8 * MOST_KINDS * MOST_GROUPS))
        self.most_elements = array("q", bytes(8 * MOST_KINDS))
        self.differ = bytearray(MOST_KINDS)
        self.together = bytearray(MOST_KINDS)
        self.apart = bytearray(MOST_KINDS)
        self.attributed = bytearray(MOST_KINDS * MOST_MEMBERS)
        self.tested = bytearray(MOST_KINDS * MOST_MEMBERS)
        self.noting = bytearray(MOST_KINDS * MOST_MEMBERS)
        self.by_ending = bytearray(MOST_KINDS * MOST_MEMBERS)
        self.counting = bytearray(MOST_KINDS * MOST_MEMBERS)
        self.known = [None] * (MOST_KINDS * MOST_MEMBERS)
        self.link_type, self.is_tag = tests
        self.everything = everything
        self.meaning = meaning
        self.digests = Numbers()
        self.tags = {}
        self.blocks = {}
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
        for number, group in enumerate(medium.required):
            self.required[kind * MOST_GROUPS + number] = sum([1 << names.index(name) for name in group])
        self.most_elements[kind] = medium.most
        self.differ[kind] = medium.differ
        self.together[kind] = medium.together is not None
        self.apart[kind] = medium.apart
        for number, member in enumerate(medium.members):
            slot = kind * MOST_MEMBERS + number
            self.known[slot] = {}
            self.attributed[slot] = member.attributes is not None
            self.tested[slot] = member.test is not None
            self.noting[slot] = member.noted
            self.by_ending[slot] = member.by_ending
            self.counting[slot] = member.counted
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
        name = self.known_names[slot]
        for kind in range(len(self.media)):
            self.numbers[kind * NAME_SLOTS + slot] = -1
            if kind == LINKS and name in ("rel", "hreflang", "href"):
                self.numbers[kind * NAME_SLOTS + slot] = ("rel", "hreflang", "href").index(name)
            elif kind == LINKS and name == "link":
                self.numbers[kind * NAME_SLOTS + slot] = OF_ITSELF
            elif self.media[kind] is not None:
                if name == self.media[kind].name:
                    self.numbers[kind * NAME_SLOTS + slot] = OF_ITSELF
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
        cdef Py_ssize_t row, begin, end
        cdef bytes document = self.source
        self.columns = columns
        self.bits = _bits_for(8 * starts.shape[0])
        self.met_values = array("Q", bytes(8 << self.bits))
        self.tries = 16 * starts.shape[0]
        self.host, self.host_count = b"", 0
        self.hosts, self.repeated = {}, set()
        self.complete = not columns.outside
        for row in range(starts.shape[0]):
            if not marks[row] & MARK_EXTENDED:
                continue
            begin, end = starts[row], ends[row]
            self.row, self.irregular = row, marks[row] & MARK_IRREGULAR
            self.repaired = marks[row] & MARK_SALVAGED and row in columns.edits
            if self.repaired:
                self._read_from(row_reader.apply_edits(document, begin, end, columns.edits[row]))
                begin, end = 0, self.limit
            elif self.source is not document:
                self._read_from(document)
            if not self._judge(begin, end, False):
                self.complete = False
                if not (self.declared and self._judge(begin, end, True)):
                    found[row] = self.everything
                    continue
            if self.scoped and self.found:
                found[row] = self.everything
                continue
            found[row] = self.found
            if self.row_links is not None:
                links[row] = self.row_links
                if self._page() not in self.row_links.hrefs:
                    found[row] |= SIGNAL_SELF
            elif self.languages and self._page() not in self.hrefs:
                found[row] |= SIGNAL_SELF
        self._next_host(b"")
        return made

    cdef bint _judge(self, Py_ssize_t start, Py_ssize_t end, bint scoped) except -1:
        """Sets `found`; False where only a closer look can tell."""
        cdef Py_ssize_t at
        cdef bint commented
        self._start_row(scoped)
        self.room = end
        self.comments.size = 0
        self.found = 0
        self.page_at = -1
        self.page = None
        self.hrefs, self.languages = [], []
        self.digests.size = 0
        self.first_link = -1
        self.row_links = None
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
        if at < 0:
            return False
        if len(self.languages) > 1 and len(set(self.languages)) < len(self.languages):
            self.found |= SIGNAL_LINKS
        if self.languages and not self.found & (SIGNAL_LINKS | SIGNAL_CODE | SIGNAL_HREF):
            self.row_links = self.link_type(tuple(self.languages), tuple(self.hrefs))
            commented = self.comments.size and self.comments.items[self.comments.size - 1] > self.first_link
            if self.first_link >= 0 and not self.repaired and not scoped and not commented:
                block = (self.first_link, end - self.first_link, end - at, self.row_links)
                self.blocks[_hash(&self.data[self.first_link], end - self.first_link, 0)] = block
        return True

    cdef Py_ssize_t _known_links(self, Py_ssize_t at) except -2:
        """At the close tag of the row, where the same links were met before and are the rest of it; else -1."""
        cdef Py_ssize_t size = self.room - at, before
        block = self.blocks.get(_hash(&self.data[at], size, 0))
        if block is None or <Py_ssize_t>block[1] != size:
            return -1
        before = block[0]
        if not self._same(at, before, size):
            return -1
        self.row_links = block[3]
        return self.room - <Py_ssize_t>block[2]

    cdef str _page(self):
        """The address of the page."""
        if self.page is None:
            known = self.page_at >= 0
            self.page = self._string(self.page_at, self.page_end, self.page_coded) if known else self.columns.loc(self.row) or ""
            self.page = self.page.strip()
        return self.page

    cdef Py_ssize_t _element(self, Py_ssize_t at) except -2:
        """Behind one element of the row."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), local = self.local
        cdef Py_ssize_t block
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
        if kind != LINKS:
            self.first_link = -1
        if core and end - local == 3 and memcmp(&self.data[local], <const unsigned char*>b"loc", 3) == 0:
            return self._loc(at, name, end - name)
        if kind == 0:
            if not core and not self.is_empty:
                self.complete = False  # what is in it is not looked at
            return at if self.is_empty else self._rest(at, name, end - name)
        if self.numbers[kind * NAME_SLOTS + self._name_slot(local, end - local)] != OF_ITSELF:
            return -1
        if kind == LINKS:
            if not self.languages and not self.found & SIGNAL_LINKS and not self.repaired and not self.scoped:
                self.first_link = name - 1
                if (block := self._known_links(name - 1)) >= 0:
                    return block
            self.found |= self._link()
            return at if self.is_empty else self._nothing(at, name, end - name)
        self.elements[kind] += 1
        if self.elements[kind] > self.most_elements[kind] or self.attribute_count:
            self.found |= SIGNAL_SHAPE
        if self.is_empty:
            self.found |= SIGNAL_MISSING
        return at if self.is_empty else self._members_of(at, name, end - name, kind, kind)

    cdef Py_ssize_t _loc(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size) except -2:
        cdef Py_ssize_t end
        if self.is_empty:
            return at
        self.coded = False
        end = self._content(at)
        if not self.irregular:
            self.page_at, self.page_end, self.page_coded = at, end, self.coded
        return -1 if end < 0 else self._close_tag(end, name, size)

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
            end = self._decode(at, end, True)
            return self.scratch[:end].decode("ascii") if _is_ordinary_address(self.scratch_view, 0, end) else None
        return self.source[at:end].decode("ascii") if _is_ordinary_address(self.data, at, end) else None

    cdef Py_ssize_t _members_of(self, Py_ssize_t at, Py_ssize_t name, Py_ssize_t size, int kind, int outer) except -2:
        """Behind the close tag of an element with members."""
        cdef Py_ssize_t first = kind * MOST_MEMBERS, group
        cdef uint64_t there = 0
        for group in range(first, first + MOST_MEMBERS):
            self.met_members[group] = 0
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
        for group in range(MOST_MEMBERS):
            if self.met_members[first + group]:
                there |= <uint64_t>1 << group
        for group in range(kind * MOST_GROUPS, (kind + 1) * MOST_GROUPS):
            if self.required[group] and not self.required[group] & there:
                self.found |= SIGNAL_MISSING
        if self.together[kind] and (self.noted or not self.apart[kind]) and not self.media[kind].together(self.noted, self._page()):
            self.found |= <uint64_t>self.media[kind].raised_together
        return self._close_tag(at, name, size)

    cdef Py_ssize_t _member_of(self, Py_ssize_t at, int kind, int outer) except -2:
        """Behind a member of an element, its value judged."""
        cdef Py_ssize_t name = at + 1, end = self._name(name), slot, value
        cdef int number
        if end < 0 or self.core or self.kinds[self.last_prefix] != outer:
            return -1
        number = self.numbers[kind * NAME_SLOTS + self._name_slot(self.local, end - self.local)]
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
        if self.attribute_count or self.attributed[slot]:
            if not self._are_ordinary(self.media[kind].members[number].attributes):
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
        elif self.forms[slot] == LISTED_FORM or not self._is_ordinary_value(value, at, slot):
            self.found |= self.raised[slot]
            if self.counting[slot]:
                self.complete = False
        elif self.counting[slot]:
            self._count(value, at, slot)
        return self._close_tag(at, name, end - name)

    cdef int _count(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t slot) except -1:
        """An ordinary address: by its host, or by its hash."""
        cdef const unsigned char[::1] text = self.data
        if self.coded:
            at, end, text = 0, self._decode(at, end), self.scratch_view
        if self.counting[slot] == BY_HOST:
            while text[at] != 58:
                at += 1
            at += 3
            end = at
            while ADDRESS_CLASS[text[end]] & OF_HOST:
                end += 1
            if end - at != len(self.host) or memcmp(&text[at], <const unsigned char*>self.host, end - at) != 0:
                self._next_host((<const char*>&text[at])[: end - at])
            self.host_count += 1
        elif self.tries > 0:
            self.tries -= 1
            if _was_met(self.met_values, _hash(&text[at], end - at, slot), self.bits, &self.tries):
                self.repeated.add(self.media[slot // MOST_MEMBERS].members[slot % MOST_MEMBERS].name)
            self.complete = self.complete and self.tries > 0
        return 0

    cdef int _next_host(self, bytes host) except -1:
        if self.host_count:
            self.hosts[self.host] = self.hosts.get(self.host, 0) + self.host_count
        self.host, self.host_count = host, 0
        return 0

    cdef bint _ends_unlike_page(self, Py_ssize_t at, Py_ssize_t end) except -1:
        """Whether an ordinary address cannot be that of the page: no escapes, and another last letter or digit, which
        stays in every notation of an address. References and sections do not end with one."""
        cdef Py_ssize_t last = self.page_end
        if self.coded or self.page_at < 0:
            return False
        while last > self.page_at and CLASS[self.data[last - 1]] & SPACE:
            last -= 1
        if last == self.page_at or not ADDRESS_CLASS[self.data[last - 1]] & ADDRESS_CLASS[self.data[end - 1]] & ALPHANUMERIC:
            return False
        if memchr(&self.data[self.page_at], 37, last - self.page_at) or memchr(&self.data[self.page_at], 35, last - self.page_at) or memchr(&self.data[at], 37, end - at):
            return False
        return LOWER[self.data[last - 1]] != LOWER[self.data[end - 1]]

    cdef bint _are_ordinary(self, test) except -1:
        """The attributes of the tag read last."""
        cdef Py_ssize_t number
        cdef dict found = {}
        if test is None:
            return False
        for number in range(self.attribute_count):
            if self.attributes[ATTRIBUTE * number] != self.attributes[ATTRIBUTE * number + 2]:
                return False
            found[self.known_names[self._attribute_slot(number)]] = self._attribute(number)
        return test(found, self._page())

    cdef bint _is_ordinary_value(self, Py_ssize_t at, Py_ssize_t end, Py_ssize_t slot) except -1:
        cdef int form = self.forms[slot]
        cdef Py_ssize_t size = 0
        cdef str text
        if form == ADDRESS_FORM or form == TEXT_FORM:
            if self.coded:
                size = self._decode(at, end)
                if not self._has_form(form, self.scratch_view, 0, size, self.most_characters[slot]):
                    return False
            elif not self._has_form(form, self.data, at, end, self.most_characters[slot]):
                return False
            if not self.tested[slot] and not self.noting[slot]:
                return True
        elif not self.tested[slot]:
            return False
        if self.noting[slot] and self.differ[slot // MOST_MEMBERS]:
            self._note_digest(_hash(&self.scratch_view[0], size, 0) if self.coded else _hash(&self.data[at], end - at, 0))
            if not self.tested[slot]:
                return True
        if self.noting[slot] and not (self.apart[slot // MOST_MEMBERS] and self._ends_unlike_page(at, end)):
            self.noted.append(self._string(at, end, self.coded))
        if not self.tested[slot]:
            return True
        if self.by_ending[slot] and not self.coded and memchr(&self.data[at], 63, end - at) == NULL:
            for size in range(end - 1, max(at, end - LONGEST_ENDING), -1):
                if self.data[size] == 46:
                    at = size
                    break
        return self._passes(<dict>self.known[slot], slot, self._string(at, end, self.coded))

    cdef int _note_digest(self, uint64_t digest) except -1:
        cdef Py_ssize_t number
        for number in range(self.digests.size):
            if <uint64_t>self.digests.items[number] == digest:
                self.found |= SIGNAL_SHAPE
                return 0
        if not self.found & SIGNAL_SHAPE:  # too many of them raise it as well
            self.digests.push(<int64_t>digest)
        return 0

    cdef bint _passes(self, dict known, Py_ssize_t slot, str text) except -1:
        """Most values of a field are met again and again."""
        found = known.get(text)
        if found is None:
            found = self.media[slot // MOST_MEMBERS].members[slot % MOST_MEMBERS].test(text)
            if len(known) < MOST_KNOWN:
                known[text] = found
        return found

    cdef inline bint _has_form(self, int form, const unsigned char[::1] text, Py_ssize_t at, Py_ssize_t end, Py_ssize_t most) except -1 nogil:
        if form == ADDRESS_FORM:
            return _is_ordinary_address(text, at, end)
        return _is_short(text, at, end, most)
