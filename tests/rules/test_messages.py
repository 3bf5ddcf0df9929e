"""Messages on bad input read as sentences: number and verb agree, and no name of an enumeration is left in them."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

from urlset.building.sources.cells import DateError, to_lastmod
from urlset.checking.context import Context
from urlset.checking.declare import AnyRule
from urlset.checking.engine import check
from urlset.checking.examples import complete, document_of, problems
from urlset.checking.live_page import LIVE
from urlset.checking.tree import TreeView
from urlset.reading.read import read
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import Engine

RULES = [rule for rule in all_rules() if rule.on not in (TreeView, *LIVE)]
AWKWARD = re.compile(
    r"\b1 (?:more )?(?:pages|lines|times|characters|entries|URLs|images|parts)\b|\bof 1 entries\b|\ball 2\b|:None\b"
    r"|\b1 of [\d,]+ \w+ (?:are|have|set|use)\b|^''|\ba (?=[aeio][a-z]* (?:file|page|image))"
    r"|\((?:no timezone|rfc822|year last|space for t|offset without colon)\)"
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_messages_of_examples_read_well(rule: AnyRule) -> None:
    said = [problem.message for example in rule.bad for problem in problems(rule, example, document_of(example))]
    assert [message for message in said if AWKWARD.search(message) and rule.code != "L020"] == []


def message(text: str, code: str, now: str = "2026-11-15T12:00:00+00:00") -> str:
    context = Context(datetime.fromisoformat(now), tuple(Engine))
    (finding,) = check(
        read(complete(text).encode()), [rule for rule in all_rules() if rule.code == code], context
    ).findings
    return finding.message


@pytest.mark.parametrize(
    ("date", "days"),
    [
        ("2026-11-10", 5),
        ("2026-11-01", 14),
        ("2026-11-10T12:00:00Z", 5),
        ("2026-11-10T23:00:00Z", 4),
        ("2025-11-15", 365),
    ],
)
def test_the_age_of_an_article_is_counted_from_its_day(date: str, days: int) -> None:
    """A date without a time was a day too old, because it may be tomorrow elsewhere."""
    assert f", {days} days ago," in message(f"<news:publication_date>{date}</news:publication_date>", "N010")


FEED = '<rss version="2.0"><channel><item><link>https://example.com/</link><pubDate>{}</pubDate></item></channel></rss>'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FEED.format("Mon, 15 Nov 2026 10:00:00 GMT"), "only the weekday in 'Mon, 15 Nov 2026 10:00:00 GMT' is wrong"),
        (FEED.format("Mon, 15 Nov 2026 10:00:00 GMT"), "that day is a Sunday; write Sun"),
        (FEED.format("Mon, 31 Nov 2026 10:00:00 GMT"), "is not a valid RSS date"),
        ("<lastmod>Mon, 15 Nov 2026 10:00:00 GMT</lastmod>", "with a wrong weekday (that day is a Sunday)"),
        ("<lastmod>Sun, 15 Nov 2026 10:00:00 GMT</lastmod>", "is an email or RSS date, so it is ignored"),
    ],
)
def test_a_wrong_weekday_is_named(text: str, said: str) -> None:
    assert said in message(text, "D021")


def test_an_equal_url_with_spaces_is_not_called_equivalent_to_itself() -> None:
    url = "https://example.com/a"
    said = message(f"<url><loc> {url}</loc></url><url><loc>{url}</loc></url>", "L022")
    assert said == f"'{url}' is listed in addition to the same URL with whitespace around it on line 3; list only one"


@pytest.mark.parametrize(
    ("text", "said"), [("rubbish", "'rubbish' is not a date"), ("03/04/2026", "'03/04/2026' is an ambiguous date")]
)
def test_rubbish_is_not_an_ambiguous_date(text: str, said: str) -> None:
    with pytest.raises(DateError, match=re.escape(said)):
        to_lastmod(text, None)
