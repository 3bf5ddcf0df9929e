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
    """some rows name translations, sections or languages"""
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
        list sections=None, list languages=None,
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
                    None if sections is None else sections[i],
                    None if languages is None else languages[i],
                ):
                    memset(row, 0, sizeof(Row))
                    row.status = IS_UNREAD
            self.usual = self.usual and row.status <= IS_SKIP

    cdef bint _columns(self, Row* row, frequency, priority, images, section, language) except -1:
        """What a row says besides its address and date; False where Python has to say it."""
        cdef uint32_t start = self._used
        cdef Text text
        if frequency is not None and (not self._of_object(frequency, &text) or not self._frequency(&text)):
            return False
        if priority is not None and (not self._of_object(priority, &text) or not self._priority(&text, False)):
            return False
        if images is not None and images != "":
            for each in images if isinstance(images, (list, tuple)) else (images,):
                if not self._of_object(each, &text) or text.size == 0 or not self._image(&text, row):
                    return False
        row.rest, row.rest_end = start, self._used
        if row.rest_end > start and <Py_ssize_t>(row.rest_end - start) > self._largest:
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
        self._make_room(6 * size + 128)
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
        if language is not None:
            row.language, row.language_end = self._kept(language)
        self.noted = self.noted or links is not None or language is not None
        self.usual = self.usual and row.status <= IS_SKIP

    cdef (uint32_t, uint32_t) _kept(self, bytes data) except *:
        cdef Text text
        text.at, text.size = <const uint8_t*>PyBytes_AS_STRING(data), len(data)
        self._make_room(text.size)
        return self._copied(&text)

    cdef (uint32_t, uint32_t) _copied(self, const Text* text) noexcept:
        """At the end of the text, where there is room for it."""
        cdef uint32_t start = self._used
        if text.size:
            memcpy(&self._text[0] + start, text.at, text.size)
        self._used += text.size
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

    def values(self, Py_ssize_t number):
        """Address, date, what its entry says behind the date, extensions and section, at once."""
        cdef Row* row = &self._rows[number]
        return self.loc(number), self.date(number), self.rest(number), row.mask, row.section

    def date(self, Py_ssize_t number):
        cdef Row* row = &self._rows[number]
        return self._string(row.day, row.day_end).decode("utf-8")

    def rest(self, Py_ssize_t number):
        cdef Row* row = &self._rows[number]
        return self._string(row.rest, row.rest_end)

    def mask(self, Py_ssize_t number):
        return self._rows[number].mask

    def notes(self):
        """(row, links, name of the section, language) of READY rows that have any of them.

        Links that are those of the row before are the same object.
        """
        cdef Py_ssize_t i
        cdef Row* row
        cdef bytes links = b"", said
        found = []
        for i in range(self.size):
            row = &self._rows[i]
            if row.status == IS_READY and row.links_end + row.name_end + row.language_end:
                said = self._string(row.links, row.links_end)
                links = links if said == links else said
                name, language = self._string(row.name, row.name_end), self._string(row.language, row.language_end)
                found.append((i, links, name.decode(), language.decode()))
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
        if given[IMAGES].size and not self._images(&given[IMAGES], row):
            return IS_UNREAD
        row.rest, row.rest_end = start, self._used
        if row.rest_end > start and <Py_ssize_t>(row.rest_end - start) > self._largest:
            return IS_UNREAD
        if given[ALTERNATES].size > 2:
            if given[ALTERNATES].at[0] != 123:
                return IS_UNREAD
            row.links, row.links_end = self._copied(&given[ALTERNATES])
            row.waits = self.noted = True
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

    cdef bint _images(self, const Text* value, Row* row) except -1:
        """A text or a list of texts, each the address of an image."""
        cdef Text each
        cdef Py_ssize_t at = 0, start = 0, size = value.size
        each.at, each.size = value.at, size
        if value.at[0] == 34:
            return self._unquote(&each) and self._image(&each, row)
        if value.at[0] != 91:
            return False
        while True:
            start = _spaces(value.at, at + 1, size)
            if start < size and value.at[start] == 93:
                return at == 0
            at = _json_string(value.at, start, size)
            if at < 0:
                return False
            each.at, each.size = value.at + start, at - start
            if not self._unquote(&each) or not self._image(&each, row):
                return False
            at = _spaces(value.at, at, size)
            if at >= size or value.at[at] == 93:
                return True

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
            if i + 1 < text.size and text.at[i + 1] == 47:
                out[at] = 47
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
            if code < 0x20 or 0xDC00 <= code <= 0xDFFF:
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
        self._line(FREQUENCY_OPEN, text, FREQUENCY_CLOSE, False)
        return True

    cdef bint _priority(self, const Text* text, bint is_number) except -1:
        """The same for a priority, whose text is to be that of the number where it is one."""
        if text.size == 0:
            return True
        if not _is_priority(text.at, text.size, is_number):
            return False
        self._line(PRIORITY_OPEN, text, PRIORITY_CLOSE, False)
        return True

    cdef bint _image(self, const Text* text, Row* row) except -1:
        if not _is_plain_address(text.at, text.size):
            return False
        self._line(IMAGE_OPEN, text, IMAGE_CLOSE, True)
        row.mask |= IMAGE_MASK
        return True

    cdef void _line(self, bytes opening, const Text* text, bytes closing, bint escape) noexcept:
        cdef uint8_t* out = &self._text[0]
        memcpy(out + self._used, PyBytes_AS_STRING(opening), len(opening))
        self._used += len(opening)
        if escape:
            self._used += _escape(text.at, text.size, out + self._used)
        else:
            memcpy(out + self._used, text.at, text.size)
            self._used += text.size
        memcpy(out + self._used, PyBytes_AS_STRING(closing), len(closing))
        self._used += len(closing)

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
