"""Field tables of extensions and the clock → tests of each field, which the judge of media goes by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from urlset.checking import media_values as values
from urlset.checking.media_values import ENDLESS, AttributesTest, Test
from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, VIDEO
from urlset.spec.fields import ElementSpec, FieldKind, FieldSpec
from urlset.spec.regions import REGIONS
from urlset.spec.signals import Signal

LISTED, ADDRESS, TEXT, OTHER = range(4)
"""forms of a member: any value; a URL; a text; whatever its test accepts"""
_FIRST_DAY, _LAST_DAY = "1992-01-01", "9999-12-31"
_WITH_ATTRIBUTES: dict[str, AttributesTest] = {
    "restriction": values.have_relationship,
    "platform": values.have_relationship,
    "uploader": values.are_of_uploader,
}


class Member(NamedTuple):
    """A field of an image, a video or an article."""

    name: str
    raised: int
    """by a value that is not ordinary"""
    form: int = OTHER
    most_characters: int = ENDLESS
    test: Test | None = None
    """a condition beyond the form; a member of the form OTHER without one is never ordinary"""
    most: int = 1
    """maximum number in its element"""
    attributes: AttributesTest | None = None
    """None where there may be none"""
    inner: Medium | None = None
    noted: bool = False
    """`together` wants its value"""


class Medium(NamedTuple):
    """An element with members."""

    name: str
    members: tuple[Member, ...]
    required: tuple[tuple[str, ...], ...]
    """of each group of members one must be there"""
    most: int = ENDLESS
    """how many an entry may have"""
    together: Callable[[Sequence[str], str], bool] | None = None
    """whether the noted values, in order, are ordinary beside each other and for the page"""
    raised_together: int = 0
    """if they are not"""
    differ: bool = False
    """no two elements of an entry may have the same noted value"""


def media_of(now: datetime) -> tuple[Medium, Medium, Medium]:
    """Images, videos and news."""
    yesterday, later = f"{now - timedelta(days=1):%Y-%m-%d}", f"{now + timedelta(days=2):%Y-%m-%d}"
    past, to_come = partial(values.is_between, _FIRST_DAY, yesterday), partial(values.is_between, later, _LAST_DAY)
    dates: dict[str, Test] = {"publication_date": past, "expiration_date": to_come}
    paper = _medium(PUBLICATION, {})
    paper = paper._replace(members=tuple(_noted(member, "name", values.is_paper) for member in paper.members))
    news = _medium(NEWS, {"publication_date": partial(values.is_news_at, now)})
    members = (_noted(member, "title", None) for member in news.members)
    image = _medium(IMAGE, {})
    return (
        image._replace(members=tuple(_noted(member, "loc", None) for member in image.members), differ=True),
        _medium(VIDEO, dates)._replace(together=_are_no_pages, raised_together=Signal.MEDIA_ADDRESS),
        news._replace(
            members=tuple(member._replace(inner=paper) if member.name == paper.name else member for member in members),
            together=_are_apart,
            raised_together=Signal.MEDIA_TEXT,
        ),
    )


def _noted(member: Member, name: str, test: Test | None) -> Member:
    return member._replace(noted=True, test=test) if member.name == name else member


def _medium(spec: ElementSpec, dates: dict[str, Test]) -> Medium:
    required = tuple((field.name,) for field in spec.fields if field.required)
    return Medium(
        spec.name,
        tuple(_member(spec, field, dates) for field in spec.fields),
        (*required, spec.one_of) if spec.one_of else required,
        spec.max_per_parent or ENDLESS,
    )


def _member(spec: ElementSpec, field: FieldSpec, dates: dict[str, Test]) -> Member:
    most = (field.max_count or ENDLESS) if field.repeatable else 1
    attributes = _WITH_ATTRIBUTES.get(field.name)
    made = Member(field.name, Signal.MEDIA_SHAPE, most=most, attributes=attributes)
    if spec is IMAGE and field.withdrawn:
        return made._replace(raised=Signal.CAPTIONED, form=LISTED, most=ENDLESS)
    if field.withdrawn or not field.documented:
        return made
    if field.kind is FieldKind.URL:
        test = values.ends_like_video if field.name == "content_loc" else None
        noted = field.name in spec.one_of
        return made._replace(form=ADDRESS, raised=Signal.MEDIA_ADDRESS, test=test, noted=noted)
    if field.kind is FieldKind.TEXT:
        most_characters = min(field.max_length or ENDLESS, field.xsd_max_length or ENDLESS)
        return made._replace(form=TEXT, raised=Signal.MEDIA_TEXT, most_characters=most_characters)
    raised = Signal.MEDIA_DATE if field.kind is FieldKind.DATETIME else Signal.MEDIA_VALUE
    return made._replace(raised=raised, test=_test(field, dates))


def _test(field: FieldSpec, dates: dict[str, Test]) -> Test | None:
    if field.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
        maximum = ENDLESS if field.maximum is None else field.maximum
        return partial(values.is_number, field.kind, field.minimum or 0, maximum)
    if field.kind is FieldKind.DATETIME:
        return dates[field.name]
    if field.kind is FieldKind.COUNTRIES:
        return partial(values.are_known, frozenset(REGIONS))
    if field.kind in (FieldKind.CHOICE, FieldKind.CHOICES):
        return partial(values.are_known, frozenset(field.values))
    return values.is_news_language if field.kind is FieldKind.LANGUAGE else None


def _are_no_pages(addresses: Sequence[str], page: str) -> bool:
    return all(values.differs_from_page(address, page) for address in addresses)


def _are_apart(noted: Sequence[str], _page: str) -> bool:
    """The name of the paper and the headline; another order or number needs a rule."""
    return len(noted) == 2 and values.is_headline(noted[1], noted[0])
