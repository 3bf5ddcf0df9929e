"""Labelled pages → how often the judgements are right: precision and recall, with and without what a site lends.

Run as a script it prints the table of docs/audit-quality.md.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from tests.auditing.labelled_pages import LabelledSite, Writer, app_shell, labelled_site, mostly_gone
from urlset.auditing.facts import judged, seen_of
from urlset.auditing.soft404 import probe_of
from urlset.model.answer import Answer
from urlset.reading.fingerprint import BlockCounter, boilerplate_of


class Quality(NamedTuple):
    right: int
    wrong: int
    missed: int
    passed: int

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + self.missed)


@cache
def first_set(sites: int = 56) -> tuple[LabelledSite, ...]:
    """The pages that the weights were set on."""
    return tuple(labelled_site(seed) for seed in range(sites))


@cache
def second_set(sites: int = 56) -> tuple[LabelledSite, ...]:
    """Other wording, more pages that only look so, hosts that behave oddly."""
    return (
        *(labelled_site(seed, held_out=True) for seed in range(100, 100 + sites)),
        *(app_shell(seed) for seed in range(4)),
        *(mostly_gone(seed) for seed in range(14)),
    )


def answer(host: str, path: str, html: bytes, status: int = 200) -> Answer:
    url = f"https://{host}{path}"
    return Answer(url, final_url=url, status=status, headers=(("content-type", "text/html"),), body=html)


def judge(sites: Iterable[LabelledSite], *, probe: bool = True, boilerplate: bool = True) -> dict[str, Quality]:
    """As an audit does: pages are seen one by one, and judged when all of the site is known."""
    tally: Counter[tuple[str, bool, bool]] = Counter()
    for site in sites:
        probed = [answer(site.host, "/xq", each, site.probe_status or 403) for each in site.probes]
        baseline = probe_of(probed) if probe else None
        seen = [seen_of(answer(site.host, page.path, page.html), baseline=baseline) for page in site.pages]
        known = _boilerplate(each.blocks for each in seen) if boilerplate else frozenset()
        for page, each in zip(site.pages, seen, strict=True):
            visit = judged(each, baseline=baseline, boilerplate=known)
            tally["soft 404", page.missing, visit.soft_404 is not None] += 1
            if not page.missing:
                tally["thin", page.thin, visit.thin is not None] += 1
    return {kind: _quality(tally, kind) for kind in ("soft 404", "thin")}


def _boilerplate(pages: Iterable[tuple[int, ...]]) -> frozenset[int]:
    counter = BlockCounter()
    for blocks in pages:
        counter.add(blocks)
    return boilerplate_of(counter)


def _quality(tally: Counter[tuple[str, bool, bool]], kind: str) -> Quality:
    return Quality(
        tally[kind, True, True], tally[kind, False, True], tally[kind, True, False], tally[kind, False, False]
    )


Change = Callable[[Writer, bytes, int], bytes]
HARMLESS: dict[str, Change] = {
    "another footer": lambda w, html, _n: html.replace(
        w.small_print.encode(), "Alles neu im Fuß dieser Seiten.".encode()
    ),
    "a menu entry more": lambda _w, html, _n: html.replace(b"</ul>", b"<li>New in the menu today</li></ul>", 1),
    "a view counter": lambda _w, html, n: html.replace(b"<i>1,204</i>", f"<i>{n * 37 + 1205}</i>".encode()),
    "a banner on all pages": lambda _w, html, _n: html.replace(b"<h1>", b"<p>Sale until Sunday, all must go</p><h1>"),
    "other markup": lambda _w, html, _n: html.replace(b"<p>", b'<p class="x">').replace(b"</h1>", b"</h1>\n\n"),
    "a stamp of the build": lambda _w, html, _n: html.replace(b"built 2026-01-01", b"built 2026-02-02"),
    "days ago": lambda _w, html, n: html.replace(b"days ago", f"days and {n} hours ago".encode()),
    "other pages recommended": lambda w, html, _n: html.replace(b"<aside>", f"<aside><p>{w.phrase(4)}</p>".encode()),
}
REAL: dict[str, Change] = {
    "a sentence more": lambda w, html, _n: html.replace(b"<article>", f"<article><p>{w.sentence()}</p>".encode()),
    "a word less": lambda _w, html, _n: html.replace(b"stays removable ", b""),
    "another heading": lambda w, html, _n: html.replace(b"<h1>", f"<h1>{w.phrase(1)} ".encode()),
    "another price": lambda _w, html, _n: html.replace("19,90 €".encode(), "24,90 €".encode()),
    "an entry of a list more": lambda w, html, _n: html.replace(b"<ol>", f"<ol><li>{w.phrase(3)}</li>".encode()),
}


def _edition(writer: Writer, number: int) -> bytes:
    main = (
        f"<i>1,204</i><p>{number} days ago</p><article>{writer.paragraphs(80)}<p>This stays removable {number}</p>"
        f"<p>19,90 €</p><ol><li>{writer.phrase(3)}</li></ol></article>"
        f"<aside><p>{writer.phrase(4)}</p></aside><p>built 2026-01-01</p>"
    )
    return writer.page(writer.phrase(3), writer.phrase(3), main)


def _fingerprints(pages: list[bytes]) -> list[int | None]:
    seen = [seen_of(answer("f.test", f"/{number}", html)) for number, html in enumerate(pages)]
    known = _boilerplate(each.blocks for each in seen)
    return [judged(each, boilerplate=known).fingerprint for each in seen]


def fingerprint_changes(sites: int = 28) -> Iterator[tuple[str, bool, bool]]:
    """(kind of change, whether the content changed, whether the fingerprint did), for the same pages of each site.

    What happens to a template happens to all pages; content changes on one page in ten.
    """
    for seed in range(sites):
        writer = Writer(seed)
        before = [_edition(writer, number) for number in range(20)]
        prints = _fingerprints(before)
        touched = random.Random(seed).sample(range(20), 2)
        for real, changes in ((False, HARMLESS), (True, REAL)):
            for name, change in changes.items():
                after = [
                    change(writer, html, number) if not real or number in touched else html
                    for number, html in enumerate(before)
                ]
                moved = _fingerprints(after)
                yield from ((name, real, prints[number] != moved[number]) for number in touched)


def fingerprint_quality(changes: Iterable[tuple[str, bool, bool]]) -> Quality:
    tally = Counter(("moved", real, seen) for _, real, seen in changes)
    return _quality(tally, "moved")


def table() -> Iterator[str]:
    yield "| judgement | pages | probe | site known | precision | recall |"
    yield "|---|---|---|---|---|---|"
    for name, sites in (("first set", first_set()), ("second set", second_set())):
        for probe, boilerplate in ((True, True), (False, True), (True, False), (False, False)):
            for kind, found in judge(sites, probe=probe, boilerplate=boilerplate).items():
                flags = " | ".join("yes" if each else "no" for each in (probe, boilerplate))
                total = sum(found)
                yield f"| {kind}, {name} | {total} | {flags} | {found.precision:.3f} | {found.recall:.3f} |"
    changes = list(fingerprint_changes())
    found = fingerprint_quality(changes)
    yield f"| fingerprint moved | {len(changes)} | no | yes | {found.precision:.3f} | {found.recall:.3f} |"
    wrong = Counter(name for name, real, seen in changes if real != seen)
    met = Counter(name for name, _, _ in changes)
    for name, count in wrong.items():
        yield f"- {name}: wrong for {count} of {met[name]} pages"


if __name__ == "__main__":
    import sys

    sys.stdout.writelines(f"{line}\n" for line in table())
