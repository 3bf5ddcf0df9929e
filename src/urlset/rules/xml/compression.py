"""Is the file a sitemap, compressed with gzip at most once, complete, and named accordingly?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from urllib.parse import urlsplit

from urlset.model.document import Document
from urlset.model.place import Place
from urlset.model.trouble import TroubleKind
from urlset.reading import limits
from urlset.rules import Bad, Fix, Good, Kind, Problem, Safety, Severity, Sitemap, rule
from urlset.rules.quoting import quoted
from urlset.rules.robots.lines import is_robots
from urlset.spec import namespaces

# Is the file non-empty, and not a web page?

_ROOT = f'<urlset xmlns="{namespaces.SITEMAP}">\n'
_SOUND = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'


@rule(
    "X021",
    "html-instead-of-sitemap",
    severity=Severity.ERROR,
    names_other=True,
    cites=("gsc-report", "general-knowledge"),
    bad=("«<!doctype html>»\n<title>Log in</title>\n", "«<html><body>Not found</body></html>»\n"),
    good=(_SOUND, _SOUND.replace("<urlset", "<!-- <!doctype html> --><urlset")),
)
def html_instead_of_sitemap(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is an HTML page.

    The sitemap URL returns a login form, an error page, or the home page. Engines report an unsupported format and
    find no URLs.
    """
    if sitemap.kind is Kind.HTML and not is_robots(sitemap.document):  # R011 reports robots.txt
        for trouble in sitemap.troubles(TroubleKind.NOT_A_SITEMAP):
            message = f"the file is an HTML page, starting with {quoted(trouble.detail)}; serve the sitemap at this URL"
            yield Problem(trouble.place, message)


