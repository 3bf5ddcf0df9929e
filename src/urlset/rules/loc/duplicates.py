"""Is a page listed twice in one file, with the same or an equivalent URL?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import repeat, starmap
from operator import contains

from urlset.checking.declare import bad, good, reader_warning
from urlset.checking.engine import loc_place
from urlset.findings.finding import quoted
from urlset.fixing.markup import remove_entries
from urlset.model.address import key_of
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.moment import Moment
from urlset.model.place import Place
from urlset.rules import Fix, Has, Problem, Safety, Signal, Sitemap
from urlset.rules.loc import OriginRows, origins
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import RESPELLABLE

_BLANK_BETWEEN = lazy_pattern(rb"(?<=>)\s+(?=<)")
_OWN_HEAD = lazy_pattern(r"https?://(?![^/]*(?:xn--|0x))[a-z0-9.-]*[a-z-]")
_NOT_EXPLAINED_BY_PATH = Signal.FRAGMENT | Signal.PADDED | Signal.MISSING | Signal.EMPTY | Signal.EMPTY_SEGMENT
"""URLs that may end with one or two slashes, where the path does not end"""


def _kept(sitemap: Sitemap, rows: Sequence[int]) -> tuple[int, bool]:
    """The row with the newest lastmod, or the first row if the newest is unclear; and whether it was clear."""
    lastmods = sitemap.columns.lastmods
    best, certain = rows[0], True
    for row in rows[1:]:
        mine, other = (lastmods[best] or "").strip(), (lastmods[row] or "").strip()
        if mine == other or not other:
            continue
        if not mine or Moment.parse(other).newer_than(Moment.parse(mine)):
            best = row
        elif not Moment.parse(mine).newer_than(Moment.parse(other)):
            certain = False
    return best, certain


def _dropped(sitemap: Sitemap, rows: Sequence[int], kept: int, safety: Safety) -> Fix | None:
    """Without the other entries; images, videos, news and links that only they have move to the one that is kept."""
    others = [row for row in rows if row != kept]
    moved = _moved(sitemap, others, kept)
    line = _line(sitemap, kept)
    title = f"merge into the entry on line {line}" if moved else f"keep only the entry on line {line}"
    fix = remove_entries(sitemap.document, others, title, safety)
    return fix if fix is None or moved is None else Fix(title, (*fix.edits, moved), Safety.REVIEW)


def _moved(sitemap: Sitemap, rows: Sequence[int], kept: int) -> Edit | None:
    """The extension elements of some entries that another one does not have, to be added to it."""
    document, marks = sitemap.document, sitemap.columns.marks
    rows = [row for row in rows if marks[row] & Mark.EXTENDED]
    if not rows:
        return None
    entry = document.element(kept)
    if not entry.children:
        return None
    known = {_compact(document.data, child) for child in _extensions(entry)}
    added: dict[bytes, bytes] = {}
    for element in (child for row in rows for child in _extensions(document.element(row))):
        compact = _compact(document.data, element)
        if compact not in known:
            added.setdefault(compact, element.place.cut(document.data))
    last, before = entry.children[-1], (entry.open_tag.end, *(child.place.end for child in entry.children))[-2]
    gap = document.data[before : last.place.offset]
    separator = gap if gap.isspace() else b""
    return Edit(Place(last.place.end), b"".join(separator + text for text in added.values())) if added else None


def _extensions(entry: Element) -> list[Element]:
    return [child for child in entry.children if child.namespace != entry.namespace]


def _compact(data: bytes, element: Element) -> bytes:
    """The same for elements that differ in whitespace between tags only."""
    return _BLANK_BETWEEN.sub(b"", element.place.cut(data))


def _line(sitemap: Sitemap, row: int) -> int:
    """The line of the URL, which may be below its <url> tag."""
    return sitemap.document.lines.number(loc_place(sitemap, row).offset)


def _same_but_for_dates(sitemap: Sitemap, rows: Sequence[int], kept: int) -> bool:
    """Whether the removed entries contain nothing that the kept one does not."""
    columns, data = sitemap.columns, sitemap.data

    def reported(row: int) -> tuple[str | None, str | None]:
        return columns.changefreqs[row], columns.priorities[row]

    return all(
        columns.place(row).cut(data) == columns.place(kept).cut(data)
        or (
            not columns.marks[row] & (Mark.EXTENDED | Mark.ODD | Mark.SALVAGED)
            and reported(row) in (reported(kept), (None, None))
        )
        for row in rows
    )


_TWICE = "<url><loc>{}</loc>{}</url>\n<url><loc>{}</loc>{}</url>"
_A = "https://example.com/a"
_IMAGE = "<image:image><image:loc>https://example.com/{}.png</image:loc></image:image>"


duplicate_warning = partial(reader_warning, kinds=Has.PAGES)


@duplicate_warning("L020", cites=("google-video", "general-knowledge"))
@bad(_TWICE.format(_A, "", f"«{_A}»", ""), fixed=f"<url><loc>{_A}</loc></url>")
@bad(
    _TWICE.format(_A, "<lastmod>2026-01-01</lastmod>", f"«{_A}»", "<lastmod>2026-02-01</lastmod>"),
    fixed=f"<url><loc>{_A}</loc><lastmod>2026-02-01</lastmod></url>",
)
@bad(f"{_A}\nhttps://example.com/b\n«{_A}»\n{_A}\n", fixed=f"{_A}\nhttps://example.com/b\n")
@bad(
    _TWICE.format(_A, _IMAGE.format(1), f"«{_A}»", _IMAGE.format(1) + _IMAGE.format(2)),
    fixed=f"<url><loc>{_A}</loc>{_IMAGE.format(1)}{_IMAGE.format(2)}</url>",
    title="different images of one page",
)
@good(_TWICE.format(_A, "", "https://example.com/A", ""), _TWICE.format(_A, "", "https://example.com/a?b", ""))
def duplicate_loc(sitemap: Sitemap) -> Iterator[Problem]:
    """A URL is listed more than once.

    Crawlers use one of the entries, and not all use the same one. If the dates differ, the wrong one may be used.
    Images, videos and links of all entries belong in one entry.
    """
    if sitemap.columns.listed_once():
        return
    locs = sitemap.columns.locs
    if len(sitemap.locs) == len(locs):
        return
    rows_of: dict[str, list[int]] = {}
    for row, loc in enumerate(locs):
        if loc and not loc.isspace():
            rows_of.setdefault(loc, []).append(row)
    for loc, rows in rows_of.items():
        if len(rows) == 1:
            continue
        kept, certain = _kept(sitemap, rows)
        safe = certain and _same_but_for_dates(sitemap, rows, kept)
        more = {2: "", 3: ", and once more"}.get(len(rows), f", and {len(rows) - 2:,} more times")
        yield Problem(
            loc_place(sitemap, rows[1]),
            f"{quoted(loc.strip())} is already listed on line {_line(sitemap, rows[0])}{more}; list it once",
            _dropped(sitemap, rows, kept, Safety.SAFE if safe else Safety.REVIEW),
            subject=loc.strip(),
            count=len(rows) - 1,
            rows=rows[1:],
        )


@duplicate_warning("L022", cites=("rfc3986",))
@bad(
    _TWICE.format("https://Example.com:443/a", "", f"«{_A}»", ""),
    fixed=f"<url><loc>{_A}</loc></url>",
    title="host case and default port",
)
@bad(_TWICE.format("https://example.com/~a", "", "«https://example.com/%7ea»", ""), fixed=None)
@bad(
    _TWICE.format("https://example.com", "", "«https://example.com/»", ""),
    _TWICE.format("https://example.com/b/../a", "", f"«{_A}»", ""),
    _TWICE.format(f" {_A}", "", f"«{_A}»", ""),
)
@good(
    _TWICE.format(_A, "", "https://example.com/A", ""),
    _TWICE.format("https://example.com/a%2Fb", "", "https://example.com/a/b", ""),
    _TWICE.format(f"{_A}?b=%26", "", f"{_A}?b=&amp;", ""),
)
def duplicate_loc_respelled(sitemap: Sitemap) -> Iterator[Problem]:
    """Two equivalent URLs are listed for the same page.

    Uppercase letters in the host, the default port, dot segments, and unnecessary percent-encoding make no
    difference to the server, so both entries point to the same page.
    """
    for key, rows in _same_pages(sitemap):
        locs = sitemap.columns.locs
        first_of = {loc: row for row in reversed(rows) if (loc := locs[row])}
        if len(first_of) < 2:
            continue
        spelled = sorted(first_of.values())
        normal = first_of.get(key, spelled[0])
        kept, _ = _kept(sitemap, [normal, *(row for row in spelled if row != normal)])
        first, second = ((locs[row] or "").strip() for row in spelled[:2])
        other = "the same URL with whitespace around it" if first == second else f"{quoted(first)}, the same page,"
        yield Problem(
            loc_place(sitemap, spelled[1]),
            f"{quoted(second)} is listed in addition to {other} on line {_line(sitemap, spelled[0])}; list only one",
            _dropped(sitemap, spelled, kept, Safety.REVIEW),
            subject=key,
            count=len(spelled) - 1,
            rows=spelled[1:],
        )


def _key(loc: str) -> str:
    """Keeps the fragment: L013 reports that crawlers ignore it."""
    stripped = loc.strip()
    _, mark, fragment = stripped.partition("#")
    return key_of(stripped) + mark + fragment


_NOT_ONLY_ESCAPED = Signal.ESCAPE_RESPELLED | Signal.DOT_SEGMENT | Signal.NO_PATH | Signal.CONTROL
_ESCAPABLE = lazy_pattern(r"[^A-Za-z0-9\-._~!$&()*+,;=:@/?#](?:(?<=%)[0-9A-Fa-f]{2})?")


def _same_pages(sitemap: Sitemap) -> Iterator[tuple[str, list[int]]]:
    """Rows whose URLs have the same key, if one of them is not in normal form.

    Only URLs that are the same without what is escaped or may be are compared by their keys. They are grouped by
    hashes: texts for all would take as much memory as all URLs.
    """
    hosts: dict[str, list[OriginRows]] = {}
    heads = origins(sitemap)
    for head in heads if len(heads) > 1 else ():
        hosts.setdefault(key_of(f"{head.text}/"), []).append(head)
    respelled = {
        row
        for same in hosts.values()
        for head in (same if len(same) > 1 else ())
        if not _OWN_HEAD.fullmatch(head.text)
        for row in head.rows
    }
    suspects, changed = respelled.union(sitemap.rows_with(RESPELLABLE)), respelled
    changed.update(sitemap.rows_with(_NOT_ONLY_ESCAPED) if suspects else ())
    first_with: dict[int, int] = {}
    alike: dict[int, list[int]] = {}
    locs = sitemap.columns.locs if suspects else ()  # not needed otherwise, and large
    for row, loc in enumerate(locs):
        if loc:  # parsers treat a backslash as a slash
            number = hash(_ESCAPABLE.sub("", _key(loc) if row in changed or "\\" in loc else loc))
            if (before := first_with.setdefault(number, row)) != row:
                alike.setdefault(number, [before]).append(row)
    for rows in alike.values():
        same_key: dict[str, list[int]] = {}
        for row in rows:
            loc = locs[row] or ""
            same_key.setdefault(_key(loc) if row in suspects else loc, []).append(row)
        yield from same_key.items()


@duplicate_warning("L023", cites=("sitemaps-faq", "google-canonical"), kinds=Has.LOCS)
@bad(_TWICE.format("http://example.com/a", "", f"«{_A}»", ""), fixed=f"<url><loc>{_A}</loc></url>")
@bad(_TWICE.format(_A, "", "«http://example.com/a»", ""), fixed=f"<url><loc>{_A}</loc></url>")
@bad(
    f"<sitemap><loc>{_A}</loc></sitemap>\n<sitemap><loc>«http://example.com/a»</loc></sitemap>",
    fixed=f"<sitemap><loc>{_A}</loc></sitemap>",
)
@good(
    _TWICE.format("http://example.com/a", "", "https://example.com/b", ""),
    _TWICE.format(_A, "", "https://example.com/?u=http://example.com/a", ""),
)
def http_and_https_listed(sitemap: Sitemap) -> Iterator[Problem]:
    """A page or sitemap is listed with both http and https.

    Both URLs point to the same page or file, so one of them is a duplicate or redirects to the other.
    """
    groups = origins(sitemap)
    old = [head for head in groups if head.text.startswith("http://")]
    secure = {head.text for head in groups if head.text.startswith("https://")}
    twins = [head for head in old if f"https{head.text[4:]}" in secure]
    if not twins:
        return
    locs = sitemap.columns.locs
    row_of = dict(zip(reversed([(loc or "").strip() for loc in locs]), range(len(locs) - 1, -1, -1), strict=True))
    pairs: dict[int, int] = {}
    for row in (row for head in twins for row in head.rows):
        other = row_of.get(f"https{(locs[row] or '').strip()[4:]}")
        if other is not None:
            pairs.setdefault(other, row)
    for other, row in pairs.items():
        first, second = sorted((other, row))
        yield Problem(
            loc_place(sitemap, second),
            f"{quoted((locs[second] or '').strip())} is also listed with the other scheme on line "
            f"{_line(sitemap, first)}; list only one",
            _dropped(sitemap, (first, second), other, Safety.REVIEW),
            subject=(locs[second] or "").strip(),
        )


@duplicate_warning("L024", cites=("sitemaps-protocol",))
@bad(_TWICE.format(_A, "", f"«{_A}/»", ""), _TWICE.format(f"{_A}/?b=1", "", f"«{_A}?b=1»", ""))
@good(_TWICE.format(_A, "", "https://example.com/a/b/", ""), _TWICE.format(f"{_A}?next=/b", "", f"{_A}?next=/b/", ""))
def with_and_without_slash_listed(sitemap: Sitemap) -> Iterator[Problem]:
    """A page is listed with and without a trailing slash.

    Servers usually redirect one URL to the other, or return the same page for both. Only the server can tell
    which one is canonical.
    """
    rows, slashed = len(sitemap.columns), len(sitemap.rows_with(Signal.SLASHED))
    if slashed in (0, rows) and not sitemap.rows_with(_NOT_EXPLAINED_BY_PATH):
        return
    locs = sitemap.columns.locs
    slashes = sum(map(str.endswith, filter(None, locs), repeat("/")))
    has_query = any(map(contains, filter(None, locs), repeat("/?")))
    if not has_query and slashes in (0, len(locs)):
        return
    known = sitemap.locs
    twins = [(loc, loc[:-1]) for loc in locs if loc and loc[-1] == "/" and loc[:-1] in known and "?" not in loc]
    if has_query:
        twins += [
            (loc, bare)
            for loc in locs
            if loc and "/?" in loc and (bare := loc.replace("/?", "?", 1)) in known and bare.find("?") == loc.find("/?")
        ]
    twins = [(loc, bare) for loc, bare in dict.fromkeys(twins) if bare.partition("?")[0].count("/") > 2]
    if not twins:
        return
    row_of = dict(zip(reversed(locs), range(len(locs) - 1, -1, -1), strict=True))
    for first, second in starmap(lambda loc, bare: sorted((row_of[loc], row_of[bare])), twins):
        yield Problem(
            loc_place(sitemap, second),
            f"{quoted(locs[second] or '')} differs only by a trailing slash from line {_line(sitemap, first)}; "
            "list only one",
            subject=locs[second],
        )
