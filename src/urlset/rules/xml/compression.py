"""Is the file packed with gzip, once, whole, and named accordingly?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.checking.declare import Bad, Good, rule
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.model.document import Document, Kind
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.rules.quoting import quoted
from urlset.spec import namespaces

_PLAIN = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'.encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_WORTH_A_LOOK = 1 << 20
_UNPACKED_NAMES = (".xml", ".txt", ".rss", ".atom")
_UNPACKED_BY_FIX = (".xml", ".txt")
_DAMAGE = (TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP, TroubleKind.GZIP_TRAILING_GARBAGE)


def _blown_up(times: int) -> bytes:
    """So many quarters of a mebibyte of nothing behind a sitemap."""
    return _PACKED + gzip.compress(b"\n" * (1 << 18), mtime=0) * times


def names_of(document: Document) -> list[str]:
    """The file's name and the last part of its address, in lower case, as far as they are known."""
    path = ""
    if document.url:
        try:
            path = urlsplit(document.url).path
        except ValueError:
            path = ""
    names = (path, document.name.replace("\\", "/"))
    return [name.rpartition("/")[2].lower() for name in names if name.rpartition("/")[2]]


@rule(
    "X016",
    "gzip-damaged",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("rfc1952", "gsc-report", "yandex-errors"),
    bad=(
        Bad(
            data=_PACKED[:-8] + bytes(8),
            marks=((len(_PLAIN), 0),),
            title="sitemap.xml.gz with a checksum that does not match",
        ),
        Bad(data=_PACKED + b"<!-- -->", marks=((len(_PLAIN), 0),), title="sitemap.xml.gz with text behind its end"),
    ),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        Good(data=_PACKED + bytes(512), title="sitemap.xml.gz padded with zero bytes"),
    ),
)
def gzip_damaged(sitemap: Sitemap) -> Iterator[Problem]:
    """The gzip data is cut off, damaged, or followed by other bytes.

    Engines that cannot unpack a file report a compression error and take nothing from it. Most often an
    upload was interrupted or a text-mode transfer changed the bytes: pack it again from the source.
    """
    for trouble in sitemap.troubles(*_DAMAGE):
        yield Problem(trouble.place, f"{trouble.detail}; engines that cannot unpack a sitemap take nothing from it")


@rule(
    "X017",
    "name-contradicts-compression",
    on=Sitemap,
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "«»" + _PLAIN.decode(),
            at="https://example.com/sitemap.xml.gz",
            title="sitemap.xml.gz that begins with <urlset",
        ),
        Bad(
            data=_PACKED,
            marks=((0, 0),),
            at="https://example.com/sitemap.xml",
            title="sitemap.xml that begins with 1F 8B",
        ),
    ),
    good=(
        Good(data=_PACKED, at="https://example.com/sitemap.xml.gz", title="sitemap.xml.gz that begins with 1F 8B"),
        Good(_PLAIN.decode(), at="https://example.com/sitemap.xml"),
        Good(data=_PACKED, at="https://example.com/sitemap", title="gzip data under a name without an ending"),
    ),
)
def name_contradicts_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The name says packed and the bytes say plain, or the other way round.

    Servers choose headers by the name. A plain file called .gz is unpacked in vain, and gzip data called
    .xml is sent as if it were text, unless the server adds Content-Encoding.
    """
    document = sitemap.document
    names = names_of(document)
    if document.kind is Kind.EMPTY or document.envelope.compression not in (None, "gzip"):
        return
    packed = document.envelope.compression == "gzip"
    agreeing = [name for name in names if name.endswith(".gz" if packed else _UNPACKED_NAMES)]
    contrary = [name for name in names if name.endswith(_UNPACKED_NAMES if packed else ".gz")]
    if contrary and not agreeing:
        name = quoted(contrary[0])
        message = (
            f"{name} holds gzip data; without Content-Encoding readers take it for broken XML"
            if packed
            else f"{name} is not gzip data; readers try to unpack it and fail"
        )
        yield Problem(Place(0), message, _repacking(document, packed=packed))


def _repacking(document: Document, *, packed: bool) -> Fix | None:
    """The whole file is written anew, which is no edit; only a file can be, and only by its own name."""
    name = document.name.lower()
    if not document.envelope.complete:
        return None
    if packed and name.endswith(_UNPACKED_BY_FIX):
        return Fix("unpack it, as its name says", (), Safety.REVIEW)
    if not packed and name.endswith(".gz") and len(document):
        return Fix("pack it, as its name says", (), Safety.REVIEW)
    return None


@rule(
    "X018",
    "compression-not-gzip",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("sitemaps-faq", "sitemaps-protocol"),
    bad=(Bad(data=b"PK\x03\x04\x14\x00\x00\x00\x08\x00", marks=((0, 0),), title="sitemap.zip"),),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        "https://example.com/download.zip\n",
    ),
)
def compression_not_gzip(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is packed in a format other than gzip.

    The protocol names gzip and no other. Nobody unpacks a zip archive or a zstd file to look for a sitemap.
    """
    for trouble in sitemap.troubles(TroubleKind.OTHER_COMPRESSION):
        yield Problem(trouble.place, f"the file is packed with {quoted(trouble.detail)}; engines unpack gzip only")


@rule(
    "X019",
    "unpacking-stopped",
    on=Sitemap,
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "general-knowledge"),
    bad=(
        Bad(
            data=lambda: _blown_up(220),
            marks=((0, 0),),
            title="70 KB of gzip data that unpack to more than 55 MB",
        ),
    ),
    good=(Good(data=lambda: _blown_up(1), title="gzip data within the limits"),),
)
def unpacking_stopped(sitemap: Sitemap) -> Iterator[Problem]:
    """Reading stopped at a limit, so the rest of the file was not checked.

    No sitemap may be larger than 50 MiB unpacked. A file that goes on far beyond is not read to its end, for
    a few kilobytes of gzip data can unpack to more than the memory holds.
    """
    for trouble in sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB):
        yield Problem(Place(0), f"{trouble.detail}: reading stopped, and what follows is unknown")


@rule(
    "X020",
    "suspicious-compression",
    on=Sitemap,
    severity=Severity.WARNING,
    cites=("rfc1952", "general-knowledge"),
    bad=(
        Bad(data=gzip.compress(_PACKED, mtime=0), marks=((0, 0),), title="gzip data inside gzip data"),
        Bad(data=lambda: _blown_up(5), marks=((0, 0),), title="2 KB of gzip data that unpack to more than 1 MB"),
    ),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        Good(data=lambda: _blown_up(1), title="little data that shrinks well"),
    ),
)
def suspicious_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is packed twice, or shrinks more than a sitemap can.

    Engines unpack once; what they find inside a doubly packed file is no XML. Real sitemaps shrink to
    between an eighth and a sixtieth, so a far higher ratio means padding or a trap.
    """
    for trouble in sitemap.troubles(TroubleKind.GZIP_IN_GZIP):
        message = f"gzip data inside gzip data: {trouble.detail}; engines unpack once"
        yield Problem(trouble.place, message, Fix("pack it once", ()) if sitemap.document.envelope.complete else None)
    envelope = sitemap.document.envelope
    stopped = any(sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.GZIP_IN_GZIP))
    if envelope.compression != "gzip" or stopped or envelope.size < _WORTH_A_LOOK or not envelope.delivered:
        return
    if envelope.size > limits.BOMB_RATIO * envelope.delivered:
        yield Problem(
            Place(0),
            f"{envelope.delivered:,} bytes unpack to {envelope.size:,}, "
            f"{envelope.size // envelope.delivered:,} times as many; sitemaps do not shrink that far",
        )
