# Some rows of a source as columns, each with what is left to do for it. Included by compiled_pages.pyx.

cdef struct Row:
    uint32_t loc, loc_end, key, key_end  # no key: the address is its own
    uint32_t day, day_end  # the lastmod; none where they are equal
    uint32_t rest, rest_end  # what stands behind the lastmod in the entry
    uint32_t links, links_end  # translations, an object of JSON
    uint32_t name, name_end  # of its section
    uint32_t language, language_end
    int32_t section
    uint8_t status, mask, escaped, suspect, waits

cdef struct Packed:
    # a row that waits, in front of its texts
    uint32_t loc, day, rest
    int32_t section
    uint8_t mask, escaped

ROW_FORMAT = "IIIIIIIIIIIIIIiBBBBB"
READY, SKIP, UNREAD, DATE, ODD = range(5)
cdef enum:
    IS_READY = 0
    IS_SKIP = 1
    IS_UNREAD = 2
    IS_DATE = 3
    IS_ODD = 4


@final
cdef class Batch:
    """Rows of one source in turn, each with a status.

    READY: address and date are in order; `suspects` still have to pass the policy. SKIP: a blank line. UNREAD: a line
    that is to be read in Python, see `set_row`. DATE: the date is, see `set_date`. ODD: the row needs a closer look.
    """

    cdef Screen _screen
    cdef Row[::1] _rows
    cdef readonly Py_ssize_t size
    cdef uint8_t[::1] _text
    cdef Py_ssize_t _used
    cdef readonly bint usual
    """no row is UNREAD or DATE"""

    cdef readonly bint noted
    """some rows name sections or languages"""
    cdef dict _kinds
    """what keys of JSON mean"""
    cdef Py_ssize_t _largest

    def __init__(self, Screen screen, Py_ssize_t largest=1 << 24):
        """A row that says more than `largest` bytes behind its date needs a closer look."""
        self._screen, self._kinds, self._largest = screen, {}, largest
        self._rows = view.array((1024,), sizeof(Row), ROW_FORMAT)
        self._text = view.array((1 << 16,), 1, "B")

    def __len__(self):
        return self.size

    def clear(self):
        self.size = self._used = 0
        self.usual = True
        self.noted = False

    cdef Row* _next(self, Py_ssize_t room) except NULL:
        """A new row, and at least so many free bytes of text."""
        cdef Row[::1] rows
        cdef Row* row
        if self.size == self._rows.shape[0]:
            rows = view.array((2 * self.size,), sizeof(Row), ROW_FORMAT)
            memcpy(&rows[0], &self._rows[0], self.size * sizeof(Row))
            self._rows = rows
        self._make_room(room)
        row = &self._rows[self.size]
        memset(row, 0, sizeof(Row))
        self.size += 1
        return row

    cdef int _make_room(self, Py_ssize_t room) except -1:
        cdef uint8_t[::1] text
        if self._used + room > 0x7FFFFFFF:
            raise OverflowError("too much text in a batch")
        if self._used + room > self._text.shape[0]:
            text = view.array((2 * (self._used + room),), 1, "B")
            memcpy(&text[0], &self._text[0], self._used)
            self._text = text
        return 0

    # rows in

    def read_json(self, bytes data):
        """Lines of JSON, each of them whole; one row for each line."""
        cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = len(data), at = 0, end
        cdef const void* found
        cdef Row* row
        cdef int status
        while at < size:
            found = memchr(d + at, 10, size - at)
            end = size if found == NULL else <const uint8_t*>found - d
            row = self._next(14 * (end - at) + 64)
            status = self._json_row(d + at, end - at, row)
            if status == IS_UNREAD:
                memset(row, 0, sizeof(Row))
            row.status = status
            self.usual = self.usual and row.status <= IS_SKIP
            at = end + 1

    def read_text(self, bytes data):
        """Lines that are addresses; blank ones and those that begin with # are passed over."""
        cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = len(data), at = 0, end, stop
        cdef const void* found
        cdef Row* row
        while at < size:
            found = memchr(d + at, 10, size - at)
            end = stop = size if found == NULL else <const uint8_t*>found - d
            row = self._next(14 * (end - at) + 64)
            while at < stop and d[at] <= 32:
                at += 1
            while stop > at and d[stop - 1] <= 32:
                stop -= 1
            if at == stop or d[at] == 35:
                row.status = IS_SKIP
            else:
                row.status = self._address(d + at, stop - at, row)
            self.usual = self.usual and row.status <= IS_SKIP
            at = end + 1

    def read_columns(
        self, list locs, list lastmods=None, list frequencies=None, list priorities=None, list images=None,
        list videos=None, list alternates=None, list sections=None, list languages=None, list news=None,
    ):
        """Values of rows, texts for the most part; a row of others is left UNREAD."""
        cdef Py_ssize_t i
        cdef Row* row
        for i in range(len(locs)):
            row = self._next(0)
            row.status = IS_UNREAD
            loc, lastmod = locs[i], None if lastmods is None else lastmods[i]
            if isinstance(loc, str) and (lastmod is None or isinstance(lastmod, str)):
                self.set_row(self.size - 1, loc, lastmod)
                row = &self._rows[self.size - 1]
                if row.status != IS_ODD and not self._columns(
                    row,
                    None if frequencies is None else frequencies[i],
                    None if priorities is None else priorities[i],
                    None if images is None else images[i],
                    None if videos is None else videos[i],
                    None if alternates is None else alternates[i],
                    None if sections is None else sections[i],
                    None if languages is None else languages[i],
                    None if news is None else news[i],
                ):
                    memset(row, 0, sizeof(Row))
                    row.status = IS_UNREAD
            self.usual = self.usual and row.status <= IS_SKIP

    cdef bint _columns(
        self, Row* row, frequency, priority, images, videos, alternates, section, language, news
    ) except -1:
        """What a row says besides its address and date; False where Python has to say it."""
        cdef uint32_t start = self._used
        cdef Text text
        if frequency is not None and (not self._of_object(frequency, &text) or not self._frequency(&text)):
            return False
        if priority is not None and (not self._of_object(priority, &text) or not self._priority(&text, False)):
            return False
        if not (
            self._objects(IMAGE_FORM, images, row)
            and self._objects(VIDEO_FORM, videos, row)
            and self._objects(NEWS_FORM, news, row)
        ):
            return False
        row.rest, row.rest_end = start, self._used
        if row.rest_end > start and <Py_ssize_t>(row.rest_end - start) > self._largest:
            return False
        if alternates is not None and alternates != "" and not self._links_of(alternates, row):
            return False
        if section is not None:
            if not self._of_object(section, &text):
                return False
            row.name, row.name_end = self._copied(&text)
        if language is not None:
            if not self._of_object(language, &text):
                return False
            row.language, row.language_end = self._copied(&text)
        self.noted = self.noted or row.name_end > row.name or row.language_end > row.language
        return True

    cdef bint _objects(self, Form form, values, Row* row) except -1:
        """Media as Python holds them: one or several, each with its fields by name, an image also as its address."""
        cdef Text text
        if values is None or values == "":
            return True
        for each in values if isinstance(values, (list, tuple)) else (values,):
            if isinstance(each, dict):
                if not self._fields_of(form, each, row):
                    return False
            elif form is not IMAGE_FORM or not self._of_object(each, &text) or not self._image(&text, row):
                return False
        return True

    cdef bint _fields_of(self, Form form, dict fields, Row* row) except -1:
        cdef int rank
        cdef uint32_t given = 0
        cdef Text text
        cdef list values = [None] * form._size
        for name, value in fields.items():
            rank = form._rank(name) if isinstance(name, str) else -1
            if rank < 0 or given >> rank & 1:
                return False
            if value is not None and value != "":
                given |= 1 << rank
                values[rank] = value
        if not form._is_enough(given):
            return False
        self._make_room(128)
        self._copy(form._opening)
        for rank in range(form._size):
            value = values[rank]
            if value is None:
                continue
            if form._kinds[rank] == A_TEXT:
                value = ("no", "yes")[value] if isinstance(value, bool) else str(value) if type(value) in (int, float) else value
            for each in value if form._kinds[rank] == MANY_TEXTS and isinstance(value, list) else (value,):
                if not self._of_object(each, &text) or not self._field(form, rank, &text):
                    return False
        self._copy(form._closing)
        row.mask |= form._mask
        return True

    cdef bint _links_of(self, links, Row* row) except -1:
        cdef Text name, href
        cdef bint is_first = True
        if not isinstance(links, dict):
            return False
        row.links = self._used
        for each, place in links.items():
            if not self._of_object(each, &name) or not self._of_object(place, &href):
                return False
            self._make_room(name.size + href.size + 16)
            if not self._link(&name, &href, is_first):
                return False
            is_first = False
        self._end_links(row)
        return True

    cdef bint _of_object(self, value, Text* text) except -1:
        """A text of Python, with room for what is written of it; False for anything else."""
        cdef Py_ssize_t size
        if not isinstance(value, str):
            return False
        try:
            text.at = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
        except UnicodeEncodeError:
            return False
        text.size = size
        self._make_room(7 * size + 128)
        return True

    def leave_unread(self, Py_ssize_t count):
        """So many rows whose values `set_row` will give."""
        cdef Py_ssize_t i
        for i in range(count):
            self._next(0).status = IS_UNREAD
        self.usual = False

    def set_row(
        self, Py_ssize_t number, loc, lastmod, bytes rest=None, int mask=0, int section=0, bytes links=None,
        bytes language=None,
    ):
        """The values of one row; `rest` is what its entry says behind the lastmod, `links` an object of JSON.

        A row with links waits: it is met, and nothing is written of it yet.
        """
        cdef Py_ssize_t size = 0, day_size = 0
        cdef const char* text
        cdef const char* day = NULL
        cdef Row* row
        if not 0 <= number < self.size:
            raise IndexError("no such row")
        self._rows[number].status = IS_ODD
        if not isinstance(loc, str) or not (lastmod is None or isinstance(lastmod, str)):
            self.usual = False
            return
        try:
            text = PyUnicode_AsUTF8AndSize(loc, &size)
            if lastmod is not None:
                day = PyUnicode_AsUTF8AndSize(lastmod, &day_size)
        except UnicodeEncodeError:
            self.usual = False
            return
        self._make_room(14 * size + day_size + 64)
        row = &self._rows[number]
        row.status = self._address(<const uint8_t*>text, size, row)
        if row.status == IS_READY and day_size:
            row.status = self._day(<const uint8_t*>day, day_size, row)
        row.section, row.mask, row.waits = section, mask, links is not None
        if rest is not None:
            row.rest, row.rest_end = self._kept(rest)
        if links is not None:
            row.links, row.links_end = self._kept(links)
            row.mask |= LINKS_MASK
        if language is not None:
            row.language, row.language_end = self._kept(language)
            self.noted = True
        self.usual = self.usual and row.status <= IS_SKIP

    cdef (uint32_t, uint32_t) _kept(self, bytes data) except *:
        cdef Text text
        text.at, text.size = <const uint8_t*>PyBytes_AS_STRING(data), len(data)
        self._make_room(text.size)
        return self._copied(&text)

    cdef (uint32_t, uint32_t) _copied(self, const Text* text) noexcept:
        return self._copied_from(text.at, text.size)

    cdef (uint32_t, uint32_t) _copied_from(self, const uint8_t* s, Py_ssize_t size) noexcept:
        """At the end of the text, where there is room for it."""
        cdef uint32_t start = self._used
        if size:
            memcpy(&self._text[0] + start, s, size)
        self._used += size
        return start, <uint32_t>self._used

    def set_date(self, Py_ssize_t number, bytes day):
        """What is to be written as the lastmod of a DATE row; none where it is empty."""
        cdef Row* row
        if not 0 <= number < self.size:
            raise IndexError("no such row")
        self._make_room(len(day))
        row = &self._rows[number]
        row.day = self._used
        if len(day):
            memcpy(&self._text[self._used], PyBytes_AS_STRING(day), len(day))
        self._used += len(day)
        row.day_end = self._used
        row.status = IS_READY

    def set_section(self, Py_ssize_t number, int section):
        self._rows[number].section = section

    def refuse(self, Py_ssize_t number):
        """The row needs a closer look after all."""
        self._rows[number].status = IS_ODD

    def skip(self, Py_ssize_t number):
        """Nothing is to be done for the row."""
        self._rows[number].status = IS_SKIP

    def suspects(self):
        """The numbers of READY rows whose address raises a signal that may be a reason not to list it."""
        cdef Py_ssize_t i
        return [i for i in range(self.size) if self._rows[i].suspect and self._rows[i].status == IS_READY]

    # rows out

    def of_status(self, int status):
        """The numbers of the rows of that status."""
        cdef Py_ssize_t i
        return [i for i in range(self.size) if self._rows[i].status == status]

    def status(self, Py_ssize_t number):
        return self._rows[number].status

    def section(self, Py_ssize_t number):
        return self._rows[number].section

    def loc(self, Py_ssize_t number):
        cdef Row* row = &self._rows[number]
        return self._string(row.loc, row.loc_end).decode("ascii")

    def key(self, Py_ssize_t number):
        """Empty where the address is its own key."""
        cdef Row* row = &self._rows[number]
        return self._string(row.key, row.key_end).decode("ascii")

    def pack(self, list numbers):
        """Those rows, which are READY and wait, for `unpack`; what they say of translations is left out."""
        cdef Py_ssize_t size = 0, at = 0
        cdef Row* row
        cdef Packed head
        cdef bytes packed
        cdef char* out
        for number in numbers:
            row = &self._rows[<Py_ssize_t>number]
            size += sizeof(Packed) + row.loc_end - row.loc + row.day_end - row.day + row.rest_end - row.rest
        packed = PyBytes_FromStringAndSize(NULL, size)
        out = PyBytes_AS_STRING(packed)
        for number in numbers:
            row = &self._rows[<Py_ssize_t>number]
            head.loc, head.day, head.rest = row.loc_end - row.loc, row.day_end - row.day, row.rest_end - row.rest
            head.section, head.mask, head.escaped = row.section, row.mask, row.escaped
            memcpy(out + at, &head, sizeof(Packed))
            at += sizeof(Packed)
            memcpy(out + at, &self._text[0] + row.loc, head.loc)
            memcpy(out + at + head.loc, &self._text[0] + row.day, head.day)
            memcpy(out + at + head.loc + head.day, &self._text[0] + row.rest, head.rest)
            at += head.loc + head.day + head.rest
        return packed

    def unpack(self, bytes packed, list links):
        """Rows that have waited, each with its lines of translations behind its hints.

        Gives the numbers of those that say more than the largest row may.
        """
        cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(packed)
        cdef Py_ssize_t at = 0, hints
        cdef Packed head
        cdef Row* row
        large = []
        for each in links:
            if at + <Py_ssize_t>sizeof(Packed) > len(packed):
                raise ValueError("fewer rows than links")
            memcpy(&head, d + at, sizeof(Packed))
            at += sizeof(Packed)
            row = self._next(head.loc + head.day + head.rest + len(<bytes>each))
            row.section, row.mask, row.escaped = head.section, head.mask, head.escaped
            row.loc, row.loc_end = self._copied_from(d + at, head.loc)
            row.day, row.day_end = self._copied_from(d + at + head.loc, head.day)
            at += head.loc + head.day
            hints = _hints(d + at, head.rest)
            row.rest = self._copied_from(d + at, hints)[0]
            self._copied_from(<const uint8_t*>PyBytes_AS_STRING(<bytes>each), len(<bytes>each))
            row.rest_end = self._copied_from(d + at + hints, head.rest - hints)[1]
            at += head.rest
            if row.rest_end - row.rest > self._largest:
                large.append(self.size - 1)
        return large

    def waiting(self, list numbers):
        """(address, links) of those rows; no links where they are those of the row before and name the page too."""
        cdef Row* row
        cdef bytes links = b""
        cdef Text loc
        found = []
        for number in numbers:
            row = &self._rows[<Py_ssize_t>number]
            loc.at, loc.size = &self._text[0] + row.loc, row.loc_end - row.loc
            said = None
            if (
                len(links) != row.links_end - row.links
                or memcmp(PyBytes_AS_STRING(links), &self._text[0] + row.links, len(links)) != 0
                or not _names(links, &loc)
            ):
                said = links = self._string(row.links, row.links_end)
            found.append((self._string(row.loc, row.loc_end).decode("ascii"), said))
        return found

    def date(self, Py_ssize_t number):
        cdef Row* row = &self._rows[number]
        return self._string(row.day, row.day_end).decode("utf-8")

    def rest(self, Py_ssize_t number):
        cdef Row* row = &self._rows[number]
        return self._string(row.rest, row.rest_end)

    def mask(self, Py_ssize_t number):
        return self._rows[number].mask

    def notes(self):
        """(row, name of the section, language) of READY rows that have any of them."""
        cdef Py_ssize_t i
        cdef Row* row
        found = []
        for i in range(self.size):
            row = &self._rows[i]
            if row.status == IS_READY and row.name_end + row.language_end:
                name, language = self._string(row.name, row.name_end), self._string(row.language, row.language_end)
                found.append((i, name.decode(), language.decode()))
        return found

    cdef bytes _string(self, Py_ssize_t start, Py_ssize_t end):
        return PyBytes_FromStringAndSize(<char*>&self._text[start], end - start) if end > start else b""

    # JSON

    cdef int _kind(self, const uint8_t* key, Py_ssize_t size) except -1:
        """What a key of an object means."""
        cdef bytes name = PyBytes_FromStringAndSize(<const char*>key, size)
        known = self._kinds.get(name)
        if known is None:
            if len(self._kinds) >= MOST_KEYS:
                self._kinds.clear()
            try:
                known = KINDS.get(meaning_of(name.decode()), OTHER)
            except UnicodeDecodeError:
                known = OTHER
            self._kinds[name] = known
        return known

    cdef int _json_row(self, const uint8_t* d, Py_ssize_t size, Row* row) except -1:
        """An object of values that are as usual; anything else is left to Python."""
        cdef Py_ssize_t at = _spaces(d, 0, size), start
        cdef Text[OTHER] given
        cdef int kind
        memset(&given[0], 0, sizeof(given))
        if at == size:
            return IS_SKIP
        if d[at] != 123:
            return IS_UNREAD
        while True:
            start = _spaces(d, at + 1, size)
            at = _json_string(d, start, size)
            if at < 0 or memchr(d + start, 92, at - start) != NULL:
                return IS_UNREAD
            kind = self._kind(d + start + 1, at - start - 2)
            at = _spaces(d, at, size)
            if kind == OTHER or at >= size or d[at] != 58:
                return IS_UNREAD
            start = _spaces(d, at + 1, size)
            at = _json_value(d, start, size, 0)
            if at < 0:
                return IS_UNREAD
            if kind != IGNORED and not _is_empty(d + start, at - start):
                if given[kind].size:
                    return IS_UNREAD
                given[kind].at, given[kind].size = d + start, at - start
            at = _spaces(d, at, size)
            if at >= size:
                return IS_UNREAD
            if d[at] == 125:
                break
            if d[at] != 44:
                return IS_UNREAD
        if _spaces(d, at + 1, size) != size:
            return IS_UNREAD
        return self._given(&given[0], row)

    cdef int _given(self, Text* given, Row* row) except -1:
        """The values of an object, each as it is written in JSON."""
        cdef int status
        cdef uint32_t start
        cdef bint is_number = given[PRIORITY].size and given[PRIORITY].at[0] != 34
        if not self._unquote(&given[LOC]) or given[LOC].size == 0:
            return IS_UNREAD
        status = self._address(given[LOC].at, given[LOC].size, row)
        if status != IS_READY:
            return status
        if given[LASTMOD].size:
            if not _inside(&given[LASTMOD]):
                return IS_UNREAD
            status = self._day(given[LASTMOD].at, given[LASTMOD].size, row)
        start = self._used
        if given[FREQUENCY].size and not (_inside(&given[FREQUENCY]) and self._frequency(&given[FREQUENCY])):
            return IS_UNREAD
        if given[PRIORITY].size and not (
            (is_number or _inside(&given[PRIORITY])) and self._priority(&given[PRIORITY], is_number)
        ):
            return IS_UNREAD
        if given[IMAGES].size and not self._media(IMAGE_FORM, &given[IMAGES], row):
            return IS_UNREAD
        if given[VIDEOS].size and not self._media(VIDEO_FORM, &given[VIDEOS], row):
            return IS_UNREAD
        if given[NEWS].size and not self._media(NEWS_FORM, &given[NEWS], row):
            return IS_UNREAD
        row.rest, row.rest_end = start, self._used
        if row.rest_end > start and <Py_ssize_t>(row.rest_end - start) > self._largest:
            return IS_UNREAD
        if given[ALTERNATES].size > 2 and not self._links(&given[ALTERNATES], row):
            return IS_UNREAD
        if given[SECTION].size:
            if not _inside(&given[SECTION]):
                return IS_UNREAD
            row.name, row.name_end = self._copied(&given[SECTION])
            self.noted = True
        if given[LANGUAGE].size:
            if not _inside(&given[LANGUAGE]):
                return IS_UNREAD
            row.language, row.language_end = self._copied(&given[LANGUAGE])
            self.noted = True
        return status

    cdef bint _media(self, Form form, const Text* value, Row* row) except -1:
        """One of them or a list, each an object, an image also a text: its address. It is all JSON."""
        cdef Text each
        cdef Py_ssize_t at = 0, start = 0, size = value.size
        if value.at[0] != 91:
            return self._medium(form, value, row)
        while True:
            start = _spaces(value.at, at + 1, size)
            if start < size and value.at[start] == 93:
                return at == 0
            at = _json_value(value.at, start, size, 0)
            each.at, each.size = value.at + start, at - start
            if at < 0 or not self._medium(form, &each, row):
                return False
            at = _spaces(value.at, at, size)
            if at >= size or value.at[at] == 93:
                return True

    cdef bint _medium(self, Form form, const Text* value, Row* row) except -1:
        cdef Text[MOST_FIELDS] fields
        cdef Text each
        cdef Py_ssize_t at = 0, start
        cdef int rank = 0
        cdef uint32_t given = 0, seen = 0
        if value.at[0] == 34 and form is IMAGE_FORM:
            each = value[0]
            return self._unquote(&each) and self._image(&each, row)
        if value.at[0] != 123:
            return False
        while True:
            at = self._member(value, at, &each, &start)
            if at < 0:
                break
            rank = form._rank(PyBytes_FromStringAndSize(<const char*>each.at, each.size))
            if rank < 0 or seen >> rank & 1:
                return False
            seen |= 1 << rank
            if not _is_empty(value.at + start, at - start):
                given |= 1 << rank
                fields[rank].at, fields[rank].size = value.at + start, at - start
        if not form._is_enough(given):
            return False
        self._copy(form._opening)
        for rank in range(form._size):
            if given >> rank & 1 and not self._json_field(form, rank, &fields[rank]):
                return False
        self._copy(form._closing)
        row.mask |= form._mask
        return True

    cdef Py_ssize_t _member(self, const Text* value, Py_ssize_t at, Text* name, Py_ssize_t* start) noexcept:
        """The next member of an object of JSON: its name, and where its value starts and ends; -1 for no more.

        `at` is 0, or what was given last.
        """
        at = _spaces(value.at, at, value.size) if at else 0
        if value.at[at] == 125:
            return -1
        at = _spaces(value.at, at + 1, value.size)
        if value.at[at] == 125:
            return -1
        name.at = value.at + at + 1
        at = _json_string(value.at, at, value.size)
        name.size = value.at + at - 1 - name.at
        start[0] = _spaces(value.at, _spaces(value.at, at, value.size) + 1, value.size)
        return _json_value(value.at, start[0], value.size, 0)

    cdef bint _json_field(self, Form form, int rank, Text* value) except -1:
        """The line of a field whose value is a text; of others a number and a word, or a list where it may be one."""
        cdef Py_ssize_t at = 0, start
        cdef Text each
        if value.at[0] == 34:
            return self._unquote(value) and self._field(form, rank, value)
        if value.at[0] == 91 and form._kinds[rank] == MANY_TEXTS:
            while True:
                start = _spaces(value.at, at + 1, value.size)
                at = _json_string(value.at, start, value.size)
                each.at, each.size = value.at + start, at - start
                if at < 0 or not self._unquote(&each) or not self._field(form, rank, &each):
                    return False
                at = _spaces(value.at, at, value.size)
                if value.at[at] == 93:
                    return True
        if form._kinds[rank] != A_TEXT:
            return False
        if value.at[0] == 116 or value.at[0] == 102:
            value.at, value.size = (<const uint8_t*>b"yes", 3) if value.at[0] == 116 else (<const uint8_t*>b"no", 2)
        elif not _is_number(value.at, value.size):
            return False
        return self._field(form, rank, value)

    cdef bint _links(self, const Text* value, Row* row) except -1:
        """An object of JSON: addresses by language."""
        cdef Text name, href
        cdef Py_ssize_t at = 0, start
        if value.at[0] != 123:
            return False
        row.links = self._used
        while True:
            start = at
            at = self._member(value, at, &name, &start)
            if at < 0:
                break
            href.at, href.size = value.at + start, at - start
            if not self._unquote(&href) or not self._link(&name, &href, row.links == <uint32_t>self._used):
                return False
        self._end_links(row)
        return True

    cdef bint _link(self, const Text* name, const Text* href, bint is_first) noexcept:
        """One translation more, as the next member of an object; there is room for it."""
        cdef uint8_t* out = &self._text[0]
        if not _is_name(name.at, name.size) or not _is_plain_address(href.at, href.size):
            return False
        out[self._used], out[self._used + 1] = 123 if is_first else 44, 34
        self._used += 2
        self._copied(name)
        memcpy(out + self._used, b'":"', 3)
        self._used += 3
        self._copied(href)
        out[self._used] = 34
        self._used += 1
        return True

    cdef void _end_links(self, Row* row) noexcept:
        """A row with links waits; one without has none."""
        if <uint32_t>self._used > row.links:
            self._text[self._used] = 125
            self._used += 1
            row.waits = True
            row.mask |= LINKS_MASK
        row.links_end = self._used

    cdef bint _unquote(self, Text* text) noexcept:
        """What is between quotes, without the escapes of JSON, at the far end of the room.

        False for what is left to Python.
        """
        cdef uint8_t* out
        cdef Py_ssize_t i = 0, at = 0
        cdef int code, low
        if text.size < 2 or text.at[0] != 34:
            return False
        text.at, text.size = text.at + 1, text.size - 2
        if text.size == 0 or memchr(text.at, 92, text.size) == NULL:
            return True
        out = &self._text[0] + self._text.shape[0] - text.size
        while i < text.size:
            if text.at[i] != 92:
                out[at] = text.at[i]
                at += 1
                i += 1
                continue
            if text.at[i + 1] != 117:
                out[at] = _short_escape(text.at[i + 1])
                at += 1
                i += 2
                continue
            code = _code(text.at + i, text.size - i)
            i += 6
            if 0xD800 <= code <= 0xDBFF:
                low = _code(text.at + i, text.size - i)
                if not 0xDC00 <= low <= 0xDFFF:
                    return False
                code = 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00
                i += 6
            if code < 0 or 0xDC00 <= code <= 0xDFFF:
                return False
            at += _utf8(code, out + at)
        text.at, text.size = out, at
        return True

    # values

    cdef bint _frequency(self, const Text* text) except -1:
        """The line of a frequency that there is, empty for none; there is room for it."""
        if text.size == 0:
            return True
        if PyBytes_FromStringAndSize(<const char*>text.at, text.size) not in FREQUENCIES:
            return False
        self._line(FREQUENCY_OPEN, text, FREQUENCY_CLOSE)
        return True

    cdef bint _priority(self, const Text* text, bint is_number) except -1:
        """The same for a priority, whose text is to be that of the number where it is one."""
        if text.size == 0:
            return True
        if not _is_priority(text.at, text.size, is_number):
            return False
        self._line(PRIORITY_OPEN, text, PRIORITY_CLOSE)
        return True

    cdef bint _image(self, const Text* text, Row* row) except -1:
        """An image of which nothing but the address is known."""
        if text.size == 0:
            return False
        self._copy(IMAGE_FORM._opening)
        row.mask |= IMAGE_FORM._mask
        if not self._field(IMAGE_FORM, IMAGE_FORM._rank("loc"), text):
            return False
        self._copy(IMAGE_FORM._closing)
        return True

    cdef bint _field(self, Form form, int rank, const Text* text) except -1:
        """The line of one field; False for a text that Python has to read."""
        cdef int kind = form._kinds[rank]
        cdef Py_ssize_t size
        if kind == A_PLACE:
            if not _is_plain_address(text.at, text.size):
                return False
        elif kind == A_DAY:
            if not _is_usual(text.at, text.size, NO_DAY):
                return False
        elif not _is_trimmed(text.at, text.size):
            return False
        if form._coded[rank] and (text.at[0] == 91 or text.at[0] == 123):
            return False
        if kind == MANY_TEXTS and (memchr(text.at, 124, text.size) != NULL or memchr(text.at, 10, text.size) != NULL):
            return False
        self._copy(form._openings[rank])
        size = _escape_text(text.at, text.size, &self._text[0] + self._used)
        if size < 0:
            return False
        self._used += size
        self._copy(form._closings[rank])
        return True

    cdef void _copy(self, bytes written) noexcept:
        """What is written around values; there is room for it."""
        memcpy(&self._text[0] + self._used, PyBytes_AS_STRING(written), len(written))
        self._used += len(written)

    cdef void _line(self, bytes opening, const Text* text, bytes closing) noexcept:
        self._copy(opening)
        self._copied(text)
        self._copy(closing)

    cdef int _day(self, const uint8_t* d, Py_ssize_t size, Row* row) noexcept:
        row.day = self._used
        memcpy(&self._text[self._used], d, size)
        self._used += size
        row.day_end = self._used
        return IS_READY if _is_usual(d, size, &self._screen._today[0]) else IS_DATE

    cdef int _address(self, const uint8_t* s, Py_ssize_t n, Row* row) noexcept:
        """The address as it will be listed, and its key where that is another, at the end of the text.

        There is room for fourteen times its size. What passes here is what `to_loc` makes of the value, `Address.key`
        of that, and the policy has nothing against it unless its signals are suspicious.
        """
        cdef Screen screen = self._screen
        cdef Py_ssize_t head = screen._head.shape[0], below = screen._below.shape[0], i, run, at = head, key_at = 0
        cdef uint8_t* out = &self._text[self._used]
        cdef uint8_t* key = out + 7 * n
        cdef bint keyed = False, in_query = False
        cdef int kind, value, length
        if n < head + below or memcmp(s + head, &screen._below[0], below) != 0:
            return IS_ODD
        if memcmp(s, &screen._head[0], head) != 0:
            for i in range(head):
                if _lower(s[i]) != screen._head[i]:
                    return IS_ODD
            memcpy(key, &screen._head[0], head)
            key_at, keyed = head, True
        memcpy(out, s, head)
        i = head
        while i < n:
            run = i
            while i < n and CLASS[s[i]] == WORD:
                i += 1
            if i > run:
                memcpy(out + at, s + run, i - run)
                at += i - run
                if keyed:
                    memcpy(key + key_at, s + run, i - run)
                    key_at += i - run
                if i == n:
                    break
            kind = CLASS[s[i]]
            if kind == PERCENT:
                value = _escaped_value(s + i, n - i)
                if value < 0 or (value == 46 and not in_query):
                    return IS_ODD
                if not keyed and (_unreserved(value) or s[i + 1] >= 97 or s[i + 2] >= 97):
                    memcpy(key, out, at)
                    key_at, keyed = at, True
                memcpy(out + at, s + i, 3)
                at += 3
                if keyed:
                    key_at += _key_escape(value, key + key_at)
                i += 3
                continue
            if kind == LETTER or kind == ENCODED:
                length = 1 if kind == ENCODED else _sequence(s + i, n - i)
                if length == 0 or (s[i] == 32 and i + 1 == n):
                    return IS_ODD
                for run in range(length):
                    _percent(s[i + run], out + at)
                    if keyed:
                        _percent(s[i + run], key + key_at)
                        key_at += 3
                    at += 3
                i += length
                continue
            if kind == HASH:
                break
            if kind == BAD or (kind == DOT and not in_query and s[i - 1] == 47) or (kind == APOSTROPHE and in_query):
                return IS_ODD
            in_query = in_query or kind == QUESTION
            row.escaped = row.escaped or kind == AMPERSAND or kind == APOSTROPHE
            out[at] = s[i]
            at += 1
            if keyed:
                key[key_at] = s[i]
                key_at += 1
            i += 1
        if at >= LOC_BELOW or (i < n and not _is_printable(s + i, n - i)):  # the fragment is left out
            return IS_ODD
        row.suspect = (screen._signals.loc(out, at) & screen._suspicious) != 0
        row.loc = self._used
        row.loc_end = self._used = self._used + at
        if keyed:
            memmove(&self._text[self._used], key, key_at)
            row.key = self._used
            row.key_end = self._used = self._used + key_at
        return IS_READY


