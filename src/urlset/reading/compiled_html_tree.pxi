# Tags → the elements that are open, as the tree builder would have them, and what each says.
# Included by compiled_html.pyx.

cdef class PlainPage(PageBytes):
    cdef _read(self):
        self._until_body()
        self._in_body()
        self._cut()
        while self.depth > 1:
            self._pop()
        self.blocks = tuple(self.texts)
        self.source = None
        self.data = NULL

    cdef int _until_body(self) except -1:
        """The beginning of the page to the start of its body."""
        self._between()
        if self.at + 1 >= self.size or not NAME_BYTE[self.data[self.at + 1]] & 1 or self.data[self.at + 1] < 65:
            raise NotCertainError
        self.at += 1
        self._tag_name()
        self._attributes()
        if self.tag != HTML or self._is_marked():
            raise NotCertainError
        self.language = self._get("lang", 4)
        self._push()
        return self._in_head()

    cdef int _begin_body(self) except -1:
        """At its start tag, or at the first one that implies it."""
        if self.tag == BODY:
            if self._is_marked():
                raise NotCertainError
            self._push()
            return 0
        if FLAGS[self.tag] & REFUSED or self.tag == TEMPLATE:
            raise NotCertainError
        self._push_implied(BODY)
        return self._start_tag()

    cdef int _between(self) except -1:
        """Over whitespace, comments and the document type, to the next tag."""
        cdef const unsigned char* data = self.data
        cdef Py_ssize_t at
        while True:
            while self.at < self.size and _is_space(data[self.at]):
                self.at += 1
            at = self.at
            if at + 2 >= self.size or data[at] != 60:
                raise NotCertainError
            if data[at + 1] != 33:
                return 0
            if data[at + 2] == 45:
                self._comment()
            elif self.depth == 0 and self.source[at : at + 9].lower() == b"<!doctype":
                at = self.source.find(b">", at)
                if at < 0:
                    raise NotCertainError
                self.at = at + 1
            else:
                raise NotCertainError

    cdef int _comment(self) except -1:
        """At `<!-`."""
        cdef Py_ssize_t at = self.at + 4
        if self.source[self.at : at] != b"<!--":
            raise NotCertainError
        cdef Py_ssize_t end = self.source.find(b"-->", at)
        if end < 0 or self.data[at] == 62 or self.source[at : at + 2] == b"->":
            raise NotCertainError
        if self.source.find(b"--!>", at, end) >= 0:
            raise NotCertainError
        self.at = end + 3
        return 0

    cdef int _in_head(self) except -1:
        """Tags of the head to the start of the body; those of head itself may be left out."""
        cdef bint unseen = False  # in noscript
        cdef bint begun = False, ended = False
        while True:
            self._between()
            if self.data[self.at + 1] == 47:
                self.at += 2
                self._tag_name()
                self._attributes()
                if unseen and self.tag == NOSCRIPT:
                    unseen = False
                    continue
                if self.tag != HEAD or unseen or ended:
                    raise NotCertainError
                ended = True
                continue
            if LOWER[self.data[self.at + 1]] < 97 or LOWER[self.data[self.at + 1]] > 122:
                raise NotCertainError
            self.at += 1
            self._tag_name()
            self._attributes()
            if self.tag == HEAD:
                if begun or ended or self._is_marked():
                    raise NotCertainError
                begun = True
                continue
            if not FLAGS[self.tag] & IN_HEAD:
                if unseen:
                    raise NotCertainError
                return self._begin_body()
            if ended:
                raise NotCertainError
            begun = True
            if self.tag == META or self.tag == LINK:
                if not unseen:
                    self._speak(True)
            elif self.tag == STYLE:
                self._raw(STYLE)
            elif unseen:
                raise NotCertainError
            elif self.tag == BASE:
                self._speak(True)
            elif self.tag == SCRIPT:
                self._script()
            elif self.tag == TITLE:
                self._title()
            else:
                unseen = True

    cdef Py_ssize_t _raw(self, int tag) except -1:
        """Over the content of an element that holds no markup, and its end tag; where the content ends."""
        cdef const unsigned char* data = self.data
        cdef Py_ssize_t at = self.at
        cdef Py_ssize_t after
        cdef const void* found
        cdef int size = NAME_SIZES[tag]
        cdef int same
        while True:
            found = memchr(data + at, 60, self.size - at)
            if found == NULL:
                raise NotCertainError
            at = <const unsigned char*>found - data
            after = at + 2 + size
            if after >= self.size:
                raise NotCertainError
            if data[at + 1] == 47:
                same = 0
                while same < size and LOWER[data[at + 2 + same]] == NAMES[tag][same]:
                    same += 1
                if same == size and (_is_space(data[after]) or data[after] == 47 or data[after] == 62):
                    break
            at += 1
        self.at = after
        self._attributes()
        return at

    cdef int _script(self) except -1:
        kind = self._get("type", 4)
        cdef Py_ssize_t start = self.at
        cdef Py_ssize_t end = self._raw(SCRIPT)
        cdef Py_ssize_t comment = self.source.find(b"<!--", start, end)
        if comment >= 0 and b"<script" in self.source[comment:end].lower():
            raise NotCertainError
        if kind is not None and kind.strip().lower().partition(";")[0].strip() == "application/ld+json":
            text = self._str(start, end - start)
            if "\0" in text:
                raise NotCertainError
            self.scripts.append(text.replace("\f", "").replace("\r\n", "\n").replace("\r", "\n"))
        return 0

    cdef int _title(self) except -1:
        cdef Py_ssize_t start = self.at
        cdef Py_ssize_t end = self._raw(TITLE)
        text = self._str(start, end - start)
        if "<" in text or "\0" in text:
            raise NotCertainError
        if self.title is None:
            if "&" in text:
                text = _REFERENCE.sub(_in_text, text)
            self.title = " ".join(text.split())
        return 0

    cdef int _in_body(self) except -1:
        cdef const unsigned char* data = self.data
        cdef const void* found
        cdef Py_ssize_t end
        cdef unsigned char byte
        while self.at < self.size:
            found = memchr(data + self.at, 60, self.size - self.at)
            end = self.size if found == NULL else <const unsigned char*>found - data
            while end + 1 < self.size and not (LOWER[data[end + 1]] >= 97 and LOWER[data[end + 1]] <= 122):
                byte = data[end + 1]
                if byte == 47 or byte == 33 or byte == 63:
                    break
                found = memchr(data + end + 1, 60, self.size - end - 1)  # a bare `<` is text
                end = self.size if found == NULL else <const unsigned char*>found - data
            if end + 1 >= self.size and end < self.size:
                raise NotCertainError
            if end > self.at:
                self._run_of_text(end)
            if end >= self.size:
                return 0
            byte = data[end + 1]
            if byte == 33:
                self._comment()
            elif byte == 63:
                raise NotCertainError
            elif byte == 47:
                if end + 2 >= self.size or LOWER[data[end + 2]] < 97 or LOWER[data[end + 2]] > 122:
                    raise NotCertainError
                self.at = end + 2
                self._tag_name()
                self._attributes()
                self._end_tag()
            else:
                self.at = end + 1
                self._tag_name()
                self._attributes()
                self._start_tag()
        return 0

    cdef int _run_of_text(self, Py_ssize_t end) except -1:
        cdef Py_ssize_t at
        if FLAGS[self.stack[self.depth - 1].tag] & ROWS:
            for at in range(self.at, end):
                if not _is_space(self.data[at]):
                    raise NotCertainError  # it would move in front of the table
        if self.skipping:
            self.at = end
            return 0
        return self._text(end)

    # the stack

    cdef int _push(self) except -1:
        if self.depth >= DEEPEST:
            raise NotCertainError
        cdef Open* top = &self.stack[self.depth]
        top.tag, top.name, top.name_size = self.tag, self.name, self.name_size
        top.container, top.is_container = self.container, False
        self.depth += 1
        if FLAGS[self.tag] & FORMATTING:
            self.formatting += 1
        else:
            self.copies += self.formatting
            if self.copies > MOST_COPIES:
                raise NotCertainError
        return 0

    cdef int _push_implied(self, int tag) except -1:
        cdef int kept = self.tag
        self.tag = tag
        self._push()
        self.tag = kept
        return 0

    cdef int _pop(self) except -1:
        self.depth -= 1
        cdef Open* top = &self.stack[self.depth]
        if FLAGS[top.tag] & FORMATTING:
            self.formatting -= 1
        if self.skipping > self.depth:
            self.skipping = 0
        if top.is_container:
            self.ranges[self.container] = (self.ranges[self.container][0], self.block_count)
        self.container = top.container
        return 0

    cdef inline int _top(self) noexcept:
        return self.stack[self.depth - 1].tag

    cdef bint _is_open(self, int at) noexcept:
        """Whether that open element has the name of the tag."""
        if self.stack[at].tag or self.tag:
            return self.stack[at].tag == self.tag
        if self.stack[at].name_size != self.name_size:
            return False
        cdef Py_ssize_t each
        for each in range(self.name_size):
            if LOWER[self.data[self.stack[at].name + each]] != LOWER[self.data[self.name + each]]:
                return False
        return True

    cdef int _pop_to(self, int at) except -1:
        """Close the element at `at` and all inside, which must be implied ones."""
        while self.depth > at + 1:
            if not FLAGS[self._top()] & IMPLIED:
                raise NotCertainError
            self._pop()
        self._pop()
        return 0

    cdef int _pop_implied(self) except -1:
        while FLAGS[self._top()] & IMPLIED:
            self._pop()
        return 0

    cdef int _find_open(self) noexcept:
        cdef int at = self.depth - 1
        while at > 1 and not self._is_open(at):
            at -= 1
        return at if at > 1 else -1

    cdef int _close_paragraph(self) except -1:
        cdef int at = self.depth - 1
        while at > 1:
            if self.stack[at].tag == P:
                if at != self.depth - 1:
                    raise NotCertainError
                self._pop()
                return 0
            if FLAGS[self.stack[at].tag] & SCOPE:
                return 0
            at -= 1
        return 0

    cdef int _close_item(self, int first, int second) except -1:
        """Before a list item, the one that is open."""
        cdef int at = self.depth - 1
        cdef int tag
        while at > 1:
            tag = self.stack[at].tag
            if tag == first or tag == second:
                return self._pop_to(at)
            if FLAGS[tag] & SPECIAL:
                return 0
            at -= 1
        return 0

    # start tags

    cdef int _start_tag(self) except -1:
        cdef int tag = self.tag
        cdef unsigned int flags = FLAGS[tag]
        cdef int top
        if flags & REFUSED:
            raise NotCertainError
        if not self.skipping and not (flags & INLINE and self.one_case):
            self._cut()
        if flags & TABLE_PART:
            self._table_part()
            flags = FLAGS[tag]
        else:
            top = self._top()
            if FLAGS[top] & ROWS and tag != SCRIPT and tag != STYLE and tag != TEMPLATE:
                raise NotCertainError
            if (top == SELECT or top == OPTION or top == OPTGROUP) and self._in_select():
                if tag != OPTION and tag != OPTGROUP and tag != SCRIPT:
                    raise NotCertainError
            if tag == LI:
                self._close_item(LI, LI)
            elif tag == DD or tag == DT:
                self._close_item(DD, DT)
            if flags & CLOSES_P:
                self._close_paragraph()
            if flags & HEADING and FLAGS[self._top()] & HEADING:
                raise NotCertainError
            if flags & ONE and self._find_open() >= 0:
                raise NotCertainError
            if tag == OPTION or tag == OPTGROUP:
                while self._top() == OPTION or (tag == OPTGROUP and self._top() == OPTGROUP):
                    self._pop()
            elif tag == RT or tag == RP:
                while self._top() == RT or self._top() == RP:
                    self._pop()
        if tag == SCRIPT:
            self._script()
        elif tag == SVG:
            self._svg()
        elif tag == TEMPLATE:
            self._template()
        elif flags & RAW:
            self._raw(tag)
        elif tag == TEXTAREA:
            self._textarea()
        else:
            self._open(flags)
        return 0

    cdef int _open(self, unsigned int flags) except -1:
        if flags & UNSEEN or self.skipping:
            if self.tag == IMG and self.want_images:
                self.images.append((self._image(), NOT_SHOWN))
            if not flags & VOID:
                self._push()
            if not self.skipping:
                self.skipping = self.depth
            return 0
        if not flags & VOID:
            self._push()
        if flags & SPEAKS or (self.attribute_count and self._is_marked()):
            self._speak(False)
        if self.tag == A or self.tag == AREA:
            if self.want_links and self._has("href", 4) >= 0:
                self.anchors.append((self._get("href", 4), self._get("rel", 3) or ""))
        elif self.tag == IMG and self.want_images:
            self.images.append((self._image(), self.container))
        return 0

    cdef bint _in_select(self) noexcept:
        cdef int at = self.depth - 1
        while at > 1 and (self.stack[at].tag == OPTION or self.stack[at].tag == OPTGROUP):
            at -= 1
        return self.stack[at].tag == SELECT

    cdef int _table_part(self) except -1:
        """Close the cells, rows and groups that this one ends."""
        cdef int tag = self.tag
        cdef int top
        if tag == CAPTION or tag == COLGROUP or tag == COL:
            if self._top() == COLGROUP and tag != COL:
                self._pop()
            if self._top() != TABLE and not (tag == COL and self._top() == COLGROUP):
                raise NotCertainError
            return 0
        self._pop_implied()
        if self._top() == TD or self._top() == TH:
            self._pop()
        if tag == TD or tag == TH:
            top = self._top()
            if top == TABLE:
                self._push_implied(TBODY)
                top = TBODY
            if top == TBODY or top == THEAD or top == TFOOT:
                self._push_implied(TR)
            elif top != TR:
                raise NotCertainError
            return 0
        if self._top() == TR:
            self._pop()
        if self._top() == COLGROUP:
            self._pop()
        top = self._top()
        if tag == TR:
            if top == TABLE:
                self._push_implied(TBODY)
            elif top != TBODY and top != THEAD and top != TFOOT:
                raise NotCertainError
            return 0
        if top == TBODY or top == THEAD or top == TFOOT:
            self._pop()
        if self._top() != TABLE:
            raise NotCertainError
        return 0

    # end tags

    cdef int _end_tag(self) except -1:
        cdef int tag = self.tag
        cdef unsigned int flags = FLAGS[tag]
        cdef int at
        if tag == BODY or tag == HTML:
            if not self.skipping:
                self._cut()
            return 0  # what follows still belongs to the open elements
        if flags & (REFUSED | RAW | VOID) or tag == SVG or tag == TEMPLATE or tag == TEXTAREA:
            raise NotCertainError
        if not self.skipping and not (flags & INLINE and self.one_case):
            self._cut()
        if self._is_open(self.depth - 1) and self.depth > 2:
            self._pop()
            return 0
        at = self._find_open()
        if at < 0:
            if FLAGS[self._top()] & ROWS or self._in_select():
                raise NotCertainError
            if flags & HEADING:
                for at in range(2, self.depth):
                    if FLAGS[self.stack[at].tag] & HEADING:
                        raise NotCertainError
            return 0  # it closes nothing; an empty paragraph says nothing
        if flags & TABLE_PART or tag == TABLE:
            return self._close_table_part(at)
        if tag == OPTGROUP or tag == SELECT or flags & BLOCK or flags & IMPLIED:
            return self._pop_to(at)
        raise NotCertainError

    cdef int _close_table_part(self, int at) except -1:
        self._pop_implied()
        while self.depth > at + 1:
            if not FLAGS[self._top()] & TABLE_PART:
                raise NotCertainError
            if self.tag == TD or self.tag == TH or self.tag == CAPTION or self.tag == COLGROUP:
                raise NotCertainError
            self._pop()
        self._pop()
        return 0

    # elements that are stepped over, or that say something

    cdef int _template(self) except -1:
        """Over it and all inside; with nothing in it that could end it early."""
        cdef int depth = 1
        cdef Py_ssize_t at
        while depth:
            at = self.source.find(b"<", self.at)
            if at < 0 or at + 2 >= self.size:
                raise NotCertainError
            self.at = at
            if self.data[at + 1] == 33:
                self._comment()
                continue
            if self.data[at + 1] == 47:
                self.at = at + 2
                if LOWER[self.data[self.at]] < 97 or LOWER[self.data[self.at]] > 122:
                    raise NotCertainError
                self._tag_name()
                self._attributes()
                depth -= self.tag == TEMPLATE
                continue
            if LOWER[self.data[at + 1]] < 97 or LOWER[self.data[at + 1]] > 122:
                self.at = at + 1
                continue
            self.at = at + 1
            self._tag_name()
            self._attributes()
            if FLAGS[self.tag] & REFUSED:
                raise NotCertainError
            if self.tag == SVG:
                self._svg()
                continue
            if FLAGS[self.tag] & RAW or self.tag == TEXTAREA:
                if self.tag == SCRIPT:
                    raise NotCertainError
                self._raw(self.tag)
            depth += self.tag == TEMPLATE
        return 0

    cdef int _svg(self) except -1:
        """Over it and all inside; only if every element in it is closed and none would end it."""
        cdef int floor = self.depth
        cdef Py_ssize_t at
        cdef bint holds_text = False
        if self.self_closing:
            return 0
        self._push()
        while self.depth > floor:
            at = self.source.find(b"<", self.at)
            if at < 0 or at + 2 >= self.size:
                raise NotCertainError
            self.at = at
            if self.data[at + 1] == 33:
                self._comment()
                continue
            if self.data[at + 1] == 47:
                self.at = at + 2
                if LOWER[self.data[self.at]] < 97 or LOWER[self.data[self.at]] > 122:
                    raise NotCertainError
                self._tag_name()
                self._attributes()
                if not self._is_open(self.depth - 1):
                    raise NotCertainError
                self._pop()
                holds_text = False
                continue
            if LOWER[self.data[at + 1]] < 97 or LOWER[self.data[at + 1]] > 122:
                self.at = at + 1
                continue
            self.at = at + 1
            self._tag_name()
            self._attributes()
            if FLAGS[self.tag] & BREAKS_OUT or holds_text:
                raise NotCertainError
            if not self.self_closing:
                holds_text = self.tag == TITLE or (self.name_size == 4 and self._name_is(b"desc"))
                self._push()
        return 0

    cdef bint _name_is(self, bytes name):
        return self.source[self.name : self.name + self.name_size].lower() == name

    cdef int _textarea(self) except -1:
        if self._is_marked():
            raise NotCertainError
        cdef Py_ssize_t start = self.at
        cdef Py_ssize_t end = self._raw(TEXTAREA)
        cdef Py_ssize_t after = self.at
        if self.source.find(b"<", start, end) >= 0:
            raise NotCertainError
        if not self.skipping:
            self.at = start
            self._text(end)
            self._cut()
            self.at = after
        return 0

    cdef int _speak(self, bint in_head) except -1:
        """Keep what an element says about the page. It is open already, unless it has no content."""
        cdef int tag = self.tag
        cdef Open* top
        cdef bint holds
        cdef bint below_body
        if tag == META:
            self.metas.append(self._all())
            return 0
        if tag == LINK:
            if (self._has("rel", 3) >= 0 and self._has("href", 4) >= 0) or self._is_marked():
                self.links.append((self._all(), in_head))
            return 0
        if tag == BASE:
            if self.base is None and (self._has("href", 4) >= 0 or self._is_marked()):
                self.base = self._all()
            return 0
        attributes = self._all()
        role = attributes.get("role")
        holds = tag != H1 and (
            role in FRAME_OR_MAIN or tag == NAV or tag == ASIDE or tag == HEADER or tag == FOOTER or tag == MAIN
            or tag == ARTICLE
        )
        name = TAG_NAMES[tag] if tag else self._str(self.name, self.name_size).lower()
        if FLAGS[tag] & VOID:
            if holds:
                raise NotCertainError
            if "itemprop" in attributes:
                self.dated.append((name, attributes, self.container, False))
            return 0
        if holds or (tag == H1 and self.heading < 0):
            # the text of these is a number of whole blocks, and nothing ends them but their own end tags
            if FLAGS[tag] & (INLINE | IMPLIED | TABLE_PART) or not (FLAGS[tag] & BLOCK or tag == TABLE):
                raise NotCertainError
            below_body = self.depth == 3
            self.containers.append((name, attributes, self.container, below_body))
            self.ranges.append((self.block_count, -1))
            top = &self.stack[self.depth - 1]
            top.container, top.is_container = self.container, True
            self.container = len(self.containers) - 1
            if tag == H1:
                self.heading = self.container
                return 0
        if tag != H1 and (tag == TIME or "itemprop" in attributes):
            self.dated.append((name, attributes, self.container, holds))
        return 0

    cdef bint _is_marked(self) noexcept:
        return self._has("role", 4) >= 0 or self._has("itemprop", 8) >= 0
