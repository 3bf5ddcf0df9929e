"""Are the bytes UTF-8 as declared, and are all characters allowed and escaped once?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from urlset.checking.declare import bad, error_rule, good, info_rule, reader_error, warning_rule
from urlset.findings.finding import delete, quoted, quoted_bytes, replace
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.model.trouble import TroubleKind
from urlset.rules import Engine, Fix, Has, Kind, Problem, Safety, Severity, Sitemap
from urlset.rules.xml.wellformed import cost_of, outside_edit, with_edits
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.protocol import ENCODING, XML_ENTITIES

# Are all characters allowed, and are special XML characters escaped exactly once?

_TWICE = lazy_pattern(rb"&(?:amp|#38|#[xX]26);(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_ADDRESS_OF_FEED = lazy_pattern(
    rb"<(?:link|guid|comments)(?:\s[^<>]*)?>(?:\s*<!\[CDATA\[)?[^<>]*\Z"
    rb"|<[^<>]*\s(?:href|url|src)\s*=\s*(?:\"[^\"<]*|'[^'<]*)\Z"
)
_ESCAPED = lazy_pattern(r"&(?:amp|lt|gt|quot|apos|#38|#39);")
# What opens with a `<` that is not meant as one: `<%` and `<#` of a template, the line that git writes, and a comment
# that never ends.
_CODE = lazy_pattern(rb"</?[%#][^<>\r\n]{0,80}>?|(?P<comment><!--[^<>\r\n]{0,80})|(?P<marker><{7}(?= )[^<>\r\n]{0,80})")
_LOC_TEXT = lazy_pattern(rb"<(?:[\w.\x80-\xff-]+:)?loc>([^<]*)<")


@error_rule(
    "X009",
    cites=("xml10",),
    kinds=~Has.ROBOTS_LINES,
    reports=(TroubleKind.CONTROL_CHARACTER, TroubleKind.BAD_CHARACTER_REFERENCE),
)
@bad("<loc>https://example.com/a«\x0b»b</loc>", fixed="<loc>https://example.com/ab</loc>")
@bad("<loc>https://example.com/a«&#0;»</loc>", fixed="<loc>https://example.com/a</loc>")
@good("<loc>https://example.com/</loc><lastmod>\t2026-11-15\r\n</lastmod>", "<loc>https://example.com/&#233;</loc>")
def forbidden_character(sitemap: Sitemap) -> Iterator[Problem]:
    """The file contains a character that XML does not allow.

    Most control characters are forbidden in XML, even as a reference such as &#11;. They come from copied text or
    binary data. XML parsers stop at the first one.
    """
    cost = cost_of(sitemap)
    safety = Safety.REVIEW if sitemap.kind is Kind.TEXT else Safety.SAFE
    for trouble in sitemap.troubles(TroubleKind.CONTROL_CHARACTER, TroubleKind.BAD_CHARACTER_REFERENCE):
        place = trouble.place
        message = f"illegal character {quoted_bytes(place.cut(sitemap.data))}"
        consequence = "" if sitemap.kind is Kind.TEXT else cost(place) or ", so XML parsers stop here"
        yield Problem(place, f"{message}{consequence}; remove it", delete(place, "remove it", safety))


@error_rule("X010", cites=("sitemaps-protocol", "google-build", "xml10"), reports=(TroubleKind.BARE_AMPERSAND,))
@bad("<loc>https://example.com/?a=1«&»b=2«&»c=3</loc>", fixed="<loc>https://example.com/?a=1&amp;b=2&amp;c=3</loc>")
@good(
    "<loc>https://example.com/?a=1&amp;b=2&#38;c=3</loc>",
    "<loc><![CDATA[https://example.com/?a=1&b=2]]></loc>",
    "https://example.com/?a=1&b=2\n",
)
def bare_ampersand(sitemap: Sitemap) -> Iterator[Problem]:
    """An `&` is not escaped as `&amp;`.

    In XML, `&` starts a reference. An unescaped query string makes the file malformed, and XML parsers stop at that
    point.
    """
    cost = cost_of(sitemap)
    for trouble in sitemap.troubles(TroubleKind.BARE_AMPERSAND):
        place = trouble.place
        around = between(place.offset, min(place.end + 20, len(sitemap.data))).cut(sitemap.data)
        shown = re.split(rb"[<\s]", around)[0]
        yield Problem(
            place,
            f"unescaped & in {quoted_bytes(shown)}{cost(place) or ', so XML parsers stop here'}; write &amp;",
            replace(place, "&amp;", "write &amp;"),
        )


@error_rule("X011", cites=("sitemaps-protocol", "xml10"), kinds=Has.XML, reports=(TroubleKind.STRAY_LT,))
@bad("<loc>https://example.com/?q=a«<»b</loc>", fixed="<loc>https://example.com/?q=a&lt;b</loc>")
@bad("<loc>https://example.com/it«'»s</loc>", fixed="<loc>https://example.com/it&apos;s</loc>")
@bad(
    f'<urlset xmlns="{namespaces.SITEMAP}">«<»<url><loc>https://example.com/</loc></url></urlset>\n',
    fixed=f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n',
)
@good(
    "<loc>https://example.com/?q=a%3Cb</loc>",
    "<loc>https://example.com/it&apos;s</loc>",
    "<video:title>5 > 4, she said, isn't it</video:title>",
)
def raw_angle_bracket(sitemap: Sitemap) -> Iterator[Problem]:
    """A `<` inside a value is not escaped.

    A `<` always starts a tag, so the rest of the value is parsed as markup. Apostrophes are legal XML, but the
    protocol requires &apos; in URLs, so they are reported as info.
    """
    cost = cost_of(sitemap)
    for trouble, known in with_edits(sitemap, TroubleKind.STRAY_LT):
        place = trouble.place
        edit = known or (outside_edit(sitemap.data, trouble) if trouble.row is None and not cost(place) else None)
        code = _CODE.match(sitemap.data, place.offset)
        opens_section = code is not None or sitemap.data[place.end : place.end + 1] in (b"!", b"?", b"/", b"<")
        safety = Safety.REVIEW if opens_section or edit is None or edit.text != b"&lt;" else Safety.SAFE
        effect = cost(place) or ", so XML parsers stop here"
        if edit is not None and not edit.text and code is None:
            words = f"stray < in front of a tag{effect}; remove it"
            yield Problem(place, words, Fix("remove it", (edit,), Safety.SAFE if trouble.row is None else safety))
            continue
        what, advice = _reading_of(code, trouble.detail)
        fix = Fix("write &lt;" if edit.text else "remove it", (edit,), safety) if edit else None
        yield Problem(place, f"{what}{effect}; {advice}", fix)
    yield from _raw_apostrophes(sitemap)


def _reading_of(code: re.Match[bytes] | None, detail: str) -> tuple[str, str]:
    """What the `<` is, and what to do about it."""
    if code is None:
        return f"unescaped < in {quoted(detail)}", "write &lt;"
    shown = quoted_bytes(code[0].strip())
    if code["comment"]:
        return f"unclosed comment {shown}", "close it with -->"
    if code["marker"]:
        return f"merge conflict marker {shown}", "resolve the conflict"
    return f"unexecuted template code {shown}", "render the template"


def _raw_apostrophes(sitemap: Sitemap) -> Iterator[Problem]:
    columns, data = sitemap.columns, sitemap.data
    if not sitemap.kind.is_protocol or not len(columns) or data.find(b"'", columns.starts[0]) == -1:
        return
    edits: list[Edit] = []
    rows = 0
    for row, loc in enumerate(columns.locs):
        if loc is None or "'" not in loc:
            continue
        text = _LOC_TEXT.search(data, columns.starts[row], columns.ends[row])
        raw = [] if text is None else [Place(at.start(), 1) for at in re.finditer(b"'", text[1])]
        rows += bool(raw)
        edits += [Edit(Place(text.start(1) + place.offset, 1), b"&apos;") for place in raw if text is not None]
    if edits:
        yield Problem(
            edits[0].place,
            f"{rows:,} URLs contain an unescaped ', which is legal XML; the protocol requires &apos;"
            if rows > 1
            else "the URL contains an unescaped ', which is legal XML; the protocol requires &apos;",
            Fix("write &apos;", tuple(edits)),
            count=rows,
            severity=Severity.INFO,
        )


@error_rule("X012", cites=("xml10",), reports=(TroubleKind.UNDEFINED_ENTITY,))
@bad("<loc>https://example.com/caf«&eacute;»</loc>", fixed="<loc>https://example.com/café</loc>")
@bad("<loc>https://example.com/?a=1«&copyright;»</loc>", fixed="<loc>https://example.com/?a=1&amp;copyright;</loc>")
@good("<loc>https://example.com/caf&#233;</loc>", "<video:title>&lt;b&gt; &amp; &quot;more&quot; &apos;</video:title>")
def undefined_entity(sitemap: Sitemap) -> Iterator[Problem]:
    """An entity is not defined in XML.

    Only amp, lt, gt, quot, and apos are predefined. HTML entities such as &eacute; or &nbsp; are undefined in a
    sitemap. Write the character itself or its numeric reference.
    """
    cost = cost_of(sitemap)
    declared = {
        trouble.detail for trouble in sitemap.troubles(TroubleKind.ENTITY_DECLARED, TroubleKind.EXTERNAL_ENTITY)
    }
    for trouble in sitemap.troubles(TroubleKind.UNDEFINED_ENTITY):
        place = trouble.place
        name = place.cut(sitemap.data).decode("utf-8", "replace").strip("&;")
        if name in declared:
            continue
        fix = None
        if place.length:
            from html.entities import html5
            from xml.sax.saxutils import escape

            character = html5.get(f"{name};")
            fix = (
                replace(place, f"&amp;{name};", "escape the &", Safety.REVIEW)
                if character is None
                else replace(place, escape(character, {'"': "&quot;", "'": "&apos;"}), "write the character")
            )
        yield Problem(
            place,
            f"undefined entity {quoted(trouble.detail)}{cost(place) or ', so XML parsers stop here'}; "
            "write the character",
            fix,
        )


@warning_rule("X013", cites=("sitemaps-protocol", "general-knowledge"), kinds=Has.XML)
@bad("<loc>https://example.com/?a=1«&amp;amp;»b=2</loc>", fixed="<loc>https://example.com/?a=1&amp;b=2</loc>")
@bad("<loc>https://example.com/?a=1«&amp;#38;»b=2</loc>", fixed="<loc>https://example.com/?a=1&#38;b=2</loc>")
@bad(
    "<loc><![CDATA[https://example.com/?a=1«&amp;»b=2]]></loc>",
    fixed="<loc><![CDATA[https://example.com/?a=1&b=2]]></loc>",
)
@bad(
    '<rss version="2.0"><channel><item><link>https://example.com/?a=1«&amp;amp;»b=2</link></item></channel></rss>',
    f'<feed xmlns="{namespaces.ATOM}"><entry><link href="https://example.com/?a=1«&amp;amp;»b=2"/></entry></feed>',
)
@good(
    "<loc>https://example.com/?a=1&amp;b=2</loc>",
    "<loc>https://example.com/?q=%26amp%3B</loc>",
    "<loc>https://example.com/?a=1&amp;lt=2&amp;amp=3</loc>",
    "<url><loc>https://example.com/</loc><!-- &amp;amp; --></url>",
    '<rss version="2.0"><channel><item><link>https://example.com/</link>'
    "<description>&lt;p&gt;Salt &amp;amp; pepper&lt;/p&gt;</description></item></channel></rss>",
    f'<feed xmlns="{namespaces.ATOM}"><entry><link href="https://example.com/"/>'
    '<content type="html">Salt &amp;amp; pepper</content></entry></feed>',
)
def escaped_twice(sitemap: Sitemap) -> Iterator[Problem]:
    """A value is escaped twice, so it contains a literal `&amp;`.

    The file parses, but the URL is wrong: crawlers request a page with a parameter named `amp;b`. In feeds, text is
    HTML, which is escaped twice on purpose, so only URLs are checked there.
    """
    data = sitemap.data
    seen: set[int] = set()
    root = sitemap.document.root  # what is before it may be a DOCTYPE, where this is how an entity is declared
    beside = list(sitemap.columns.beside_once(root.place.offset if root else 0, len(data)))
    for match in chain.from_iterable(_TWICE.finditer(data, *span) for span in beside):
        place = between(*match.span())
        seen.add(place.offset)
        if sitemap.is_in_comment(place.offset):
            continue
        if sitemap.kind.is_feed and not _is_in_an_address(data, place.offset):
            continue
        inner = b"&" + match.group().partition(b";")[2]
        yield Problem(
            place,
            f"{quoted_bytes(match.group())} is escaped twice and read as {quoted_bytes(inner)}, not as "
            f"{quoted(_reading(inner))}; escape it once",
            replace(place, inner, "unescape it once", Safety.REVIEW),
        )
    if any(data.find(b"<![CDATA[", *span) != -1 for span in beside):
        yield from _escaped_in_cdata(sitemap, seen)


def _is_in_an_address(data: bytes, offset: int) -> bool:
    """In the text of a link or guid, or in an attribute that contains a URL."""
    start = max(0, offset - 4096)
    tag = data.rfind(b"<", start, offset)
    if data.startswith(b"<![CDATA[", tag):
        tag = data.rfind(b"<", start, tag)
    return tag != -1 and _ADDRESS_OF_FEED.match(data[tag:offset]) is not None


def _escaped_in_cdata(sitemap: Sitemap, seen: set[int]) -> Iterator[Problem]:
    for row, loc in enumerate(sitemap.columns.locs):
        if loc is None or "&" not in loc:
            continue
        for match in _ESCAPED.finditer(loc.strip()):
            place = sitemap.listed(row).locate(*match.span())
            if place.offset not in seen and place.cut(sitemap.data).decode("utf-8", "replace") == match.group():
                character = _reading(match.group().encode())
                yield Problem(
                    place,
                    f"{quoted(match.group())} is not unescaped in CDATA, so it is part of the URL; write {character}",
                    replace(place, character, f"write {character}", Safety.REVIEW),
                )


def _reading(reference: bytes) -> str:
    name = reference.decode("ascii").strip("&;")
    if not name.startswith("#"):
        return XML_ENTITIES.get(name, name)
    number = int("0" + name[1:], 16) if name[1] in "xX" else int(name[1:])
    return chr(number) if number < 0x110000 else name


_BODY = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/%s</loc></url></urlset>'
_DECLARED = '<?xml version="1.0" encoding="%s"?>\n'
_WHOLE = _DECLARED + _BODY
_UTF8 = (_WHOLE % (ENCODING, "über")).encode()
_PLAIN = (_WHOLE % (ENCODING, "a")).encode()
_LATIN = (_WHOLE % ("ISO-8859-1", "über")).encode("latin-1")
_WIDE = ("utf-16", "utf-32")
_LONGEST_GUESS = 8


@error_rule(
    "X002",
    cites=("sitemaps-protocol", "google-build", "baidu-sitemap"),
    kinds=~Has.ROBOTS_LINES,
    reports=(TroubleKind.BAD_UTF8,),
)
@bad(
    data=_UTF8.replace("ü".encode(), b"\xfc"),
    marks=((_UTF8.index("ü".encode()), 1),),
    fixed_data=_UTF8,
    title="…<loc>https://example.com/«FC»ber</loc>… (the byte of ü in windows-1252)",
)
@good(data=_UTF8, title="…<loc>https://example.com/über</loc>… in UTF-8")
def bytes_not_utf8(sitemap: Sitemap) -> Iterator[Problem]:
    """The file contains bytes that are not valid UTF-8.

    Sitemaps must be UTF-8. A byte from another encoding is a fatal error for XML parsers. Lenient parsers read a URL
    with a wrong character.
    """
    cost = cost_of(sitemap)
    for trouble in sitemap.troubles(TroubleKind.BAD_UTF8):
        data = trouble.place.cut(sitemap.data)
        letters = None  # in windows-1252, the most common source of such bytes
        if len(data) <= _LONGEST_GUESS:
            with suppress(UnicodeDecodeError):
                letters = data.decode("cp1252")
        shown = trouble.detail if len(trouble.detail) <= 80 else trouble.detail[:79] + "…"
        if " is not " not in shown:
            guess = "" if letters is None else f" ({quoted(letters)} in windows-1252)"
            shown = f"{shown} is not valid UTF-8{guess}"
        lost = cost(trouble.place)
        fix = None
        if letters and letters.isprintable() and data != b"\xef\xbf\xbd" and not lost:
            fix = replace(trouble.place, letters, f"decode as windows-1252: {letters}", Safety.REVIEW)
        yield Problem(trouble.place, shown + (lost or ", so XML parsers stop here"), fix)


@error_rule("X003", cites=("sitemaps-protocol", "xml10"), kinds=~Has.ROBOTS_LINES)
@bad(_WHOLE % ("«ISO-8859-1»", "a"), fixed=_WHOLE % ("UTF-8", "a"))
@bad(_WHOLE % ("«windows-1252»", "über"), fixed=_WHOLE % ("UTF-8", "über"))
@bad(_WHOLE % ("«utf8»", "a"), fixed=_WHOLE % ("UTF-8", "a"))
@bad(data=_LATIN, marks=((30, 10),), fixed_data=_UTF8, title='encoding="«ISO-8859-1»" and matching bytes')
@good(_WHOLE % ("utf-8", "a"), '<?xml version="1.0"?>\n' + _BODY % "a")
def declared_encoding_not_utf8(sitemap: Sitemap) -> Iterator[Problem]:
    """The XML declaration specifies an encoding other than UTF-8.

    The protocol allows only UTF-8. If the declaration and the bytes disagree, non-ASCII characters depend on the
    parser.
    """
    if sitemap.document.envelope.encoding.startswith(_WIDE):
        return
    kinds = [TroubleKind.NOT_UTF8, TroubleKind.ENCODING_MISMATCH, TroubleKind.UNKNOWN_ENCODING]
    if sitemap.context.engines == (Engine.XSD_STRICT,):
        kinds = [TroubleKind.UNKNOWN_ENCODING]  # the schema defines characters, not encodings
    broken = any(sitemap.troubles(TroubleKind.BAD_UTF8))
    found = False
    for trouble in sitemap.troubles(*kinds):
        found = True
        declared = trouble.place.cut(sitemap.data)
        safe = trouble.kind is not TroubleKind.UNKNOWN_ENCODING and sitemap.document.envelope.encoding != "windows-1252"
        fix = _declare_utf8(trouble.place, Safety.SAFE if safe else Safety.REVIEW)
        words = {
            TroubleKind.ENCODING_MISMATCH: f"{trouble.detail}; convert the file to UTF-8",
            TroubleKind.UNKNOWN_ENCODING: f"unknown encoding {quoted_bytes(declared)}, so XML parsers reject the file; "
            "use UTF-8",
        }.get(trouble.kind, f"declared encoding {quoted_bytes(declared)}; sitemaps must be UTF-8")
        yield Problem(trouble.place, words, None if broken or not trouble.place.length else fix)
    if not found and sitemap.context.engines != (Engine.XSD_STRICT,):
        yield from _misspelt(sitemap)


def _misspelt(sitemap: Sitemap) -> Iterator[Problem]:
    """`utf8` and `UTF_8` are accepted by some parsers and rejected by others."""
    declaration = sitemap.document.prolog.declaration
    if declaration is None or declaration.encoding is None or declaration.encoding.upper() == ENCODING:
        return
    text = declaration.place.cut(sitemap.data)
    written = declaration.encoding.encode()
    at = text.find(written, max(0, text.find(b"encoding")))
    if at == -1:
        return
    place = Place(declaration.place.offset + at, len(written))
    yield Problem(
        place,
        f"{quoted_bytes(written)} is not a valid encoding name, so some XML parsers reject the file; write UTF-8",
        _declare_utf8(place, Safety.SAFE),
    )


def _declare_utf8(place: Place, safety: Safety) -> Fix:
    return Fix("convert the file to UTF-8 and declare it", (Edit(place, ENCODING.encode()),), safety)


@info_rule("X006", cites=("xml10", "general-knowledge"), kinds=~Has.ROBOTS_LINES)
@bad(data=b"\xef\xbb\xbf" + _PLAIN, marks=((0, 0),), fixed_data=_PLAIN, title="«EF BB BF»<?xml …")
@bad(
    data=b"\xef\xbb\xbf" + (_WHOLE % ("ISO-8859-1", "über")).encode(),
    marks=((0, 0),),
    fixed_data=_UTF8,
    title='«EF BB BF»<?xml version="1.0" encoding="ISO-8859-1"?>',
)
@good(data=_PLAIN, title="<?xml …")
def byte_order_mark(sitemap: Sitemap) -> Iterator[Problem]:
    """The file starts with a UTF-8 byte order mark.

    XML allows it. Simple parsers, especially of text sitemaps, read the three invisible bytes as part of the first
    line.
    """
    # without the mark, a declaration of another encoding decides how the bytes are read, so it is corrected too
    others = list(sitemap.troubles(TroubleKind.ENCODING_MISMATCH, TroubleKind.UNKNOWN_ENCODING))
    edits = tuple(Edit(other.place, ENCODING.encode()) for other in others if other.place.length)
    unclear = others and any(sitemap.troubles(TroubleKind.BAD_UTF8))
    for trouble in sitemap.troubles(TroubleKind.BYTE_ORDER_MARK):
        yield Problem(
            trouble.place,
            "byte order mark before the first character, which simple parsers read as content; remove it",
            None if unclear else Fix("remove the byte order mark", edits),
        )


@reader_error("X007", cites=("sitemaps-protocol",), kinds=~Has.ROBOTS_LINES)
@bad(
    data=(_WHOLE % ("UTF-16", "über")).encode("utf-16"),
    marks=((30, 6),),
    fixed_data=_UTF8,
    title='encoding="«UTF-16»" and matching bytes',
)
@bad(
    data=(_BODY % "a").encode("utf-16-le"),
    marks=((0, 0),),
    fixed_data=(_BODY % "a").encode(),
    title="UTF-16 bytes without a declaration",
)
@good(data=_UTF8, title='encoding="UTF-8" and matching bytes')
def wide_encoding(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is encoded in UTF-16 or UTF-32.

    This is legal XML, but sitemaps must be UTF-8. Parsers that search the bytes for a tag find nothing.
    """
    if not sitemap.document.envelope.encoding.startswith(_WIDE):
        return
    for trouble in sitemap.troubles(TroubleKind.NOT_UTF8):
        place = trouble.place
        edits = (Edit(place, ENCODING.encode()),) if place.length else ()
        declared = f", declared as {quoted_bytes(place.cut(sitemap.data))}" if place.length else ""
        yield Problem(
            between(place.offset, place.end),
            f"encoded in {trouble.detail.upper()}{declared}; sitemaps must be UTF-8",
            Fix("convert the file to UTF-8", edits),
        )
