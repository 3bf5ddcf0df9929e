"""Is there an absolute URL with http or https, of legal characters and length, without leftovers of a template?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from urlset.checking.declare import bad, error_rule, good, info_rule, reader_error, reader_warning, warning_rule
from urlset.checking.subjects import AnyRow
from urlset.findings.finding import delete, quoted, replace
from urlset.model.address import Address, IllegalAt, Illegality
from urlset.model.address_grammar import escape_text, illegal_between
from urlset.model.columns import Edit
from urlset.model.place import Place
from urlset.rules import READERS, Engine, Fix, Has, Kind, ListedPage, Problem, Safety, Severity, Signal
from urlset.spec.generator_artifacts import PLACEHOLDER, RESIDUE_WORD, RESIDUE_WORD_AT_HOME
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import LOC_LENGTH_BELOW, LOC_MAX_BYTES_BAIDU, LOC_MAX_LENGTH_XSD, LOC_MIN_LENGTH_XSD

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
_NO_USUAL_ESCAPE = lazy_pattern(r"%(?:[57][Bb]|[sSdDiI](?=[/?&#]|\Z)|(?<=<%))")
"""a % that may belong to a placeholder"""


@lru_cache(maxsize=16)
def leftovers(loc: str) -> tuple[tuple[int, int], ...]:
    """The spans of placeholders and of words such as null or undefined, in text order."""
    found: list[tuple[int, int]] = []
    if "{" in loc or "[" in loc or "/<" in loc or "/:" in loc or _NO_USUAL_ESCAPE.search(loc):
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


@reader_warning(
    "L034",
    on=AnyRow,
    when=Signal.RESIDUE | Signal.ILLEGAL | Signal.ESCAPED_BRACKET | Signal.ESCAPE_BROKEN | Signal.EMPTY_SEGMENT,
    cites=("seen-in-the-wild",),
)
@bad(
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
)
@good(
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
    illegal = any(low <= each.start < high for each in listed.address.illegal_all() for low, high in found)
    yield Problem(
        listed.part(start, end),
        f"{quoted(listed.loc[start:end])} looks like an unfilled placeholder{more}; fix the template",
        severity=Severity.ERROR if illegal else None,
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


_OTHERWISE = lazy_pattern(rb"&(?!amp;|gt;|quot;|apos;)|<!\[")
"""a reference or a section that may be a `<`"""


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
    if ">" not in loc and _OTHERWISE.search(row) is None:
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


@reader_warning("L006", on=AnyRow, when=Signal.PADDED, cites=("xsd-tested", "google-video"))
@bad("<loc>« »https://example.com/ </loc>", fixed="<loc>https://example.com/</loc>")
@bad("<loc>«\n  »https://example.com/</loc>", fixed="<loc>https://example.com/</loc>")
@bad("<loc><![CDATA[https://example.com/« »]]></loc>", fixed="<loc><![CDATA[https://example.com/]]></loc>")
@bad("https://example.com/\nhttps://example.com/a«  »\n", fixed="https://example.com/\nhttps://example.com/a\n")
@good("<loc>https://example.com/</loc>", "<url>\n  <loc>https://example.com/</loc>\n</url>")
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


@reader_error("L007", on=AnyRow, when=Signal.SPACE, cites=("rfc3986", "sitemaps-protocol", "xsd-tested"))
@bad("<loc>https://example.com/a« »b c</loc>", fixed="<loc>https://example.com/a%20b%20c</loc>")
@bad("<loc>https://example.com/a«\n    »b</loc>", fixed="<loc>https://example.com/ab</loc>")
@bad("<loc>https://example.com/a«&#x20;»b</loc>", fixed="<loc>https://example.com/a%20b</loc>")
@bad(
    "<loc>https://example.com/a« »https://example.com/b</loc>",
    "https://example.com/a«\t»2026-11-15\n",
    "https://example.com/a« »2026-11-15\n",
)
@good(
    "<loc> https://example.com/a </loc>", "<loc>https://example.com/a%20b</loc>", "<loc>https://example.com/a+b</loc>"
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


@error_rule("L008", on=AnyRow, when=Signal.ESCAPE_BROKEN, cites=("rfc3986", "xsd-tested"))
@bad("<loc>https://example.com/100«%»</loc>", fixed="<loc>https://example.com/100%25</loc>")
@bad("<loc>https://example.com/a«%zz»b</loc>", fixed="<loc>https://example.com/a%25zzb</loc>")
@bad("<loc>https://example.com/?q=50«%» %20</loc>", fixed="<loc>https://example.com/?q=50%25 %20</loc>")
@good("<loc>https://example.com/100%25</loc>", "<loc>https://example.com/%c3%bc</loc>")
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


@warning_rule(
    "L009",
    on=AnyRow,
    when=Signal.NON_ASCII,
    engines=tuple(engine for engine in READERS if engine is not Engine.YANDEX),
    cites=("sitemaps-protocol", "rfc3987", "yandex-sitemap"),
)
@bad("<loc>https://example.com/«ü»ber/é</loc>", fixed="<loc>https://example.com/%C3%BCber/%C3%A9</loc>")
@bad("<loc>https://example.com/«&#252;»</loc>", fixed="<loc>https://example.com/%C3%BC</loc>")
@bad("https://example.com/«привет»\n", fixed="https://example.com/%D0%BF%D1%80%D0%B8%D0%B2%D0%B5%D1%82\n")
@good("<loc>https://example.com/%C3%BC</loc>", "<loc>https://bücher.example.com/</loc>")
def unescaped_letters_in_loc(listed: AnyRow) -> Iterator[Problem]:
    """A URL contains unescaped non-ASCII characters.

    The protocol requires percent-encoded URLs. Crawlers may assume a different encoding, or treat the encoded
    and the raw URL as two pages. Yandex states that it reads both.
    """
    found = [
        each
        for each in _departures(listed, Illegality.NON_ASCII)
        if not ("\ufffd" in each.text and b"\xef\xbf\xbd" not in listed.place.cut(listed.document.data))
    ]
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


@error_rule(
    "L012", on=AnyRow, when=Signal.ILLEGAL | Signal.CONTROL, cites=("rfc3986", "google-url-structure", "xsd-tested")
)
@bad("<loc>https://example.com/a«|»b|c</loc>", fixed="<loc>https://example.com/a%7Cb%7Cc</loc>")
@bad("<loc>https://example.com/item«&lt;»new&gt;</loc>", fixed="<loc>https://example.com/item%3Cnew%3E</loc>")
@bad("<loc>https://example.com/a«\x81»b</loc>", fixed="<loc>https://example.com/a%C2%81b</loc>")
@bad("<loc>https://example.com/a«[»b]</loc>", fixed="<loc>https://example.com/a%5Bb%5D</loc>")
@bad("<loc>https://example.com/a«\\»b</loc>", fixed="<loc>https://example.com/a/b</loc>")
@bad("<loc>https://example.com«\\»b</loc>", fixed="<loc>https://example.com/b</loc>")
@bad("<loc>https://example.com«\\»b/c|d</loc>", fixed="<loc>https://example.com/b/c%7Cd</loc>")
@good(
    "<loc>https://example.com/a%7Cb</loc>",
    "<loc>http://[2001:db8::1]/</loc>",
    "<loc>https://example.com/it's(a)*+,;=:@!$~</loc>",
    "<loc>https://example.com/#a|b</loc>",
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
    edits = listed.edits(
        (
            each.start,
            each.end,
            "".join(
                "/"
                if character == "\\" and each.start < query
                else "".join(f"%{byte:02X}" for byte in character.encode())
                for character in each.text
            ),
        )
        for each in found
    )
    backslash = any("\\" in each.text and each.start < query for each in found)
    yield Problem(
        listed.part(found[0].start, found[0].end),
        f"illegal character {quoted(found[0].text)} in the URL{_and_more(found)}; percent-encode it",
        Fix("percent-encode it", edits, Safety.REVIEW if backslash else Safety.SAFE),
    )


@reader_warning("L013", on=AnyRow, when=Signal.FRAGMENT, cites=("google-url-structure", "google-canonical"))
@bad("<loc>https://example.com/guide«#setup»</loc>", fixed="<loc>https://example.com/guide</loc>")
@bad("<loc>https://example.com/«#!/a?b=1&amp;c=2»</loc>", fixed="<loc>https://example.com/</loc>")
@bad("<loc>https://example.com/a«#»</loc>", fixed="<loc>https://example.com/a</loc>")
@good("<loc>https://example.com/guide?step=%23setup</loc>")
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


# Is there a URL, is it absolute, does it use http or https, and is its length allowed?

# `example.com:8080/a` and `example.com/a` start with a host; the first even parses, with "example.com" as scheme.
_HOST_FIRST = lazy_pattern(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}(?::[0-9]+)?(?=[/?#]|$)|localhost(?::[0-9]+)(?=[/?#]|$)")
_SCHEME_LATER = lazy_pattern(r"[^A-Za-z/?#][^/?#]*?(?=https?://)")
_QUOTATION_MARKS = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019", "<": ">"}
_PATH = lazy_pattern(r"[\w~%-][\w~%.-]*(?=[/?#]|$)")
_FILE_LIKE = frozenset({"html", "htm", "php", "asp", "aspx", "jsp", "xml", "txt", "pdf", "md"})


@error_rule("L001", when=Signal.EMPTY, cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"), kinds=Has.URL_ELEMENTS)
@bad("<url>«<loc></loc>»</url>", "<url>«<loc> </loc>»<lastmod>2026-11-15</lastmod></url>", "<url>«<loc/>»</url>")
@good("<url><loc>https://example.com/</loc></url>", "<url><loc><![CDATA[https://example.com/]]></loc></url>")
def empty_loc(listed: ListedPage) -> Iterator[Problem]:
    """loc is empty.

    Without a URL, crawlers drop the entry with its dates, images, and alternates.
    """
    if listed.raw_loc is not None and not listed.loc:
        tags = listed.fields("loc")
        yield Problem(tags[0].place if tags else listed.place, "loc is empty; add the URL or remove the entry")


@reader_error("L002", when=Signal.NOT_WEB, cites=("sitemaps-protocol", "sitemaps-faq", "google-build"))
@bad(
    "<loc>«/page»</loc>",
    "<loc>«page.html»</loc>",
    "<loc>«www.example.com/page»</loc>",
    "<loc>«example.com:8080/page»</loc>",
    "<loc>«http:/example.com/page»</loc>",
    "<loc>«'»https://example.com/</loc>",
)
@bad('<loc>«"»https://example.com/a"</loc>', fixed="<loc>https://example.com/a</loc>")
@bad("<loc>«&quot;»https://example.com/a&quot;</loc>", fixed="<loc>https://example.com/a</loc>")
@bad("<loc>«\u201c»https://example.com/a\u201d</loc>", fixed="<loc>https://example.com/a</loc>")
@bad(
    "<loc>«/page?a=1&amp;b=2»</loc>",
    at="https://example.com/maps/sitemap.xml",
    fixed="<loc>https://example.com/page?a=1&amp;b=2</loc>",
)
@bad(
    "<loc>«//example.com/page»</loc>", at="https://example.com/sitemap.xml", fixed="<loc>https://example.com/page</loc>"
)
@bad("<loc>«example.com/page»</loc>", at="https://example.com/sitemap.xml", fixed="<loc>https://example.com/page</loc>")
@good("<loc>HTTPS://example.com/page</loc>", "<loc>https://example.com/?next=/page</loc>")
def relative_loc(listed: ListedPage) -> Iterator[Problem]:
    """A URL has no scheme or no host.

    URLs in a sitemap are not resolved against a base URL, so crawlers drop entries such as `/page`.
    """
    missing = missing_part(listed)
    if missing is None:
        return
    junk = before_scheme(listed.loc)
    if junk:
        message = f"{quoted(junk)} before the scheme makes the URL invalid; remove it"
        end, unquoted = len(listed.loc), None
        if closing_mark(listed.loc):
            edits = listed.edits([(0, 1, ""), (end - 1, end, "")])
            unquoted = Fix("remove the quotation marks", edits, Safety.REVIEW)
        yield Problem(listed.part(0, len(junk)), message, unquoted)
        return
    yield Problem(listed.whole(), f"{quoted(listed.loc)} has no {missing}; write an absolute URL", _completed(listed))


def before_scheme(loc: str) -> str:
    """The text before the scheme, such as a quotation mark."""
    junk = _SCHEME_LATER.match(loc)
    return "" if junk is None else junk[0]


def closing_mark(loc: str) -> str:
    """The quotation mark at the end that matches the one before the scheme."""
    mark = _QUOTATION_MARKS.get(before_scheme(loc), "")
    return mark if mark and loc.endswith(mark) else ""


def missing_part(listed: AnyRow) -> str | None:
    """What an absolute URL has and this one lacks; None for other problems, such as another scheme."""
    loc, address = listed.loc, listed.address
    if not loc or address.is_absolute:
        return None
    if address.scheme is None:
        return "scheme" if address.host or _names_host(loc) else "scheme and no host"
    if _names_host(loc):
        return "scheme"
    return "host" if address.parts.authority is None and address.scheme.lower() in ("http", "https") else None


def _names_host(loc: str) -> bool:
    match = _HOST_FIRST.match(loc)
    return match is not None and match[0].rpartition(".")[2].lower() not in _FILE_LIKE


def _completed(listed: ListedPage) -> Fix | None:
    """Completed only as far as the sitemap's own URL decides it; the base folder of `page.html` is unknown."""
    own = Address.parse(listed.context.base_url or listed.document.url or "")
    if not own.is_web or own.origin is None:
        return None
    loc = listed.loc
    authority = own.raw[slice(*own.parts.authority or (0, 0))]
    before = ""
    if loc.startswith("//"):
        before = f"{own.scheme}:"
    elif loc.startswith("/"):
        before = f"{own.scheme}://{authority}"
    elif _names_host(loc) and loc.lower().startswith(authority.lower()):
        before = f"{own.scheme}://"
    elif listed.context.base_url is not None and not _names_host(loc) and _PATH.match(loc):
        before = own.raw[: own.parts.path[1]].rstrip("/") + "/"
    if not before:
        return None
    reported = listed.context.base_url is not None and loc.startswith("/")
    safety = Safety.SAFE if reported else Safety.REVIEW
    return Fix(f"prepend {before!r}", lambda: (Edit(Place(listed.locate_whole().offset), before.encode()),), safety)


