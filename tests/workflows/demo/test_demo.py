"""The sample site with its labels, end to end: every planted fault is found by its step, and nothing else is told."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from urlset.findings.verdict import Verdict
from urlset.rules.catalogue import all_rules
from urlset.testing import Request
from urlset.workflows.demo.demo import BUILT, FIXED, FOUND, Chapter, Demo, Fault, held
from urlset.workflows.demo.sample.draft import Label, Stage
from urlset.workflows.demo.sample.site import SampleServer, sample_site

NOW = datetime(2026, 11, 15, tzinfo=UTC)
NOT_PLANTED = {
    "A021": "a page that answers 429 for ever would slow down the whole demo",
    "A027": "needs a second server with TLS",
    "A028": "needs a server with TLS",
    "A029": "needs an audit that ignores robots.txt",
    **{f"A{number:03}": "planted in tests/workflows/planted_shop.py" for number in range(43, 59) if number != 54},
    **dict.fromkeys(("A039", "A040", "A041", "A042"), "needs a browser"),
}
LEFT_TO_THE_SITE = {
    ("A010", "/blog/not-for-google/"),
    ("A014", "/blog/second-thoughts/"),
    ("A015", "/blog/below-the-fold/"),
    ("A016", "/blog/for-phones-only/"),
    ("A017", "/blog/short-hand/"),
    ("A018", "/blog/half-way-down/"),
    ("A026", "/guides/the-whole-manual/"),
    ("A032", "/guides/contradictions/"),
    ("A033", "/de/showroom/"),
    ("H021", "/de/stellen/"),
    # versions that pages name and no sitemap lists
    *(("H024", path) for path in ("/showroom/", "/de/showroom/", "/jobs/")),
    ("M013", "/images/desk-ferry-cork.png"),
    # a new robots.txt keeps the lines of the live one
    ("A030", "/robots.txt"),
    ("R004", "/sitemap-old.xml"),
}


class Expectation:
    """One run of the demo, and what was left of it."""

    def __init__(self, folder: Path) -> None:
        with SampleServer(NOW) as server:
            self.demo = Demo(server, folder, NOW)
            self.chapters: list[Chapter] = list(self.demo.chapters())
            self.labels: tuple[Label, ...] = server.sample.labels
            self.log: list[Request] = server.site.log
            self.origin = server.origin
        self.folder = folder

    def faults(self, verdict: Verdict) -> Counter[Fault]:
        return Counter((each.code, self.demo.short(each.subject or each.source)) for each in verdict.findings)

    def planted(self, stage: Stage, *, staying: bool = False) -> Counter[Fault]:
        return Counter((each.code, each.at) for each in self.labels if each.stage is stage and each.stays >= staying)

    @property
    def text(self) -> str:
        parts = [part for chapter in self.chapters for part in chapter.parts]
        return "\n".join(text for part in parts for text in (part.command, *(line.text for line in part.lines)))


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory) -> Expectation:
    return Expectation(tmp_path_factory.mktemp("demo"))


@pytest.mark.parametrize(("stage", "which"), [(Stage.CHECK, 0), (Stage.AUDIT, 1)])
def test_a_step_finds_exactly_what_was_planted_for_it(reported: Expectation, stage: Stage, which: int) -> None:
    assert reported.faults(reported.demo.verdicts["as found"][which]) == reported.planted(stage)


def test_all_steps_together_find_exactly_what_was_planted(reported: Expectation) -> None:
    assert reported.demo.outcome.missed == ()
    assert reported.demo.outcome.extra == ()
    assert reported.demo.outcome.planted == len(reported.labels) >= 95


def test_every_rule_on_pages_that_can_be_planted_is(reported: Expectation) -> None:
    wanted = {rule.code for rule in all_rules() if rule.code.startswith("A")} - NOT_PLANTED.keys()
    assert {label.code for label in reported.labels if label.code.startswith("A")} == wanted


def test_many_families_of_rules_on_files_are_planted(reported: Expectation) -> None:
    codes = {label.code for label in reported.labels if label.stage is Stage.CHECK}
    assert {code[0] for code in codes} >= set("XSLDFHIMNRQ")
    assert len(codes) >= 35


@pytest.mark.parametrize(("stage", "which"), [(Stage.CHECK, 0), (Stage.AUDIT, 1)])
def test_mending_takes_away_all_that_sitemaps_can_mend(reported: Expectation, stage: Stage, which: int) -> None:
    assert reported.faults(reported.demo.verdicts["fixed"][which]) == reported.planted(stage, staying=True)


def test_a_new_set_has_no_fault_but_those_of_pages_and_robots_txt(reported: Expectation) -> None:
    checked, audited = reported.demo.verdicts["built anew"]
    assert set(reported.faults(checked) + reported.faults(audited)) == LEFT_TO_THE_SITE


def test_what_is_missed_or_made_up_would_be_told(reported: Expectation) -> None:
    verdict = reported.demo.verdicts["as found"][0]
    lie = Label(Stage.CHECK, "X001", "/sitemap.xml", "a fault that is not there")
    one = next(each for each in reported.labels if each.stage is Stage.CHECK)
    labels = [lie, *(each for each in reported.labels if each is not one)]
    found = held(labels, Stage.CHECK, verdict.findings, reported.demo.short)
    assert found.missed == (("X001", "/sitemap.xml"),)
    assert found.extra == ((one.code, one.at),)
    assert not found.exact


def test_the_site_is_asked_politely(reported: Expectation) -> None:
    asked = [request.path for request in reported.log]
    assert "/account/orders/" not in asked  # robots.txt forbids it
    busy = [request for request in reported.log if request.path == "/blog/a-busy-day/"]
    assert [request.status for request in busy[:2]] == [429, 200]
    assert busy[0].ended is not None
    assert busy[1].started - busy[0].ended >= 1.0


def test_the_endless_places_are_left_alone_after_a_while(reported: Expectation) -> None:
    months = {request.path for request in reported.log if request.path.startswith("/events/2")}
    filters = {request.target for request in reported.log if request.target.startswith("/lamps/?")}
    assert 12 <= len(months) <= 20
    assert 50 <= len(filters) <= 150


def test_what_is_told_names_no_port_and_no_folder(reported: Expectation) -> None:
    assert "127.0.0.1" not in reported.text
    assert str(reported.folder) not in reported.text
    assert [chapter.number for chapter in reported.chapters] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_sets_are_kept(reported: Expectation) -> None:
    for name in (FOUND, FIXED, BUILT):
        names = {path.name for path in (reported.folder / name).iterdir()}
        assert {"robots.txt", "sitemap.xml"} <= names
    assert (reported.folder / "audit.json").is_file()


def test_the_sample_is_the_same_for_the_same_origin_and_day() -> None:
    one, other = (sample_site("http://127.0.0.1:8080", NOW) for _ in range(2))
    assert one.files() == other.files()
    assert one.labels == other.labels
    assert one.routes.keys() == other.routes.keys()
    assert len(one.routes) > 300
