"""Text of any origin → HTML that shows it and does nothing else: what is not markup already is escaped, always."""

from __future__ import annotations

from html import escape
from urllib.parse import quote

from urlset.reports.uri import is_address
from urlset.reports.visible import visible

LONGEST = 2_000
"""characters of one text; more is cut in its middle, so that no value can make the file large"""


class Html(str):
    """Markup. Made here and nowhere else, so that a text without escaping cannot pass for it."""

    __slots__ = ()


def shown(text: str, longest: int = LONGEST) -> Html:
    """On one line, with hidden characters spelled out; safe between tags and in a quoted attribute."""
    if len(text) > longest:
        text = f"{text[: longest // 2]}…{text[-longest // 2 :]}"
    return Html(escape(visible(text), quote=True))


def tag(name: str, *inside: str, **attributes: str) -> Html:
    """An element; texts inside and the values of attributes are escaped, markup is taken as it is."""
    said = "".join(f' {key.strip("_").replace("_", "-")}="{_taken(value)}"' for key, value in attributes.items())
    return Html(f"<{name}{said}>{''.join(map(_taken, inside))}</{name}>")


def lines(*pieces: str) -> Html:
    """Pieces below each other in the source; nothing for those that are empty."""
    return Html("\n".join(_taken(piece) for piece in pieces if piece))


def joined(*pieces: str) -> Html:
    return Html("".join(map(_taken, pieces)))


def prose(text: str) -> Html:
    """A sentence of our own, with its commands, which stand between backticks, as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return shown(text)
    return joined(*(tag("code", part) if at % 2 else part for at, part in enumerate(parts)))


def link(url: str, label: str) -> Html:
    """Only to the web, and without telling it where the reader came from."""
    return tag("a", label, href=url, rel="noreferrer") if is_address(url) else shown(label)


def jump(anchor: str, *label: str) -> Html:
    """To an element of the same page."""
    return tag("a", *label, href=f"#{quote(visible(anchor))}")


def _taken(piece: str) -> str:
    return piece if isinstance(piece, Html) else shown(piece)
