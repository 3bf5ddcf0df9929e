"""Text from any source → safe HTML: everything that is not markup already is escaped."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from urlset.reports.uri import is_address
from urlset.reports.visible import visible

LONGEST = 2_000
"""maximum characters of one text, elided in the middle, which limits the size of the file"""


class Html(str):
    """Markup. Only created here, so unescaped text cannot be mistaken for it."""

    __slots__ = ()


def shown(text: str, longest: int = LONGEST) -> Html:
    """On one line, with hidden characters escaped; safe between tags and in a quoted attribute."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    return Html(escape(visible(text), quote=True))


def tag(name: str, *inside: str, **attributes: str) -> Html:
    """An element; text and attribute values are escaped, markup is kept."""
    said = "".join(f' {key.strip("_").replace("_", "-")}="{_taken(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{said}>{''.join(map(_taken, inside))}</{name}>")


def lines(*pieces: str) -> Html:
    """Pieces on separate source lines; empty pieces are omitted."""
    return Html("\n".join(_taken(piece) for piece in pieces if piece))


def joined(*pieces: str) -> Html:
    return Html("".join(map(_taken, pieces)))


def prose(text: str) -> Html:
    """A sentence written by urlset, with the commands in backticks as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return shown(text)
    return joined(*(tag("code", part) if at % 2 else part for at, part in enumerate(parts)))


def link(url: str, label: str) -> Html:
    """Only to web URLs, without a referrer."""
    return tag("a", label, href=url, rel="noreferrer") if is_address(url) else shown(label)


def jump(anchor: str, *label: str) -> Html:
    """To an element on the same page."""
    return tag("a", *label, href=f"#{quote(visible(anchor))}")


def _taken(piece: str) -> str:
    return piece if isinstance(piece, Html) else shown(piece)
