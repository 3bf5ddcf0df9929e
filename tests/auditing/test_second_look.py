"""Which pages need a browser, and what is compared; the browser itself is tested in workflows/audit."""

from __future__ import annotations

import pytest

from tests.auditing.script_pages import PAGES, TEXT, ScriptPage
from urlset.auditing.second_look import compared, is_shell
from urlset.model.answer import Answer
from urlset.model.visit import RenderedPage
from urlset.reading.html import read_page

URL = "https://example.com/a"


def page(body: str) -> Answer:
    headers = (("content-type", "text/html; charset=utf-8"),)
    return Answer(URL, final_url=URL, status=200, headers=headers, body=body.encode())


def differences(sent: str, shown: str) -> RenderedPage:
    return compared(page(sent), read_page(sent.encode()), read_page(shown.encode()))


@pytest.mark.parametrize("labelled", PAGES, ids=lambda page: page.name)
def test_a_shell_is_recognized(labelled: ScriptPage) -> None:
    assert is_shell(page(labelled.html), read_page(labelled.html.encode())) is labelled.shell


def test_words_in_other_elements_are_the_same_words() -> None:
    found = differences(f"<p>{TEXT}</p>", "".join(f"<div><b>{word}</b></div>" for word in TEXT.split()))
    assert found.words_added == 0
    assert found.words == found.words_sent


def test_only_pages_of_the_same_host_are_new_links() -> None:
    shown = '<a href="/b#x">b</a><a href="/c?d=1">c</a><a href="//other.example/">o</a><a href="mailto:a@b">m</a>'
    found = differences('<a href="/b">b</a>', shown)
    assert (found.links_sent, found.links_added, found.new_links) == (1, 1, ("https://example.com/c?d=1",))


def test_text_without_spaces_is_counted() -> None:
    found = differences("<p>\u30e9\u30f3\u30d7</p>", "<p>" + "\u771f\u936e\u306e\u30e9\u30f3\u30d7" * 30 + "</p>")
    assert found.words_added > 50
