# Some rows of a source as columns, each with what is left to do for it. Included by compiled_pages.pyx.

cdef struct Row:
    uint64_t said  # a hash of all that it says, where there is a memory for it
    Hash page, page_key  # what a row that is the SAME gave before, and its key if that is another
    uint32_t loc, loc_end, key, key_end  # no key: the address is its own
    uint32_t day, day_end  # the lastmod; none where they are equal
    uint32_t rest, rest_end  # what stands behind the lastmod in the entry
    uint32_t links, links_end  # translations, an object of JSON
    uint32_t name, name_end  # of its section
    uint32_t language, language_end
    int32_t section
    uint8_t status, mask, escaped, suspect, waits

ROW_FORMAT = "QQQQQIIIIIIIIIIIIIIiBBBBB"
READY, SKIP, SAME, UNREAD, DATE, ODD = range(6)
cdef enum:
    IS_READY = 0
    IS_SKIP = 1
    IS_SAME = 2
    IS_UNREAD = 3
    IS_DATE = 4
    IS_ODD = 5
    A_LINE = 0x5DEECE66D  # so no line of text is recalled as a line of JSON
    MOST_VALUES = 1 << 12


@final
cdef class Batch:
    """Rows of one source in turn, each with a status.

    READY: address and date are in order; `suspects` still have to pass the policy. SKIP: a blank line. SAME: the last
    build listed a page for a row that says the same, and nothing of it was read. UNREAD: a line that is to be read in Python, see `set_row`. DATE: the date is, see `set_date`. ODD: the row needs a closer look.
    """

    cdef Screen _screen
    cdef RowMemory _memory
    cdef bint _recalls
    cdef list _unknown
    """the numbers of rows that `unknown` gave out and that are still to come"""
    cdef Row[::1] _rows
    cdef readonly Py_ssize_t size
    cdef uint8_t[::1] _text
    cdef Py_ssize_t _used
    cdef readonly bint usual
    """no row is UNREAD or DATE"""

    cdef readonly bint noted
    """some rows name sections or languages"""
    cdef dict _kinds
    """what names of values mean"""
    cdef Py_ssize_t _largest
    cdef bint _inline

    def __init__(
        self, Screen screen, Py_ssize_t largest=1 << 24, *, bint inline=False, RowMemory memory=None
    ):
        """A row that says more than `largest` bytes behind its date needs a closer look.

        `inline`: translations are written as they are given, and the row does not wait for others.
        """
        self._screen, self._kinds, self._largest, self._inline = screen, {}, largest, inline
        self._memory, self._unknown = memory, []
        self._rows = view.array((1024,), sizeof(Row), ROW_FORMAT)
        self._text = view.array((1 << 16,), 1, "B")

    def __len__(self):
        return self.size

    def clear(self):
        self.size = self._used = 0
        self.usual = True
        self.noted = False
        self._unknown.clear()
        self._recalls = self._memory is not None

    cdef Row* _next(self) except NULL:
        cdef Row[::1] rows
        cdef Row* row
        if self.size == self._rows.shape[0]:
            rows = view.array((2 * self.size,), sizeof(Row), ROW_FORMAT)
            memcpy(&rows[0], &self._rows[0], self.size * sizeof(Row))
            self._rows = rows
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
        cdef Row* row
        while at < size:
            end = _line_end(d, at, size)
            row = self._next()
            if self._recalls:
                row.said = self._memory.hash(d + at, end - at - (d[end - 1] == 10))
            if self._is_same(row.said, row):
                row.status = IS_SAME
            else:
                self._unknown.append(self.size - 1)
                self._line_of_json(data[at:end])
            at = end

    cdef int _line_of_json(self, bytes line) except -1:
        try:
            found = _DECODE(line)
        except (MsgspecError, UnicodeDecodeError, RecursionError):
            found = None
        if type(found) is dict:
            return self._mapping(<dict>found)
        if type(found) is str:
            return self._row_of(found)
        if line.strip():
            self.leave_unread(1)
        else:
            self._rows[self._turn()].status = IS_SKIP
        return 0

    def read_text(self, bytes data):
        """Lines that are addresses; blank ones and those that begin with # are passed over."""
        cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = len(data), at = 0, end, stop
        cdef const void* found
        cdef Row* row
        while at < size:
            found = memchr(d + at, 10, size - at)
            end = stop = size if found == NULL else <const uint8_t*>found - d
            row = self._next()
            while at < stop and d[at] <= 32:
                at += 1
            while stop > at and d[stop - 1] <= 32:
                stop -= 1
            if at == stop or d[at] == 35:
                row.status = IS_SKIP
            else:
                if self._recalls:
                    row.said = self._memory.hash(d + at, stop - at) ^ A_LINE
                row.status = IS_SAME if self._is_same(row.said, row) else self._address(d + at, stop - at, row)
            self.usual = self.usual and row.status <= IS_SAME
            at = end + 1

    def unknown(self, rows, named):
        """The rows, given as Python holds them, that the memory does not recall; they are to be read next, in turn.

        `named` says what the values of a row mean.
        """
        if not self._recalls:
            return rows
        cdef uint64_t meant = self._said_by(named)
        found = [each for each in rows if self._is_unknown(self._said_by(each), meant)]
        self._unknown.reverse()
        return found

    def unknown_in(self, bytes data, starts, named):
        """The same for rows that are pieces of data from each start to the next: their numbers."""
        cdef uint64_t meant, piece
        cdef Py_ssize_t i, start, end, count = len(starts) - 1
        if not self._recalls:
            return range(count)
        meant, found = self._said_by(named), []
        for i in range(count):
            start, end = starts[i], starts[i + 1]
            piece = 0
            if 0 <= start <= end <= len(data):
                piece = self._memory.hash(<const uint8_t*>PyBytes_AS_STRING(data) + start, end - start)
            if self._is_unknown(piece, meant):
                found.append(i)
        self._unknown.reverse()
        return found

    def unknown_lines(self, bytes data, named):
        """The same for lines: those that are to be read, one after the other."""
        cdef const uint8_t* d = <const uint8_t*>PyBytes_AS_STRING(data)
        cdef Py_ssize_t size = len(data), at = 0, start = 0, end
        cdef uint64_t meant
        if not self._recalls:
            return data
        meant, found = self._said_by(named), []
        while at < size:
            end = _line_end(d, at, size)
            if not self._is_unknown(self._memory.hash(d + at, end - at), meant):
                if at > start:
                    found.append(data[start:at])
                start = end
            at = end
        self._unknown.reverse()
        return b"".join([*found, data[start:]]) if found or start else data

    cdef bint _is_unknown(self, uint64_t said, uint64_t meant) except -1:
        """Whether the next row, of which this is a hash, is still to be read."""
        cdef Row* row = self._next()
        said = said ^ meant if said and meant and said != meant else 0
        row.status = IS_SAME if self._is_same(said, row) else IS_UNREAD
        row.said = said
        if row.status == IS_UNREAD:
            self._unknown.append(self.size - 1)
        return row.status == IS_UNREAD

    cdef Py_ssize_t _turn(self) except -1:
        """The number of the row that is read next."""
        if self._unknown:
            return self._unknown.pop()
        self._next()
        return self.size - 1

    def read_columns(self, list locs, *columns):
        """Values of rows, in the order of `_row_of`; None for a column that is not there."""
        cdef list none = [None] * len(locs)
        given = [none if each is None else each for each in columns] + [none] * (NEWS - LOC - len(columns))
        for loc, lastmod, frequency, priority, images, videos, alternates, section, language, news in zip(
            locs, *given, strict=True
        ):
            self._row_of(loc, lastmod, frequency, priority, images, videos, alternates, section, language, news)

    def read_offers(self, offers):
        """Addresses, pairs of address and date, entries, and rows that name their values."""
        for offer in offers:
            kind = type(offer)
            if kind is str:
                self._row_of(offer)
            elif kind is tuple and len(<tuple>offer) == 2:
                self._row_of((<tuple>offer)[0], (<tuple>offer)[1])
            elif kind is dict:
                self._mapping(<dict>offer)
            elif kind is PageEntry and offer.media is NOTHING:
                self._row_of(offer.loc, offer.lastmod, offer.changefreq, offer.priority)
            elif kind is PageEntry:
                self._mapping(cells_of(offer))
            else:
                self.leave_unread(1)

    cdef int _mapping(self, dict named) except -1:
        cdef int kind
        cdef list given = [None] * OTHER
        for name, value in named.items():
            if value is None or (type(value) is str and value == ""):
                continue
            known = self._kinds.get(name)
            if known is None:
                known = self._learn(name, meaning_of(str(name)))
            kind = known
            if kind == OTHER or isinstance(value, Media):
                self.leave_unread(1)
                return 0
            if kind != IGNORED and given[kind] is None:
                given[kind] = value
        return self._row_of(
            given[LOC], given[LASTMOD], given[FREQUENCY], given[PRIORITY], given[IMAGES], given[VIDEOS],
            given[ALTERNATES], given[SECTION], given[LANGUAGE], given[NEWS],
        )

    cdef int _row_of(
        self, loc, lastmod=None, frequency=None, priority=None, images=None, videos=None, alternates=None, section=None,
        language=None, news=None,
    ) except -1:
        cdef Py_ssize_t number = self._turn()
        cdef Row* row = &self._rows[number]
        cdef uint64_t said = row.said
        row.status = IS_UNREAD
        lastmod = _written(lastmod)
        if isinstance(loc, str) and (lastmod is None or isinstance(lastmod, str)):
            self.set_row(number, loc, lastmod)
            row = &self._rows[number]
            if row.status != IS_ODD and not self._columns(
                row, frequency, priority, images, videos, alternates, section, language, news
            ):
                memset(row, 0, sizeof(Row))
                row.status, row.said = IS_UNREAD, said
        self.usual = self.usual and row.status <= IS_SAME
        return 0

    cdef inline bint _is_same(self, uint64_t said, Row* row) except -1:
        return said != 0 and self._memory.recall(said, &row.page, &row.page_key)

    cdef uint64_t _said_by(self, values) except? 1:
        """A hash of values of Python; 0 where some are of another kind than sources give."""
        cdef Py_ssize_t start = self._used
        cdef uint64_t found = 0
        if self._spell_out(values):
            found = self._memory.hash(&self._text[start], self._used - start)
        self._used = start
        return found

    cdef bint _spell_out(self, value, int depth=0) except -1:
        """At the end of the text, so that no two values are spelled alike; False for what is not recalled."""
        cdef Text text
        cdef int[9] when
        kind = type(value)
        if value is None:
            return self._tag(0, 0)
        if kind is str:
            return self._of_object(value, &text) and self._tag(1, text.size) and self._copied_from(text.at, text.size)[1]
        if kind is datetime:
            offset = _offset_of(value)
            when[0], when[1], when[2] = datetime_year(value), datetime_month(value), datetime_day(value)
            when[3], when[4], when[5] = datetime_hour(value), datetime_minute(value), datetime_second(value)
            when[6] = datetime_microsecond(value)
            when[7] = -1 if offset is None else timedelta_days(offset) * 86_400 + timedelta_seconds(offset)
            when[8] = -1 if offset is None else timedelta_microseconds(offset)
            self._tag(2, sizeof(when))
            return self._copied_from(<const uint8_t*>when, sizeof(when))[1]
        if kind is tuple or kind is list:
            self._tag(5 + (kind is list), len(value))
        elif kind is dict:
            self._tag(4, len(value))
            value = [each for pair in (<dict>value).items() for each in pair]
        elif kind is date or kind is int or kind is float or kind is bool or kind is Decimal:
            said = repr(value)
            return self._tag(3, len(said)) and self._of_object(said, &text) and self._copied_from(text.at, text.size)[1]
        elif isinstance(value, Struct) or (isinstance(value, Sequence) and len(value) < MOST_VALUES):
            self._tag(7, 0)
            value = (kind.__name__, *(astuple(value) if isinstance(value, Struct) else value))
        else:
            return False
        if depth == DEEPEST:
            return False
        for each in value:
            if not self._spell_out(each, depth + 1):
                return False
        return True

    cdef bint _tag(self, uint8_t kind, Py_ssize_t size) except -1:
        """What follows, and how much of it."""
        self._make_room(1 + sizeof(size))
        self._text[self._used] = kind
        memcpy(&self._text[self._used + 1], &size, sizeof(size))
        self._used += 1 + sizeof(size)
        return True

    cdef bint _columns(
        self, Row* row, frequency, priority, images, videos, alternates, section, language, news
    ) except -1:
        """What a row says besides its address and date; False where Python has to say it."""
        cdef uint32_t start = self._used
        cdef Text text
        if frequency is not None and not self._hint(frequency, _FREQUENCY, FREQUENCY_OPEN, FREQUENCY_CLOSE):
            return False
        if priority is not None and not self._hint(_plain(priority), _PRIORITY, PRIORITY_OPEN, PRIORITY_CLOSE):
            return False
        if self._inline and alternates is not None and alternates != "" and not self._links_of(alternates, row):
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
        if not self._inline and alternates is not None and alternates != "" and not self._links_of(alternates, row):
            return False
        section, language = _plain(section), _plain(language)
        if section is not None:
            if not self._of_object(section, &text):
                return False
            _strip(&text)
            row.name, row.name_end = self._copied(&text)
        if language is not None:
            if not self._of_object(language, &text):
                return False
            _strip(&text)
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
        self._copy(form._opening)
        for rank in range(form._size):
            value = values[rank]
            if value is None:
                continue
            if form._kinds[rank] == A_TEXT:
                value = ("no", "yes")[value] if isinstance(value, bool) else _plain(value)
            elif form._kinds[rank] == A_DAY:
                value = _written(value)
            for each in value if form._kinds[rank] == MANY_TEXTS and isinstance(value, list) else (value,):
                if not self._of_object(each, &text) or not self._field(form, rank, &text):
                    return False
        self._copy(form._closing)
        row.mask |= form._mask
        return True

    cdef bint _links_of(self, links, Row* row) except -1:
        cdef Text name, href
        cdef bint is_first = True
        if isinstance(links, list):
            links = links_by_language(links)
        if not isinstance(links, dict):
            return False
        row.links = self._used
        for each, place in links.items():
            if not self._of_object(each, &name) or not self._of_object(place, &href):
                return False
            if not self._link(&name, &href, is_first):
                return False
            is_first = False
        if self._inline:
            row.links = self._used
            row.mask |= 0 if is_first else LINKS_MASK
        else:
            self._end_links(row)
        return True

    cdef bint _of_object(self, value, Text* text) except -1:
        """A text of Python; False for anything else."""
        cdef Py_ssize_t size
        if not isinstance(value, str):
            return False
        try:
            text.at = <const uint8_t*>PyUnicode_AsUTF8AndSize(value, &size)
        except UnicodeEncodeError:
            return False
        text.size = size
        return True

    def leave_unread(self, Py_ssize_t count):
        """So many rows whose values `set_row` will give."""
        cdef Py_ssize_t i
        for i in range(count):
            self._rows[self._turn()].status = IS_UNREAD
            self.usual = False

    def set_row(
        self, Py_ssize_t number, loc, lastmod, bytes rest=None, int mask=0, int section=0, bytes links=None,
        bytes language=None,
    ):
        """The values of one row; `rest` is what its entry says behind the lastmod, `links` an object of JSON.

        A row with links waits: it is met, and nothing is written of it yet.
        """
        cdef Text text, day
        cdef uint8_t[48] spelled
        cdef Row* row
        if not 0 <= number < self.size:
            raise IndexError("no such row")
        row = &self._rows[number]
        row.status = IS_ODD
        day.size = 0
        if self._of_object(loc, &text) and (lastmod is None or self._of_object(lastmod, &day)):
            row.status = self._address(text.at, text.size, row)
        if row.status == IS_READY and day.size:
            if not self._is_date(&day, &self._screen._today[0], spelled):
                row.status = IS_DATE
            row.day, row.day_end = self._copied_from(day.at, day.size)
        row.section, row.mask, row.waits = section, mask, links is not None
        if rest is not None:
            row.rest, row.rest_end = self._kept(rest)
        if links is not None:
            row.links, row.links_end = self._kept(links)
            row.mask |= LINKS_MASK
        if language is not None:
            row.language, row.language_end = self._kept(language)
            self.noted = True
        self.usual = self.usual and row.status <= IS_SAME

    cdef (uint32_t, uint32_t) _kept(self, bytes data) except *:
        return self._copied_from(<const uint8_t*>PyBytes_AS_STRING(data), len(data))

    cdef (uint32_t, uint32_t) _copied(self, const Text* text) except *:
        return self._copied_from(text.at, text.size)

    cdef (uint32_t, uint32_t) _copied_from(self, const uint8_t* s, Py_ssize_t size) except *:
        """At the end of the text."""
        cdef uint32_t start = self._used
        self._make_room(size)
        if size:
            memcpy(&self._text[0] + start, s, size)
        self._used += size
        return start, <uint32_t>self._used

    def set_date(self, Py_ssize_t number, bytes day):
        """What is to be written as the lastmod of a DATE row; none where it is empty."""
        cdef Row* row
        if not 0 <= number < self.size:
            raise IndexError("no such row")
        row = &self._rows[number]
        row.day, row.day_end = self._kept(day)
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

    def entries(self):
        """The entry of each row as it is written; None for one that is not READY."""
        cdef Py_ssize_t i, size
        cdef Row* row
        cdef bytes entry
        found = []
        for i in range(self.size):
            row = &self._rows[i]
            if row.status != IS_READY:
                found.append(None)
                continue
            size = (6 if row.escaped else 1) * (row.loc_end - row.loc) + row.day_end - row.day + row.rest_end - row.rest
            self._make_room(size + FIXED_SIZE)
            size = _write_entry(
                &self._text[0] + row.loc, row.loc_end - row.loc, row.escaped, &self._text[0] + row.day,
                row.day_end - row.day, &self._text[0] + row.rest, row.rest_end - row.rest, &self._text[self._used], NULL
            )
            found.append(PyBytes_FromStringAndSize(<char*>&self._text[self._used], size))
        return found

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
        cdef Row* row
        packed = []
        for number in numbers:
            row = &self._rows[<Py_ssize_t>number]
            texts = self._string(row.loc, row.loc_end), self._string(row.day, row.day_end), self._string(row.rest, row.rest_end)
            packed.append((*texts, row.section, row.mask, row.escaped))
        return packed

    def unpack(self, list packed, list links):
        """Rows that have waited, each with its lines of translations behind its hints.

        Gives the numbers of those that say more than the largest row may.
        """
        cdef Py_ssize_t hints
        cdef Row* row
        cdef const uint8_t* said
        cdef bytes rest
        large = []
        for (loc, day, rest, section, mask, escaped), each in zip(packed, links, strict=True):
            row = self._next()
            row.section, row.mask, row.escaped = section, mask, escaped
            row.loc, row.loc_end = self._kept(loc)
            row.day, row.day_end = self._kept(day)
            said = <const uint8_t*>PyBytes_AS_STRING(rest)
            hints = _hints(said, len(rest))
            row.rest = self._copied_from(said, hints)[0]
            self._copy(each)
            row.rest_end = self._copied_from(said + hints, len(rest) - hints)[1]
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

    cdef object _learn(self, name, meaning):
        """What a name means."""
        if len(self._kinds) >= MOST_KEYS:
            self._kinds.clear()
        found = self._kinds[name] = KINDS.get(meaning, OTHER)
        return found

    cdef bint _link(self, const Text* name, const Text* href, bint is_first) except -1:
        """One translation more, as the next member of an object."""
        cdef Speller speller = self._screen._speller
        if not _is_name(name.at, name.size) or not speller.spell(href.at, href.size):
            return False
        if self._inline:
            self._copy(LINK_OPEN)
            self._escaped(name.at, name.size)
            self._copy(LINK_MIDDLE)
            self._escaped(speller.loc, speller.size)
            return self._copy(LINK_CLOSE) == 0
        self._copy(b'{"' if is_first else b',"')
        self._copied(name)
        self._copy(b'":"')
        self._copied_from(speller.loc, speller.size)
        self._copy(b'"')
        return True

    cdef int _end_links(self, Row* row) except -1:
        """A row with links waits; one without has none."""
        if <uint32_t>self._used > row.links:
            self._copy(b"}")
            row.waits = True
            row.mask |= LINKS_MASK
        row.links_end = self._used
        return 0

    # values

    cdef bint _hint(self, value, spelled, bytes opening, bytes closing) except -1:
        """The line of a frequency or priority, of which `spelled` gives the right form; nothing for a blank."""
        cdef Text text
        if not isinstance(value, str) or len(value) > LONGEST_HINT:
            return False
        value = spelled(value)
        if value and self._of_object(value, &text):
            self._line(opening, &text, closing)
        return value is not None

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
        cdef uint8_t[48] spelled
        cdef Text value = text[0]
        cdef Speller speller = self._screen._speller
        if form._coded[rank] and text.size and (text.at[0] == 91 or text.at[0] == 123):
            return False
        if kind == A_PLACE:
            if not speller.spell(text.at, text.size):
                return False
            value.at, value.size = speller.loc, speller.size
        elif kind == A_DAY:
            if not self._is_date(&value, NO_DAY, spelled):
                return False
        else:
            _strip(&value)
            if value.size == 0:
                return False
        if kind == MANY_TEXTS and (memchr(value.at, 124, value.size) != NULL or memchr(value.at, 10, value.size) != NULL):
            return False
        self._copy(form._openings[rank])
        if not self._escaped(value.at, value.size):
            return False
        self._copy(form._closings[rank])
        return True

    cdef bint _escaped(self, const uint8_t* s, Py_ssize_t size) except -1:
        """Text as XML holds it; False for what it cannot hold."""
        self._make_room(6 * size)
        size = _escape_text(s, size, &self._text[0] + self._used)
        if size < 0:
            return False
        self._used += size
        return True

    cdef int _copy(self, bytes written) except -1:
        """What is written around values."""
        self._kept(written)
        return 0

    cdef int _line(self, bytes opening, const Text* text, bytes closing) except -1:
        self._copy(opening)
        self._copied(text)
        return self._copy(closing)

    cdef bint _is_date(self, Text* day, const uint8_t* today, uint8_t* spelled) noexcept:
        """Up to today; one in another notation is spelled as `to_lastmod` does, for which there are 48 bytes."""
        cdef Py_ssize_t size
        _strip(day)
        if _is_usual(day.at, day.size, today):
            return True
        size = _respelled(day.at, day.size, self._screen._zone, spelled)
        if size == 0 or not _is_usual(spelled, size, today):
            return False
        day.at, day.size = spelled, size
        return True

    cdef int _address(self, const uint8_t* s, Py_ssize_t n, Row* row) except -1:
        """The address as it will be listed, and its key where that is another, at the end of the text.

        READY is what `to_loc` makes of the value, `Address.key` of that, and the policy has nothing against it unless
        its signals are suspicious.
        """
        cdef Speller speller = self._screen._speller
        cdef Screen screen = self._screen
        cdef Py_ssize_t below = screen._below.shape[0], head
        if not speller.spell(s, n) or speller.stray or not speller.head.listed or speller.size >= LOC_BELOW:
            return IS_ODD
        if speller.head.own and below > 1:
            head = speller.head.loc_size
            if speller.size < head + below or memcmp(speller.loc + head, &screen._below[0], below) != 0:
                return IS_ODD
        if screen._suspicious:
            row.suspect = (screen._signals.loc(speller.loc, speller.size) & screen._suspicious) != 0
        row.escaped = speller.escaped
        self._make_room(speller.size + speller.key_size)
        row.loc, row.loc_end = self._copied_from(speller.loc, speller.size)
        if speller.key_size:
            row.key, row.key_end = self._copied_from(speller.key, speller.key_size)
        return IS_READY


