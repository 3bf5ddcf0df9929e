"""An address → the parts that betray endless ones: its shape, the date in it, repeated segments, return addresses."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from urlset.spec.generator_artifacts import PAGE_IN_PATH, PAGE_PARAMETERS, RETURN_PARAMETERS

_HEAD = re.compile(r"https?://[^/?]*")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_RUN = re.compile(r"[A-Za-z0-9]++")
_DIGITS = re.compile(r"[0-9]+")
_ID_LENGTH = 16
# A date that ends the path, or is a separate folder in it that is followed only by the name of a view.
_VIEW = r"(?:/(?:month|week|day|list|agenda|year|photo|map|summary))?/?"
_DATE_IN_PATH = re.compile(
    rf"/(?:(?P<y>[0-9]{{4}})[/-](?P<m>0?[1-9]|1[0-2])(?:[/-](?P<d>0?[1-9]|[12][0-9]|3[01]))?|(?P<w>[0-9]{{4}})-?W[0-9]{{2}}){_VIEW}\Z"
)
_DATE_VALUE = re.compile(
    r"(?P<y>[0-9]{4})-?(?P<m>0[1-9]|1[0-2])(?:-?(?P<d>0[1-9]|[12][0-9]|3[01]))?(?:T[0-9:%A-Za-z.+-]*)?"
)
_YEAR_NAMES = frozenset({"year", "y", "yr", "jahr", "annee", "cal_year", "yyyy"})
_MONTH_NAMES = frozenset({"month", "m", "mon", "monat", "mois", "cal_month", "mm", "mo"})
_DAY_NAMES = frozenset({"day", "d", "tag", "jour", "cal_day", "dd"})
# Only under these a bare number such as 202405 is a date and no article number.
_DATE_NAMES = frozenset(
    {*("date", "day", "dt", "cal", "calendar", "month", "week", "ym", "ymd", "when", "datum", "tribe-bar-date"),
     *("startdate", "start_date", "fromdate", "from_date", "cal_date", "caldate", "eventdate", "event_date")}
)  # fmt: skip
# Parameters that page through lists, other than those named `page`.
_LEAFING = PAGE_PARAMETERS | {"p", "start", "offset", "skip", "from", "first", "limit", "cursor", "after", "before"}
_ADDRESS_VALUE = re.compile(r"(?:https?(?::|%3A)|/|%2F|%252F)", re.IGNORECASE)


class UrlShape(NamedTuple):
    path: str
    query: str


def split(url: str) -> UrlShape:
    """Path and query, without the host."""
    path, _, query = rest_of(url).partition("?")
    return UrlShape(path or "/", query)


def rest_of(url: str) -> str:
    """What follows the host."""
    head = _HEAD.match(url)
    return url[head.end() :] if head else url


def shape_of(url: str) -> str:
    """The address with numbers and ids as `…`: equal for the months of a calendar and the pages of a list."""
    path, mark, query = url.partition("?")
    shape = _RUN.sub(_shape_of_run, _UUID.sub("…", path))
    if not mark:
        return shape
    pieces = (piece.partition("=") for piece in query.split("&"))
    return (
        f"{shape}?{'&'.join(name + sign + ('…' if _DIGITS.search(value) else value) for name, sign, value in pieces)}"
    )


def _shape_of_run(run: re.Match[str]) -> str:
    shape = _DIGITS.sub("…", run[0])
    return "…" if len(run[0]) >= _ID_LENGTH and shape != run[0] else shape


def date_in(url: str) -> date | None:
    """The date of a calendar page: alone at the end of the path, or in parameters; `/2024/05/a-post` has none."""
    path, query = split(url)
    found = _DATE_IN_PATH.search(path)
    if found and found["y"]:
        return _date(found["y"], found["m"], found["d"])
    if found:
        return _date(found["w"], "1", None)
    return _date_in_query(query) if query else None


def _date_in_query(query: str) -> date | None:
    year = month = day = None
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        name = name.lower()
        if name in _YEAR_NAMES and value.isdecimal() and len(value) == 4:
            year = value
        elif name in _MONTH_NAMES and value.isdecimal() and len(value) <= 2:
            month = value
        elif name in _DAY_NAMES and value.isdecimal() and len(value) <= 2:
            day = value
        elif (found := _DATE_VALUE.fullmatch(value)) and (name in _DATE_NAMES or "-" in value):
            return _date(found["y"], found["m"], found["d"])
    return _date(year, month, day) if year and month else None


def _date(year: str, month: str | None, day: str | None) -> date | None:
    try:
        return date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None


def repeated(path: str) -> str | None:
    """The run of segments that occurs three times in a row, or a name that occurs four times: a broken link."""
    segments = [segment for segment in path.split("/") if segment]
    count = len(segments)
    if count < 3:
        return None
    for length in range(1, count // 3 + 1):
        for at in range(count - 3 * length + 1):
            run = segments[at : at + length]
            if any(map(_is_name, run)) and run == segments[at + length : at + 2 * length] == segments[
                at + 2 * length : at + 3 * length
            ]:  # fmt: skip
                return "/".join(run)
    for segment in segments:
        if _is_name(segment) and segments.count(segment) >= 4:
            return segment
    return None


def _is_name(segment: str) -> bool:
    """Numbers repeat by chance: /01/01/01 is a day, /1/1/1 a place in a table."""
    return not segment.isdecimal() and len(segment) > 1


def is_leafing(path: str, query: str) -> bool:
    """One page of a list: `?page=7`, `?start=40`, `/page/7`."""
    return bool(PAGE_IN_PATH.search(path)) or any(name in _LEAFING for name in names_of(query))


def names_of(query: str) -> list[str]:
    return [piece.partition("=")[0].lower() for piece in query.split("&") if piece]


def choices_of(query: str) -> list[tuple[str, str]]:
    """(name, value) of the parameters, lists of values taken apart; without those by which lists are leafed through."""
    found: list[tuple[str, str]] = []
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        name = name.lower()
        if not piece or name in _LEAFING:
            continue
        found.extend((name, each) for each in re.split(r"[,|;]|%2C|%7C|%3B", value) if each)
        if not value:
            found.append((name, ""))
    return found


def return_address(query: str) -> str | None:
    """The parameter that holds the address to go back to, such as `return` of `?return=/a/b`."""
    for piece in query.split("&"):
        name, _, value = piece.partition("=")
        if name.lower() in RETURN_PARAMETERS and _ADDRESS_VALUE.match(value):
            return name
    return None
