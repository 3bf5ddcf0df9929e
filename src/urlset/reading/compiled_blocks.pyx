# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""Text blocks → their 64-bit hashes, by compiled code: the same integers as `reading/fingerprint.py`.

Decided here: ASCII text that has a letter and no word by which pages say how long ago something was. All other text
goes to the function that was handed in.
"""

from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    """
    #define ROTATED(word, by) (((word) >> (by)) | ((word) << (64 - (by))))
    #define MIXED(a, b, c, d, x, y) \
        do { \
            v[a] += v[b] + (x); v[d] = ROTATED(v[d] ^ v[a], 32); v[c] += v[d]; v[b] = ROTATED(v[b] ^ v[c], 24); \
            v[a] += v[b] + (y); v[d] = ROTATED(v[d] ^ v[a], 16); v[c] += v[d]; v[b] = ROTATED(v[b] ^ v[c], 63); \
        } while (0)
    #define WORD(round, place) m[blake2b_order[round][place]]
    #define ROUND(r) \
        do { \
            MIXED(0, 4, 8, 12, WORD(r, 0), WORD(r, 1)); MIXED(1, 5, 9, 13, WORD(r, 2), WORD(r, 3)); \
            MIXED(2, 6, 10, 14, WORD(r, 4), WORD(r, 5)); MIXED(3, 7, 11, 15, WORD(r, 6), WORD(r, 7)); \
            MIXED(0, 5, 10, 15, WORD(r, 8), WORD(r, 9)); MIXED(1, 6, 11, 12, WORD(r, 10), WORD(r, 11)); \
            MIXED(2, 7, 8, 13, WORD(r, 12), WORD(r, 13)); MIXED(3, 4, 9, 14, WORD(r, 14), WORD(r, 15)); \
        } while (0)

    static const uint64_t blake2b_start[8] = {
        0x6a09e667f3bcc908ULL, 0xbb67ae8584caa73bULL, 0x3c6ef372fe94f82bULL, 0xa54ff53a5f1d36f1ULL,
        0x510e527fade682d1ULL, 0x9b05688c2b3e6c1fULL, 0x1f83d9abfb41bd6bULL, 0x5be0cd19137e2179ULL};

    static const uint8_t blake2b_order[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

    /* RFC 7693, one block of 128 bytes; words are read from the lowest byte on, on any machine */
    static void blake2b_block(uint64_t *h, const uint8_t *data, uint64_t length, int is_last)
    {
        uint64_t v[16], m[16];
        int i;
        for (i = 0; i < 16; i++) {
            const uint8_t *at = data + 8 * i;
            m[i] = (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
                   (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
        }
        for (i = 0; i < 8; i++) {
            v[i] = h[i];
            v[i + 8] = blake2b_start[i];
        }
        v[12] ^= length;
        if (is_last) v[14] = ~v[14];
        ROUND(0); ROUND(1); ROUND(2); ROUND(3); ROUND(4); ROUND(5);
        ROUND(6); ROUND(7); ROUND(8); ROUND(9); ROUND(0); ROUND(1);
        for (i = 0; i < 8; i++) h[i] ^= v[i] ^ v[i + 8];
    }
    """
    const uint64_t[8] blake2b_start
    void blake2b_block(uint64_t* h, const uint8_t* data, uint64_t length, int is_last) noexcept nogil

cdef enum:
    BLOCK = 128
    DIGEST = 8
    MOST_SIGNS = 32

cdef uint8_t[256] LOWER
cdef unsigned int[256] FIRST
cdef unsigned int[256] SECOND
"""one bit for each sign that has the byte there, in any case"""
cdef const char* SIGNS[MOST_SIGNS]
cdef Py_ssize_t SIGN_SIZES[MOST_SIGNS]
cdef int sign_count = 0
_kept = []


def _fill():
    global sign_count
    from urlset.spec.relative_dates import ASCII_SIGNS

    cdef int byte
    for byte in range(256):
        LOWER[byte] = byte + 32 if 65 <= byte <= 90 else byte
    assert len(ASCII_SIGNS) <= MOST_SIGNS
    for sign in ASCII_SIGNS:
        raw = sign.encode("ascii")
        _kept.append(raw)
        SIGNS[sign_count] = raw
        SIGN_SIZES[sign_count] = len(raw)
        for byte in range(256):
            FIRST[byte] |= <unsigned int>(LOWER[byte] == raw[0]) << sign_count
            SECOND[byte] |= <unsigned int>(LOWER[byte] == raw[1]) << sign_count
        sign_count += 1


_fill()


cdef int64_t _hash(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Of the text in lower case."""
    cdef uint64_t[8] h
    cdef uint8_t[BLOCK] block
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t part, each
    memcpy(h, blake2b_start, sizeof(h))
    h[0] ^= 0x01010000 ^ DIGEST
    while True:
        part = min(size - at, <Py_ssize_t>BLOCK)
        for each in range(part):
            block[each] = text[at + each] | ((<uint8_t>(text[at + each] - 65) < 26) << 5)
        at += part
        if at >= size:
            memset(block + part, 0, BLOCK - part)
            blake2b_block(h, block, at, True)
            break
        blake2b_block(h, block, at, False)
    cdef uint64_t number = 0
    for each in range(8):
        number = number << 8 | (h[0] >> (8 * each) & 255)
    return <int64_t>number


cdef bint _may_say_when(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at, each
    cdef unsigned int possible
    cdef int sign
    for at in range(size - 1):
        possible = FIRST[text[at]] & SECOND[text[at + 1]]
        if possible:
            for sign in range(sign_count):
                if possible >> sign & 1 and SIGN_SIZES[sign] <= size - at:
                    each = 0
                    while each < SIGN_SIZES[sign] and LOWER[text[at + each]] == <uint8_t>SIGNS[sign][each]:
                        each += 1
                    if each == SIGN_SIZES[sign]:
                        return True
    return False


cdef bint _has_letter(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t at
    for at in range(size):
        if 97 <= LOWER[text[at]] <= 122:
            return True
    return False


def block_hashes(texts, Py_ssize_t longest, otherwise):
    """One hash for each text, whose whitespace must be collapsed, or what `otherwise` gives for it.

    A text of up to `longest` characters may be one that says how long ago something was.
    """
    cdef list found = []
    cdef Py_ssize_t size
    cdef const uint8_t* data
    for text in texts:
        if (<str>text).isascii():
            data = <const uint8_t*>PyUnicode_AsUTF8AndSize(text, &size)
            if size > longest or (_has_letter(data, size) and not _may_say_when(data, size)):
                found.append(_hash(data, size))
                continue
        found.append(otherwise(text))
    return found
