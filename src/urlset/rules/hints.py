"""Are changefreq and priority valid, and do they carry information in the file as a whole?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache, partial

from urlset.checking.declare import bad, error_rule, good, info_rule, warning_rule
from urlset.findings.finding import delete, quoted, replace
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit
from urlset.rules import READERS, Engine, Fix, Has, ListedPage, Problem, Safety, Signal, Sitemap
from urlset.rules.lastmod_form import padding_of
from urlset.spec import protocol
from urlset.spec.lazy_pattern import lazy_pattern

# Is changefreq one of the seven allowed values, in lowercase and without whitespace?

_WORDS = frozenset(protocol.CHANGEFREQ)
_RESTLESS = frozenset({"always", "hourly"})
_LATELY = timedelta(days=7)
_YEARS = timedelta(days=730)


hint_error = partial(error_rule, kinds=Has.URL_ELEMENTS)
hint_info = partial(info_rule, kinds=Has.URL_ELEMENTS)
hint_warning = partial(warning_rule, kinds=Has.URL_ELEMENTS)


@hint_error("F001", when=Signal.ODD_CHANGEFREQ, cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"))
@bad("<changefreq>«every-day»</changefreq>", fixed="<changefreq>daily</changefreq>")
@bad("<changefreq>«Montly»</changefreq>", fixed="<changefreq>monthly</changefreq>")
@bad("<changefreq>«quarterly»</changefreq>", fixed="<changefreq>monthly</changefreq>")
@bad(
    "<url><loc>https://example.com/</loc><changefreq>«often»</changefreq></url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@good("<changefreq>hourly</changefreq>", "<changefreq>Daily</changefreq>", "<changefreq> weekly </changefreq>")
def unknown_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq is not one of the seven allowed values.

    The allowed values are always, hourly, daily, weekly, monthly, yearly, and never. Crawlers ignore
    anything else, and validators reject the file.
    """
    value = (listed.raw_changefreq or "").strip()
    if not value or value.lower() in _WORDS:
        return
    place = listed.whole("changefreq")
    word = value.lower()
    fix: Fix | None = None
    if word in protocol.CHANGEFREQ_SYNONYMS:
        fix = replace(place, protocol.CHANGEFREQ_SYNONYMS[word], f"write {protocol.CHANGEFREQ_SYNONYMS[word]}")
    elif word in protocol.CHANGEFREQ_NEAREST:
        nearest = protocol.CHANGEFREQ_NEAREST[word]
        fix = replace(place, nearest, f"write {nearest}, the closest allowed value", Safety.REVIEW)
    else:
        for element in listed.fields("changefreq")[:1]:
            line = with_its_line(listed.document.data, element.place)
            fix = delete(line, "remove the element", Safety.REVIEW)
    yield Problem(
        place, f"{quoted(value)} is not a valid changefreq, so crawlers ignore it; use a value such as daily", fix
    )


