"""What the live rules promise together: one rule for each state, engines apart, no claims of what was not seen."""

from __future__ import annotations

import msgspec
import pytest

from tests.checking.made_up_rules import context
from tests.checking.transcripts import page_of
from urlset.checking.live_engine import LiveTally
from urlset.checking.live_page import LivePage
from urlset.checking.select import select
from urlset.findings.card import Severity
from urlset.model.answer import FailureKind
from urlset.rules.catalogue import all_rules
from urlset.spec.engines import DEFAULT_ENGINES, Engine

A = "> GET https://example.com/a\n"
HTML = "Content-Type: text/html\n\n"
ROBOTS = "> GET https://example.com/robots.txt\n< 200\nContent-Type: text/plain\n\n{}\n\n"


def reported(text: str, *engines: Engine) -> dict[str, Severity]:
    chosen = engines or DEFAULT_ENGINES
    now = context(engines=chosen)
    tally = LiveTally(select(all_rules(), chosen), now)
    tally.judge(page_of(text, now))
    return {finding.code: finding.severity for finding in tally.verdict().findings}


def answered(status: int, more: str = "") -> str:
    return f"{A}< {status}\n{more}{HTML}<p>Words."


# every state has one rule


@pytest.mark.parametrize("status", [400, 404, 405, 409, 410, 422])
def test_what_is_gone_is_told_by_one_rule(status: int) -> None:
    assert reported(answered(status)) == {"A001": Severity.ERROR}


@pytest.mark.parametrize("status", [500, 502, 503, 504, 520, 522, 599])
def test_what_fails_is_told_by_one_rule(status: int) -> None:
    assert reported(answered(status)) == {"A002": Severity.ERROR}


@pytest.mark.parametrize("status", [401, 402, 403, 406, 407, 418, 429, 430, 451, 999])
def test_what_is_blocked_is_never_broken(status: int) -> None:
    found = reported(answered(status))
    wanted = {401: Severity.ERROR, 403: Severity.WARNING, 429: Severity.WARNING}.get(status, Severity.INFO)
    assert found == {"A021" if status == 429 else "A022": wanted}


def test_a_challenge_is_a_remark_whatever_its_status() -> None:
    for status in (200, 403, 503):
        assert reported(f"{A}< {status}\nCf-Mitigated: challenge\n{HTML}<title>Just a moment...</title>") == {
            "A022": Severity.INFO
        }


@pytest.mark.parametrize("kind", FailureKind)
def test_every_failure_is_told_by_one_rule_or_is_unknown(kind: FailureKind) -> None:
    found = reported(f"{A}! {kind.name.lower()} (tried 3 times)")
    page = page_of(f"{A}! {kind.name.lower()} (tried 3 times)", context())
    if page.visit.state == "unknown":
        assert found == {}
    else:
        assert len(found) == 1
        assert found.keys() <= {"A005", "A022", "A023", "A028"}


def test_a_timeout_seen_once_is_held_against_nobody() -> None:
    assert reported(f"{A}! read_timeout") == {}


def test_a_sound_page_is_told_nothing() -> None:
    assert reported(answered(200)) == {}
    assert reported(f"listed: https://example.com/a lastmod=2026-10-01\n{answered(200)}") == {}


@pytest.mark.parametrize(
    "text",
    [
        answered(404),
        answered(503),
        f"{A}! dns",
        f"{A}! tls_name",
        f"{A}< 204\n",
        f"{A}< 301\nLocation: /b\n\n> GET https://example.com/b\n< 200\n{HTML}<p>B",
        f"{A}< 301\nLocation: /a\n\n{A}! redirect_loop",
        f"{A}< 200\n{HTML}<meta name=robots content=noindex><p>A",
        f"{A}< 200\n{HTML}<meta name=googlebot content=none><p>A",
        f"{A}< 200\nX-Robots-Tag: none\n{HTML}<p>A",
        f"{A}< 200\n{HTML}<link rel=canonical href=/b><p>A",
        f"{A}< 200\nLink: </b>; rel=canonical\n{HTML}<p>A",
        f"{A}< 200\n{HTML}<meta http-equiv=refresh content='0;url=/b'><p>A",
        ROBOTS.format("User-agent: *\nDisallow: /a") + f"{A}< 200\n{HTML}<p>A",
        f"soft 404: 0.9 a sign\n{A}< 200\n{HTML}<p>A",
    ],
)
def test_a_page_that_should_not_be_listed_is_told_by_some_rule(text: str) -> None:
    """Q001: list only canonical, indexable pages that answer 200."""
    assert any(level.at_least(Severity.WARNING) for level in reported(text).values())


