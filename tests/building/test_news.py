"""Old news lose their block, never their page."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.building.news import still_news
from urlset.model.entry import Entry
from urlset.model.media import Image, Media, News

NOW = datetime(2024, 5, 10, 12, tzinfo=UTC)


def article(path: str, date: str | None) -> Entry:
    media = Media(images=(Image("https://example.com/i.png"),), news=(News("Example", "en", date, "T"),))
    return Entry(f"https://example.com/{path}", media=media)


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
    (found,) = still_news([entry], NOW)
    assert found.loc == entry.loc
    assert found.images == entry.images
    assert (found.news is not None) is kept


def test_the_thousand_newest() -> None:
    articles = [article(f"{number:04}", f"2024-05-10T{number % 12:02}:{number % 60:02}:00Z") for number in range(1200)]
    plain = [Entry("https://example.com/plain"), article("undated", "recently")]
    found = still_news([*plain, *articles], NOW.replace(tzinfo=None))
    assert [entry.loc for entry in found] == [entry.loc for entry in (*plain, *articles)]
    dates = sorted((entry.news.publication_date or "" for entry in found if entry.news), reverse=True)
    assert dates == sorted((entry.news.publication_date or "" for entry in articles if entry.news), reverse=True)[:1000]