@reader_error("L003", when=Signal.NOT_WEB, cites=("sitemaps-protocol", "xsd-tested"))
@bad(
    "<loc>«ftp»://example.com/a</loc>",
    "<loc>«mailto»:me@example.com</loc>",
    "<loc>«javascript»:void(0)</loc>",
    "<loc>«htps»://example.com/a</loc>",
    "<sitemap><loc>«ftp»://example.com/a.xml</loc></sitemap>",
    r"<sitemap><loc>«C»:\sitemaps\a.xml</loc></sitemap>",
)
@good("<loc>HTTP://example.com/a</loc>", "<loc>https://example.com/ftp://a</loc>")
def scheme_not_http(listed: AnyRow) -> Iterator[Problem]:
    """The URL scheme is not http or https.

    Search engines only fetch URLs over http and https. The official schema accepts any scheme.
    """
    scheme, span = listed.address.scheme, listed.address.parts.scheme
    if scheme is None or span is None or scheme.lower() in ("http", "https"):
        return
    if listed.address.parts.authority is None and _names_host(listed.loc):
        return
    yield Problem(listed.part(*span), f"scheme {quoted(scheme)} is not supported; use http or https")


_BLANKS = lazy_pattern(r"[ \t\r\n]+")
_LONG = "https://example.com/" + "a" * (LOC_LENGTH_BELOW - 21)
"""one character below the limit"""


