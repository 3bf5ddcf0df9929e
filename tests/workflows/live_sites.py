"""Small sites for tests of live checks: sitemaps as routes, and how a check of one is started."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from urlset.checking.declare import wrap
from urlset.findings.card import Severity
from urlset.findings.verdict import Verdict
from urlset.model.answer import Answer, Hop
from urlset.settings.check import CheckSettings
from urlset.settings.groups import SitemapFetchSettings
from urlset.testing import PageAnswer
from urlset.web.cassette import Recorder
from urlset.web.options import WebOptions
from urlset.workflows.check import check as check_targets
from urlset.workflows.live.tree import LiveTree

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
WEB = WebOptions(allow_private=True, backoff=0.01, total_timeout=5.0)
XML = "application/xml"


def pages(*locs: str) -> bytes:
    return wrap("\n".join(f"<url><loc>{loc}</loc></url>" for loc in locs)).encode()


def index(*locs: str) -> bytes:
    return wrap("\n".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs), "sitemapindex").encode()


def xml(body: bytes, **headers: str) -> PageAnswer:
    """As a good server sends it: with a type and a validator."""
    return PageAnswer(body=body, type=XML, headers={"ETag": '"1"', **headers})


def robots(*lines: str) -> PageAnswer:
    return PageAnswer(body="\n".join(lines) + "\n", type="text/plain")


def live(notify: Callable[[str], None] = lambda _line: None, **settings: Any) -> Callable[..., LiveTree]:
    return partial(LiveTree, settings=SitemapFetchSettings(**{"web": WEB, **settings}), notify=notify)


def check(*targets: str, reported: list[str] | None = None, **settings: Any) -> Verdict:
    made = CheckSettings(**{"now": NOW, "jobs": 1, "web": WEB, **settings})
    return check_targets(targets, made, notify=(reported if reported is not None else []).append)


def codes(verdict: Verdict, least: Severity = Severity.WARNING) -> list[str]:
    return sorted(each.code for each in verdict.findings if each.severity.at_least(least))


def where(verdict: Verdict, code: str) -> list[tuple[str, int | None]]:
    """(end of the source, line) of the findings with that code."""
    return [(each.source.rpartition("/")[2], each.line) for each in verdict.findings if each.code == code]


def messages(verdict: Verdict, code: str) -> list[str]:
    return [each.message for each in verdict.findings if each.code == code]


def names(verdict: Verdict) -> list[str]:
    return [document.source.rpartition("/")[2] for document in verdict.documents]


def recorded(path: Path, exchanges: dict[str, bytes | str | int]) -> WebOptions:
    """Answers to be replayed: bytes are a body, text is where it redirects to, a number is a status."""
    recorder = Recorder(path)
    for url, what in exchanges.items():
        final, hops = (what, (Hop(url, 301, what),)) if isinstance(what, str) else (url, ())
        body = exchanges[final] if isinstance(what, str) else what
        status = body if isinstance(body, int) else 200
        answer = Answer(
            url=url,
            hops=hops,
            final_url=final,
            status=status,
            headers=(("content-type", XML), ("etag", '"1"')),
            body=body if isinstance(body, bytes) else b"",
        )
        recorder.add(answer)
    recorder.close()
    return WebOptions(replay=path)
