"""A trap → the pattern for `--exclude` that keeps a crawl out of it, where there is one."""

from __future__ import annotations

import re

from urlset.crawling.found import Trap, TrapKind
from urlset.crawling.trap_shapes import rest_of, split

_NUMBER = re.compile(r"[0-9]+")
_SPECIAL = re.compile(r"[*\s\x00-\x1f]")


def exclude_pattern(trap: Trap, example: str) -> str | None:
    """`example` is an address it kept us from. None where no pattern tells the trap from the pages around it."""
    path, query = split(example)
    if _SPECIAL.search(trap.place) or _SPECIAL.search(path):
        return None  # a star of its own would be taken for any text
    if trap.kind is TrapKind.FACETS:
        return f"{path}?*&*"
    if trap.kind is TrapKind.RETURN:
        return f"{path}?*{trap.place.rpartition('?')[2].removesuffix('…')}*"
    if trap.kind is TrapKind.REPEATED:
        run = trap.place.removeprefix("…/").removesuffix("/…").split("/")
        once = "/".join(run[: len(run) // 3])
        return f"*/{once}/{once}/*"
    if trap.kind not in (TrapKind.CALENDAR, TrapKind.ENDLESS):
        return None
    if query and "…" not in trap.place.partition("?")[0]:
        return trap.place.replace("…", "*")
    # a star would reach beyond the next slash: /cal/*/* is also /cal/2026/05/concert
    varying = "[0-9]+" if _NUMBER.sub("…", rest_of(example)) == trap.place else "[0-9A-Za-z-]+"
    return f"re:^https?://[^/]+{varying.join(map(re.escape, trap.place.split('…')))}$"
