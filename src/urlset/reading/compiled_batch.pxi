# Entries that were taken → columns: small fields as codes, because a file has few different values; texts at once or
# on demand. Included by compiled.pyx.

cdef enum:
    CODES = 4096
    SLOTS = 16384
    SLOT_BITS = 14
    PROBES = 4
    MAX_SHARED = 64
    ABSENT = 0
    UNKNOWN = 65535

cdef class Values(Texts):
    """Makes strings; those of the small fields are numbered and shared, because a file has few different ones."""

    # the different texts as they were met behind a None, and of each: where it was met, its size
    cdef list texts
    cdef int64_t[::1] text_at
    cdef int64_t[::1] text_size
    # by field: the code of each text, and whether there are some without because they are too many, or too long
    cdef list codes_of
    cdef unsigned char[::1] endless
    # codes by a hash of the bytes of their texts; a code may be missing here, never wrong unseen
    cdef uint16_t[::1] table
    # of the value read last: its code or UNKNOWN, and a slot of the table for it
    cdef Py_ssize_t code, slot
    # by field: how long the last value was
    cdef int64_t[::1] usual_size

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Texts.__init__(self, data, own, prefixes)
        self.texts = [None]
        self.text_at = array("q", bytes(8 * CODES))
        self.text_size = array("q", bytes(8 * CODES))
        self.codes_of = [{}, {}, {}, {}]
        self.endless = bytearray(4)
        self.table = array("H", bytes(2 * SLOTS))
        self.usual_size = array("q", bytes(8 * 4))

    cdef inline Py_ssize_t _field(self, Py_ssize_t at, int field) except -2 nogil:
        """Behind a value; `code` and `slot` tell what is known of it."""
        cdef Py_ssize_t room = self.room, start = at, size = self.usual_size[field]
        # as long as the one before, and the same as one that was read to its end: then it ends there as well
        if 0 < size < room - at and self.data[at + size] == 60 and self._is_known(at, size, field):
            return at + size
        while at < room and CLASS[self.data[at]] & VALUE:
            at += 1
        if at >= room or self.data[at] != 60:
            at = self._text(at)
        if at >= 0:
            self.usual_size[field] = at - start
            self._is_known(start, at - start, field)
        return at

    cdef inline bint _is_known(self, Py_ssize_t at, Py_ssize_t size, int field) except -1 nogil:
        """Whether the text has a code in the table: `code`; else `slot` is where it may be put."""
        cdef Py_ssize_t slot, code, probe
        self.code = UNKNOWN
        if size > MAX_SHARED or size < 0 or at >= self.limit or size > self.limit - at:
            return False
        slot = _hash(&self.data[at], size, field) >> (64 - SLOT_BITS)
        self.slot = slot
        for probe in range(PROBES):
            code = self.table[slot]
            if code == ABSENT:
                self.slot = slot
                return False
            if self.text_size[code] == size * 4 + field and self._same(at, self.text_at[code], size):
                self.code = code
                return True
            slot = (slot + 1) % SLOTS
        return False

    cdef int _new_code(self, Py_ssize_t start, Py_ssize_t end, int field, Py_ssize_t slot) except -1:
        """The code of a text that was not in the table when it was read; UNKNOWN when it gets none."""
        cdef dict codes = self.codes_of[field]
        cdef int code
        if end - start > MAX_SHARED or self.twice:  # what has a code is not read again
            self.endless[field] = True
            return UNKNOWN
        text = self._string(start, end, True)
        code = codes.get(text, len(self.texts))
        if code >= CODES:
            self.endless[field] = True
            return UNKNOWN
        if code == len(self.texts):
            codes[text] = code
            self.texts.append(text)
            self.text_at[code] = start
            self.text_size[code] = (end - start) * 4 + field
        self.table[slot] = code
        return code