@rule(
    "X031",
    "unrendered-template",
    severity=Severity.ERROR,
    names_other=True,
    cites=("general-knowledge", "seen-in-the-wild"),
    bad=(
        Bad("«---\nlayout: null\n---»\n" + _SOUND, title="front matter of Jekyll"),
        Bad(_ROOT + "«{% for page in pages %}»\n<url><loc>{{ page.url }}</loc></url>\n{% endfor %}\n</urlset>\n"),
        Bad(_ROOT + "«{{ range .Pages }}»<url><loc>{{ .Permalink }}</loc></url>{{ end }}</urlset>\n"),
        "<url><loc>«<?php echo $url; ?>»</loc></url>",
        Bad(_ROOT + "«<% pages.forEach(page => { %>»<url><loc><%= page.url %></loc></url><% }) %></urlset>\n"),
        "<loc>«${process.env.SITE_URL}/a»</loc>",
        Bad("User-agent: *\n«{% if site.live %}»\nAllow: /\n{% endif %}\n", at="https://example.com/robots.txt"),
    ),
    good=(
        _SOUND,
        Good(
            "<image:caption>How to use {% for %} in a template</image:caption>", title="a text about template languages"
        ),
        _SOUND.replace("<url>", "<!-- {% comment %} --><url>"),
    ),
)
def unrendered_template(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is the source of a template.

    Front matter, a loop or condition between elements, or a tag of PHP or ERB means that no engine has run: crawlers
    get program code. So does a file in which every URL begins with a placeholder. Nothing else is reported about such
    a file, and `fix` does not change it. A sitemap with rendered URLs in which some value has a leftover such as
    `{{ slug }}` is not a template: L034 reports the URL. Files over 256 KiB are not templates.
    """
    for trouble in sitemap.troubles(TroubleKind.UNRENDERED):
        message = f"unrendered template: {quoted(trouble.detail)} was not executed; publish the rendered file"
        yield Problem(trouble.place, message)


@rule(
    "X022",
    "empty-file",
    severity=Severity.ERROR,
    cites=("yandex-errors",),
    bad=(
        Bad(data=b"", marks=((0, 0),), title="a file of 0 bytes"),
        Bad(data=b" \r\n\n", marks=((0, 4),), title="a file of spaces and line breaks"),
    ),
    good=(
        Good(_SOUND),
        Good("https://example.com/\n"),
        Good(data=b"", at="https://example.com/robots.txt", title="an empty robots.txt, which allows everything"),
    ),
)
def empty_file(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is empty.

    Engines report that the response contains no data. The generator probably failed.
    """
    damaged = any(sitemap.troubles(TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP))
    for trouble in sitemap.troubles(TroubleKind.EMPTY):
        if not damaged and not is_robots(sitemap.document):
            size = sitemap.document.envelope.size
            words = f"the file contains only whitespace ({size:,} bytes)" if size else "the file is empty"
            yield Problem(trouble.place, f"{words}; check the program that generates it")


_PLAIN = f'<urlset xmlns="{namespaces.SITEMAP}"><url><loc>https://example.com/</loc></url></urlset>\n'.encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_WORTH_A_LOOK = 1 << 20
_UNPACKED_NAMES = (".xml", ".txt", ".rss", ".atom")
_UNPACKED_BY_FIX = (".xml", ".txt")
_DAMAGE = (TroubleKind.TRUNCATED_GZIP, TroubleKind.CORRUPT_GZIP, TroubleKind.GZIP_TRAILING_GARBAGE)


def _blown_up(times: int) -> bytes:
    """A sitemap followed by this many quarter mebibytes of blanks."""
    return _PACKED + gzip.compress(b"\n" * (1 << 18), mtime=0) * times


def names_of(document: Document) -> list[str]:
    """The file name and the last path segment of its URL, in lowercase, as far as known."""
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
    severity=Severity.ERROR,
    cites=("rfc1952", "gsc-report", "yandex-errors"),
    bad=(
        Bad(
            data=_PACKED[:-8] + bytes(8),
            marks=((len(_PLAIN), 0),),
            title="sitemap.xml.gz with a checksum that does not match",
        ),
        Bad(data=_PACKED + b"<!-- -->", marks=((len(_PLAIN), 0),), title="sitemap.xml.gz with text after its end"),
    ),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        Good(data=_PACKED + bytes(512), title="sitemap.xml.gz padded with zero bytes"),
    ),
)
def gzip_damaged(sitemap: Sitemap) -> Iterator[Problem]:
    """The gzip data is truncated, corrupt, or followed by other bytes.

    Engines that cannot decompress a file report a compression error and read nothing. Usually an upload was
    interrupted, or a text-mode transfer changed the bytes. Compress the file again.
    """
    for trouble in sitemap.troubles(*_DAMAGE):
        message = f"{trouble.detail}, so engines cannot read the file; compress it again"
        yield Problem(trouble.place, message)


@rule(
    "X017",
    "name-contradicts-compression",
    severity=Severity.WARNING,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "«»" + _PLAIN.decode(),
            at="https://example.com/sitemap.xml.gz",
            title="sitemap.xml.gz that starts with <urlset",
        ),
        Bad(
            data=_PACKED,
            marks=((0, 0),),
            at="https://example.com/sitemap.xml",
            title="sitemap.xml that starts with 1F 8B",
        ),
    ),
    good=(
        Good(data=_PACKED, at="https://example.com/sitemap.xml.gz", title="sitemap.xml.gz that starts with 1F 8B"),
        Good(_PLAIN.decode(), at="https://example.com/sitemap.xml"),
        Good(data=_PACKED, at="https://example.com/sitemap", title="gzip data under a name without an extension"),
    ),
)
def name_contradicts_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The file extension does not match the compression.

    Servers choose headers by the file name. Decompressing an uncompressed .gz file fails, and gzip data named .xml is
    served as text unless the server adds Content-Encoding.
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
        wording = (
            f"{name} contains gzip data, but its name does not end in .gz; rename or decompress it"
            if packed
            else f"{name} is not gzip data, so decompressing it fails; rename or compress it"
        )
        yield Problem(Place(0), wording, _repacking(document, packed=packed))


