"""Does the URL contain only legal characters, and no leftovers of a template?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from urlset.checking.subjects import AnyRow
from urlset.findings.finding import delete
from urlset.model.address import Address, IllegalAt, Illegality
from urlset.model.address_grammar import escape_text, illegal_between
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import Bad, Engine, Fix, Kind, Problem, Safety, Severity, Signal, rule
from urlset.rules.loc.origins import READERS
from urlset.rules.loc.presence import before_scheme, closing_mark, collapsed
from urlset.rules.quoting import quoted
from urlset.spec.generator_artifacts import PLACEHOLDER, RESIDUE_WORD, RESIDUE_WORD_AT_HOME
from urlset.spec.lazy_pattern import lazy_pattern

# The text of a loc → whether it is a valid xsd:anyURI for the official schema.
#
# Validators percent-encode all characters that are illegal in URLs (XLink 5.4), then require a URI or relative
# reference by RFC 3986. Spaces, non-ASCII letters, and `|` pass; malformed percent-encoding and stray brackets fail.

_ESCAPED_ANYWAY = lazy_pattern(r"[^\x21-\x7e]|[<>\"{}|\\^`]")
_NAME = r"[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}"
_UNIT = rf"{_NAME}|@"
_SEGMENT = rf"(?:{_UNIT}|:)*+"
_REST = rf"(?:/{_SEGMENT})*+"
_AUTHORITY = rf"//(?:(?:{_NAME}|:)*+@)?(?:\[[^\]/?#]*+\]|(?:{_NAME})*+)(?::[0-9]++)?"
_TAIL = rf"(?:\?(?:{_UNIT}|[:/?])*+)?(?:#(?:{_UNIT}|[:/?])*+)?"
_ANY_URI = lazy_pattern(
    rf"(?:[A-Za-z][A-Za-z0-9+.-]*+:(?:{_AUTHORITY}{_REST}|/?(?!/)(?:{_SEGMENT}{_REST})?)"
    rf"|{_AUTHORITY}{_REST}|/(?!/){_SEGMENT}{_REST}|(?:{_UNIT})*+{_REST}){_TAIL}"
)


def is_any_uri(text: str) -> bool:
    return _ANY_URI.fullmatch(_ESCAPED_ANYWAY.sub("_", text)) is not None


# Template leftovers in a URL → their positions; one rule reports them, the others skip those bytes.

_SECOND_SCHEME = lazy_pattern(r"https?://", re.IGNORECASE)
_SCHEME_AT_END = lazy_pattern(r"(?<![/.])https?:\Z", re.IGNORECASE)


@lru_cache(maxsize=16)
def leftovers(loc: str) -> tuple[tuple[int, int], ...]:
    """The spans of placeholders and of words such as null or undefined, in text order."""
    found: list[tuple[int, int]] = []
    if "{" in loc or "%" in loc or "[" in loc or "<" in loc or "/:" in loc:
        found += [match.span() for match in PLACEHOLDER.finditer(loc)]
    if "undefined" in loc or "null" in loc or "NaN" in loc or "None" in loc:
        segments = loc.partition("?")[0].lower().split("/")[3:]
        if RESIDUE_WORD_AT_HOME.isdisjoint(segments):
            found += [match.span() for match in RESIDUE_WORD.finditer(loc)]
    return tuple(sorted(found))


def second_url(address: Address) -> int | None:
    """Where a URL of the same host begins in the path, or one of any host right behind the host."""
    loc, (start, end) = address.raw, address.parts.path
    if not address.is_absolute or "//" not in loc[start:end]:
        return None
    joined = _SCHEME_AT_END.search(loc, 0, start)
    if joined is not None and loc.startswith("//", start):
        return joined.start()
    host = (address.host or "").lower()
    for found in _SECOND_SCHEME.finditer(loc, start, end):
        behind = found.end() + len(host)
        same = bool(host) and loc[found.end() : behind].lower() == host
        if same and loc[behind : behind + 1] in "/:?#" and not loc[found.start() - 1].isspace():
            return found.start()
    return None


def _is_illegal(address: Address) -> bool:
    """Such characters are illegal in a URL, whatever their replacement."""
    found = leftovers(address.raw)
    return any(low <= each.start < high for each in address.illegal_all() for low, high in found)


@rule(
    "L034",
    "template-residue-in-loc",
    on=AnyRow,
    when=Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN | Signal.EMPTY_SEGMENT,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("seen-in-the-wild",),
    bad=(
        "<loc>https://example.com/post/«undefined»</loc>",
        "<loc>https://example.com/post/«null»/comments</loc>",
        "<loc>https://example.com/?id=«NaN»&amp;page=2</loc>",
        "<loc>https://example.com/«undefined-undefined».html</loc>",
        "<loc>https://example.com/«{{ slug }}»</loc>",
        "<loc>https://example.com/«${product.slug}»</loc>",
        "<loc>https://«{host}»/a</loc>",
        "<loc>https://example.com/«%7B%7Bslug%7D%7D»</loc>",
        "<loc>https://example.com/«[object Object]»</loc>",
        "<loc>https://example.com/post/«%s»</loc>",
        "<loc>https://example.com/post/«:id»</loc>",
        "<loc>https://example.com/user/«:userId»/posts</loc>",
        "<loc>https://example.com/docs/«:path*»</loc>",
        "<loc>https://example.com/«%5B...path%5D»</loc>",
        "<loc>https://example.com/blog/«%5Bslug%5D»</loc>",
        "<loc>https://example.com/post/«&lt;int:pk&gt;»/</loc>",
        "<loc>https://example.com/item/«{id:int}»</loc>",
        "<loc>https://«[your-domain]»/</loc>",
        "<loc>https://example.com/«https://Example.com/a»</loc>",
        "<loc>https://example.com«https://example.com/a»</loc>",
        "<loc>https://example.com/a,«https://example.com/b»</loc>",
        "<loc>https://example.com/blog/«[slug]»/</loc>",
        "<sitemap><loc>https://example.com/«{{ name }}».xml</loc></sitemap>",
    ),
    good=(
        "<loc>https://example.com/null-hypothesis</loc>",
        "<loc>https://example.com/undefined-behaviour/</loc>",
        "<loc>https://example.com/none</loc>",
        "<loc>https://example.com/docs/reference/null</loc>",
        "<loc>https://example.com/NaNcy</loc>",
        "<loc>https://example.com/?q=null-hypothesis</loc>",
        "<loc>https://null.example.com/</loc>",
        "<loc>https://example.com/%d0%b0</loc>",
        "<loc>https://example.com/wiki/Help:id</loc>",
        "<loc>https://example.com/:smile:/</loc>",
        "<loc>https://example.com/wiki/:Category:Lamps</loc>",
        "<loc>https://example.com/a*b/M*A*S*H</loc>",
        "<loc>https://example.com/?filter%5Bcolour%5D=red</loc>",
        "<loc>https://example.com/web/2026/https://example.org/</loc>",
        "<loc>https://example.com/?next=https://example.com/a</loc>",
    ),
)
def template_residue_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains an unfilled template placeholder or a second URL.

    The generator had no value for a part of the URL, or put the site's URL in front of a URL that already had it.
    The page does not exist, and usually all entries from the same record are wrong.
    """
    found = leftovers(listed.loc)
    if not found:
        second, stop = second_url(listed.address), listed.address.parts.path[1]
        if second is not None:
            shown = quoted(listed.loc[second:stop])
            yield Problem(listed.part(second, stop), f"second URL {shown} inside the URL; write one URL")
        return
    start, end = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    yield Problem(
        listed.part(start, end),
        f"{quoted(listed.loc[start:end])} looks like an unfilled placeholder{more}; fix the template",
        severity=Severity.ERROR if _is_illegal(listed.address) else None,
    )


