"""A document → the first sign that it is the source of a template, which no engine has rendered.

Such a sign is front matter, a tag of a server language, or a statement (loop, condition) that is not part of a value.
Outputs such as `{{ slug }}` are only a sign if no URL of the document was rendered: one that is left in a rendered
sitemap is a defect of that URL.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from urlset.model.document import Kind
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind
from urlset.spec.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from urlset.model.columns import Columns
    from urlset.model.document import Root

LONGEST = 1 << 18
"""bytes of a document that may be a template: larger ones are made by programs"""
_RARER = {
    b"@": lazy_pattern(rb"@(?:for|if|php|each|while|section|extends|model|using|\{)"),
    b"#": lazy_pattern(rb"#(?:set|foreach|if|parse|macro)\b|<#"),
    b"[": lazy_pattern(rb"\[[%#]"),
    b"%": lazy_pattern(rb"<%|\n[ \t]*%[ \t]*(?:for|if)\b"),
    b"?": lazy_pattern(rb"<\?"),
}
"""signs of languages that use a character which is also common in URLs: most files have none of these characters"""
_SHOWN = 60
_LINE_START = lazy_pattern(rb"^[ \t]*(?=[{<\[])", re.MULTILINE)
_TOKEN = lazy_pattern(
    rb"<(?P<close>/?)(?P<name>[A-Za-z_\x80-\xff][\w:.\x80-\xff-]*+)[^<>]*+>|(?P<skip><!--|<!\[CDATA\[)|(?P<text>[^<]++)|<"
)
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}


def unrendered(data: bytes, kind: Kind, columns: Columns, root: Root | None) -> Trouble | None:
    """None for a document that is rendered, or of no use to an engine anyway."""
    if not kind.may_be_template:
        return None
    place = _front_matter(data, kind)
    if place is None and kind is not Kind.OTHER_XML:
        place = _executed(data, root)
    if place is None and _may_be_template(data):
        place = (_in_xml(data, root) if kind.is_xml else _in_lines(data)) or _outputs_only(data, columns)
    if place is None:
        return None
    shown = place.cut(data)[: _SHOWN * 4].decode("utf-8", "replace")
    return Trouble(TroubleKind.UNRENDERED, place, " ".join(shown.split())[:_SHOWN])


def _may_be_template(data: bytes) -> bool:
    """Whether any sign is in the data; of an ordinary sitemap, this is all that is looked at."""
    after = data.find(b"?>") + 1 if data.startswith(b"<?xml") else 0
    return b"{" in data or any(
        data.find(sign, after) != -1 and pattern.search(data, after) is not None for sign, pattern in _RARER.items()
    )


def _front_matter(data: bytes, kind: Kind) -> Place | None:
    """The block before a sitemap or robots.txt; a page of a site generator is not one."""
    if kind is Kind.UNKNOWN or data.lstrip().startswith(b"<"):
        return None
    from urlset.reading.front_matter import front_matter_end  # loads more than a small sitemap needs

    end = front_matter_end(data)
    start = len(data[:end]) - len(data[:end].lstrip(b"\xef\xbb\xbf \t\r\n"))
    return between(start, len(data[:end].rstrip())) if end else None


def _in_xml(data: bytes, root: Root | None) -> Place | None:
    """The first server tag, or statement between elements."""
    from urlset.spec.generator_artifacts import SERVER_TAG, TEMPLATE_STATEMENT_IN_XML

    opened: bytes | None = None
    waiting: Place | None = None
    """a statement that is only one if the text it begins is not the value of an element"""
    at, rendered_root = 0, b"" if root is None else root.written.encode()
    while (token := _TOKEN.match(data, at)) is not None:
        at = token.end()
        if token["skip"] is not None:
            at = data.find(_ENDS[token["skip"]], at) + 3
            if at < 3:
                return None
        elif token["text"] is not None:
            lead = len(token["text"]) - len(token["text"].lstrip())
            found = TEMPLATE_STATEMENT_IN_XML.match(data, token.start() + lead)
            waiting = waiting or (None if found is None else between(*found.span()))
        elif (tag := SERVER_TAG.match(data, token.start())) is not None:
            return waiting or between(*tag.span())
        elif token["name"] is not None:
            is_value = token["close"] and token["name"] == opened and opened != rendered_root
            if waiting is not None and not is_value:
                return waiting
            waiting, opened = None, None if token["close"] else token["name"]
    return waiting


def _in_lines(data: bytes) -> Place | None:
    """The first line that begins with a statement or a server tag."""
    from urlset.spec.generator_artifacts import SERVER_TAG, TEMPLATE_STATEMENT

    for line in _LINE_START.finditer(data):
        found = TEMPLATE_STATEMENT.match(data, line.end()) or SERVER_TAG.match(data, line.end())
        if found is not None:
            return between(*found.span())
    return None


def _executed(data: bytes, root: Root | None) -> Place | None:
    """The first element or attribute in a namespace that an engine executes."""
    from urlset.spec.generator_artifacts import TEMPLATE_NAMESPACES

    for prefix, uri in (root.declared if root is not None else {}).items():
        if prefix and uri in TEMPLATE_NAMESPACES:
            used = re.compile(rb"(?:<|\s)" + re.escape(prefix.encode()) + rb":\w[\w.\x80-\xff-]*").search(data)
            if used is not None:
                return between(used.start() + 1 - (used[0][:1] == b"<"), used.end())
    return None


def _outputs_only(data: bytes, columns: Columns) -> Place | None:
    """The first URL, if each of them begins with an output."""
    from urlset.spec.generator_artifacts import TEMPLATE_OUTPUT

    locs = [(loc or "").lstrip() for loc in columns.locs]
    if not locs or not all(TEMPLATE_OUTPUT.match(loc) for loc in locs):
        return None
    first = columns.place(0)
    at = data.find(locs[0].rstrip()[:1].encode(), first.offset + 1)
    return between(at, at + len(locs[0].rstrip().encode()))
