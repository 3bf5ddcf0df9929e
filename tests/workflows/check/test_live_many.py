"""Many children of one index: fetched in parallel, checked while others are under way, in bounded memory and order."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from tests.workflows.live_sites import WEB, check, index, names, pages, xml
from urlset.settings.check import CheckSettings
from urlset.testing import PageAnswer, Request, Site
from urlset.workflows import check_file as workflow
from urlset.workflows import check_live
from urlset.workflows.check import check as check_targets
from urlset.workflows.check_file import CheckedFile, Task

CHILDREN = 200
ENTRIES = 50


def many(site: Site, children: int = CHILDREN) -> None:
    u = site.url
    site.routes["/index.xml"] = xml(index(*(u(f"/{n}.xml") for n in range(children))))
    for n in range(children):
        body = pages(*(u(f"/{n}/{row}") for row in range(ENTRIES)))
        site.routes[f"/{n}.xml"] = PageAnswer(body=body, type="application/xml", pause=0.02 if n < 20 else 0)


def test_two_hundred_children_in_the_order_listed() -> None:
    with Site({}) as site:
        many(site)
        verdict = check(site.url("/index.xml"))
        most = site.most_at_once
    assert names(verdict) == ["index.xml", *(f"{n}.xml" for n in range(CHILDREN))]
    assert verdict.entries == CHILDREN * ENTRIES
    assert 1 < most <= WEB.concurrency
    assert verdict.troubled == ()


def test_fetching_goes_on_while_files_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first file is checked only once the last of the window was asked for: both at a time, or it would hang."""
    asked = threading.Event()
    work = workflow.check_file

    def last(request: Request) -> PageAnswer:
        asked.set()
        return xml(pages(f"{request.origin}/last"))

    def patient(task: Task) -> CheckedFile:
        assert task.number == 0 or asked.wait(10), "nothing was fetched while a file was being checked"
        return work(task)

    with Site({}) as site:
        site.routes["/index.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(20))))
        site.routes.update({f"/{n}.xml": xml(pages(site.url(f"/{n}"))) for n in range(19)})
        site.routes["/19.xml"] = last
        monkeypatch.setattr(check_live, "check_file", patient)
        verdict = check(site.url("/index.xml"), jobs=1)
    assert len(verdict.documents) == 21


def test_no_more_is_asked_for_than_can_be_kept_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_live, "AHEAD", 5)
    waiting: list[int] = []
    with Site({}) as site:
        many(site, 40)
        work = workflow.check_file

        def counting(task: Task) -> CheckedFile:
            waiting.append(len(site.log))
            return work(task)

        monkeypatch.setattr(check_live, "check_file", counting)
        check(site.url("/index.xml"), jobs=1)
    # robots.txt and the index came before; each check frees one place
    assert all(asked <= 2 + 5 + checked for checked, asked in enumerate(waiting))


def test_worker_processes_give_the_same_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    with Site({}) as site:
        u = site.url
        site.routes["/index.xml"] = xml(index(*(u(f"/{n}.xml") for n in range(12))))
        site.routes.update({f"/{n}.xml": xml(pages(u(f"/{n}#x"), u("/same"))) for n in range(12)})
        alone = check(u("/index.xml"), jobs=1)
        monkeypatch.setattr(check_live, "PARALLEL_FROM", 0)
        together = check(u("/index.xml"), jobs=2)
    assert together == alone
    assert alone.counts["L013"] == 12
    assert alone.counts["L021"] == 11


MEASURE = """
import resource, sys
from tests.workflows.live_sites import check
verdict = check(sys.argv[1], select=("S", "I", "X"), jobs=1)
print(verdict.entries, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes as Linux does")
def test_memory_does_not_grow_with_the_number_of_files() -> None:
    with Site({}) as site:
        body = pages(*(site.url(f"/p/{row}/{'x' * 200}") for row in range(2_000)))
        site.routes.update({f"/{n}.xml": xml(body) for n in range(40)})
        site.routes["/few.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(2))))
        site.routes["/all.xml"] = xml(index(*(site.url(f"/{n}.xml") for n in range(40))))
        few, all_of_them = (_measured(site.url(f"/{name}.xml")) for name in ("few", "all"))
    assert (few[0], all_of_them[0]) == (2 * 2_000, 40 * 2_000)
    assert all_of_them[1] < few[1] + 12_000, "38 files of half a megabyte each more"


def _measured(url: str) -> tuple[int, int]:
    run = subprocess.run([sys.executable, "-c", MEASURE, url], capture_output=True, text=True, check=True)
    entries, peak = run.stdout.split()
    return int(entries), int(peak)


def test_progress_is_told() -> None:
    shown: list[tuple[int, int]] = []
    with Site({}) as site:
        many(site, 40)
        check_targets([site.url("/index.xml")], CheckSettings(web=WEB), progress=lambda *now: shown.append(now))
    assert shown[-1] == (41, 41)
    assert shown == sorted(shown)
