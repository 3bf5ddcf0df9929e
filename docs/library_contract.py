"""The contract of the library: which verb takes which sources, and its form for asyncio → the tables of library.md.

`tests/workflows/library/test_contract.py` calls every verb with everything that is promised here, in both forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

START, END = "<!-- contract: written by make docs -->", "<!-- end of contract -->"
SOURCES = {
    "path": "path",
    "url": "URL",
    "text": "XML",
    "bytes": "bytes",
    "text file": "text file",
    "binary file": "binary file",
    "document": "doc",
    "several": "several",
}
PAGES = {"string": "string", "entry": "Entry", "pair": "pair", "mapping": "mapping"}
CONTENT = ("path", "url", "text", "bytes", "text file", "binary file", "document")
SITE = ("url", "document")


class Verb(NamedTuple):
    name: str
    sources: tuple[str, ...] = ()
    awaited: str | None = None
    pages: tuple[str, ...] = ()


VERBS = (
    Verb("read", CONTENT, "read_async"),
    Verb("read_tree", (*CONTENT, "several"), "read_tree_async"),
    Verb("pages", (*CONTENT, "several"), "pages_async"),
    Verb("info", (*CONTENT, "several"), "info_async"),
    Verb("check", (*CONTENT, "several"), "check_async"),
    Verb("fix", CONTENT, "fix_async"),
    Verb("diff", CONTENT, "diff_async"),
    Verb("snapshot", CONTENT, "snapshot_async"),
    Verb("history", ("path", "url", "document"), "history_async"),
    Verb("audit", CONTENT, "audit_async"),
    Verb("logs", CONTENT, "logs_async"),
    Verb("build", CONTENT, "build_async", tuple(PAGES)),
    Verb("render", CONTENT, None, tuple(PAGES)),
    Verb("render_stream", CONTENT, "render_stream_async", tuple(PAGES)),
    Verb("render_index", (), None, tuple(PAGES)),
    Verb("crawl", SITE, "crawl_async"),
    Verb("doctor", SITE, "doctor_async"),
    Verb("submit", (*SITE, "several"), "submit_async"),
    Verb("engines_status", SITE, "engines_status_async"),
    Verb("engines_index", SITE, "engines_index_async"),
    Verb("publish", ("path",), "publish_async"),
    Verb("explain"),
)


def contract() -> str:
    """Both tables: sources, and pages one by one."""
    taking = [verb for verb in VERBS if verb.sources]
    listing = [verb for verb in VERBS if verb.pages]
    first = _table([*SOURCES.values(), "async"], [(verb, _marks(SOURCES, verb.sources, verb)) for verb in taking])
    second = _table(list(PAGES.values()), [(verb, [_mark(each in verb.pages) for each in PAGES]) for verb in listing])
    return "\n".join([*first, "", *second])


def embedded(page: str) -> str:
    """The page with the tables of today."""
    before, _, rest = page.partition(START)
    return f"{before}{START}\n{contract()}\n{END}{rest.partition(END)[2]}"


def _table(columns: list[str], rows: list[tuple[Verb, list[str]]]) -> Iterator[str]:
    yield f"| verb | {' | '.join(columns)} |"
    yield f"|---|{':-:|' * len(columns)}"
    for verb, cells in rows:
        yield f"| `{verb.name}` | {' | '.join(cells)} |"


def _marks(known: dict[str, str], taken: tuple[str, ...], verb: Verb) -> list[str]:
    return [*(_mark(each in taken) for each in known), _mark(verb.awaited is not None)]


def _mark(taken: bool) -> str:
    return "✓" if taken else "-"
