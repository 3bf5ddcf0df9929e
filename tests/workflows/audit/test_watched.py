"""What an audit tells whoever watches it: why nothing moves at the moment."""

from __future__ import annotations

from pathlib import Path

from tests.workflows.audit_sites import CHALLENGE, page, sitemap
from urlset.auditing.session import Session
from urlset.settings.audit import AuditSettings
from urlset.testing import PageAnswer, Request, Site
from urlset.web.options import WebOptions
from urlset.web.pace import Pause
from urlset.workflows.audit.audit import NoProgress, audited


class Watching(NoProgress):
    def __init__(self) -> None:
        self.standings: list[tuple[int | None, Pause | None]] = []

    def asking(self, session: Session) -> None:
        self.standings.append(session.standing)


def watched(site: Site, state: Path, **web: float) -> list[tuple[int | None, Pause]]:
    """Pages that are asked again, and the wait, of every moment at which there was one."""
    watching = Watching()
    said = WebOptions(allow_private=True, backoff=0.01, **web)  # type: ignore[arg-type]
    with audited(AuditSettings(target=site.url("/sitemap.xml"), state=state, web=said), watch=watching):
        pass
    return [(again, pause) for again, pause in watching.standings if pause is not None]


def test_the_wait_before_a_slow_second_try_is_told(tmp_path: Path) -> None:
    with Site({}) as site:
        listed = [f"/p/{number}" for number in range(5)]
        site.routes.update({path: page(path) for path in listed})
        site.routes["/p/3"] = CHALLENGE
        site.routes["/sitemap.xml"] = sitemap(map(site.url, listed))
        reported = watched(site, tmp_path, patience=1.2)
        host = site.origin.removeprefix("http://")
    second_round = [(again, pause) for again, pause in reported if again is not None]
    assert {(again, pause.host) for again, pause in second_round} == {(1, host)}
    seconds = [pause.seconds for _, pause in second_round]
    assert seconds == sorted(seconds, reverse=True)
    assert 0.5 < seconds[0] <= 1.2


def test_the_wait_that_a_server_asks_for_is_told(tmp_path: Path) -> None:
    asked = iter(range(100))

    def busy(_request: Request) -> PageAnswer:
        return PageAnswer(429, headers={"Retry-After": "2"}) if next(asked) == 0 else PageAnswer(body=page("busy"))

    with Site({}) as site:
        site.routes.update({"/busy": busy, "/sitemap.xml": sitemap([site.url("/busy")])})
        reported = watched(site, tmp_path)
        host = site.origin.removeprefix("http://")
    waits = [pause for again, pause in reported if again is None and pause.host == host]
    assert 1.0 < max(waits).seconds <= 2.0
