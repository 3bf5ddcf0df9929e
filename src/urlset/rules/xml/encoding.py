"""Are the bytes UTF-8, and does the declaration match?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.findings.fix import replace
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.rules import Bad, Engine, Fix, Good, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.lastmod.faults import READERS
from urlset.rules.quoting import quoted
from urlset.rules.xml.characters import NOT_ROBOTS
from urlset.rules.xml.raw_bytes import quoted_bytes
from urlset.rules.xml.repairs import cost_of
from urlset.spec import namespaces
from urlset.spec.protocol import ENCODING

_BODY = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/%s</loc></url></urlset>'
_DECLARED = '<?xml version="1.0" encoding="%s"?>\n'
_WHOLE = _DECLARED + _BODY
_UTF8 = (_WHOLE % (ENCODING, "über")).encode()
_PLAIN = (_WHOLE % (ENCODING, "a")).encode()
_LATIN = (_WHOLE % ("ISO-8859-1", "über")).encode("latin-1")
_WIDE = ("utf-16", "utf-32")
_LONGEST_GUESS = 8


def _is_wide(sitemap: Sitemap) -> bool:
    return sitemap.document.envelope.encoding.startswith(_WIDE)


@rule(
    "X002",
    "bytes-not-utf8",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "google-build", "baidu-sitemap"),
    kinds=NOT_ROBOTS,
    bad=(
        Bad(
            data=_UTF8.replace("ü".encode(), b"\xfc"),
            marks=((_UTF8.index("ü".encode()), 1),),
            fixed_data=_UTF8,
            title="…<loc>https://example.com/«FC»ber</loc>… (the byte of ü in windows-1252)",
        ),
    ),
    good=(Good(data=_UTF8, title="…<loc>https://example.com/über</loc>… in UTF-8"),),
    reports=(TroubleKind.BAD_UTF8,),
)
def bytes_not_utf8(sitemap: Sitemap) -> Iterator[Problem]:
    """The file contains bytes that are not valid UTF-8.

    Sitemaps must be UTF-8. A byte from another encoding is a fatal error for XML parsers. Lenient parsers read a URL
    with a wrong character.
    """
    cost = cost_of(sitemap)
    for trouble in sitemap.troubles(TroubleKind.BAD_UTF8):
        shown = trouble.detail if len(trouble.detail) <= 80 else trouble.detail[:79] + "…"
        if " is not " not in shown:
            shown = f"{shown} is not valid UTF-8{_guess(trouble.place.cut(sitemap.data))}"
        lost = cost(trouble.place)
        yield Problem(
            trouble.place, shown + (lost or ", so XML parsers stop here"), None if lost else _letter(sitemap, trouble)
        )


def _letter(sitemap: Sitemap, trouble: Trouble) -> Fix | None:
    """The bytes decoded as windows-1252, their most common source."""
    data = trouble.place.cut(sitemap.data)
    try:
        letters = data.decode("cp1252") if len(data) <= _LONGEST_GUESS and sitemap.kind is not Kind.ROBOTS else ""
    except UnicodeDecodeError:
        return None
    if not letters.isprintable() or not letters or data == b"\xef\xbf\xbd":
        return None
    return replace(trouble.place, letters, f"decode as windows-1252: {letters}", Safety.REVIEW)


def _guess(data: bytes) -> str:
    """The bytes decoded as windows-1252, their most common source."""
    if len(data) > _LONGEST_GUESS:
        return ""
    try:
        return f" ({quoted(data.decode('cp1252'))} in windows-1252)"
    except UnicodeDecodeError:
        return ""


@rule(
    "X003",
    "declared-encoding-not-utf8",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "xml10"),
    kinds=NOT_ROBOTS,
    bad=(
        Bad(_WHOLE % ("«ISO-8859-1»", "a"), fixed=_WHOLE % ("UTF-8", "a")),
        Bad(_WHOLE % ("«windows-1252»", "über"), fixed=_WHOLE % ("UTF-8", "über")),
        Bad(_WHOLE % ("«utf8»", "a"), fixed=_WHOLE % ("UTF-8", "a")),
        Bad(data=_LATIN, marks=((30, 10),), fixed_data=_UTF8, title='encoding="«ISO-8859-1»" and matching bytes'),
    ),
    good=(_WHOLE % ("utf-8", "a"), '<?xml version="1.0"?>\n' + _BODY % "a"),
)
def declared_encoding_not_utf8(sitemap: Sitemap) -> Iterator[Problem]:
    """The XML declaration specifies an encoding other than UTF-8.

    The protocol allows only UTF-8. If the declaration and the bytes disagree, non-ASCII characters depend on the
    parser.
    """
    if _is_wide(sitemap):
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


@rule(
    "X006",
    "byte-order-mark",
    severity=Severity.INFO,
    cites=("xml10", "general-knowledge"),
    kinds=NOT_ROBOTS,
    bad=(
        Bad(
            data=b"\xef\xbb\xbf" + _PLAIN,
            marks=((0, 0),),
            fixed_data=_PLAIN,
            title="«EF BB BF»<?xml …",
        ),
        Bad(
            data=b"\xef\xbb\xbf" + (_WHOLE % ("ISO-8859-1", "über")).encode(),
            marks=((0, 0),),
            fixed_data=_UTF8,
            title='«EF BB BF»<?xml version="1.0" encoding="ISO-8859-1"?>',
        ),
    ),
    good=(Good(data=_PLAIN, title="<?xml …"),),
)
def byte_order_mark(sitemap: Sitemap) -> Iterator[Problem]:
    """The file starts with a UTF-8 byte order mark.

    XML allows it. Simple parsers, especially of text sitemaps, read the three invisible bytes as part of the first
    line.
    """
    for trouble in sitemap.troubles(TroubleKind.BYTE_ORDER_MARK):
        yield Problem(
            trouble.place,
            "byte order mark before the first character, which simple parsers read as content; remove it",
            _without_mark(sitemap),
        )


def _without_mark(sitemap: Sitemap) -> Fix | None:
    """With a declaration of another encoding corrected: without the mark, it decides how the bytes are read."""
    others = list(sitemap.troubles(TroubleKind.ENCODING_MISMATCH, TroubleKind.UNKNOWN_ENCODING))
    if others and any(sitemap.troubles(TroubleKind.BAD_UTF8)):
        return None
    edits = tuple(Edit(other.place, ENCODING.encode()) for other in others if other.place.length)
    return Fix("remove the byte order mark", edits)


@rule(
    "X007",
    "wide-encoding",
    severity=Severity.ERROR,
    engines=READERS,
    cites=("sitemaps-protocol",),
    kinds=NOT_ROBOTS,
    bad=(
        Bad(
            data=(_WHOLE % ("UTF-16", "über")).encode("utf-16"),
            marks=((30, 6),),
            fixed_data=_UTF8,
            title='encoding="«UTF-16»" and matching bytes',
        ),
        Bad(
            data=(_BODY % "a").encode("utf-16-le"),
            marks=((0, 0),),
            fixed_data=(_BODY % "a").encode(),
            title="UTF-16 bytes without a declaration",
        ),
    ),
    good=(Good(data=_UTF8, title='encoding="UTF-8" and matching bytes'),),
)
def wide_encoding(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is encoded in UTF-16 or UTF-32.

    This is legal XML, but sitemaps must be UTF-8. Parsers that search the bytes for a tag find nothing.
    """
    if not _is_wide(sitemap):
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
