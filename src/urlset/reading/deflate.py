"""The deflate at hand: zlib-ng where it is installed, zlib otherwise; what is unpacked is the same.

zlib-ng is zlib made anew, with the same tables and the same opinion of damaged data, about twice as fast both
ways. Its packed files at the usual level are not larger than those of zlib.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Any

quick: Any = zlib
"""the module of choice, with the functions of zlib"""
with suppress(ImportError):  # not installed: the extra is called `fast`
    from zlib_ng import zlib_ng as quick

Damaged: tuple[type[Exception], ...] = (zlib.error, quick.error)
