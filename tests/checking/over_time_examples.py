"""Examples of the rules about time → their subjects.

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
from urlset.checking.live_page import DatedFile, SiteChange
from urlset.snapshots.honesty import Example, Transition, judge


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
