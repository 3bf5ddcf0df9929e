# Is an address one in which no rule can find anything? Included by compiled.pyx.
# The pattern in checking/plain.py defines that; what is called plain here must be so there: a test compares.

cdef enum:
    MAX_PLAIN = 256

cdef unsigned char[256] RISKY
"""bytes with which a word of RESIDUE can begin"""
cdef unsigned char _byte
for _byte in compiled_words.RESIDUE.first_bytes:
    RISKY[_byte] = 1
    RISKY[_byte & 0xDF] = 1  # the same in upper case


@final
cdef class Words:
    """Words to look for at one place, found by their first two bytes."""

    cdef const unsigned char[::1] text
    cdef const int64_t[::1] offsets
    cdef const int64_t[::1] firsts
    cdef const unsigned char[::1] pairs
    cdef bint folded
    cdef bint whole

    def __init__(self, packed):
        self.text = packed.text
        self.offsets = packed.offsets
        self.firsts = packed.firsts
        self.pairs = packed.pairs
        self.folded = packed.folded
        self.whole = packed.whole


cdef Words PRIVATE = Words(compiled_words.PRIVATE)
cdef Words RESIDUE = Words(compiled_words.RESIDUE)
cdef Words PARAMETERS = Words(compiled_words.PARAMETERS)
cdef Words NOTHING = Words(compiled_words.NOTHING)
cdef Words ENDINGS = Words(compiled_words.ENDINGS)