cdef inline uint8_t _short_escape(uint8_t letter) noexcept nogil:
    r"""The character that a letter behind \ stands for."""
    return (
        8 if letter == 98 else 12 if letter == 102 else 10 if letter == 110 else 13 if letter == 114
        else 9 if letter == 116 else letter
    )


cdef Py_ssize_t _hints(const uint8_t* rest, Py_ssize_t size) noexcept nogil:
    """Where the hints end in what an entry says behind its date: translations come before all other media."""
    cdef Py_ssize_t at = 0
    cdef const void* found
    while size - at > 12 and (memcmp(rest + at, b"    <change", 11) == 0 or memcmp(rest + at, b"    <priori", 11) == 0):
        found = memchr(rest + at, 10, size - at)
        if found == NULL:
            break
        at = <const uint8_t*>found - rest + 1
    return at


cdef int _code(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    r"""The number in \uXXXX; -1 for anything else."""
    cdef int i, code = 0
    if left < 6 or s[0] != 92 or s[1] != 117:
        return -1
    for i in range(2, 6):
        if _hex(s[i]) < 0:
            return -1
        code = code * 16 + _hex(s[i])
    return code


cdef int _utf8(int code, uint8_t* out) noexcept nogil:
    if code < 0x80:
        out[0] = code
        return 1
    if code < 0x800:
        out[0], out[1] = 0xC0 | code >> 6, 0x80 | code & 0x3F
        return 2
    if code < 0x10000:
        out[0], out[1], out[2] = 0xE0 | code >> 12, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
        return 3
    out[0], out[1], out[2], out[3] = 0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
    return 4


cdef inline int _escaped_value(const uint8_t* s, Py_ssize_t left) noexcept nogil:
    """The byte that %XX stands for; -1 where that is no escape."""
    return _hex(s[1]) * 16 + _hex(s[2]) if left >= 3 and _hex(s[1]) >= 0 and _hex(s[2]) >= 0 else -1


cdef inline void _percent(uint8_t byte, uint8_t* out) noexcept nogil:
    out[0], out[1], out[2] = 37, HEX[byte >> 4], HEX[byte & 15]


cdef inline int _key_escape(int value, uint8_t* out) noexcept nogil:
    """An escape as it stands in a key; gives its size."""
    if _unreserved(value):
        out[0] = value
        return 1
    _percent(value, out)
    return 3


cdef bint _is_printable(const uint8_t* s, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(size):
        if not 33 <= s[i] <= 126:
            return False
    return True
