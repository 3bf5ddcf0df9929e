"""One row's bytes → its element, by a pattern, where nothing in it needs a parser.

Thousands of rows with the same fault each get a second look; most of them are tags and text and nothing else. What
the pattern does not match goes to `detail`, and a test holds the two to each other.
"""

from __future__ import annotations

from urlset.model.element import Element, TextRun, Value
from urlset.model.place import Place
from urlset.spec.lazy_pattern import lazy_pattern

_ROW = lazy_pattern(rb"<([A-Za-z]+)>((?:[ \t\n]*+<([A-Za-z]+)>[^<&\r\n]*+</\3>)++[ \t\n]*+)</\1>")
"""fields in a row, without prefixes, attributes, references, comments and line breaks in a text"""
_FIELD = lazy_pattern(rb"<([A-Za-z]+)>([^<]*+)</")


def plain_element(text: bytes, start: int, namespace: str) -> Element | None:
    """The element that `text` is, which begins at `start` and is known to be well-formed; None for a closer look."""
    row = _ROW.fullmatch(text)
    if row is None:
        return None
    gaps: list[str] = []
    at = row.start(2)
    children: list[Element] = []
    for field in _FIELD.finditer(text, at, row.end(2)):
        begin, inner, close = field.start(), field.start(2), field.end(2)
        gaps.append(text[at:begin].decode())
        at = close + 3 + len(field[1])
        name = field[1].decode()
        children.append(
            Element(
                namespace,
                name,
                name,
                Place(start + begin, at - begin),
                Place(start + begin, inner - begin),
                Place(start + close, at - close),
                (),
                _value(text[inner:close], start + inner),
                (),
            )
        )
    gaps.append(text[at : row.end(2)].decode())
    name = row[1].decode()
    inner, close = row.start(2), row.end(2)
    return Element(
        namespace,
        name,
        name,
        Place(start, len(text)),
        Place(start, inner),
        Place(start + close, len(text) - close),
        (),
        Value("".join(gaps), Place(start + inner, close - inner)),
        tuple(children),
    )


def _value(raw: bytes, start: int) -> Value:
    text, place = raw.decode(), Place(start, len(raw))
    return Value(text, place, (TextRun(text, place, verbatim=True),) if text else ())