_BLANK = lazy_pattern(r"[ \t\r\n]+")
_ANOTHER_ADDRESS = lazy_pattern(r"[ \t\r\n]https?://", re.IGNORECASE)
_ANOTHER_VALUE = lazy_pattern(
    r"\s(?:\d{4}-\d\d-\d\d\S*|[01]?\.\d+|always|hourly|daily|weekly|monthly|yearly|never)(?:\s|\Z)"
)
"""a date, priority or frequency after the URL, as in a table"""
_INVISIBLE = lazy_pattern(r"[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_WEB_HEAD = lazy_pattern(r"https?://[^/?#\s]++(?=[/?#])")
_REFERENCE = lazy_pattern(r"&#(?:[0-9]+|[xX][0-9A-Fa-f]+);")
"""the rest of an `&` that was escaped twice, reported by X013"""


def _departures(listed: AnyRow, *reasons: Illegality) -> list[IllegalAt]:
    """Illegal characters between host and fragment that no other rule reports."""
    known: list[IllegalAt] | None = vars(listed).get("_departures")
    if known is None:
        known = vars(listed)["_departures"] = _all_departures(listed)  # shared by three rules
    return [each for each in known if each.reason in reasons]


def _host_end(loc: str, authority_end: int) -> int:
    """URL parsers end the host at a backslash, as if it were a slash."""
    backslash = loc.find("\\", 0, authority_end)
    return authority_end if backslash < 0 else backslash


def _all_departures(listed: AnyRow) -> list[IllegalAt]:
    loc, address = listed.loc, listed.address
    head = _WEB_HEAD.match(loc)
    if head is not None:  # other rules check the scheme and authority
        fragment = loc.find("#", head.end())
        low = _host_end(loc, head.end())
        illegal = illegal_between(loc, low, len(loc) if fragment < 0 else fragment)
    else:
        low = _host_end(loc, address.parts.authority[1]) if address.parts.authority else len(before_scheme(loc))
        high = address.parts.fragment[0] if address.parts.fragment else len(loc) - len(closing_mark(loc))
        illegal = [each for each in address.illegal_all() if low <= each.start < high]
    if not illegal:
        return []
    taken = {at for start, end in leftovers(loc) for at in range(start, end)}
    if taken:
        illegal = [each for each in illegal if each.start not in taken]
    stray = listed.document.columns.edits.writing(listed.row, b"&lt;") if listed.salvaged and illegal else ()
    if not stray:
        return illegal
    row = listed.place.cut(listed.document.data)
    if b"&" not in row and b"<![" not in row and ">" not in loc:
        return [each for each in illegal if each.text != "<"]  # there is no other way to write one
    return [each for each in illegal if not _is_markup(listed, each, stray)]


def _is_markup(listed: AnyRow, found: IllegalAt, stray: Sequence[int]) -> bool:
    """A `<` that opens no tag, or its `>`, both reported by X011; `stray` holds the positions of such `<`."""
    if found.text not in ("<", ">"):
        return False
    at = listed.locate(found.start, found.end).offset
    return at in stray or (found.text == ">" and listed.locate(0, 1).offset < stray[0] < at)


def _and_more(found: list[IllegalAt]) -> str:
    return f" (and {len(found) - 1} more)" if len(found) > 1 else ""


@rule(
    "L006",
    "space-around-loc",
    on=AnyRow,
    when=Signal.PADDED,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("xsd-tested", "google-video"),
    bad=(
        Bad("<loc>« »https://example.com/ </loc>", fixed="<loc>https://example.com/</loc>"),
        Bad("<loc>«\n  »https://example.com/</loc>", fixed="<loc>https://example.com/</loc>"),
        Bad("<loc><![CDATA[https://example.com/« »]]></loc>", fixed="<loc><![CDATA[https://example.com/]]></loc>"),
        Bad("https://example.com/\nhttps://example.com/a«  »\n", fixed="https://example.com/\nhttps://example.com/a\n"),
    ),
    good=("<loc>https://example.com/</loc>", "<url>\n  <loc>https://example.com/</loc>\n</url>"),
)
def space_around_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL has leading or trailing whitespace.

    The schema and most crawlers trim it, and Google's own examples contain it. A crawler that does not trim
    it requests a URL that ends in a space.
    """
    raw, loc = listed.raw_loc or "", listed.loc
    if raw == loc or not loc:
        return
    lead = len(raw) - len(raw.lstrip())
    around = [place for place in (_before(listed, lead), _after(listed, lead + len(loc))) if place.length]
    if not around:
        return
    # There may be a comment between the spaces; the fix must not delete it.
    clean = all(b"<" not in place.cut(listed.document.data) for place in around)
    edits = tuple(Edit(place, b"") for place in around)
    sides = "before and after" if len(around) == 2 else "before" if lead else "after"
    yield Problem(
        around[0],
        f"whitespace {sides} the URL; remove it",
        Fix("remove the whitespace", edits, Safety.SAFE) if clean else None,
    )


def _before(listed: AnyRow, lead: int) -> Place:
    if listed.document.kind is Kind.TEXT:
        size = len((listed.raw_loc or "")[:lead].encode("utf-8", "surrogatepass"))
        return Place(max(0, listed.place.offset - size), size)
    return listed.locate(-lead, 0) if lead else Place(0)


def _after(listed: AnyRow, end: int) -> Place:
    raw = listed.raw_loc or ""
    if listed.document.kind is Kind.TEXT:
        return Place(listed.place.end, len(raw[end:].encode("utf-8", "surrogatepass")))
    size = len(raw) - end
    return listed.locate(len(listed.loc), len(listed.loc) + size) if size else Place(0)


@rule(
    "L007",
    "space-in-loc",
    on=AnyRow,
    when=Signal.SPACE,
    severity=Severity.ERROR,
    engines=READERS,
    cites=("rfc3986", "sitemaps-protocol", "xsd-tested"),
    bad=(
        Bad("<loc>https://example.com/a« »b c</loc>", fixed="<loc>https://example.com/a%20b%20c</loc>"),
        Bad("<loc>https://example.com/a«\n    »b</loc>", fixed="<loc>https://example.com/ab</loc>"),
        Bad("<loc>https://example.com/a«&#x20;»b</loc>", fixed="<loc>https://example.com/a%20b</loc>"),
        "<loc>https://example.com/a« »https://example.com/b</loc>",
        "https://example.com/a«\t»2026-11-15\n",
        "https://example.com/a« »2026-11-15\n",
    ),
    good=(
        "<loc> https://example.com/a </loc>",
        "<loc>https://example.com/a%20b</loc>",
        "<loc>https://example.com/a+b</loc>",
    ),
)
def space_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains whitespace.

    Whitespace is illegal in URLs. Some crawlers cut the URL at the space, some encode it, and some drop the
    entry. The official schema does not detect this.
    """
    departures = _departures(listed, Illegality.SPACE, Illegality.CONTROL)
    written = "".join([each.text for each in departures])
    if not any(_BLANK.match(each.text) for each in departures):
        return
    loc = listed.loc
    blanks = [(each.start, each.end) for each in departures]
    if written.strip(" "):  # a line break and the spaces next to it count as one
        illegal = {at for each in departures for at in range(each.start, each.end)}
        blanks = [match.span() for match in _BLANK.finditer(loc) if match.start() in illegal]
    wrapped, tabbed = "\n" in written or "\r" in written, "\t" in written
    is_column = "\t" in written and listed.document.kind is Kind.TEXT
    another = is_column or _ANOTHER_VALUE.search(loc) or (loc.count("://") > 1 and _ANOTHER_ADDRESS.search(loc))
    edits = listed.edits(
        (start, end, "" if wrapped else loc[start:end].replace("\t", "").replace(" ", "%20")) for start, end in blanks
    )
    where = "use one entry per URL, without other values" if another else "write %20 or remove it"
    what = "line break" if wrapped else "tab" if "\t" in loc[slice(*blanks[0])] else "space"
    title = "join the lines" if wrapped else "remove the tab" if written.strip(" ") else "write it as %20"
    yield Problem(
        listed.part(*blanks[0]),
        f"unescaped {what} in {quoted(loc)}; {where}",
        None if another else Fix(title, edits, Safety.REVIEW if wrapped or tabbed else Safety.SAFE),
    )


@rule(
    "L008",
    "broken-percent-escape",
    on=AnyRow,
    when=Signal.ESCAPE_BROKEN,
    severity=Severity.ERROR,
    cites=("rfc3986", "xsd-tested"),
    bad=(
        Bad("<loc>https://example.com/100«%»</loc>", fixed="<loc>https://example.com/100%25</loc>"),
        Bad("<loc>https://example.com/a«%zz»b</loc>", fixed="<loc>https://example.com/a%25zzb</loc>"),
        Bad("<loc>https://example.com/?q=50«%» %20</loc>", fixed="<loc>https://example.com/?q=50%25 %20</loc>"),
    ),
    good=("<loc>https://example.com/100%25</loc>", "<loc>https://example.com/%c3%bc</loc>"),
)
def broken_percent_escape(listed: AnyRow) -> Iterator[Problem]:
    """A `%` is not followed by two hexadecimal digits.

    In a URL, `%` starts an encoded byte. Servers answer such a request with an error or guess.
    """
    found = _departures(listed, Illegality.BAD_PERCENT_ESCAPE)
    if found:
        edits = listed.edits((each.start, each.start + 1, "%25") for each in found)
        yield Problem(
            listed.part(found[0].start, found[0].end),
            f"malformed percent-encoding {quoted(found[0].text)}{_and_more(found)}; write a literal % as %25",
            Fix("write the percent sign as %25", edits, Safety.REVIEW),
        )


@rule(
    "L009",
    "unescaped-letters-in-loc",
    on=AnyRow,
    when=Signal.NON_ASCII,
    severity=Severity.WARNING,
    engines=tuple(engine for engine in READERS if engine is not Engine.YANDEX),
    cites=("sitemaps-protocol", "rfc3987", "yandex-sitemap"),
    bad=(
        Bad("<loc>https://example.com/«ü»ber/é</loc>", fixed="<loc>https://example.com/%C3%BCber/%C3%A9</loc>"),
        Bad("<loc>https://example.com/«&#252;»</loc>", fixed="<loc>https://example.com/%C3%BC</loc>"),
        Bad("https://example.com/«привет»\n", fixed="https://example.com/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82\n"),
    ),
    good=("<loc>https://example.com/%C3%BC</loc>", "<loc>https://bücher.example.com/</loc>"),
)
def unescaped_letters_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains unescaped non-ASCII characters.

    The protocol requires percent-encoded URLs. Crawlers may assume a different encoding, or treat the encoded
    and the raw URL as two pages. Yandex states that it reads both.
    """
    found = [each for each in _departures(listed, Illegality.NON_ASCII) if not _put_in_by_repair(listed, each)]
    if not found:
        return
    edits = listed.edits((each.start, each.end, escape_text(each.text)) for each in found)
    hidden = next((match[0] for each in found if (match := _INVISIBLE.search(each.text))), None)
    what = f"invisible character U+{ord(hidden):04X}" if hidden else f"non-ASCII {quoted(found[0].text)}"
    yield Problem(
        listed.part(found[0].start, found[0].end),
        f"unescaped {what} in the URL{_and_more(found)}; percent-encode it as UTF-8",
        Fix("percent-encode it as UTF-8", edits, Safety.REVIEW if hidden else Safety.SAFE),
    )


def _put_in_by_repair(listed: AnyRow, found: IllegalAt) -> bool:
    """Undecodable bytes are read as U+FFFD and reported elsewhere; a U+FFFD in the file is the author's."""
    return "\ufffd" in found.text and b"\xef\xbf\xbd" not in listed.place.cut(listed.document.data)


@rule(
    "L012",
    "illegal-character-in-loc",
    on=AnyRow,
    when=Signal.ILLEGAL | Signal.CONTROL,
    severity=Severity.ERROR,
    cites=("rfc3986", "google-url-structure", "xsd-tested"),
    bad=(
        Bad("<loc>https://example.com/a«|»b|c</loc>", fixed="<loc>https://example.com/a%7Cb%7Cc</loc>"),
        Bad("<loc>https://example.com/item«&lt;»new&gt;</loc>", fixed="<loc>https://example.com/item%3Cnew%3E</loc>"),
        Bad("<loc>https://example.com/a«\x81»b</loc>", fixed="<loc>https://example.com/a%C2%81b</loc>"),
        Bad("<loc>https://example.com/a«[»b]</loc>", fixed="<loc>https://example.com/a%5Bb%5D</loc>"),
        Bad("<loc>https://example.com/a«\\»b</loc>", fixed="<loc>https://example.com/a/b</loc>"),
        Bad("<loc>https://example.com«\\»b</loc>", fixed="<loc>https://example.com/b</loc>"),
        Bad("<loc>https://example.com«\\»b/c|d</loc>", fixed="<loc>https://example.com/b/c%7Cd</loc>"),
    ),
    good=(
        "<loc>https://example.com/a%7Cb</loc>",
        "<loc>http://[2001:db8::1]/</loc>",
        "<loc>https://example.com/it's(a)*+,;=:@!$~</loc>",
        "<loc>https://example.com/#a|b</loc>",
    ),
)
def illegal_character_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains an illegal character.

    These characters are not allowed in URLs. Some crawlers escape them, others drop the entry.
    """
    found = [
        each
        for each in _departures(listed, Illegality.ILLEGAL_CHARACTER, Illegality.CONTROL)
        if not _BLANK.fullmatch(each.text)
    ]
    if listed.context.engines == (Engine.XSD_STRICT,):
        found = [each for each in found if each.text.strip("[]") != each.text]
        if not found and not is_any_uri(collapsed(listed)) and not _departures(listed, Illegality.BAD_PERCENT_ESCAPE):
            message = f"{quoted(listed.loc)} is not a valid xsd:anyURI, so the schema rejects it"
            yield Problem(listed.whole(), message)
    if not found:
        return
    query = listed.address.parts.path[1]
    edits = listed.edits((each.start, each.end, _escaped(each, query)) for each in found)
    backslash = any("\\" in each.text and each.start < query for each in found)
    yield Problem(
        listed.part(found[0].start, found[0].end),
        f"illegal character {quoted(found[0].text)} in the URL{_and_more(found)}; percent-encode it",
        Fix("percent-encode it", edits, Safety.REVIEW if backslash else Safety.SAFE),
    )


def _escaped(found: IllegalAt, query: int) -> str:
    """URL parsers treat a backslash in the path as a slash."""
    return "".join(
        "/" if character == "\\" and found.start < query else "".join(f"%{byte:02X}" for byte in character.encode())
        for character in found.text
    )


@rule(
    "L013",
    "fragment-in-loc",
    on=AnyRow,
    when=Signal.FRAGMENT,
    severity=Severity.WARNING,
    engines=READERS,
    cites=("google-url-structure", "google-canonical"),
    bad=(
        Bad("<loc>https://example.com/guide«#setup»</loc>", fixed="<loc>https://example.com/guide</loc>"),
        Bad("<loc>https://example.com/«#!/a?b=1&amp;c=2»</loc>", fixed="<loc>https://example.com/</loc>"),
        Bad("<loc>https://example.com/a«#»</loc>", fixed="<loc>https://example.com/a</loc>"),
    ),
    good=("<loc>https://example.com/guide?step=%23setup</loc>",),
)
def fragment_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A page URL has a `#fragment`.

    Crawlers remove the fragment before they request the page. Two entries that differ only after the `#` are
    duplicates.
    """
    start, end = listed.loc.find("#") + 1, len(listed.loc)
    if not start:
        return
    if any(low <= start - 1 < high for low, high in leftovers(listed.loc)) or _REFERENCE.match(listed.loc, start - 2):
        return
    place = listed.part(start - 1, end)
    yield Problem(
        place,
        f"crawlers ignore the fragment {quoted(listed.loc[start - 1 : end])}; remove it",
        delete(place, "remove the fragment", Safety.REVIEW),
    )
