"""A seed → three days of a site with planted events, served by the hour of a simulated clock."""

from __future__ import annotations

import hashlib
import os
import random
import struct
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from urlset.testing.exchange import PageAnswer, Raw, Reply, Request

START = datetime(2026, 11, 20, tzinfo=UTC)
HOURS = 72
AUDITED = 8.5
"""hours within which an audit is certain to have run"""
SITEMAPS, PAGES = 4, 10
BAD_LOCS = {
    "L001": " ", "L002": "/c/x", "L003": "ftp://127.0.0.1/x", "L004": "/c/" + "x" * 2100, "L007": "/c/a b",
    "L008": "/c/%zz", "L012": "/c\\x", "L034": "/c/{{slug}}", "X010": "/c/x?a=1&b=2",
}  # fmt: skip
"""the rule that reports it → a loc; one that starts with / follows the origin, but for L002"""
BAD_DATES = {
    "D002": "2026-13-01T10:00:00Z", "D003": "2026-01-01T10:00:00", "D004": "2026-01-01T10:00:00+0100",
    "D005": "2026-01-01 10:00:00Z", "D006": "2026-01-01t10:00:00z", "D007": "2026-01-01T10Z",
    "D014": "2027-06-01T10:00:00Z", "D021": "yesterday", "D022": "01/02/2026",
}  # fmt: skip


class Event(msgspec.Struct, frozen=True):
    kind: str
    what: str
    start: float
    """hours"""
    end: float

    def holds(self, hour: float) -> bool:
        return self.start <= hour < self.end


class Story(msgspec.Struct, frozen=True):
    """Forty events that must be reported, and others that must not."""

    events: tuple[Event, ...]
    decoys: tuple[Event, ...]

    @classmethod
    def of(cls, seed: int) -> Story:
        chance = random.Random(seed)
        decoys = [Event("blocked", code, at, at + 2) for code, at in (("403", 16), ("429", 38), ("reset", 60))]
        blocks = tuple(decoys)
        spans = [(n + 0.1, n + 0.16) for n in range(2, 70, 5)]
        decoys += [Event("blip", str(n % SITEMAPS), start, end) for n, (start, end) in enumerate(spans)]
        decoys += [Event("fewer", str(n % SITEMAPS), n, n + 2) for n in range(5, 65, 9)]
        decoys += [Event("robots blocked", "403", 25, 27), Event("receiver down", "", 30, 33)]
        decoys += [Event("receiver breaks off", "", 50, 53)]
        planned = [("missing", str(n % SITEMAPS), 3.0) for n in range(11)]
        planned += [("fell", "", 3.0)] * 5 + [("noindex", "", 13.0)] * 2 + [("robots", "", 0.0)] * 5
        planned += [("error", code, 5.0) for code in sorted(BAD_LOCS)]
        planned += [("date", code, 5.0) for code in chance.sample(sorted(BAD_DATES), 8)]
        planned.sort(key=lambda each: -each[2])
        while (events := _plan(chance, planned, blocks)) is None:
            pass
        return cls(tuple(sorted(events, key=lambda each: each.start)), tuple(decoys))

    def now(self, kind: str, what: str | None, hour: float) -> bool:
        both = (*self.events, *self.decoys)
        return any(each.kind == kind and what in (None, each.what) and each.holds(hour) for each in both)

    def changed(self, number: int, hour: float) -> float:
        """When the sitemap of this number was last written."""
        kinds = ("fell", "error", "date", "fewer")
        times = [at for each in (*self.events, *self.decoys) if each.kind in kinds for at in (each.start, each.end)]
        return max((at for at in times if at <= hour), default=0.0) + number / 60


def _plan(
    chance: random.Random, planned: list[tuple[str, str, float]], blocks: tuple[Event, ...]
) -> list[Event] | None:
    """None where the long ones left no room for the others."""
    events: list[Event] = []
    for kind, what, hours in planned:
        event = _placed(chance, kind, what, hours, events, blocks)
        if event is None:
            return None
        events.append(event)
    return events


def _placed(
    chance: random.Random, kind: str, what: str, hours: float, events: list[Event], blocks: tuple[Event, ...]
) -> Event | None:
    """At a time at which it can be told apart: with a gap to others of its kind, and not hidden by a block."""
    gap = 13.0 if kind == "noindex" else 2.0
    last = HOURS - 6 - hours - (4 if kind == "noindex" else 0)
    for _ in range(500):
        start = round(chance.uniform(1.0, last), 2)
        new = Event(kind, what, start, start + hours if hours else HOURS * 2.0)
        same = [each for each in events if each.kind == kind and each.what == what]
        apart = all(each.start - gap > new.end or new.start - gap > each.end for each in same)
        if kind == "robots":
            apart = all(abs(each.start - new.start) > 3.5 for each in same)
        edges = (new.start, new.end)
        clear = all(each.end < edge or edge < each.start - 1.5 for each in blocks for edge in edges)
        if kind == "fell":  # what most sitemaps would show, most of them must be there to show
            clear = clear and sum(_meet(each, new) for each in events if each.kind == "missing") <= 1
        elif kind == "noindex":  # the audit after its end must see all sitemaps
            clear = all(each.end < new.end or each.start > new.end + AUDITED for each in blocks)
        elif kind == "missing":
            spans = [(each.start if what == "3" else each.end, each.end) for each in events if each.kind == "noindex"]
            clear = clear and all(new.end < start or new.start > end + AUDITED for start, end in spans)
        if apart and clear:
            return new
    return None


