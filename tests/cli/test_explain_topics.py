"""`urlset explain` of elements, attributes and messages of engines' reports."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.docs.pages import Command, example_site, perform
from urlset.rules.catalogue import find
from urlset.spec.citations import CITATIONS
from urlset.spec.engines import ENGINES
from urlset.spec.index_reasons import REASONS
from urlset.spec.report_messages import MESSAGES, ReportMessage, find_messages
from urlset.spec.topics import find_topic, topics
from urlset.testing import Site

LABELS = [(message, label) for message in MESSAGES for label in message.labels]
COMMANDS = sorted({line for message in MESSAGES for line in (message.confirm, message.repair) if line})
PAGE = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<url><loc>https://www.example.com/a b</loc></url></urlset>"
)
INDEX = (
    '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    "<sitemap><loc>https://www.example.com/sitemap.xml</loc></sitemap></sitemapindex>"
)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with example_site() as served:
        yield served


@pytest.mark.parametrize(("message", "label"), LABELS, ids=lambda value: value if isinstance(value, str) else "")
def test_every_message_is_explained(message: ReportMessage, label: str) -> None:
    ran = run("explain", label)
    assert ran.code == 0, ran.err
    assert f"({ENGINES[message.engine].title})" in ran.text
    assert f"Confirm: {message.confirm.split(' https')[0]}" in ran.text
    assert all(code in ran.text for code in message.rules)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("couldn’t fetch", "urlset doctor"),
        ("URL NOT ALLOWED", "L015"),
        ("Incorrect namespace.", "S002"),
        ("HTTP error 503", "R007"),
        ("Soft 404", "A019"),
        ("<lastmod>", "D001"),
        ("video:duration", "V007"),
        ("duration", "V007"),
        ("hreflang", "H006"),
        ("Sitemap:", "R002"),
        ("xhtml:link hreflang", "H010"),
        ("sitemapindex", "I0"),
    ],
)
def test_the_words_may_differ(words: str, shown: str) -> None:
    assert shown in run("explain", words).text


@pytest.mark.parametrize("label", [label for reason in REASONS for label in reason.labels])
def test_reasons_of_the_page_indexing_report_are_explained(label: str) -> None:
    assert "for listed pages:" in run("explain", label).text


def test_without_an_argument_the_topics_are_listed() -> None:
    listed = run("explain").text
    assert all(message.labels[0] in listed for message in MESSAGES)
    assert all(topic.name.split(" ")[0] in listed for topic in topics())


def test_something_unknown_gets_a_hint() -> None:
    assert run("explain", "lastmodd").err.endswith("did you mean 'lastmod'?\n")
    assert run("explain", "Couldnt fetsh").err.endswith('did you mean "Couldn\'t fetch"?\n')
    assert "lists topics" in run("explain", "qqqqqqqq").err


@pytest.mark.parametrize("topic", topics(), ids=lambda topic: topic.slug)
def test_every_element_is_explained(topic: object) -> None:
    name = getattr(topic, "name", "")
    ran = run("explain", name)
    assert ran.code == 0, ran.err
    wrong = ran.text.partition("\nWrong\n")[2].partition("\nRules\n")[0]
    right = ran.text.partition("\nRight\n")[2].partition("\nWrong\n")[0]
    assert len(right.strip().splitlines()) >= 2
    assert wrong.count("\n    ") >= 2
    assert find_topic(name) is topic


def test_the_tables_name_what_exists() -> None:
    assert [code for message in MESSAGES for code in message.rules if find(code) is None] == []
    assert [name for message in MESSAGES for name in message.topics if find_topic(name) is None] == []
    cited = {key for message in MESSAGES for key in message.cites} | {key for topic in topics() for key in topic.cites}
    assert cited <= set(CITATIONS)
    assert len({topic.slug for topic in topics()}) == len(topics())
    assert all(message in find_messages(label) for message, label in LABELS)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_a_message_runs(
    line: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sitemap.xml").write_text(PAGE, encoding="utf-8")
    Path("sitemap_index.xml").write_text(INDEX, encoding="utf-8")
    if "audit.json" in line:
        perform(Command(0, shlex.split("urlset audit https://www.example.com/ --output audit.json"), [], "any"), site)
    code, printed = perform(Command(0, shlex.split(line), [], "any"), site)
    told = "\n".join(printed)
    assert code in (0, 1) or "engines" in line, told
    assert "usage" not in told, told


def test_a_blank_argument_is_none() -> None:
    assert run("explain", "").out == run("explain", " ").out == run("explain").out
    assert run("explain", "", "lastmod").out == run("explain", "lastmod").out
    assert (run("explain", "<>").code, find_topic("")) == (2, None)
