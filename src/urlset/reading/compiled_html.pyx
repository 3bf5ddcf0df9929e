# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: show_performance_hints=False
"""An HTML page whose tree is certain → its elements and text, in one pass over the bytes, without building the tree.

Certain means: html is written out, head and body are too or begin where a tag implies them, every element is closed
inside its parent or by a rule that leaves no doubt, and nothing is moved, repeated or ignored by the tree builder's
error handling. Whatever else a page does, `scan` gives None and the tree builder reads it; `reading/html.py` defines
what a page says.
Every access to the page is checked against its size, every one to a table against the size of the table.
"""

import re

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr

include "compiled_html_tags.pxi"
include "compiled_html_text.pxi"

cdef enum:
    DEEPEST = 200
    MOST_ATTRIBUTES = 48
    MOST_BLOCKS = 20_000
    MOST_BYTES = 8 << 20
    MOST_COPIES = 300_000
    MOST_TAGS_IN_PAGE = 50_000
    NOT_SHOWN = -2  # instead of what is around an image

cdef frozenset FRAME_OR_MAIN = frozenset({"navigation", "banner", "contentinfo", "main"})


cdef struct Open:
    int tag
    Py_ssize_t name
    Py_ssize_t name_size
    int container  # which was the innermost before this element
    bint is_container


include "compiled_html_bytes.pxi"
include "compiled_html_tree.pxi"


def scan(bytes data, *, bint links, bint images, bint text):
    """None for a page whose tree is not certain."""
    if len(data) > MOST_BYTES:
        return None
    cdef PlainPage page = PlainPage()
    try:
        page._begin(data, links, images, text)
        page._read()
    except (NotCertainError, UnicodeDecodeError):
        return None
    return page