@hint_warning(
    "F002",
    when=Signal.ODD_CHANGEFREQ,
    fails_schema=True,
    engines=(Engine.PROTOCOL, Engine.XSD_STRICT),
    cites=("xsd-tested", "xsd-urlset"),
)
@bad("<changefreq>«Daily»</changefreq>", fixed="<changefreq>daily</changefreq>")
@good("<changefreq>daily</changefreq>")
def upper_case_in_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq contains uppercase letters.

    The schema lists the values in lowercase and compares them case-sensitively. Crawlers accept both.
    """
    value = (listed.raw_changefreq or "").strip()
    if value not in _WORDS and value.lower() in _WORDS:
        place = listed.whole("changefreq")
        yield Problem(
            place,
            f"{quoted(value)} contains uppercase letters, so the schema rejects it; write {quoted(value.lower())}",
            replace(place, value.lower(), "convert to lowercase"),
        )


@hint_warning(
    "F003",
    when=Signal.ODD_CHANGEFREQ,
    fails_schema=True,
    engines=(Engine.PROTOCOL, Engine.XSD_STRICT),
    cites=("xsd-tested", "xsd-urlset"),
)
@bad("<changefreq>« »daily </changefreq>", fixed="<changefreq>daily</changefreq>")
@bad("<changefreq>daily«\n  »</changefreq>", fixed="<changefreq>daily</changefreq>")
@good("<changefreq>daily</changefreq>", "<changefreq><![CDATA[daily]]></changefreq>")
def white_space_around_changefreq(listed: ListedPage) -> Iterator[Problem]:
    """changefreq has leading or trailing whitespace.

    The schema trims whitespace around dates and numbers but not around changefreq. A line break inside the
    element makes the file invalid.
    """
    raw = listed.raw_changefreq or ""
    if raw not in _WORDS and raw.strip() != raw and raw.strip().lower() in _WORDS:
        padding = padding_of(listed.value("changefreq"))
        if padding:
            yield Problem(
                padding[0],
                f"whitespace around {quoted(raw.strip())}, so the schema rejects it; remove the whitespace",
                Fix("remove the whitespace", tuple(Edit(place, b"") for place in padding)),
            )


@hint_info("F012", when=Signal.AT_ODDS, engines=READERS, cites=("general-knowledge", "sitemaps-protocol"))
@bad(
    "<lastmod>2026-11-15</lastmod><changefreq>«never»</changefreq>",
    "<lastmod>2021-05-01</lastmod><changefreq>«hourly»</changefreq>",
)
@good(
    "<lastmod>2026-10-01T10:00:00Z</lastmod><changefreq>never</changefreq>",
    "<lastmod>2026-11-01T10:00:00Z</lastmod><changefreq>always</changefreq>",
    "<lastmod>2026-11-15T10:00:00Z</lastmod><changefreq>monthly</changefreq>",
)
def changefreq_contradicts_lastmod(listed: ListedPage) -> Iterator[Problem]:
    """changefreq contradicts lastmod.

    A page that changes hourly was not last changed years ago, and a page that never changes was not changed
    this week. One of the two is probably a default value.
    """
    word = (listed.raw_changefreq or "").strip().lower()
    if word != "never" and word not in _RESTLESS:
        return
    if listed.moment is None or (found := listed.moment.certain_interval()) is None:
        return
    now = listed.context.now
    if word == "never" and now - _LATELY < found[0] <= now:
        message = f"changefreq is never, but lastmod is {quoted(listed.moment.text)}; correct one of them"
        yield Problem(listed.whole("changefreq"), message)
    elif word in _RESTLESS and found[1] < now - _YEARS:
        message = f"changefreq is {word}, but lastmod is {quoted(listed.moment.text)}; correct one of them"
        yield Problem(listed.whole("changefreq"), message)


# Is priority a decimal number from 0.0 to 1.0?

# xsd:decimal, ASCII digits only.
_DECIMAL = lazy_pattern(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_FOREIGN = lazy_pattern(r"([+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+))(?:[eE]([+-]?[0-9]{1,2})|\s*(%))?")
_LONGEST = 40
"""longest number that is converted, in characters"""


def decimal_of(text: str) -> Decimal | None:
    """The value of a priority as the schema reads it; None if it is not an xsd:decimal."""
    return Decimal(text) if _DECIMAL.fullmatch(text) else None


@lru_cache(256)
def _meant(text: str) -> Decimal | None:
    """The value of a number with a comma, an exponent, or a percent sign; None for anything else."""
    match = _FOREIGN.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or decimal_of(text) is not None:
        return None
    value = Decimal(match[1].replace(",", "."))
    return value.scaleb(int(match[2] or 0) - (2 if match[3] else 0))


@hint_error("F004", when=Signal.ODD_PRIORITY, cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"))
@bad("<priority>«1.5»</priority>", fixed="<priority>1.0</priority>")
@bad("<priority>«-0.1»</priority>", fixed="<priority>0.0</priority>")
@bad("<priority>«high»</priority>", "<priority>«NaN»</priority>", "<priority>«0.5.1»</priority>")
@good(
    "<priority>1.0</priority>",
    "<priority>1</priority>",
    "<priority>.5</priority>",
    "<priority>+0.5</priority>",
    "<priority>0</priority>",
    "<priority> 0.5 </priority>",
)
def priority_out_of_range(listed: ListedPage) -> Iterator[Problem]:
    """priority is not a number from 0.0 to 1.0.

    The protocol and the schema define this range. For any other value, crawlers use the default or reject
    the file.
    """
    text = (listed.raw_priority or "").strip()
    if not text or _meant(text) is not None:
        return
    value = decimal_of(text)
    if value is None:
        message = f"{quoted(text)} is not a number, so crawlers use the default 0.5; write a number from 0.0 to 1.0"
        yield Problem(listed.whole("priority"), message)
    elif not protocol.PRIORITY_MIN <= value <= protocol.PRIORITY_MAX:
        place = listed.whole("priority")
        nearest = str(protocol.PRIORITY_MIN if value < protocol.PRIORITY_MIN else protocol.PRIORITY_MAX)
        yield Problem(
            place,
            f"{quoted(text)} is out of range, so crawlers use the default 0.5; write a number from 0.0 to 1.0",
            replace(place, nearest, f"write {nearest}, the closest allowed value", Safety.REVIEW),
        )


@hint_error("F005", when=Signal.ODD_PRIORITY, cites=("xsd-tested", "xsd-urlset"))
@bad("<priority>«0,5»</priority>", fixed="<priority>0.5</priority>")
@bad("<priority>«1e0»</priority>", fixed="<priority>1</priority>")
@bad("<priority>«5E-1»</priority>", fixed="<priority>0.5</priority>")
@bad("<priority>«80%»</priority>", fixed="<priority>0.80</priority>")
@bad("<priority>«1,5»</priority>")
@good("<priority>0.5</priority>", "<priority>1.</priority>")
def priority_notation(listed: ListedPage) -> Iterator[Problem]:
    """priority contains a comma, an exponent, or a percent sign.

    Locale settings turn the decimal point into a comma, and small floats print with an exponent. Priority
    must be a plain decimal number; other notations are rejected.
    """
    text = (listed.raw_priority or "").strip()
    value = _meant(text)
    if value is None:
        return
    place = listed.whole("priority")
    fix = None
    if protocol.PRIORITY_MIN <= value <= protocol.PRIORITY_MAX:
        plain = format(value.copy_abs(), "f")
        fix = replace(place, plain, f"write {plain}", Safety.REVIEW if "%" in text else Safety.SAFE)
    yield Problem(
        place, f"{quoted(text)} is not a plain decimal number, so it is ignored; write a number such as 0.8", fix
    )


@hint_error("F006", when=Signal.ODD_CHANGEFREQ | Signal.ODD_PRIORITY, cites=("xsd-tested", "xsd-urlset"))
@bad(
    "<url><loc>https://example.com/</loc>«<changefreq></changefreq>»«<priority/>»</url>",
    fixed="<url><loc>https://example.com/</loc></url>",
)
@bad(
    "<url>\n  <loc>https://example.com/</loc>\n  «<priority> </priority>»\n</url>",
    fixed="<url>\n  <loc>https://example.com/</loc>\n</url>",
)
@good("<priority>0</priority>", "<changefreq>never</changefreq>")
def empty_hint(listed: ListedPage) -> Iterator[Problem]:
    """changefreq or priority is empty.

    An empty element is not a valid value, so validators reject the file. Omit the element if the value is
    unknown.
    """
    for name, raw in (("changefreq", listed.raw_changefreq), ("priority", listed.raw_priority)):
        if raw is not None and not raw.strip():
            for element in listed.fields(name)[:1]:
                line = with_its_line(listed.document.data, element.place)
                yield Problem(
                    element.place,
                    f"{name} is empty; set a value or remove it",
                    delete(line, "remove the empty element"),
                )


_TWO = "<url><loc>https://example.com/{}</loc>{}</url>"


@hint_info(
    "F008",
    engines=(Engine.PROTOCOL, Engine.YANDEX, Engine.SEZNAM),
    cites=("sitemaps-protocol", "xsd-urlset", "seznam-2007"),
)
@bad(
    _TWO.format("a", "<priority>«1.0»</priority>") + _TWO.format("b", "<priority>1</priority>"),
    fixed=_TWO.format("a", "") + _TWO.format("b", ""),
)
@good(
    _TWO.format("a", "<priority>1.0</priority>") + _TWO.format("b", "<priority>0.9</priority>"),
    _TWO.format("a", "<priority>1.0</priority>") + _TWO.format("b", ""),
    _TWO.format("a", "<priority>1.0</priority>"),
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
        safety = Safety.SAFE if value == protocol.PRIORITY_DEFAULT else Safety.REVIEW
        yield Problem(
            sitemap.listed(0).whole("priority"),
            f"{_all(len(rows))} have priority {text}, so it ranks nothing; remove it or use different values",
            Fix("remove all priorities", lambda: _removals(sitemap, rows), safety),
            count=len(rows),
            rows=rows,
        )


@hint_info(
    "F014",
    engines=(Engine.PROTOCOL, Engine.YANDEX, Engine.SEZNAM),
    cites=("sitemaps-protocol", "xsd-urlset", "seznam-2007"),
)
@bad(
    _TWO.format("a", "<changefreq>«daily»</changefreq>") + _TWO.format("b", "<changefreq>daily</changefreq>"),
    fixed=_TWO.format("a", "") + _TWO.format("b", ""),
)
@good(
    _TWO.format("a", "<changefreq>daily</changefreq>") + _TWO.format("b", "<changefreq>weekly</changefreq>"),
    _TWO.format("a", "<changefreq>daily</changefreq>") + _TWO.format("b", ""),
    _TWO.format("a", "<changefreq>daily</changefreq>"),
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


@hint_info("F009", engines=(Engine.GOOGLE,), cites=("google-build", "google-2023"))
@bad("<loc>https://example.com/</loc>«<priority>0.8</priority>»", fixed="<loc>https://example.com/</loc>")
@bad("«<changefreq>daily</changefreq>»")
@good("<lastmod>2026-11-15T10:00:00Z</lastmod>")
def hints_ignored_by_google(sitemap: Sitemap) -> Iterator[Problem]:
    """changefreq or priority is set, but Google ignores both.

    Google documents this. The elements do no harm beyond file size, and other crawlers may use them.
    """
    yield from _ignored_by("Google", sitemap)


@hint_info("F010", engines=(Engine.BING,), cites=("bing-2025",))
@bad(
    "<loc>https://example.com/</loc>«<changefreq>daily</changefreq>»<priority>0.8</priority>",
    fixed="<loc>https://example.com/</loc>",
)
@good("<lastmod>2026-11-15T10:00:00Z</lastmod>")
def hints_ignored_by_bing(sitemap: Sitemap) -> Iterator[Problem]:
    """changefreq or priority is set, but Bing ignores both.

    Bing announced in 2025 that it relies on lastmod alone. The elements do no harm beyond file size, and
    other crawlers may use them.
    """
    yield from _ignored_by("Bing", sitemap)


@hint_info("F013", engines=(Engine.PROTOCOL,), cites=("sitemaps-protocol",))
@bad(
    _TWO.format("a", "<priority>«0.5»</priority>") + _TWO.format("b", "<priority>0.9</priority>"),
    fixed=_TWO.format("a", "") + _TWO.format("b", "<priority>0.9</priority>"),
)
@bad(
    _TWO.format("a", "") + "\n" + _TWO.format("b", "\n  <priority>«0.50»</priority>\n"),
    fixed=_TWO.format("a", "") + "\n" + _TWO.format("b", "\n"),
)
@good(
    _TWO.format("a", "<priority>0.6</priority>"),
    _TWO.format("a", "<priority>0.5</priority>") + _TWO.format("b", "<priority>0.5</priority>"),
)
def default_priority(sitemap: Sitemap) -> Iterator[Problem]:
    """priority is set to 0.5, which is the default.

    A URL without a priority already has 0.5. The element only makes the file larger.
    """
    spellings = {text for text in sitemap.priorities if _value(text) == protocol.PRIORITY_DEFAULT}
    if not spellings or _shared_priority(sitemap) is not None:
        return
    written = sitemap.columns.priorities
    count = sum(sitemap.priorities[text] for text in spellings)

    def rows() -> Iterator[int]:
        return (row for row, text in enumerate(written) if text in spellings)

    yield Problem(
        sitemap.listed(min(map(written.index, spellings))).whole("priority"),
        f"{count:,} of {len(sitemap.columns):,} entries {'sets' if count == 1 else 'set'} priority to the default 0.5; "
        "remove it",
        Fix("remove the default priorities", lambda: _removals(sitemap, rows())),
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

    def edits() -> tuple[Edit, ...]:
        given = [row for row, text in enumerate(columns.changefreqs) if text is not None]
        weighed = [row for row, text in enumerate(columns.priorities) if text is not None]
        return (*_removals(sitemap, given, "changefreq"), *_removals(sitemap, weighed))

    row = next(rows())
    name = "changefreq" if columns.changefreqs[row] is not None else "priority"
    elements = sitemap.listed(row).fields(name)
    counted = [f"{count:,} {name}" for count, name in ((frequencies, "changefreq"), (priorities, "priority")) if count]
    yield Problem(
        elements[0].place if elements else sitemap.document.place(row),
        f"{engine} ignores {' and '.join(counted)} element{'s' if frequencies + priorities > 1 else ''}",
        Fix("remove changefreq and priority", edits, Safety.REVIEW),
        count=max(frequencies, priorities),
        rows=rows,
    )


def _removals(sitemap: Sitemap, rows: Iterable[int], name: str = "priority") -> tuple[Edit, ...]:
    """One deletion per row."""
    found = (element.place for row in rows for element in sitemap.listed(row).fields(name)[:1])
    return tuple(Edit(with_its_line(sitemap.data, place), b"") for place in found)
