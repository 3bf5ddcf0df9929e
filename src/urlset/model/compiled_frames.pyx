# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Texts → the buffers of an Arrow column, without pandas (see `frames.arrow_array`)."""

from libc.stdint cimport INT32_MAX, int32_t
from libc.string cimport memcpy

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    const void* PyUnicode_DATA(object text)


def text_buffers(values, allocate):
    """Where each text starts, and all texts as UTF-8. None is empty."""
    cdef list texts = list(values)
    cdef Py_ssize_t at, size, total = 0
    starts, joined = allocate(4 * (len(texts) + 1)), None
    cdef signed char[::1] room = starts
    cdef int32_t* places = <int32_t*>&room[0]
    cdef char* target
    cdef object text
    places[0] = 0
    for at in range(len(texts)):
        text = texts[at]
        if text is not None:
            if not isinstance(text, str):
                raise TypeError(f"a text is expected, not {text!r}")
            if not PyUnicode_IS_ASCII(text):
                text = texts[at] = text.encode()
            total += len(text)
        if total > INT32_MAX:
            raise OverflowError("more than 2 GB of text in one batch")
        places[at + 1] = <int32_t>total
    joined = allocate(total)
    if total:
        room = joined
        target = <char*>&room[0]
        for at in range(len(texts)):
            text, size = texts[at], places[at + 1] - places[at]
            if size:
                memcpy(target + places[at], PyUnicode_DATA(text) if isinstance(text, str) else <char*>(<bytes>text), size)
    return starts, joined
