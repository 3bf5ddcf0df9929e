# Forms of values: addresses, as in spec/extensions.py, and texts. Included by compiled.pyx.

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