def collapsed(row: AnyRow) -> str:
    """As the schema counts it: trimmed, with runs of whitespace collapsed to one space."""
    return " ".join(part for part in _BLANKS.split(row.raw_loc or "") if part)


@error_rule("L004", when=Signal.LONG, cites=("sitemaps-protocol", "xsd-urlset", "xsd-tested"))
@bad(f"<loc>{_LONG}«ab»</loc>", title="a URL of 2,049 characters")
@bad(f"<loc>{_LONG}«a»</loc>", title="a URL of 2,048 characters")
@good(f"<loc>{_LONG}</loc>", title="a URL of 2,047 characters")
@good(f"<loc>{_LONG[:-2]}&amp;&amp;</loc>", title="2,047 characters, two of them written as &amp;")
def loc_too_long(listed: AnyRow) -> Iterator[Problem]:
    """A URL is too long.

    The protocol allows fewer than 2,048 characters, the schema up to 2,048. A URL of exactly 2,048 characters
    is a risk; both reject a longer one.
    """
    length = len(collapsed(listed) if listed.context.engines == (Engine.XSD_STRICT,) else listed.loc)
    if length < LOC_LENGTH_BELOW or (length == LOC_MAX_LENGTH_XSD and listed.context.engines == (Engine.XSD_STRICT,)):
        return
    exactly = length == LOC_LENGTH_BELOW
    what = "the schema allows that, the protocol only 2,047" if exactly else "the limit is 2,047"
    yield Problem(
        listed.part(LOC_LENGTH_BELOW - 1, len(listed.loc)),
        f"the URL has {length:,} characters; {what}",
        severity=Severity.WARNING if exactly else None,
    )