# engines apart


def test_engines_are_judged_apart() -> None:
    for_bing = f"{A}< 200\nX-Robots-Tag: bingbot: noindex\n{HTML}<p>A"
    assert reported(for_bing, Engine.GOOGLE) == {}
    assert reported(for_bing, Engine.BING) == {"A010": Severity.ERROR}
    kept_out = ROBOTS.format("User-agent: Yandex\nDisallow: /\n\nUser-agent: *\nAllow: /") + f"{A}< 200\n{HTML}<p>A"
    assert reported(kept_out, Engine.GOOGLE, Engine.BING) == {}
    assert reported(kept_out, Engine.YANDEX) == {"A011": Severity.ERROR}


def test_a_group_for_all_others_says_nothing_of_engines_with_their_own() -> None:
    text = "User-agent: Googlebot\nUser-agent: bingbot\nAllow: /\n\nUser-agent: *\nDisallow: /"
    page = f"{ROBOTS.format(text)}{A}< 200\n{HTML}<p>A"
    assert reported(page) == {}
    assert reported(page, Engine.PROTOCOL) == {"A011": Severity.ERROR}


def test_the_family_of_a_bot_counts() -> None:
    page = ROBOTS.format("User-agent: msnbot\nDisallow: /a") + f"{A}< 200\n{HTML}<p>A"
    assert reported(page, Engine.BING) == {"A011": Severity.ERROR}


# nothing is claimed of what nobody gets to see


def test_a_noindex_that_nobody_may_read_is_told_as_hidden() -> None:
    page = f"{A}< 200\n{HTML}<meta name=robots content=noindex><p>A"
    assert reported(ROBOTS.format("User-agent: *\nDisallow: /") + page) == {
        "A011": Severity.ERROR,
        "A029": Severity.WARNING,
    }
    one = ROBOTS.format("User-agent: bingbot\nDisallow: /\n\nUser-agent: *\nAllow: /") + page
    assert reported(one) == {"A006": Severity.ERROR, "A011": Severity.ERROR}


def test_a_robots_txt_that_fails_is_not_told_of_every_page() -> None:
    assert reported(f"> GET https://example.com/robots.txt\n< 503\n\n{answered(200)}") == {}


def test_what_an_error_page_says_of_itself_does_not_count() -> None:
    words = "<meta name=robots content=noindex><link rel=canonical href=/b><meta http-equiv=refresh content='0;url=/'>"
    assert reported(f"{A}< 404\nX-Robots-Tag: none\n{HTML}{words}<p>Not found.") == {"A001": Severity.ERROR}


def test_a_hostile_page_cannot_write_on_the_terminal() -> None:
    nasty = "https://example.com/\x1b[31m\u202e\x07" + "x" * 5000
    visit = page_of(answered(200), context()).visit
    base = page_of(f"{A}< 301\nLocation: /b\n\n> GET https://example.com/b\n< 200\n{HTML}<p>B", context())
    evil = msgspec.structs.replace(
        base.visit, final_url=nasty, link_canonicals=(nasty,), qualified_canonicals=(nasty,), media_type="\x1b[2J"
    )
    page = LivePage(evil, base.listing, context())
    messages = [problem.message for rule in all_rules() if rule.on is LivePage for problem in rule.check(page)]
    assert messages
    assert all(message.isprintable() and len(message) < 1000 for message in messages)
    assert visit.state == "ok"


