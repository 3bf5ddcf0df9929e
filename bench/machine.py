"""This computer → what of it matters for speed, in a line; neither its name nor who uses it."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    memory = _memory()
    parts = (f"{os.cpu_count()} cores of {_processor()}", f"{memory} GB of memory" if memory else "", _system())
    return ", ".join(filter(None, parts))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()


def _memory() -> int:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    except (AttributeError, ValueError, OSError):
        return 0


def _system() -> str:
    return f"{platform.system()} on {platform.machine()}"
