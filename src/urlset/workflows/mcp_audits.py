"""Audits for agents: one that answers at once, a single page, and long ones that are started, polled and cancelled."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

import msgspec

from urlset.auditing.session import Session
from urlset.model.visit import State
from urlset.reports.pages import AuditReport
from urlset.settings.audit import AuditSettings
from urlset.settings.load import from_keywords
from urlset.workflows.audit.audit import NoProgress, audited
from urlset.workflows.audit.sources import AuditError
from urlset.workflows.mcp_tools import Found, TargetError, ToolContext, reason_of, shown, verdict_facts
from urlset.writing.files import work_folder

MAX_SAMPLE = 500
MAX_SECONDS = 300
MAX_CAUSES = 20
MAX_RUNNING = 2
"""long audits at the same time"""
MAX_JOBS = 20
"""results that are remembered"""


def audit(context: ToolContext, target: str, sample: int, seconds: float, base_url: str) -> Found:
    most, longest = max(1, min(sample, MAX_SAMPLE)), max(1.0, min(seconds, MAX_SECONDS))
    given = {"sample": str(most), "max_time": f"{longest}s", "base_url": base_url or None}
    found = _audited(context, context.roots.admit(target), given, NoProgress())
    if set(found.facts["states"]) <= {State.BLOCKED.value, State.UNKNOWN.value}:
        raise TargetError("; ".join(["no page could be judged", *found.facts["not_read"], *found.facts["notices"]]))
    return found


def inspect(context: ToolContext, url: str) -> Found:
    """One page, listed or not."""
    with work_folder() as folder:
        path = Path(folder) / "page.txt"
        path.write_text(f"{context.roots.admit(url)}\n", encoding="utf-8")
        found = _audited(context, str(path), {"base_url": url}, NoProgress())
    found.facts = {name: value for name, value in found.facts.items() if name in ("states", "not_asked", "notices")}
    return found


def _audited(context: ToolContext, where: str, given: dict[str, Any], watch: NoProgress) -> Found:
    """Nothing is kept: the state is in a folder that goes with the result."""
    with work_folder() as folder:
        options = {**given, "state": folder, "web": context.web}
        settings = from_keywords(AuditSettings, options, target=where)
        with audited(settings, watch=watch) as outcome:
            report = outcome.report
            if not report.listed:
                why = shown([*report.verdict.unread, *report.notices])
                raise TargetError("; ".join(why) or "no page is listed")
            return Found({**_facts(report), **verdict_facts(report.verdict)}, _pages(report))


def _facts(report: AuditReport) -> dict[str, Any]:
    return {
        "listed": report.listed,
        "states": {str(state.value): count for state, count in report.states.items()},
        "not_asked": [msgspec.to_builtins(each) for each in report.not_asked],
        "causes": [
            {"title": each.title, "count": each.count, "of": each.of, "code": each.code, "advice": list(each.advice)}
            for each in (*report.causes, *report.others)[:MAX_CAUSES]
        ],
        "estimates": [msgspec.to_builtins(each) for each in report.estimates],
        "finished": report.finished,
        "notices": shown(report.notices),
    }


def _pages(report: AuditReport) -> list[dict[str, Any]]:
    messages: dict[str, list[str]] = {}
    for finding in report.verdict.findings:
        if finding.subject:
            messages.setdefault(finding.subject, []).append(f"{finding.code}: {finding.message}")
    return [
        {
            "url": page.url,
            "state": page.state.value,
            "status": page.status,
            "final_url": page.final_url,
            "reason": page.reason or None,
            "codes": list(page.codes),
            "findings": messages.get(page.url, []),
            "indexable": page.indexable,
        }
        for page in report.pages()
        if page.asked
    ]


# Long audits: each has a thread, and is remembered until newer ones take its place.


class _Watch(NoProgress):
    """Counts, and stops the audit in its own thread."""

    def __init__(self) -> None:
        self.cancelled = Event()
        self.stage, self.done, self.total = "starting", 0, 0

    def listing(self, sitemaps: int, pages: int) -> None:
        self.stage, self.total = f"reading sitemaps ({sitemaps:,} read)", pages
        if self.cancelled.is_set():
            raise AuditError("cancelled while its sitemaps were read")

    def asking(self, session: Session) -> None:
        self.stage, self.done, self.total = "requesting pages", session.done, session.total
        if self.cancelled.is_set():
            session.stop()

    def judging(self) -> None:
        self.stage = "judging pages"


class _Job:
    def __init__(self, target: str) -> None:
        self.target, self.watch = target, _Watch()
        self.found: Found | None = None
        self.error = ""

    @property
    def running(self) -> bool:
        return self.found is None and not self.error

    @property
    def state(self) -> str:
        if self.running:
            return "cancelling" if self.watch.cancelled.is_set() else "running"
        if self.watch.cancelled.is_set():
            return "cancelled"
        return "failed" if self.error else "finished"


class AuditJobs:
    """All long audits of one server."""

    def __init__(self, context: ToolContext) -> None:
        self._context = context
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._lock = Lock()

    def start(self, target: str, base_url: str) -> dict[str, Any]:
        where = self._context.roots.admit(target)
        job, name = _Job(target), secrets.token_hex(8)
        with self._lock:
            running = [each for each in self._jobs.values() if each.running]
            if len(running) >= MAX_RUNNING:
                raise TargetError(f"{MAX_RUNNING} audits are running; poll or cancel one first")
            self._jobs[name] = job
            while len(self._jobs) > MAX_JOBS:
                oldest = next(each for each, known in self._jobs.items() if not known.running)
                del self._jobs[oldest]
        Thread(target=self._run, args=(job, where, base_url), name="urlset mcp audit", daemon=True).start()
        return self.status(name, 1)

    def _run(self, job: _Job, where: str, base_url: str) -> None:
        try:
            job.found = _audited(self._context, where, {"base_url": base_url or None}, job.watch)
        except Exception as error:  # noqa: BLE001 - the agent asks for it
            job.error = reason_of(error)

    def status(self, name: str, limit: int) -> dict[str, Any]:
        """Counts while it runs; the result, with its first page, once it has ended. Can be called again."""
        job = self._job(name)
        told: dict[str, Any] = {"job": name, "target": job.target, "state": job.state}
        if job.running:
            return told | {"stage": job.watch.stage, "done": job.watch.done, "total": job.watch.total}
        if job.found is None:
            return told | {"error": self._context.roots.hide(job.error)}
        hidden = self._context.roots.hide_in
        page = self._context.pages.first((hidden(item) for item in job.found.items), limit)
        return told | {"result": hidden(job.found.facts)} | page

    def cancel(self, name: str) -> dict[str, Any]:
        """Pages that are under way are still judged; what came until then is the result."""
        self._job(name).watch.cancelled.set()
        return self.status(name, 1)

    def _job(self, name: str) -> _Job:
        with self._lock:
            job = self._jobs.get(name)
        if job is None:
            raise TargetError("unknown or forgotten job; start the audit again")
        return job
