"""Pages whose charset is declared wrongly, twice, or not at all."""

from __future__ import annotations

from tests.servers.behaviour import Behaviour
from urlset.testing.exchange import PageAnswer

TITLE = "Grüße aus Köln für 5 €"
PLAIN_TITLE = "Grüße aus Köln"


def html(title: str, meta: str = "") -> str:
    words = "Über den Dächern der Stadt wird es früh hell, und die Bäcker öffnen ihre Läden. " * 15
    return f'<!doctype html><html lang="de"><head>{meta}<title>{title}</title></head><body><p>{words}</p></body></html>'


def serves(name: str, does: str, body: bytes, type_: str | None, title: str | None) -> Behaviour:
    return Behaviour(name=f"charset-{name}", does=does, route=PageAnswer(body=body, type=type_), title=title)


def behaviours() -> list[Behaviour]:
    return [*in_headers(), *in_pages()]


def in_headers() -> list[Behaviour]:
    latin = html(PLAIN_TITLE)
    return [
        serves("right", "UTF-8, and says so", html(TITLE).encode(), "text/html; charset=utf-8", TITLE),
        serves("untrue", "says UTF-8, is Latin-1", latin.encode("latin-1"), "text/html; charset=utf-8", None),
        serves("untrue-latin", "says Latin-1, is UTF-8", latin.encode(), "text/html; charset=iso-8859-1", None),
        serves(
            "latin-1", "Latin-1, and says so", latin.encode("latin-1"), "text/html; charset=ISO-8859-1", PLAIN_TITLE
        ),
        serves(
            "windows",
            "windows-1252 under the name of Latin-1, as browsers expect",
            html(TITLE).encode("cp1252"),
            "text/html; charset=iso-8859-1",
            TITLE,
        ),
        serves("none", "UTF-8 without a word about it", html(TITLE).encode(), "text/html", TITLE),
        serves("unknown-name", "an unknown charset", html(TITLE).encode(), "text/html; charset=klingon", TITLE),
        serves(
            "dangerous-name",
            "a codec that is not a charset",
            html(TITLE).encode(),
            "text/html; charset=zlib_codec",
            TITLE,
        ),
        serves("quoted", "the charset in quotation marks", html(TITLE).encode(), 'text/html; charset="UTF-8"', TITLE),
    ]


def in_pages() -> list[Behaviour]:
    return [
        serves(
            "meta",
            "only the meta element knows",
            html(PLAIN_TITLE, '<meta charset="iso-8859-15">').encode("iso-8859-15"),
            "text/html",
            PLAIN_TITLE,
        ),
        serves(
            "meta-against-header",
            "header and meta element disagree: the header counts",
            html(TITLE, '<meta charset="iso-8859-5">').encode(),
            "text/html; charset=utf-8",
            TITLE,
        ),
        serves(
            "meta-utf-16",
            "a meta element says UTF-16, which it could not say if it were true",
            html(TITLE, '<meta charset="utf-16">').encode(),
            "text/html",
            TITLE,
        ),
        serves(
            "utf-16-mark", "UTF-16 with a byte order mark, undeclared", html(TITLE).encode("utf-16"), "text/html", TITLE
        ),
        serves("utf-16-bare", "UTF-16 without mark or word", html(TITLE).encode("utf-16-le"), "text/html", None),
        serves(
            "utf-16-header",
            "UTF-16 known from the header alone",
            html(TITLE).encode("utf-16-le"),
            "text/html; charset=utf-16le",
            TITLE,
        ),
        serves(
            "mark-against-header",
            "a UTF-8 byte order mark outweighs the header",
            b"\xef\xbb\xbf" + html(TITLE).encode(),
            "text/html; charset=iso-8859-1",
            TITLE,
        ),
        serves(
            "broken-utf-8",
            "UTF-8 cut inside characters",
            html(TITLE).encode()[:-30] + b"\xc3\xe2\x82",
            "text/html",
            TITLE,
        ),
    ]