def _repacking(document: Document, *, packed: bool) -> Fix | None:
    """The whole file is rewritten, which is not an edit; possible only for a local file under its own name."""
    name = document.name.lower()
    if not document.envelope.complete:
        return None
    if packed and name.endswith(_UNPACKED_BY_FIX):
        return Fix("decompress it to match its name", (), Safety.REVIEW)
    if not packed and name.endswith(".gz") and len(document):
        return Fix("compress it to match its name", (), Safety.REVIEW)
    return None


@rule(
    "X018",
    "compression-not-gzip",
    severity=Severity.ERROR,
    cites=("sitemaps-faq", "sitemaps-protocol"),
    bad=(Bad(data=b"PK\x03\x04\x14\x00\x00\x00\x08\x00", marks=((0, 0),), title="sitemap.zip"),),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        "https://example.com/download.zip\n",
    ),
)
def compression_not_gzip(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is compressed in a format other than gzip.

    The protocol supports only gzip. Engines do not read zip archives or zstd files.
    """
    for trouble in sitemap.troubles(TroubleKind.OTHER_COMPRESSION):
        message = f"the file is compressed with {quoted(trouble.detail)}, which engines do not read; use gzip"
        yield Problem(trouble.place, message)


@rule(
    "X019",
    "unpacking-stopped",
    severity=Severity.ERROR,
    cites=("sitemaps-protocol", "general-knowledge"),
    bad=(
        Bad(
            data=lambda: _blown_up(220),
            marks=((0, 0),),
            title="70 KB of gzip data that decompress to more than 55 MB",
        ),
    ),
    good=(Good(data=lambda: _blown_up(1), title="gzip data within the limits"),),
)
def unpacking_stopped(sitemap: Sitemap) -> Iterator[Problem]:
    """Reading stopped at a limit, so the rest of the file was not checked.

    A sitemap may have at most 50 MiB uncompressed. Reading stops far beyond that limit, because a few kilobytes of
    gzip data can decompress to more than the available memory.
    """
    for trouble in sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB):
        yield Problem(Place(0), f"{trouble.detail}; reading stopped, and the rest was not checked")


@rule(
    "X020",
    "suspicious-compression",
    severity=Severity.WARNING,
    cites=("rfc1952", "general-knowledge"),
    bad=(
        Bad(data=gzip.compress(_PACKED, mtime=0), marks=((0, 0),), title="gzip data inside gzip data"),
        Bad(data=lambda: _blown_up(5), marks=((0, 0),), title="2 KB of gzip data that decompress to more than 1 MB"),
    ),
    good=(
        Good(data=_PACKED, title="sitemap.xml.gz"),
        Good(data=lambda: _blown_up(1), title="a small file that compresses well"),
    ),
)
def suspicious_compression(sitemap: Sitemap) -> Iterator[Problem]:
    """The file is compressed twice, or compresses far better than a sitemap can.

    Engines decompress once, and the content of a doubly compressed file is not XML. Real sitemaps compress to between
    1/8 and 1/60. A much higher ratio means padding or a decompression bomb.
    """
    for trouble in sitemap.troubles(TroubleKind.GZIP_IN_GZIP):
        message = f"gzip data inside gzip data ({trouble.detail}), but engines decompress once; compress it once"
        fix = Fix("compress it once", ()) if sitemap.document.envelope.complete else None
        yield Problem(trouble.place, message, fix)
    envelope = sitemap.document.envelope
    stopped = any(sitemap.troubles(TroubleKind.TOO_LARGE, TroubleKind.COMPRESSION_BOMB, TroubleKind.GZIP_IN_GZIP))
    if envelope.compression != "gzip" or stopped or envelope.size < _WORTH_A_LOOK or not envelope.delivered:
        return
    if envelope.size > limits.BOMB_RATIO * envelope.delivered:
        yield Problem(
            Place(0),
            f"{envelope.delivered:,} bytes decompress to {envelope.size:,}, a ratio of "
            f"{envelope.size // envelope.delivered:,}, which is implausible for a sitemap",
        )