@pytest.mark.parametrize(
    ("listed", "target", "advice"),
    [
        ("/a", "/b", "list it instead"),
        ("/a", "/", "remove this entry if the page no longer exists"),
        ("/index.html", "/", "list it instead"),
        ("/en/", "/", "list it instead"),
        ("/login", "/user/login", "list it instead"),
        ("/a", "https://www.example.com/a", "list it instead"),
        ("/a", "https://shop.example.org/a", "because the URL belongs to another host"),
    ],
)
def test_a_redirect_is_advised_on_by_where_it_leads(listed: str, target: str, advice: str) -> None:
    site = "https://example.com"
    there = target if target.startswith("https://") else f"{site}{target}"
    text = f"> GET {site}{listed}\n< 302\nLocation: {target}\n\n> GET {there}\n< 200\n{HTML}<p>Words."
    now = context()
    tally = LiveTally(select(all_rules(), DEFAULT_ENGINES), now)
    tally.judge(page_of(text, now))
    (message,) = (each.message for each in tally.verdict().findings if each.code == "A003")
    assert message.endswith(advice)


@pytest.mark.parametrize(
    ("target", "there", "advice"),
    [
        ("/b", "", "; list it instead"),
        ("/b", f"< 200\n{HTML}<p>Words.", "; list it instead"),
        ("/b", "< 403\n", "; list it instead"),
        ("/b", "! read_timeout", ", which could not be fetched; list it instead if it works"),
        ("/b", "< 404\n", ", which returns 404; correct the canonical first"),
        ("/b", f"< 200\nX-Robots-Tag: noindex\n{HTML}<p>B", ", which has noindex; correct the canonical first"),
        (
            "/b",
            f"< 200\n{HTML}<link rel=canonical href=/a><p>B",
            ", which has the canonical https://example.com/a; correct the canonical first",
        ),
        ("https://example.org/b", "", "; remove this entry, because the URL belongs to another host"),
    ],
)
def test_a_canonical_is_advised_on_by_what_is_known_of_it(target: str, there: str, advice: str) -> None:
    other = f"\n> GET https://example.com/b\n{there}" if there else ""
    text = f"{A}< 200\n{HTML}<link rel=canonical href={target}><p>Words.\n{other}"
    now = context()
    tally = LiveTally(select(all_rules(), DEFAULT_ENGINES), now)
    tally.judge(page_of(text, now))
    (message,) = (each.message for each in tally.verdict().findings if each.code == "A012")
    assert message.endswith(advice)


def test_a_redirect_to_an_error_page_is_not_to_be_listed_instead() -> None:
    way = f"{A}< 301\nLocation: /sorry\n\n> GET https://example.com/sorry\n< 200\n{HTML}<title>Page not found</title>"
    text = f"soft 404: 0.95 its title says so\n{way}"
    now = context()
    tally = LiveTally(select(all_rules(), DEFAULT_ENGINES), now)
    tally.judge(page_of(text, now))
    (message,) = (each.message for each in tally.verdict().findings if each.code == "A003")
    assert "looks like an error page" in message


def test_a_refresh_to_a_page_that_is_gone_is_not_to_be_listed_instead() -> None:
    there = "> GET https://example.com/b\n< 404\n"
    text = f"{A}< 200\n{HTML}<meta http-equiv=refresh content='0; url=/b'><p>Words.\n\n{there}"
    now = context()
    tally = LiveTally(select(all_rules(), DEFAULT_ENGINES), now)
    tally.judge(page_of(text, now))
    (message,) = (each.message for each in tally.verdict().findings if each.code == "A024")
    assert message.endswith("treated as a redirect, but it returns 404")


def test_a_page_that_names_its_https_address_itself_is_told_so_once() -> None:
    page = f"< 200\n{HTML}<link rel=canonical href=https://example.com/a><p>Words.\n"
    found = reported(f"> GET http://example.com/a\n{page}\n{A}{page}")
    assert "A012" in found
    assert "A027" not in found
