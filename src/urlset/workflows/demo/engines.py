"""The set that the demo built → submitted to engines on loopback, and their report read back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from urlset.settings.engines import IndexSettings, SubmitSettings
from urlset.spec.submission import Channel
from urlset.submitting.yandex import host_id
from urlset.testing.exchange import PageAnswer
from urlset.workflows.demo.fake_engines import FakeEngines
from urlset.workflows.demo.sample.site import SampleServer
from urlset.workflows.demo.story import Chapter, DemoLine, DemoStep, Shorten, Tone, cut
from urlset.workflows.engines_index import IndexReport, index
from urlset.workflows.submit import SubmitReport, submit

KEY = "5a3f0c9be1d24876a0d1c2b3e4f50617"
_TO = (Channel.GOOGLE, Channel.BING, Channel.YANDEX, Channel.INDEXNOW)


def submitted(number: int, name: str, server: SampleServer, folder: Path, now: datetime, short: Shorten) -> Chapter:
    """One chapter: `name` is what the site is called on the screen."""
    sitemap = f"{server.origin}/sitemap.xml"
    server.site.routes[f"/{KEY}.txt"] = PageAnswer(body=KEY, type="text/plain")
    with FakeEngines() as engines:
        engines.google.properties = {f"{server.origin}/": "siteOwner"}
        engines.bing.sites = [f"{server.origin}/"]
        engines.yandex.hosts = {host_id(server.origin): server.origin}
        secrets = environment(engines, folder)
        settings = SubmitSettings(sitemaps=(sitemap,), to=_TO, state=folder / "engines", all=True)
        first, second = submit(settings, environment=secrets), submit(settings, environment=secrets)
        _index_most(engines)
        shares = index(IndexSettings(target=sitemap, state=folder / "engines"), environment=secrets, now=lambda: now)
    parts = (
        DemoStep(
            f"urlset submit {name}/sitemap.xml --to google,bing,yandex,indexnow --all",
            tuple(_receipts(first, second, short)),
        ),
        DemoStep(f"urlset engines index {name}/sitemap.xml", tuple(_shares(shares, short))),
    )
    return Chapter(
        number,
        "Submit: send the new set to search engines and read their reports",
        parts,
        "These engines are simulated locally. A sampled share is shown with its interval.",
    )


def environment(engines: FakeEngines, folder: Path) -> dict[str, str]:
    """With a signed-in person instead of a service account, whose key needs an extra."""
    path = folder / "google.json"
    path.write_text(
        json.dumps(
            {
                "type": "authorized_user",
                "client_id": "demo",
                "client_secret": "demo-secret",
                "refresh_token": "demo-refresh-token",
                "token_uri": engines.site.url("/token"),
            }
        ),
        encoding="utf-8",
    )
    return {**engines.endpoints(), "GOOGLE_APPLICATION_CREDENTIALS": str(path), "URLSET_INDEXNOW_KEY": KEY}


def _index_most(engines: FakeEngines) -> None:
    """Four of five pages, by their order."""
    known = sorted(engines.indexnow.urls)
    indexed = {"verdict": "PASS", "coverageState": "Submitted and indexed"}
    engines.google.pages = {url: indexed for number, url in enumerate(known) if number % 5}


def _receipts(first: SubmitReport, second: SubmitReport, short: Shorten) -> Iterator[DemoLine]:
    for receipt in first.receipts:
        what = f"{receipt.accepted} of {receipt.sent}" if receipt.sent > 1 else short(receipt.target)
        tone = Tone.GOOD if receipt.status == "accepted" else Tone.BAD
        yield DemoLine(cut(f"{receipt.engine:<10} {receipt.status}: {what}"), tone)
    again = sum(receipt.sent for receipt in second.receipts)
    yield DemoLine(f"run again: {again} sent, nothing changed", Tone.QUIET)


def _shares(report: IndexReport, short: Shorten) -> Iterator[DemoLine]:
    total = report.total
    assert total.share is not None
    yield DemoLine(f"{total.share:.0%} indexed of {total.urls} pages, {report.inspected} inspected", Tone.GOOD)
    counts: Counter[str] = Counter()
    for reasons in report.reasons.values():
        counts.update(reasons)
    for reason, count in counts.most_common(1):
        yield DemoLine(cut(f"{count}: {short(reason)}"), Tone.QUIET)
