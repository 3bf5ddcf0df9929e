"""Do changefreq and priority carry information in the file as a whole?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.place import Place, between
from urlset.rules import Bad, Engine, Fix, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.hints.priority import decimal_of
from urlset.spec.protocol import PRIORITY_DEFAULT

_TWO = "<url><loc>https://example.com/{}</loc>{}</url>"


@rule(
    "F008",
    "identical-priorities",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.PROTOCOL, Engine.YANDEX, Engine.SEZNAM),
    cites=("sitemaps-protocol", "xsd-urlset", "seznam-2007"),
    bad=(
        Bad(
            _TWO.format("a", "<priority>«1.0»</priority>") + _TWO.format("b", "<priority>1</priority>"),
            fixed=_TWO.format("a", "") + _TWO.format("b", ""),
        ),
    ),
    good=(
        _TWO.format("a", "<priority>1.0</priority>") + _TWO.format("b", "<priority>0.9</priority>"),
        _TWO.format("a", "<priority>1.0</priority>") + _TWO.format("b", ""),
        _TWO.format("a", "<priority>1.0</priority>"),
    ),
)
def identical_priorities(sitemap: Sitemap) -> Iterator[Problem]:
    """All URLs in the file have the same priority.

    Priority only ranks the pages of one site against each other. If all values are equal, it carries no
    information and can be removed.
    """
    value = _shared_priority(sitemap)
    if value is not None:
        rows = range(len(sitemap.columns))
        text = (sitemap.columns.priorities[0] or "").strip()
        yield Problem(
            sitemap.listed(0).whole("priority"),
            f"{_all(len(rows))} have priority {text}, so it ranks nothing; remove it or use different values",
            Fix(
                "remove all priorities",
                _removals(sitemap, rows),
                Safety.SAFE if value == PRIORITY_DEFAULT else Safety.REVIEW,
            ),
            count=len(rows),
            rows=rows,
        )


@rule(
    "F014",
    "identical-changefreqs",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.PROTOCOL, Engine.YANDEX, Engine.SEZNAM),
    cites=("sitemaps-protocol", "xsd-urlset", "seznam-2007"),
    bad=(
        Bad(
            _TWO.format("a", "<changefreq>«daily»</changefreq>") + _TWO.format("b", "<changefreq>daily</changefreq>"),
            fixed=_TWO.format("a", "") + _TWO.format("b", ""),
        ),
    ),
    good=(
        _TWO.format("a", "<changefreq>daily</changefreq>") + _TWO.format("b", "<changefreq>weekly</changefreq>"),
        _TWO.format("a", "<changefreq>daily</changefreq>") + _TWO.format("b", ""),
        _TWO.format("a", "<changefreq>daily</changefreq>"),
    ),
)
def identical_changefreqs(sitemap: Sitemap) -> Iterator[Problem]:
    """All URLs in the file have the same changefreq.

    It then does not say which pages change more often than others, and can be removed.
    """
    count = len(sitemap.columns)
    values = {(text or "").strip().lower() for text in sitemap.changefreqs}
    if count < 2 or len(values) != 1 or values == {""}:
        return
    rows = range(count)
    yield Problem(
        sitemap.listed(0).whole("changefreq"),
        f"{_all(count)} have changefreq {values.pop()}, so it distinguishes nothing; remove it or use different values",
        Fix("remove all changefreqs", lambda: _removals(sitemap, rows, "changefreq"), Safety.REVIEW),
        count=count,
        rows=rows,
    )


def _all(count: int) -> str:
    return "both URLs" if count == 2 else f"all {count:,} URLs"


@rule(
    "F009",
    "hints-ignored-by-google",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.GOOGLE,),
    cites=("google-build", "google-2023"),
    bad=(
        Bad("<loc>https://example.com/</loc>«<priority>0.8</priority>»", fixed="<loc>https://example.com/</loc>"),
        "«<changefreq>daily</changefreq>»",
    ),
    good=("<lastmod>2026-11-15T10:00:00Z</lastmod>",),
)
def hints_ignored_by_google(sitemap: Sitemap) -> Iterator[Problem]:
    """changefreq or priority is set, but Google ignores both.

    Google documents this. The elements do no harm beyond file size, and other crawlers may use them.
    """
    yield from _ignored_by("Google", sitemap)


@rule(
    "F010",
    "hints-ignored-by-bing",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.BING,),
    cites=("bing-2025",),
    bad=(
        Bad(
            "<loc>https://example.com/</loc>«<changefreq>daily</changefreq>»<priority>0.8</priority>",
            fixed="<loc>https://example.com/</loc>",
        ),
    ),
    good=("<lastmod>2026-11-15T10:00:00Z</lastmod>",),
)
def hints_ignored_by_bing(sitemap: Sitemap) -> Iterator[Problem]:
    """changefreq or priority is set, but Bing ignores both.

    Bing announced in 2025 that it relies on lastmod alone. The elements do no harm beyond file size, and
    other crawlers may use them.
    """
    yield from _ignored_by("Bing", sitemap)


@rule(
    "F013",
    "default-priority",
    kinds=(Kind.URLSET,),
    severity=Severity.INFO,
    engines=(Engine.PROTOCOL,),
    cites=("sitemaps-protocol",),
    bad=(
        Bad(
            _TWO.format("a", "<priority>«0.5»</priority>") + _TWO.format("b", "<priority>0.9</priority>"),
            fixed=_TWO.format("a", "") + _TWO.format("b", "<priority>0.9</priority>"),
        ),
        Bad(
            _TWO.format("a", "") + "\n" + _TWO.format("b", "\n  <priority>«0.50»</priority>\n"),
            fixed=_TWO.format("a", "") + "\n" + _TWO.format("b", "\n"),
        ),
    ),
    good=(
        _TWO.format("a", "<priority>0.6</priority>"),
        _TWO.format("a", "<priority>0.5</priority>") + _TWO.format("b", "<priority>0.5</priority>"),
    ),
)
def default_priority(sitemap: Sitemap) -> Iterator[Problem]:
    """priority is set to 0.5, which is the default.

    A URL without a priority already has 0.5. The element only makes the file larger.
    """
    spellings = {text for text in sitemap.priorities if _value(text) == PRIORITY_DEFAULT}
    if not spellings or _shared_priority(sitemap) is not None:
        return
    written = sitemap.columns.priorities
    count = sum(sitemap.priorities[text] for text in spellings)

    def rows() -> Iterator[int]:
        return (row for row, text in enumerate(written) if text in spellings)

    def removals() -> tuple[Edit, ...]:
        return _removals(sitemap, list(rows()))

    yield Problem(
        sitemap.listed(min(map(written.index, spellings))).whole("priority"),
        f"{count:,} of {len(sitemap.columns):,} entries {'sets' if count == 1 else 'set'} priority to the default 0.5; "
        "remove it",
        Fix("remove the default priorities", removals),
        count=count,
        rows=rows,
    )


def _value(text: str | None) -> Decimal | None:
    return decimal_of(text.strip()) if text else None


def _shared_priority(sitemap: Sitemap) -> Decimal | None:
    """The priority shared by all entries, if there are at least two."""
    if len(sitemap.columns) < 2:
        return None
    values = {_value(text) for text in sitemap.priorities}
    return values.pop() if len(values) == 1 else None


def _ignored_by(engine: str, sitemap: Sitemap) -> Iterator[Problem]:
    columns = sitemap.columns
    frequencies = len(columns) - sitemap.changefreqs[None]
    priorities = len(columns) - sitemap.priorities[None]
    if not frequencies and not priorities:
        return

    def rows() -> Iterator[int]:
        pairs = enumerate(zip(columns.changefreqs, columns.priorities, strict=True))
        return (row for row, (changefreq, priority) in pairs if changefreq is not None or priority is not None)

    row = next(rows())
    name = "changefreq" if columns.changefreqs[row] is not None else "priority"
    elements = sitemap.listed(row).fields(name)
    counted = [f"{count:,} {name}" for count, name in ((frequencies, "changefreq"), (priorities, "priority")) if count]
    yield Problem(
        elements[0].place if elements else sitemap.document.place(row),
        f"{engine} ignores {' and '.join(counted)} element{'s' if frequencies + priorities > 1 else ''}",
        Fix("remove changefreq and priority", lambda: _hints(sitemap), Safety.REVIEW),
        count=max(frequencies, priorities),
        rows=rows,
    )


def _hints(sitemap: Sitemap) -> tuple[Edit, ...]:
    columns = sitemap.columns
    frequencies = [row for row, text in enumerate(columns.changefreqs) if text is not None]
    priorities = [row for row, text in enumerate(columns.priorities) if text is not None]
    return (*_removals(sitemap, frequencies, "changefreq"), *_removals(sitemap, priorities))


def _removals(sitemap: Sitemap, rows: Sequence[int], name: str = "priority") -> tuple[Edit, ...]:
    """One deletion per row; rows without anything unusual are not parsed again."""
    places = (_element(sitemap, row, name) for row in rows)
    return tuple(Edit(with_its_line(sitemap.data, place), b"") for place in places if place is not None)


def _element(sitemap: Sitemap, row: int, name: str) -> Place | None:
    columns = sitemap.columns
    start, end = columns.starts[row], columns.ends[row]
    if not columns.marks[row] & (Mark.ODD | Mark.SALVAGED | Mark.COMMENTED):
        closer = f"</{name}>".encode()
        opening = sitemap.data.find(f"<{name}>".encode(), start, end)
        closing = sitemap.data.find(closer, opening, end)
        if opening != -1 and closing != -1:
            return between(opening, closing + len(closer))
    return next((element.place for element in sitemap.listed(row).fields(name)), None)
