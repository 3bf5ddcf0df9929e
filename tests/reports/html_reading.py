"""The text of an HTML report → its elements, read strictly: what is open is closed, and nothing else is there."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from urlset.reports.html_page import asset

VOID = frozenset({"meta", "input"})


def one(tree: LexborHTMLParser | LexborNode, selector: str) -> LexborNode:
    """The first element that matches; there has to be one."""
    found = tree.css_first(selector)
    assert found is not None, selector
    return found


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str | None]


class Report(HTMLParser):
    """Fails on an element that is not closed, closed twice, or closed in another order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self.texts: list[str] = []
        self.declarations: list[str] = []
        self._open: list[str] = []
        for name in ("report.css", "report.js", "table.js"):  # constant, and most of a small report
            text = text.replace(asset(name), "")
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append(Element(tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "script"} & set(self._open):
            self.texts.append(data)

    def handle_decl(self, decl: str) -> None:
        self.declarations.append(decl)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        raise AssertionError(f"an instruction: {data}")

    @property
    def skeleton(self) -> list[tuple[str, tuple[str, ...]]]:
        """Elements and the names of their attributes, without any value."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [element.attributes for element in self.elements if element.tag == tag]

    def values(self, name: str) -> list[str]:
        return [value for element in self.elements if (value := element.attributes.get(name)) is not None]