cdef class Screen(Texts):
    """Reads addresses, and tells the plain ones."""

    cdef bint plain, slashed
    # scheme and host of the last plain address; the same with the first segment of its path, up to the slash
    cdef Py_ssize_t head_at, head_size, first_size
    cdef bint first_is_language
    # of the head being looked at, and of that of the last plain entry taken
    cdef int64_t head_number, last_head_number

    cdef inline Py_ssize_t _loc(self, Py_ssize_t at) except -2 nogil:
        """Behind the address; `plain` tells whether no rule can find anything in it."""
        cdef Py_ssize_t end
        self.plain = True
        end = self._plain_address(at)
        if not self.plain:
            end = self._text(end)  # what was seen so far is made of legal characters
        elif end - at > MAX_PLAIN:
            self.plain = False
        return end

    cdef inline Py_ssize_t _odd(self, Py_ssize_t at) noexcept nogil:
        self.plain = False
        return at

    cdef inline Py_ssize_t _plain_address(self, Py_ssize_t at) except -2 nogil:
        """As far as the address is plain; `plain` is False unless that is all of it, up to its close tag."""
        cdef Py_ssize_t room = self.room, segment, dot
        cdef unsigned char byte
        if self.first_size and self._same(at, self.head_at, self.first_size):
            at += self.first_size
            if self.first_is_language and self._stands(PRIVATE, at):
                return self._odd(at)
        else:
            if self.head_size and self._same(at, self.head_at, self.head_size):
                self.head_at, at = at, at + self.head_size
            else:
                at = self._head(at)
            self.first_size = 0
            if not self.plain or self._is_private(at):
                return self._odd(at)
        while True:
            segment, dot = at, -1
            if at >= room or self.data[at] == 46 or (RISKY[self.data[at]] and self._stands(RESIDUE, at)):
                return self._odd(at)
            while at < room:
                byte = self.data[at]
                if not CLASS[byte] & PATH:
                    break
                if byte == 46:
                    dot = at
                at += 1
            if at >= room:
                return self._odd(at)
            if self.data[at] != 47 or at == segment:
                break
            at += 1
            if not self.first_size:
                self.first_size = at - self.head_at
        self.slashed = at == segment
        if dot >= 0 and not self._stands(ENDINGS, dot):
            return self._odd(at)
        if self.data[at] == 60:
            return at
        if self.data[at] != 63:
            return self._odd(at)
        return self._query(at + 1)

    cdef inline Py_ssize_t _head(self, Py_ssize_t at) except -2 nogil:
        """Behind scheme, a host name in lower case whose last label has letters only, and the slash."""
        cdef Py_ssize_t room = self.room, start = at, label, letter, labels = 0
        if room - at < 12 or self.data[at] != 104 or self.data[at + 1] != 116 or self.data[at + 2] != 116 or self.data[at + 3] != 112:
            return self._odd(at)
        at += 4
        if self.data[at] == 115:
            at += 1
        if self.data[at] != 58 or self.data[at + 1] != 47 or self.data[at + 2] != 47:
            return self._odd(at)
        at += 3
        while True:
            label = at
            while at < room and (CLASS[self.data[at]] & LABEL or self.data[at] == 45):
                at += 1
            if at >= room or at == label or self.data[label] == 45 or self.data[at - 1] == 45:
                return self._odd(at)
            labels += 1
            if self.data[at] != 46:
                break
            at += 1
        if self.data[at] != 47 or labels < 2 or not 2 <= at - label <= 24:
            return self._odd(at)
        for letter in range(label, at):
            if not 97 <= self.data[letter] <= 122:
                return self._odd(at)
        at += 1
        self.head_at = start
        self.head_size = at - start
        self.head_number += 1
        return at

    cdef inline bint _is_private(self, Py_ssize_t at) except -1 nogil:
        """A word such as `cart` as the first segment, or behind a language."""
        cdef Py_ssize_t slash = at
        if self._stands(PRIVATE, at):
            return True
        self.first_is_language = False
        while slash < self.room and slash - at < 8 and self.data[slash] != 47:
            slash += 1
        if slash >= self.room or self.data[slash] != 47:
            return False
        self.first_is_language = slash - at == 2 or (slash - at >= 5 and (self.data[at + 2] == 45 or self.data[at + 2] == 95))
        return self.first_is_language and self._stands(PRIVATE, slash + 1)

    cdef inline bint _stands(self, Words words, Py_ssize_t at) except -1 nogil:
        """Whether one of the words stands there, as a whole segment where that is asked for."""
        cdef unsigned char byte, first, second
        cdef int64_t word
        cdef Py_ssize_t here, letter, stop
        if self.room - at < 2:
            return True  # nothing is known
        first, second = self.data[at], self.data[at + 1]
        if words.folded:
            first, second = LOWER[first], LOWER[second]
        if not words.pairs[first * 256 + second]:
            return False
        for word in range(words.firsts[first], words.firsts[first + 1]):
            here = at + 1
            letter = words.offsets[word] + 1
            stop = words.offsets[word + 1]
            while letter < stop and here < self.room:
                byte = self.data[here]
                if words.folded:
                    byte = LOWER[byte]
                if byte != words.text[letter]:
                    break
                here += 1
                letter += 1
            if letter == stop and (not words.whole or here >= self.room or self.data[here] in b"/?<"):
                return True
        return False

    cdef inline Py_ssize_t _query(self, Py_ssize_t at) except -2 nogil:
        """The parameters, up to the close tag."""
        cdef Py_ssize_t room = self.room, name
        while True:
            if room - at < 2:
                return self._odd(at)
            if self._stands(PARAMETERS, at):
                return self._odd(at)
            name = at
            while at < room and (CLASS[self.data[at]] & LABEL or self.data[at] == 95):
                at += 1
            if at == name or room - at < 3 or self.data[at] != 61:
                return self._odd(at)
            at += 1
            if self._stands(NOTHING, at):
                return self._odd(at)
            while at < room and CLASS[self.data[at]] & PATH:
                at += 1
            if at >= room:
                return self._odd(at)
            if self.data[at] == 60:
                return at
            if self.data[at] != 38 or room - at < 5 or self.data[at + 1] != 97 or self.data[at + 2] != 109:
                return self._odd(at)
            if self.data[at + 3] != 112 or self.data[at + 4] != 59:
                return self._odd(at)
            self.coded = True
            at += 5
