"""The state of a watch → Prometheus metrics, and whether it is healthy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from urlset.watching.reader import WatchReader
from urlset.watching.schema import moment
from urlset.writing.state_file import StateError

TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LATE = timedelta(minutes=15)
"""how long after its time a job may start before the watch counts as stuck: another job may run for long"""

Sample = tuple[Mapping[str, str], float]


def metrics(folder: Path, now: datetime) -> str:
    """Raises StateError."""
    with WatchReader(folder) as reader:
        return "".join(line + "\n" for line in _lines(reader, now))


def health(folder: Path, now: datetime, *, busy: bool) -> tuple[int, str]:
    """200 or 503, and why as JSON; `busy`: a job is running now."""
    problems: list[str] = []
    try:
        with WatchReader(folder) as reader:
            late = [job for job in reader.jobs() if job.due is not None and now - moment(job.due) > _LATE]
            waiting = sum(channel.waiting for channel in reader.channels())
            problems += [f"{job.kind} of {job.site} was due at {job.due}" for job in late if not busy]
    except StateError as error:
        return 503, msgspec.json.encode({"status": "error", "problems": [str(error)]}).decode()
    body = {"status": "late" if problems else "ok", "problems": problems, "alerts_waiting": waiting}
    return (503 if problems else 200), msgspec.json.encode(body).decode()


def _lines(reader: WatchReader, now: datetime) -> Iterator[str]:
    sites = reader.sites()
    urls = [({"site": each.site}, each.urls) for each in sites if each.urls is not None]
    yield from _metric("urls", "gauge", "Listed URLs", urls)
    files = [({"site": each.site}, each.sitemaps) for each in sites if each.sitemaps is not None]
    yield from _metric("sitemaps", "gauge", "Sitemaps of the site", files)
    problems = Counter((each.site, each.kind) for each in reader.problems())
    rows: list[Sample] = [({"site": site, "kind": kind}, count) for (site, kind), count in problems.items()]
    rows += [({"site": site.site, "kind": ""}, 0) for site in sites if not site.problems]
    yield from _metric("problems", "gauge", "Open problems", rows)
    jobs = reader.jobs()
    ended = [({"site": job.site, "job": job.kind}, moment(job.finished).timestamp()) for job in jobs if job.finished]
    yield from _metric("last_run_timestamp_seconds", "gauge", "When a job last ended", ended)
    late = [
        ({"site": job.site, "job": job.kind}, max(0.0, (now - moment(job.due)).total_seconds()))
        for job in jobs
        if job.due
    ]
    yield from _metric("late_seconds", "gauge", "How long ago a job was due", late)
    runs = [({"site": s, "job": k, "result": r}, count) for (s, k, r), count in reader.run_counts().items()]
    yield from _metric("runs_total", "counter", "Runs by result", runs)
    alerts = [({"site": s, "kind": k, "phase": p}, count) for (s, k, p), count in reader.alert_counts().items()]
    yield from _metric("alerts_total", "counter", "Alerts by kind", alerts)
    channels = reader.channels()
    for name, form, text in (
        ("waiting", "gauge", "Alerts that a channel has not taken"),
        ("delivered", "counter", "Alerts that a channel has taken"),
        ("failed_tries", "counter", "Deliveries that failed"),
    ):
        samples = [({"channel": each.channel}, float(getattr(each, name))) for each in channels]
        yield from _metric(f"outbox_{name}{'_total' if form == 'counter' else ''}", form, text, samples)


def _metric(name: str, form: str, text: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP urlset_watch_{name} {text}"
    yield f"# TYPE urlset_watch_{name} {form}"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        yield f"urlset_watch_{name}{{{inside}}} {value:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
