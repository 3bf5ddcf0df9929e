"""Old news lose their block, never their page."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime, timedelta
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.building.file_backed import HAS_ROW
from urlset.building.pages import EntryRun
from urlset.building.render import NEWS_AGE, still_news
from urlset.model.entry import Entry, Image, Media, News
from urlset.model.moment import Moment
from urlset.writing.urlset import entry_bytes

NOW = datetime(2024, 5, 10, 12, tzinfo=UTC)


def article(path: str, date: str | None) -> Entry:
    media = Media(images=(Image("https://example.com/i.png"),), news=(News("Example", "en", date, "T & <T>"),))
    return Entry(f"https://example.com/{path}", media=media)


def plain(entry: Entry) -> bytes:
    return entry_bytes(Entry(entry.loc, media=Media(images=entry.images)))


def run_of(*entries: Entry, seen: int = 1) -> EntryRun:
    written = [entry_bytes(entry) for entry in entries]
    builds = array("I", [seen] * len(written))
    return EntryRun(b"".join(written), array("I", accumulate(map(len, written))), builds, builds)


def pieces(run: EntryRun) -> list[bytes]:
    return [bytes(run.load()[start:end]) for start, end in pairwise((0, *run.ends))]


@pytest.mark.parametrize(
    ("date", "kept"),
    [
        ("2024-05-10T11:00:00Z", True),
        ("2024-05-08T12:00:01Z", True),
        ("2024-05-08T11:59:58Z", False),
        ("2024-05-08T13:59:00+02:00", False),
        ("2024-05-08", True),  # may have been in the evening
        ("2024-05-07", True),  # may have been in the evening, far to the west
        ("2024-05-06", False),
        ("2024-05", True),
        ("2023", False),
        ("2024-06-01", True),
        ("recently", True),
        (None, True),
    ],
)
def test_forty_eight_hours(date: str | None, kept: bool) -> None:
    entry = article("a", date)
    (run,), dropped, ends, are_too_many = still_news([run_of(entry)], NOW)
    assert pieces(run) == [entry_bytes(entry) if kept else plain(entry)]
    assert dropped == ({} if kept else {0: [0]})
    assert (ends is not None, are_too_many) == (kept, False)


def test_the_first_date_to_grow_old_is_told() -> None:
    run = run_of(article("a", "2024-05-09"), article("b", "2024-05-08T13:00:00Z"), article("c", "recently"))
    ends = still_news([run], NOW).ends
    assert ends is not None
    assert still_news([run], ends + NEWS_AGE - timedelta(seconds=1)).dropped == {}
    assert still_news([run], ends + NEWS_AGE).dropped == {0: [1]}


def test_the_thousand_newest_of_all_parts() -> None:
    articles = [article(f"{number:04}", f"2024-05-10T{number % 12:02}:{number % 60:02}:00Z") for number in range(1200)]
    other = [Entry("https://example.com/plain"), article("undated", "recently")]
    runs, dropped, ends, are_too_many = still_news([run_of(*other), run_of(*articles)], NOW.replace(tzinfo=None))
    dates = sorted((each.news.publication_date or "" for each in articles if each.news), reverse=True)
    left = [each for each, piece in zip(articles, pieces(runs[1]), strict=True) if piece == entry_bytes(each)]
    lost = [each for each, piece in zip(articles, pieces(runs[1]), strict=True) if piece == plain(each)]
    assert sorted((each.news.publication_date or "" for each in left if each.news), reverse=True) == dates[:1000]
    assert len(left) + len(lost) == 1200
    assert pieces(runs[0]) == [entry_bytes(other[0]), plain(other[1])]
    assert dropped == {0: [1], 1: [articles.index(each) for each in lost]}
    assert ends is not None
    assert are_too_many


@given(
    text=st.from_regex(
        r"20(23|24)-(0[0-9]|1[0-3])-[0-3][0-9](T[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?(Z|[+-][01][0-9]:[0-6][0-9])?)?",
        fullmatch=True,
    )
)
def test_old_dates_are_known_by_their_day(text: str) -> None:
    interval = Moment.parse(text).certain_interval()
    is_old = interval is not None and interval[1] <= NOW - NEWS_AGE
    assert still_news([run_of(article("a", text))], NOW).dropped == ({0: [0]} if is_old else {})


def test_elements_of_others_are_left_alone() -> None:
    foreign = '<x:a xmlns:x="urn:x" xmlns:news="urn:y">\n    <news:news>\n    </news:news>\n    </x:a>'
    entry = Entry("https://example.com/a", media=Media(unknown=(foreign,)))
    (run,), dropped, ends, _ = still_news([run_of(entry, seen=HAS_ROW)], NOW)
    assert pieces(run) == [entry_bytes(entry)]
    assert not dropped
    assert ends is None