@info_rule(
    "L005",
    when=Signal.SHORT,
    fails_schema=True,
    engines=(Engine.XSD_STRICT,),
    cites=("xsd-urlset", "xsd-tested"),
    kinds=Has.PROTOCOL,
)
@bad("<loc>«http://a.io»</loc>", fixed="<loc>http://a.io/</loc>")
@bad("<loc>«http://a.b/»</loc>", "<loc>«/»</loc>", "<loc>«short»</loc>", "<sitemap><loc>«/a.xml»</loc></sitemap>")
@good("<loc>http://a.io/</loc>", "<loc>https://a.b/</loc>")
def loc_below_schema_length(listed: AnyRow) -> Iterator[Problem]:
    """A URL is shorter than the official schema allows.

    The schema requires 12 characters. Shorter URLs exist, and all engines accept them; only strict validators
    reject them.
    """
    if not listed.loc or len(collapsed(listed)) >= LOC_MIN_LENGTH_XSD:
        return
    place, bare = listed.whole(), listed.address.parts.authority == (listed.loc.find("/") + 2, len(listed.loc))
    yield Problem(
        place,
        f"{quoted(listed.loc)} is shorter than {LOC_MIN_LENGTH_XSD} characters, the minimum of the schema",
        replace(place, f"{listed.loc}/", "add a trailing slash") if bare and listed.loc.isascii() else None,
    )


@info_rule("L036", when=Signal.LONG_FOR_BAIDU, engines=(Engine.BAIDU,), cites=("baidu-sitemap",))
@bad(f"<loc>{_LONG[:256]}«aaa»</loc>", title="a URL of 259 bytes")
@good(f"<loc>{_LONG[:256]}</loc>", title="a URL of 256 bytes")
def loc_too_long_for_baidu(listed: AnyRow) -> Iterator[Problem]:
    """A URL is too long for Baidu.

    Baidu's help limits URLs to 256 bytes (copy from 2018).
    """
    loc = listed.loc
    if len(loc) * 4 <= LOC_MAX_BYTES_BAIDU:
        return
    written = loc.encode("utf-8", "surrogatepass")
    if len(written) > LOC_MAX_BYTES_BAIDU and len(loc) < LOC_LENGTH_BELOW:
        fits = len(written[:LOC_MAX_BYTES_BAIDU].decode("utf-8", "ignore"))
        yield Problem(
            listed.part(fits, len(loc)),
            f"the URL has {len(written):,} bytes; the limit for Baidu is {LOC_MAX_BYTES_BAIDU}",
        )