cdef object _UTC = UTC
cdef object _NO_OFFSET = timedelta()


cdef object _offset_of(when):
    """A timedelta; None where the zone is unknown."""
    cdef object zone = datetime_tzinfo(when)
    return None if zone is None else _NO_OFFSET if zone is _UTC else when.utcoffset()


cdef object _written(day):
    """A date of Python or a Unix time, as `to_lastmod` writes it; anything else as it is."""
    cdef char[26] text
    cdef int size = 19, minutes
    cdef int64_t number
    if day is None or isinstance(day, (str, bool)):
        return day
    if isinstance(day, (int, float)):
        number = int(day) if 0 < day < MILLISECONDS_BELOW else 0
        number = number // 1000 if number >= MILLISECONDS else number
        if not SECONDS <= number < SECONDS_BELOW:
            return day
        _put_moment(text, number)
        return PyUnicode_FromStringAndSize(text, 20)
    if not isinstance(day, datetime):
        return day.isoformat() if isinstance(day, date) else day
    offset = _offset_of(day)
    if type(day) is not datetime or (
        offset.seconds % 60 or offset.microseconds if offset is not None else day.tzinfo is not None
    ):
        return day.isoformat(" " if day.tzinfo is None else "T", "seconds").replace("+00:00", "Z")
    _put_digits(text, datetime_year(day), 4, 45)
    _put_digits(text + 5, datetime_month(day), 2, 45)
    _put_digits(text + 8, datetime_day(day), 2, 32 if offset is None else 84)
    _put_digits(text + 11, datetime_hour(day), 2, 58)
    _put_digits(text + 14, datetime_minute(day), 2, 58)
    _put_digits(text + 17, datetime_second(day), 2, 90)
    if offset is not None:
        minutes = offset.days * 1440 + offset.seconds // 60
        size = 20
        if minutes:
            text[19] = 43 if minutes > 0 else 45
            _put_digits(text + 20, abs(minutes) // 60, 2, 58)
            _put_digits(text + 23, abs(minutes) % 60, 2, 0)
            size = 25
    return PyUnicode_FromStringAndSize(text, size)


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
