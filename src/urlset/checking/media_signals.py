"""The images, videos, news and links of entries → signals, and the links that are ordinary.

The compiled `MediaJudge` goes by a table (`media_fields`). What it cannot take apart for sure raises all signals of
media, and so does every entry with media without compiled modules: right, only slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import NamedTuple

from urlset.model.address import key_of
from urlset.model.columns import Mark
from urlset.model.document import Document, Kind
from urlset.model.trouble import TroubleKind
from urlset.reading.limits import is_compiled
from urlset.reading.prolog import assumed_namespace
from urlset.reading.signals import MediaNotes, RowLinks
from urlset.reading.vocabulary import MAX_PREFIXES, declared_inside
from urlset.spec import extensions, namespaces
from urlset.spec.extensions import IMAGE, NEWS, PUBLICATION, VIDEO, ElementSpec, FieldKind, FieldSpec
from urlset.spec.generator_artifacts import PLACEHOLDER_TEXT
from urlset.spec.languages import COUNTRY_TRAPS, LANGUAGES, REGIONS, SCRIPTS, WITHDRAWN, X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import means
from urlset.spec.protocol import NEWS_MAX_AGE_DAYS, VIDEO_FILE_TYPES
from urlset.spec.signals import ORDINARY_DATE, Signal

# The value of a field of an image, a video or an article → whether it is ordinary, so no rule has to look.

Test = Callable[[str], bool]
AttributesTest = Callable[[Mapping[str, str], str], bool]
"""attributes by name, and the address of the page"""

ENDLESS = 1 << 30
_DAY = len("2026-01-01")
_ENDING = lazy_pattern(r"\.([A-Za-z][A-Za-z0-9]{1,4})\Z")
_OF_VIDEOS = tuple(f".{ending}" for ending in VIDEO_FILE_TYPES)
_ASCII_ESCAPE = lazy_pattern("%[0-7]")
"""in which an ending may hide"""
_WORDS = lazy_pattern(r"[^-\u2013\u2014|\u00bb:\u00b7\u2022{$#<\[]*")
"""without the marks of placeholders, dates, authors and names of papers"""
_SUBTAGS = lazy_pattern(r"([A-Za-z]{2})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}))?")


def is_address(text: str) -> bool:
    return extensions.ADDRESS.fullmatch(text) is not None


def ends_like_video(address: str) -> bool:
    """It ends like a video, or like nothing."""
    if address.endswith(_OF_VIDEOS):
        return True
    ending = _ENDING.search(address.partition("?")[0])
    return ending is None or ending[1].lower() in VIDEO_FILE_TYPES


def differs_from_page(address: str, page: str) -> bool:
    """Whether the address of a video file or player cannot be that of the page."""
    if (
        address.endswith(_OF_VIDEOS)
        and not _ASCII_ESCAPE.search(page)
        and address[address.rindex(".") :] not in page.lower()
    ):
        return True
    return key_of(address) != key_of(page)


def is_number(kind: FieldKind, minimum: float, maximum: float, text: str) -> bool:
    form = extensions.NUMBER if kind is FieldKind.INTEGER else extensions.DECIMAL
    return form.fullmatch(text) is not None and minimum <= float(text) <= maximum


def is_day_or_second(text: str) -> bool:
    return "." not in text and ORDINARY_DATE.fullmatch(text) is not None


def is_between(first: str, last: str, text: str) -> bool:
    """A date from one day to another."""
    return first <= text[:10] <= last and is_day_or_second(text)


def is_news_at(oldest: datetime, now: datetime, text: str) -> bool:
    """A date not in the future, and not older than news may be."""
    if not is_day_or_second(text):
        return False
    if len(text) == _DAY:  # it ends first where clocks are 14 hours ahead
        return datetime.fromisoformat(f"{text}T10:00:00+00:00") > oldest and text <= f"{now:%Y-%m-%d}"
    return oldest < datetime.fromisoformat(text) <= now


def are_known(values: frozenset[str], text: str) -> bool:
    """One or more of the values, each once, with one space between them."""
    words = text.split(" ")
    return len(set(words)) == len(words) and values.issuperset(words)


def is_paper(text: str) -> bool:
    return extensions.PARENTHESES.isdisjoint(text) and PLACEHOLDER_TEXT.search(text) is None


def is_headline(title: str, paper: str) -> bool:
    """Not a placeholder, and without what looks like an author, a date or the name of the paper."""
    if _WORDS.fullmatch(title) and not PLACEHOLDER_TEXT.match(title) and "lorem" not in title.lower():
        return True
    if extensions.HEADLINE_SUSPECT.search(title) or PLACEHOLDER_TEXT.search(title):
        return False
    return extensions.DIVIDER.search(title) is None or paper.strip().casefold() not in title.casefold()


def is_news_language(text: str) -> bool:
    return text in LANGUAGES and text != "zh"


def is_language_tag(tag: str) -> bool:
    """A language of two letters, alone or with a script and a country."""
    if tag.lower() == X_DEFAULT:
        return True
    parts = _SUBTAGS.fullmatch(tag)
    if parts is None:
        return False
    language, script, region = parts[1].lower(), parts[2], parts[3]
    if language not in LANGUAGES or language in WITHDRAWN or language in COUNTRY_TRAPS:
        return False
    return (script is None or script.capitalize() in SCRIPTS) and (region is None or region.upper() in REGIONS)


def have_relationship(attributes: Mapping[str, str], _page: str) -> bool:
    return len(attributes) == 1 and attributes.get("relationship") in extensions.RELATIONSHIPS


def are_of_uploader(attributes: Mapping[str, str], page: str) -> bool:
    """Nothing, or a page on the host of the page."""
    info = attributes.get("info", "")
    return not attributes or (
        len(attributes) == 1 and is_address(info) and info.split("/")[2:3] == page.split("/")[2:3]
    )


# Field tables of extensions and the clock → tests of each field, which the judge of media goes by.

BY_HOST, BY_VALUE = 1, 2
LISTED, ADDRESS, TEXT, OTHER = range(4)
"""forms of a member: any value; a URL; a text; whatever its test accepts"""
_FIRST_DAY, _LAST_DAY = "1992-01-01", "9999-12-31"
_COUNTED = {
    ("image", "loc"): BY_HOST,
    ("video", "content_loc"): BY_VALUE,
    ("video", "thumbnail_loc"): BY_VALUE,
}
_WITH_ATTRIBUTES: dict[str, AttributesTest] = {
    "restriction": have_relationship,
    "platform": have_relationship,
    "uploader": are_of_uploader,
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
    by_ending: bool = False
    """the test of an address without a query may be given its ending alone, from the last dot on"""
    counted: int = 0
    """BY_HOST or BY_VALUE"""


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
    apart: bool = False
    """the noted values are addresses, and `together` is about those alone that may be the page"""


def media_of(now: datetime) -> tuple[Medium, Medium, Medium]:
    """Images, videos and news."""
    yesterday, later = f"{now - timedelta(days=1):%Y-%m-%d}", f"{now + timedelta(days=2):%Y-%m-%d}"
    past, to_come = partial(is_between, _FIRST_DAY, yesterday), partial(is_between, later, _LAST_DAY)
    dates: dict[str, Test] = {"publication_date": past, "expiration_date": to_come}
    paper = _medium(PUBLICATION, {})
    paper = paper._replace(members=tuple(_noted(member, "name", is_paper) for member in paper.members))
    news = _medium(NEWS, {"publication_date": partial(is_news_at, now - timedelta(days=NEWS_MAX_AGE_DAYS), now)})
    members = (_noted(member, "title", None) for member in news.members)
    image = _medium(IMAGE, {})
    return (
        image._replace(members=tuple(_noted(member, "loc", None) for member in image.members), differ=True),
        _medium(VIDEO, dates)._replace(together=_are_no_pages, raised_together=Signal.MEDIA_ADDRESS, apart=True),
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
        test = ends_like_video if field.name == "content_loc" else None
        noted = field.name in spec.one_of
        counted = _COUNTED.get((spec.name, field.name), 0)
        made = made._replace(form=ADDRESS, raised=Signal.MEDIA_ADDRESS, test=test, noted=noted)
        return made._replace(by_ending=test is not None, counted=counted)
    if field.kind is FieldKind.TEXT:
        most_characters = min(field.max_length or ENDLESS, field.xsd_max_length or ENDLESS)
        return made._replace(form=TEXT, raised=Signal.MEDIA_TEXT, most_characters=most_characters)
    raised = Signal.MEDIA_DATE if field.kind is FieldKind.DATETIME else Signal.MEDIA_VALUE
    return made._replace(raised=raised, test=_test(field, dates))


def _test(field: FieldSpec, dates: dict[str, Test]) -> Test | None:
    if field.kind in (FieldKind.INTEGER, FieldKind.DECIMAL):
        maximum = ENDLESS if field.maximum is None else field.maximum
        return partial(is_number, field.kind, field.minimum or 0, maximum)
    if field.kind is FieldKind.DATETIME:
        return dates[field.name]
    if field.kind is FieldKind.COUNTRIES:
        return partial(are_known, frozenset(REGIONS))
    if field.kind in (FieldKind.CHOICE, FieldKind.CHOICES):
        return partial(are_known, frozenset(field.values))
    return is_news_language if field.kind is FieldKind.LANGUAGE else None


def _are_no_pages(addresses: Sequence[str], page: str) -> bool:
    for address in addresses:  # noqa: SIM110 - called for each entry, where a generator costs more than the work
        if not differs_from_page(address, page):
            return False
    return True


def _are_apart(noted: Sequence[str], _page: str) -> bool:
    """The name of the paper and the headline; another order or number needs a rule."""
    return len(noted) == 2 and is_headline(noted[1], noted[0])


ALL = (
    (Signal.LINKS | Signal.LINK_CODE | Signal.LINK_HREF | Signal.LINK_SELF)
    | (Signal.CAPTIONED | Signal.MEDIA_MISSING | Signal.MEDIA_SHAPE)
    | (Signal.MEDIA_ADDRESS | Signal.MEDIA_TEXT | Signal.MEDIA_DATE | Signal.MEDIA_VALUE)
)
_STRANGE = 255
"""the kind of a prefix that only a closer look can tell"""
_NAMESPACES = (namespaces.IMAGE, namespaces.VIDEO, namespaces.NEWS, namespaces.XHTML)
"""kinds are counted from 1, as in compiled code"""
_OF_MEDIA = frozenset({*_NAMESPACES, namespaces.MEDIA})
_DECLARED = lazy_pattern(rb"xmlns(?::[^\s=]+)?\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_PREFIX = lazy_pattern(r"(?:[A-Za-z_][A-Za-z0-9_-]*)?")
_EVERY_KIND = bytes((*range(len(_NAMESPACES) + 1), _STRANGE))


def media_signals(document: Document, now: datetime, notes: MediaNotes) -> Iterable[int]:
    """For each row, in order; ordinary links are noted, and what rules ask of all values of a field."""
    root, columns = document.root, document.columns
    several = document.troubles.has(TroubleKind.TWO_ROOTS)
    if root is None or document.kind is not Kind.URLSET or several or not is_compiled():
        raised = ALL if _may_have_media(document) else 0
        return [raised if mark & Mark.EXTENDED else 0 for mark in columns.marks]
    core = root.written.rpartition(":")[0]
    unbound = document.troubles.of((TroubleKind.UNBOUND_PREFIX,))
    # Prefixes of other namespaces → what their elements are; 0 for none of the media.
    declared = root.declared | {each.detail: assumed_namespace(each.detail) for each in unbound}
    found: dict[str, int] = {}
    for prefix, uri in sorted(declared.items()):
        meant = namespaces.recognise(uri)
        is_core = meant is not None and meant.uri == namespaces.SITEMAP
        if prefix != core and not is_core and uri and _PREFIX.fullmatch(prefix):
            found[prefix] = _kind(uri)
    if len(found) > MAX_PREFIXES:  # more are declared than are used
        found = {prefix: kind for prefix, kind in found.items() if f"<{prefix}".encode() in document.data}
    kinds = dict(list(found.items())[:MAX_PREFIXES])
    from urlset.reading.compiled import MediaJudge

    own = f"{core}:".encode() if core else b""
    known = tuple(f"{prefix}:".encode() if prefix else b"" for prefix in kinds)
    tests, by_number = (RowLinks, is_language_tag), bytes(kinds.values()) + _EVERY_KIND
    meaning = cache(lambda uri: _meaning(kinds, uri, root.namespace))
    judge = MediaJudge(document.data, own, known, by_number, media_of(now), tests, ALL, meaning)
    signals = judge.signals(columns, notes.links)
    if judge.complete:
        notes.image_hosts, notes.repeated = judge.hosts, judge.repeated
    return signals


def _may_have_media(document: Document) -> bool:
    """Whether any namespace of media is declared in the document, in whatever spelling, or assumed."""
    if document.troubles.has(TroubleKind.UNBOUND_PREFIX, TroubleKind.MISSING_ROOT, TroubleKind.BROKEN_ROOT):
        return True
    spans = document.columns.beside_usual(0, len(document.data))
    declared = {one or other for span in spans for one, other in _DECLARED.findall(document.data, *span)}
    return any(b"&" in uri or means(uri.decode("utf-8", "replace")) in _OF_MEDIA for uri in declared)


def _kind(uri: str) -> int:
    """What elements of this namespace are, which is not that of the core elements."""
    if uri in _NAMESPACES:
        return 1 + _NAMESPACES.index(uri)
    meant = namespaces.recognise(uri)
    return _STRANGE if meant is not None and meant.uri in _NAMESPACES else 0


def _meaning(kinds: dict[str, int], uri: bytes, core: str) -> int:
    """A namespace that is declared inside an entry → the number of its kind; -1 when it is not certain."""
    foreign = declared_inside(uri, core)
    return foreign if foreign < 0 else len(kinds) + _EVERY_KIND.index(_kind(uri.decode()))