cdef enum:
    LOC = 0
    LASTMOD = 1
    PRIORITY = 3
    CLOSED = 4
    OTHER = 5
    BATCH = 512
    NEAR = 32768
    LEAD = 0
    SIZE = 4
    KEPT = 5
    ENDLESS = 0x7FFFFFFF


cdef class Batch(Values):
    """Some entries after another while they are taken, and of all of them what is needed to make their texts."""

    # one batch: eight bounds of values each, the slots of the small fields, and the rest as columns
    cdef int64_t[::1] spans
    cdef int64_t[::1] slots
    cdef object start_column, end_column, brief_column
    cdef uint64_t[::1] starts
    cdef uint64_t[::1] ends
    # five numbers for each: LEAD, how far behind the tag of the entry its address begins; the codes of its small fields;
    # and SIZE, that of the address, with NEAR added when there are references in it
    cdef uint16_t[::1] brief
    cdef bytearray mark_column
    cdef unsigned char[::1] marks
    cdef object signal_column
    cdef uint64_t[::1] signals
    cdef LocSignals judge
    cdef bint is_alone
    """the last entry with an address was taken by another reader, so that address is not known here"""
    cdef unsigned char[::1] loc_coded
    cdef bint far
    """an address of the batch is too long for its size to be kept, or too far from the tag of its entry"""
    cdef readonly Py_ssize_t rows
    """how many entries were handed over"""
    cdef object kept
    """the five numbers of all of them"""
    cdef Numbers repaired_rows
    """for each repair of the batch the number of its entry"""

    def __init__(self, bytes data, bytes own, tuple prefixes):
        Values.__init__(self, data, own, prefixes)
        self.spans = array("q", bytes(8 * BATCH * 8))
        self.slots = array("q", bytes(8 * BATCH * 4))
        self.starts = self.start_column = array("Q", bytes(8 * BATCH))
        self.ends = self.end_column = array("Q", bytes(8 * BATCH))
        self.brief = self.brief_column = array("H", bytes(2 * KEPT * BATCH))
        self.marks = self.mark_column = bytearray(BATCH)
        self.signals = self.signal_column = array("Q", bytes(8 * BATCH))
        self.judge = LocSignals()
        self.loc_coded = bytearray(BATCH)
        self.kept = array("H")
        self.repaired_rows = Numbers()

    cdef inline int _note_loc(self, Py_ssize_t row, Py_ssize_t start, Py_ssize_t end, bint coded) except -1 nogil:
        """Where the address of an entry is; both ends are those of the entry's tag when there is none."""
        cdef Py_ssize_t entry = self.starts[row]
        self.spans[8 * row] = start
        self.spans[8 * row + 1] = end
        self.loc_coded[row] = coded
        if end - entry >= NEAR:
            self.far = True
            start = end = entry  # this position is not used: the text is made at once
            coded = False
        self.brief[KEPT * row + LEAD] = start - entry
        self.brief[KEPT * row + SIZE] = end - start + (NEAR if coded else 0)
        return 0

    cdef inline int _note_no_loc(self, Py_ssize_t row) except -1 nogil:
        self.spans[8 * row] = self.spans[8 * row + 1] = self.starts[row]
        self.brief[KEPT * row + LEAD] = 0
        self.brief[KEPT * row + SIZE] = NEAR
        return 0

    cdef inline int _note_field(self, Py_ssize_t row, int field, Py_ssize_t start, Py_ssize_t end) except -1 nogil:
        self.spans[8 * row + 2 * field] = start
        self.spans[8 * row + 2 * field + 1] = end
        self.slots[4 * row + field] = self.slot
        self.brief[KEPT * row + field] = self.code
        return 0

    cdef int _hand_over(self, Py_ssize_t taken, columns, troubles, Py_ssize_t start, bint put_off) except -1:
        """Append the batch, which begins at `start`; the texts as well where they are not put off or cannot be."""
        cdef int field
        self._note_fields(taken)
        if not self.twice:
            self._note_range(columns.once_ranges, start, self.ends[taken - 1])
        if not self.unusual:
            self._note_range(columns.usual_ranges, start, self.ends[taken - 1])
        self.twice = self.unusual = False
        self._note_prefixes(columns)
        for field in range(LOC, PRIORITY + 1):
            if not put_off or (self.far if field == LOC else self.endless[field]):
                self._make_texts(taken, field, columns)
        self.rows += taken
        self.kept.extend(self.brief_column if taken == BATCH else self.brief_column[: KEPT * taken])
        columns.starts.extend(self.start_column if taken == BATCH else self.start_column[:taken])
        columns.ends.extend(self.end_column if taken == BATCH else self.end_column[:taken])
        columns.marks.extend(self.mark_column if taken == BATCH else self.mark_column[:taken])
        columns.signals.extend(self.signal_column if taken == BATCH else self.signal_column[:taken])
        self._hand_over_notes(columns, troubles)
        return 0

    cdef int _note_prefixes(self, columns) except -1:
        cdef int which
        for which in range(self.prefix_ends.shape[0] - 1):
            if self.met_prefixes >> which & 1:
                columns.prefixes.add(bytes(self.prefixes[self.prefix_ends[which] : self.prefix_ends[which + 1]]))
        return 0

    cdef int _hand_over_notes(self, columns, troubles) except -1:
        """The comments and repairs of the batch."""
        cdef Py_ssize_t note, offset, length, number
        cdef dict edits = {}
        for note in range(0, self.comments.size, 2):
            offset = self.comments.items[note]
            columns.comments.append(Place(offset, self.comments.items[note + 1] - offset))
        for note in range(0, self.repairs.size, 2):
            offset, length = self.repairs.items[note], self.repairs.items[note + 1]
            number = self.repaired_rows.items[note // 2]
            trouble, edit = repair(self.source, offset, length, number)
            troubles.append(trouble)
            edits.setdefault(number, []).append(edit)
        for number, made in edits.items():
            columns.edits[number] = tuple(made)
        self.comments.size = self.repairs.size = self.repaired_rows.size = 0
        return 0

    cdef inline int _note_range(self, list ranges, Py_ssize_t start, Py_ssize_t end) except -1:
        if ranges and ranges[len(ranges) - 1][1] == start:
            start = ranges.pop()[0]
        ranges.append((start, end))
        return 0

    cdef inline int _note_fields(self, Py_ssize_t taken) except -1:
        """Give codes to the texts of the batch."""
        cdef Py_ssize_t row, start, end
        cdef int field
        for row in range(taken):
            for field in range(LASTMOD, PRIORITY + 1):
                if self.brief[KEPT * row + field] == UNKNOWN:
                    start, end = self.spans[8 * row + 2 * field], self.spans[8 * row + 2 * field + 1]
                    self.brief[KEPT * row + field] = self._new_code(start, end, field, self.slots[4 * row + field])
        return 0

    cdef inline int _judge_loc(self, Py_ssize_t row) except -1 nogil:
        """The signals that the address of an entry raises."""
        cdef Py_ssize_t start = self.spans[8 * row], end = self.spans[8 * row + 1]
        if start == <Py_ssize_t>self.starts[row]:
            self.signals[row] = MISSING
        elif self.loc_coded[row]:
            end = self._decode(start, end)
            self.signals[row] = self.judge.loc(&self.scratch_view[0], end)
        else:
            self.signals[row] = self.judge.loc(&self.data[start], end - start)
        if self.is_alone:
            self.is_alone = self.signals[row] & (MISSING | EMPTY) != 0
            self.signals[row] |= OTHER_HEAD
        return 0

    cdef inline int _make_texts(self, Py_ssize_t taken, int field, columns) except -1:
        """Append the texts of the batch to those of the rows before."""
        cdef list texts = columns.begun(TEXTS[field])
        cdef Py_ssize_t row, start, end
        self.fill(texts, field, columns)
        for row in range(taken):
            start, end = self.spans[8 * row + 2 * field], self.spans[8 * row + 2 * field + 1]
            if field == LOC:
                texts.append(self._string(start, end, self.loc_coded[row]) if start > <Py_ssize_t>self.starts[row] else None)
            elif self.brief[KEPT * row + field] == UNKNOWN:
                texts.append(self._string(start, end, True))
            else:
                texts.append(self.texts[self.brief[KEPT * row + field]])
        return 0

    def fill(self, list texts, int field, columns):
        """Append a text for each row that has none yet; they are the last rows that were handed over."""
        cdef const uint64_t[::1] starts = columns.starts
        cdef const uint16_t[::1] kept = self.kept
        cdef Py_ssize_t row, at, size, mine = KEPT * (self.rows - starts.shape[0] + len(texts))
        for row in range(len(texts), starts.shape[0]):
            if field == LOC:
                at, size = starts[row] + kept[mine + LEAD], kept[mine + SIZE]
                texts.append(self._string(at, at + size % NEAR, size >= NEAR) if kept[mine + LEAD] else None)
            else:
                texts.append(self.texts[kept[mine + field]])
            mine += KEPT

    def text(self, Py_ssize_t row, int field, columns):
        """One text of one of those rows."""
        cdef Py_ssize_t mine = KEPT * (self.rows - len(columns.starts) + row), at, size
        if field != LOC:
            return self.texts[self.kept[mine + field]]
        at, size = columns.starts[row] + self.kept[mine + LEAD], self.kept[mine + SIZE]
        return self._string(at, at + size % NEAR, size >= NEAR) if self.kept[mine + LEAD] else None

    def repeated(self, columns):
        """How many rows repeat an address, and how many the path of one, as far as its query; or more, by chance, and
        where it is not known."""
        cdef const uint64_t[::1] starts = columns.starts
        cdef const uint16_t[::1] kept = self.kept
        cdef Py_ssize_t row, at, size, mine, rows = starts.shape[0], tries = 16 * rows, again = 0, paths_again = 0
        cdef int bits = _bits_for(2 * rows)
        cdef const unsigned char* text
        cdef const void* query
        cdef uint64_t digest
        cdef uint64_t[::1] met = array("Q", bytes(8 << bits)), met_paths = array("Q", bytes(8 << bits))
        cdef list begun = [] if self.rows == rows else columns.begun("locs")
        cdef bytes other
        for row in range(rows):
            mine = KEPT * (self.rows - rows + row)
            if row < len(begun):
                other = (begun[row] or "").encode("utf-8", "surrogatepass")
                text, size = other, len(other)
            else:
                at, size = starts[row] + kept[mine + LEAD], kept[mine + SIZE]
                if size % NEAR == 0 or size % NEAR > self.limit - at:
                    return ENDLESS, ENDLESS  # it is not known where this one is
                text = &self.data[at]
                if size >= NEAR:
                    size = self._decode(at, at + size % NEAR)
                    text = &self.scratch_view[0]
            if tries <= 0 or size == 0:
                return ENDLESS, ENDLESS
            digest = _hash(text, size, 0)
            again += _was_met(met, digest, bits, &tries)
            query = memchr(text, 63, size)
            if query != NULL:
                digest = _hash(text, <const unsigned char*>query - text, 0)
            paths_again += _was_met(met_paths, digest, bits, &tries)
        return again, paths_again

    def counts(self, int field):
        """How often each text of a small field was met, None and then by first appearance; None when some have no code."""
        cdef const uint16_t[::1] kept = self.kept
        found = array("q", bytes(8 * CODES))
        cdef int64_t[::1] counts = found
        cdef Py_ssize_t row
        if field == LOC or self.endless[field]:
            return None
        for row in range(self.rows):
            counts[kept[KEPT * row + field]] += 1
        return {text: count for text, count in zip(self.texts, found) if count}