def _meet(one: Event, other: Event) -> bool:
    return one.start < other.end and other.start < one.end


class Clock:
    """The simulated hour, in a file that all processes map."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT)
        if not os.fstat(self._file).st_size:
            self.set(0.0)

    @property
    def hour(self) -> float:
        found: float = struct.unpack("d", os.pread(self._file, 8, 0))[0]
        return found

    def set(self, hour: float) -> None:
        os.pwrite(self._file, struct.pack("d", hour), 0)

    def now(self) -> datetime:
        return START + timedelta(hours=self.hour)

    def wait_until(self, moment: datetime) -> None:
        """Time passes at once."""
        hour = max(self.hour, (moment - START) / timedelta(hours=1))
        self.set(hour)
        os.environ["SOURCE_DATE_EPOCH"] = str(int(self.now().timestamp()))


def routes(folder: str, seed: int) -> Callable[[Request], Reply | None]:
    """The site and the receiver of its alerts; what was received is on disk before it is confirmed."""
    clock, story = Clock(Path(folder) / "hour"), Story.of(seed)
    received = os.open(Path(folder) / "received", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def answer(request: Request) -> Reply | None:
        hour = clock.hour
        if request.path == "/hook":
            if story.now("receiver down", None, hour):
                return Raw(end="reset")
            os.write(received, request.body + b"\n")
            return Raw(end="reset") if story.now("receiver breaks off", None, hour) else "thanks"
        return _site(story, request, hour)

    return answer


def _site(story: Story, request: Request, hour: float) -> Reply | None:
    for each in story.decoys:
        if each.kind == "blocked" and each.holds(hour):
            return Raw(end="reset") if each.what == "reset" else PageAnswer(int(each.what), "no")
    path, origin = request.path, request.origin
    if path == "/robots.txt":
        if story.now("robots blocked", None, hour):
            return PageAnswer(403, "no")
        version = sum(each.kind == "robots" and each.start <= hour for each in story.events)
        lines = f"User-agent: *\nDisallow: /private-{version}/\nSitemap: {origin}/index.xml\n"
        return PageAnswer(body=lines, type="text/plain")
    if path == "/index.xml":
        return _xml(_index(story, origin, hour))
    if path[:2] == "/s" and path[2:].removesuffix(".xml").isdigit():
        number = int(path[2:].removesuffix(".xml"))
        if story.now("missing", str(number), hour):
            return PageAnswer(404, "not here")
        if story.now("blip", str(number), hour):
            return PageAnswer(500, "one moment")
        return _xml(_sitemap(story, origin, number, hour))
    return _page(request, noindex=story.now("noindex", None, hour)) if path.startswith("/c") else None


def _xml(text: str) -> PageAnswer:
    tag = hashlib.sha256(text.encode()).hexdigest()[:16]
    return PageAnswer(body=text, type="application/xml", headers={"ETag": f'"{tag}"'})


def _index(story: Story, origin: str, hour: float) -> str:
    rows = "".join(
        f"<sitemap><loc>{origin}/s{number}.xml</loc><lastmod>"
        f"{START + timedelta(hours=story.changed(number, hour)):%Y-%m-%dT%H:%M:%SZ}</lastmod></sitemap>"
        for number in range(SITEMAPS)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</sitemapindex>'
    )


def _sitemap(story: Story, origin: str, number: int, hour: float) -> str:
    count = PAGES - (4 if story.now("fell", None, hour) else story.now("fewer", str(number), hour))
    rows = []
    for page in range(count):
        loc = f"{origin}/c{number}/p{page}"
        date = f"2026-0{(number + page) % 9 + 1}-{page % 28 + 1:02}T{page:02}:{page * 7 % 60:02}:00Z"
        place = page * SITEMAPS + number
        bad_loc, bad_date = (list(each)[place] if place < len(each) else "" for each in (BAD_LOCS, BAD_DATES))
        if story.now("error", bad_loc, hour):
            bad = BAD_LOCS[bad_loc]
            loc = f"{origin}{bad}" if bad.startswith("/") and bad_loc != "L002" else bad
        if story.now("date", bad_date, hour):
            date = BAD_DATES[bad_date]
        rows.append(f"<url><loc>{loc}</loc><lastmod>{date}</lastmod></url>")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(rows)}</urlset>'
    )


def _page(request: Request, *, noindex: bool) -> Reply:
    name = request.path
    hidden = '<meta name="robots" content="noindex">' if noindex and name.startswith("/c3/") else ""
    words = " ".join(hashlib.sha256(f"{name} {n}".encode()).hexdigest()[:7] for n in range(60))
    return PageAnswer(
        body=f"<html lang=en><head><title>Page {name}</title>{hidden}"
        f"<link rel=canonical href='{request.origin}{request.target}'></head>"
        f"<body><main><h1>Page {name}</h1><p>{words}</p></main></body></html>"
    )
