"""The seam between ada-url and a browser's own URL: the same answers, whichever parser is there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import ada_url
import pytest

from urlset.model import whatwg


class ChromiumUrl:
    """JavaScript's URL, with the habits in which Chromium departs from the standard."""

    @staticmethod
    def parse(text: str, base: str | None = None) -> Any:
        text = text.replace("\N{NO-BREAK SPACE}", "%20") if "//exa\N{NO-BREAK SPACE}" in text else text
        if "//exa%20" in text:
            return SimpleNamespace(hostname="exa%20ple.com", href=text)
        try:
            parsed = ada_url.URL(text, base)
        except ValueError:
            return None
        names = ("href", "hostname", "host", "pathname", "search")
        escaped = {name: getattr(parsed, name).replace("*", "%2A").replace("|", "%7C") for name in names}
        return SimpleNamespace(**escaped)


@pytest.fixture
def in_a_browser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("js")
    module.URL = ChromiumUrl  # type: ignore[attr-defined]  # as Pyodide provides it
    monkeypatch.setitem(sys.modules, "js", module)
    monkeypatch.setattr(sys, "platform", "emscripten")
    whatwg._parser.cache_clear()
    yield
    whatwg._parser.cache_clear()


@pytest.mark.usefixtures("in_a_browser")
@pytest.mark.parametrize(
    ("text", "base", "href"),
    [
        ("https://e.com/a b", None, "https://e.com/a%20b"),
        ("/b", "https://e.com/a", "https://e.com/b"),
        ("https://*.e.com/", None, "https://*.e.com/"),
        ("https://e.com/a|b", None, "https://e.com/a|b"),
        ("https://e.com/a|%7Cb", None, "https://e.com/a%7C%7Cb"),
    ],
)
def test_a_browser_parses(text: str, base: str | None, href: str) -> None:
    assert whatwg.parse_url(text, base).href == href


@pytest.mark.usefixtures("in_a_browser")
@pytest.mark.parametrize(
    "text", ["/relative", "https://", "https://exa\N{NO-BREAK SPACE}ple.com/", "https://e.com/\ud800"]
)
def test_a_browser_refuses(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - a lone surrogate has a message of its own
        whatwg.parse_url(text)


def test_elsewhere_ada_parses() -> None:
    assert isinstance(whatwg.parse_url("https://e.com/"), ada_url.URL)
