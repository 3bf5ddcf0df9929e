"""Subjects of the rules about time: the dates of one sitemap over several fetches, and a site in two snapshots.

Examples are written as `key: value` lines:

    sitemap: https://example.com/sitemap.xml
    look: 2026-11-14 dated=40 moved=40 stamped=40 known=40 unbacked=40

    site: https://example.com/
    before: 2026-11-01 urls=1000 files=a.xml,b.xml
    after: 2026-11-02 urls=700 files=a.xml,b.xml common=700
"""

from __future__ import annotations

import msgspec

from urlset.checking.context import Context
from urlset.snapshots.honesty import Example, Honesty, Transition, judge


class DatedFile(msgspec.Struct, frozen=True):
    """The dates of one sitemap in two or more audits or snapshots."""

    context: Context
    honesty: Honesty

    @property
    def source(self) -> str:
        return self.honesty.source


class SiteChange(msgspec.Struct, frozen=True, kw_only=True):
    """All sitemaps of a site in two consecutive snapshots."""

    context: Context
    target: str
    before: str
    """the time of the earlier one"""
    at: str
    urls_before: int
    urls: int
    common: int = 0
    """URLs in both"""
    files_before: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    unread: int = 0
    """sitemaps that could not be read for either: a smaller number then means nothing"""
    same_for_days: float = 0.0
    """how long no sitemap has changed"""
    rewritten: int = 0
    """listed pages whose main content changed in the meantime"""


def parse_dated_file(text: str, context: Context) -> DatedFile:
    """An example → its subject; raises ValueError or KeyError for an invalid example."""
    source, looks, examples = "", [], []
    before = "2026-11-01"
    for line in text.strip().splitlines():
        key, _, value = line.partition(": ")
        match key:
            case "sitemap":
                source = value
            case "look":
                day, *facts = value.split()
                looks.append(msgspec.structs.replace(Transition(before, day), **_numbers(facts)))
                before = day
            case "page":
                url, old, new, what = value.split()
                examples.append(Example(url, old, new, what, before))
            case _:
                raise ValueError(f"{line!r} is not a valid line of such an example")
    return DatedFile(context, judge(source, looks, examples=examples))


def parse_site_change(text: str, context: Context) -> SiteChange:
    notes = dict(line.partition(": ")[::2] for line in text.strip().splitlines())
    (before, was), (after, now) = (_look(notes[name]) for name in ("before", "after"))
    return SiteChange(
        context=context,
        target=notes["site"],
        before=before,
        at=after,
        urls_before=int(was["urls"]),
        urls=int(now["urls"]),
        common=int(now.get("common", 0)),
        files_before=frozenset(was.get("files", "").split(",")),
        files=frozenset(now.get("files", "").split(",")),
        unread=int(now.get("unread", 0)),
        same_for_days=float(now.get("same-for-days", 0)),
        rewritten=int(now.get("rewritten", 0)),
    )


def _look(value: str) -> tuple[str, dict[str, str]]:
    day, *facts = value.split()
    return day, dict(each.partition("=")[::2] for each in facts)


def _numbers(facts: list[str]) -> dict[str, int]:
    return {name: int(number) for name, _, number in (each.partition("=") for each in facts)}
