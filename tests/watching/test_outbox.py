"""Alerts in the outbox → delivered once on each channel, whatever breaks in between."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from urlset.watching.channels import Outbox
from urlset.watching.reader import WatchReader
from urlset.watching.store import LookResult, WatchStore
from urlset.watching.tracker import Alert, AlertKind, Condition, Measurement, Rules
from urlset.writing.sqlite_store import StateBusy, StateError

SITE = "https://www.example.com/"
NOW = datetime(2026, 11, 20, tzinfo=UTC)


class Inbox:
    """A channel that takes what it is given, unless told otherwise."""

    def __init__(self, name: str = "inbox", *, together: bool = False) -> None:
        self.name, self.together = name, together
        self.taken: list[list[str]] = []
        self.error = ""
        self.full: sqlite3.Connection | None = None

    def send(self, alerts: Sequence[Alert]) -> str:
        if not self.error:
            self.taken.append([alert.subject for alert in alerts])
        return self.error


@pytest.fixture
def store(tmp_path: Path) -> Iterator[WatchStore]:
    with WatchStore(tmp_path / "state") as opened:
        yield opened


def happen(store: WatchStore, now: datetime, *subjects: str, channels: Sequence[str] = ("inbox",)) -> list[Alert]:
    """A run in which these sitemaps turn out to be missing."""
    signals = tuple(
        Measurement(kind=AlertKind.SITEMAP_MISSING, subject=each, condition=Condition.BAD) for each in subjects
    )
    return store.record(
        SITE,
        "check",
        LookResult(result="ok", signals=signals),
        started=now,
        now=now,
        due=now + timedelta(hours=1),
        rules=Rules(),
        channels=dict.fromkeys(channels, now),
    )


@pytest.fixture
def watched(store: WatchStore) -> WatchStore:
    """With its baseline."""
    assert happen(store, NOW) == []
    return store


def test_each_alert_is_sent_once_in_order(watched: WatchStore) -> None:
    inbox = Inbox()
    happen(watched, NOW, "a", "b")
    happen(watched, NOW, "a", "b", "c")
    outbox = Outbox(watched, [inbox])
    assert [outbox.deliver(NOW) for _ in range(3)] == [0, 0, 0]
    assert inbox.taken == [["a"], ["b"], ["c"]]


def test_people_get_one_message_for_a_run(watched: WatchStore) -> None:
    inbox = Inbox(together=True)
    happen(watched, NOW, "a", "b")
    happen(watched, NOW, "c")
    Outbox(watched, [inbox]).deliver(NOW)
    assert inbox.taken == [["a", "b"], ["c"]]


def test_a_failed_delivery_waits_longer_each_time_and_is_not_overtaken(watched: WatchStore) -> None:
    inbox, other = Inbox(), Inbox("other")
    said: list[str] = []
    happen(watched, NOW, "a", "b", channels=("inbox", "other"))
    outbox = Outbox(watched, [inbox, other], said.append)
    inbox.error = "status 503"
    assert outbox.deliver(NOW) == 2
    assert (inbox.taken, other.taken) == ([], [["a"], ["b"]])
    assert said == ["inbox: not delivered, tried again later: status 503"]
    assert outbox.next_time() == "2026-11-20T00:00:30Z"
    assert outbox.deliver(NOW + timedelta(seconds=29)) == 0, "nothing is due"
    assert outbox.deliver(NOW + timedelta(seconds=30)) == 2
    assert outbox.next_time() == "2026-11-20T00:01:30Z"
    inbox.error = ""
    assert outbox.deliver(NOW + timedelta(hours=9)) == 0
    assert inbox.taken == [["a"], ["b"]]
    assert other.taken == [["a"], ["b"]]


def test_a_message_that_may_have_arrived_has_the_same_id(watched: WatchStore, tmp_path: Path) -> None:
    """As after a kill between the delivery and its note: the receiver can drop the second one."""
    sent: list[str] = []

    class Killed(Inbox):
        def send(self, alerts: Sequence[Alert]) -> str:
            sent.extend(alert.id for alert in alerts)
            if len(sent) == 1:
                raise KeyboardInterrupt
            return ""

    happen(watched, NOW, "a")
    inbox = Killed()
    with pytest.raises(KeyboardInterrupt):
        Outbox(watched, [inbox]).deliver(NOW)
    Outbox(watched, [inbox]).deliver(NOW)
    assert len(sent) == 2
    assert len(set(sent)) == 1
    with WatchReader(tmp_path / "state") as reader:
        assert [each.deliveries for each in reader.alerts()] == [{"inbox": "2026-11-20T00:00:00Z"}]


def fill(store: WatchStore) -> None:
    """No page more than there are."""
    used = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {used}")


def test_a_full_disk_loses_nothing_and_repeats_nothing(watched: WatchStore) -> None:
    inbox = Inbox()
    happen(watched, NOW, "a")
    fill(watched)
    many = [f"{number} {'x' * 900}" for number in range(200)]
    with pytest.raises(StateError, match="full"):
        happen(watched, NOW, *many)
    outbox = Outbox(watched, [inbox])
    outbox.deliver(NOW)
    assert inbox.taken == [["a"]], "nothing of the run that could not be recorded"
    watched._db.execute("PRAGMA max_page_count = 1000000")
    assert len(happen(watched, NOW, *many)) == 200
    assert outbox.deliver(NOW) == 0
    assert len(inbox.taken) == 201


def test_a_delivery_that_cannot_be_noted_is_not_repeated(watched: WatchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Inbox()
    happen(watched, NOW, "a")
    outbox = Outbox(watched, [inbox])
    with monkeypatch.context() as patch:
        patch.setattr(WatchStore, "delivered", lambda *_: (_ for _ in ()).throw(StateError("disk is full")))
        for _ in range(3):
            with pytest.raises(StateError):
                outbox.deliver(NOW)
    outbox.deliver(NOW)
    assert inbox.taken == [["a"]]


def test_what_cannot_be_claimed_is_not_sent(watched: WatchStore, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = Inbox()
    happen(watched, NOW, "a")
    monkeypatch.setattr(WatchStore, "claim", lambda *_: (_ for _ in ()).throw(StateError("disk is full")))
    with pytest.raises(StateError):
        Outbox(watched, [inbox]).deliver(NOW)
    assert inbox.taken == []


def test_one_process_for_each_state(store: WatchStore, tmp_path: Path) -> None:
    del store
    with pytest.raises(StateBusy, match="another `urlset watch` with this state is running"):
        WatchStore(tmp_path / "state")


def test_another_state_has_other_ids(tmp_path: Path) -> None:
    ids = []
    for name in ("one", "two"):
        with WatchStore(tmp_path / name) as store:
            happen(store, NOW)
            ids += [alert.id for alert in happen(store, NOW, "a")]
    assert len(set(ids)) == 2


def test_the_state_can_be_read_while_it_is_written(watched: WatchStore, tmp_path: Path) -> None:
    happen(watched, NOW, "a")
    with WatchReader(tmp_path / "state") as reader:
        assert [(each.site, each.problems, each.alerts) for each in reader.sites()] == [(SITE, 1, 1)]
        assert [(each.kind, each.subject) for each in reader.problems(SITE)] == [("sitemap-missing", "a")]
        assert [(each.kind, each.result) for each in reader.runs(SITE)] == [("check", "ok")] * 2
        happen(watched, NOW, "b")
        assert [each.alert.subject for each in reader.alerts()] == ["b", "a"]
        assert [(each.channel, each.waiting) for each in reader.channels()] == [("inbox", 2)]
        assert [each.due for each in reader.jobs(SITE)] == ["2026-11-20T01:00:00Z"]
