"""The hreflang values of a page → their problems, and the characters that show them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

import msgspec

from urlset.spec.languages import COUNTRY_TRAPS, LANGUAGES, REGION_FOR_LANGUAGE, THREE_LETTER, WITHDRAWN, X_DEFAULT
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.regions import REGIONS, RESERVED, UN_M49_DIGITS
from urlset.spec.scripts import SCRIPTS

_SUBTAG = lazy_pattern(r"[^\W_]+")
_DASHES = "_./: \u00a0\u2010\u2011\u2012\u2013\u2014\u2212"
_DASH = rf"[-{re.escape(_DASHES)}]"
# a run of dashes between letters or digits that is not one hyphen, or a dash at the end
_MISSEPARATED = lazy_pattern(rf"(?<=[^\W_])(?:(?!-[^\W_]){_DASH}+(?=[^\W_])|{_DASH}+\Z)")
_PRIVATE = "x"
_SHOWN = 40

# The same for languages that are used on the web: suspicious only if the page uses other countries this way.
_LIKELY_COUNTRIES = {
    "ar": "es-AR",
    "be": "nl-BE or fr-BE",
    "br": "pt-BR",
    "ca": "en-CA or fr-CA",
    "cy": "el-CY",
    "ee": "et-EE",
    "my": "ms-MY",
    "se": "sv-SE",
    "si": "sl-SI",
}


class TagFault(Enum):
    """One kind of problem in a hreflang value; each is one rule."""

    LANGUAGE = "H006"
    REGION = "H007"
    RESERVED_REGION = "H008"
    REGION_ALONE = "H009"
    SEPARATOR = "H010"
    ORDER = "H011"
    SCRIPT = "H012"
    OTHER_SUBTAG = "H013"
    THREE_LETTERS = "H014"
    WITHDRAWN = "H027"


class TagProblem(msgspec.Struct, frozen=True):
    """A problem of one value: characters `start` to `end` of the trimmed value."""

    fault: TagFault
    start: int
    end: int
    message: str
    instead: str | None = None
    """the correct characters, if known with high confidence"""
    certain: bool = True
    """False if `instead` or the problem itself is only likely"""
    again: tuple[tuple[int, int], ...] = ()
    """other places with the same problem"""


class _Subtag(msgspec.Struct, frozen=True):
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def upper(self) -> str:
        return self.text.upper()

    def says(self, fault: TagFault, message: str, instead: str | None = None, *, certain: bool = True) -> TagProblem:
        return TagProblem(fault, self.start, self.end, message, instead, certain)


@lru_cache(maxsize=4096)
def judge_tags(values: tuple[str, ...]) -> tuple[tuple[TagProblem, ...], ...]:
    """The problems of each value; the other values help to tell a country code from a language code."""
    judged = [judge_tag(value) for value in values]
    countries = any(problem.fault is TagFault.REGION_ALONE for problems in judged for problem in problems)
    traps = COUNTRY_TRAPS | _LIKELY_COUNTRIES if countries else COUNTRY_TRAPS
    return tuple(problems or tuple(_trap(value.strip(), traps)) for value, problems in zip(values, judged, strict=True))


def _trap(value: str, traps: dict[str, str]) -> Iterator[TagProblem]:
    meant = traps.get(value.lower())
    if meant is not None:
        language, country = LANGUAGES[value.lower()], REGIONS[value.upper()]
        message = f"{value!r} is the language {language}; for {country} write {meant}"
        yield TagProblem(TagFault.REGION_ALONE, 0, len(value), message, certain=False)


@lru_cache(maxsize=4096)
def judge_tag(value: str) -> tuple[TagProblem, ...]:
    """The problems of a single value, in text order."""
    text = value.strip()
    if not text or text.lower() == X_DEFAULT:
        return ()
    return tuple(sorted(_judge(text), key=lambda problem: problem.start))


def _judge(text: str) -> Iterator[TagProblem]:
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
    yield from _judge_separators(text, shown)
    rest = _MISSEPARATED.sub(lambda found: "-" * len(found.group()), text)
    if rest.lower() == X_DEFAULT:
        return
    subtags = [_Subtag(found.group(), found.start()) for found in _SUBTAG.finditer(rest)]
    if not subtags or not re.fullmatch(r"[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*-*", rest):
        yield TagProblem(TagFault.LANGUAGE, 0, len(text), f"{shown!r} is not a valid language code")
        return
    first, others = subtags[0], subtags[1:]
    if others and _is_reversed(first, others[0]):
        message = f"{shown!r} has the region before the language; put the language first"
        yield TagProblem(TagFault.ORDER, first.start, others[0].end, message)
        others = others[1:]
    else:
        yield from _judge_language(first, alone=not others)
    if first.lower != _PRIVATE:  # subtags after it have no defined meaning
        yield from _judge_rest(others)


def _judge_separators(text: str, shown: str) -> Iterator[TagProblem]:
    inside = [found for found in _MISSEPARATED.finditer(text) if found.end() < len(text)]
    if inside:
        message = f"{shown!r} contains the separator {inside[0].group()!r}; use a hyphen"
        again = tuple(found.span() for found in inside[1:])
        yield TagProblem(TagFault.SEPARATOR, *inside[0].span(), message, "-", again=again)
    elif (last := _MISSEPARATED.search(text)) is not None:
        yield TagProblem(TagFault.SEPARATOR, *last.span(), f"{shown!r} ends with a separator; remove it")


def _judge_language(first: _Subtag, *, alone: bool) -> Iterator[TagProblem]:
    code = first.lower
    if code in LANGUAGES:
        return
    if code in WITHDRAWN:
        withdrawn = WITHDRAWN[code]
        advice = f"; write {withdrawn.replacement!r}" if withdrawn.replacement else ""
        message = f"{first.text!r} was withdrawn from ISO 639-1 ({withdrawn.meant}){advice}"
        # "in", "mo", and "sh" alone may also mean India, Macao, and Saint Helena
        certain = code not in ("mo", "sh") and not (alone and _is_region(first.upper))
        yield first.says(TagFault.WITHDRAWN, message, withdrawn.replacement, certain=certain)
    elif _is_region(first.upper) and alone:
        speaks = REGION_FOR_LANGUAGE.get(code)
        advice = f"; write {speaks}-{first.upper}" if speaks else "; put the language first"
        yield first.says(TagFault.REGION_ALONE, f"{first.text!r} is a country, not a language{advice}")
    elif len(code) == 3 and code.isascii() and code.isalpha():
        two = THREE_LETTER.get(code)
        advice = f"; write {two!r}" if two else ""
        message = f"{first.text!r} has three letters, but only two-letter ISO 639-1 codes are supported{advice}"
        yield first.says(TagFault.THREE_LETTERS, message)
    else:
        shown = first.text[:_SHOWN]
        yield first.says(
            TagFault.LANGUAGE, f"{shown!r} is not an ISO 639-1 language, so the link is ignored; use a two-letter code"
        )


def _judge_rest(subtags: list[_Subtag]) -> Iterator[TagProblem]:
    script = region = False
    for subtag in subtags:
        text = subtag.text
        if len(text) == 4 and text.isalpha():
            if script or region:
                yield subtag.says(TagFault.ORDER, f"misplaced script {text!r}; put it after the language")
            elif text.capitalize() not in SCRIPTS:
                yield subtag.says(TagFault.SCRIPT, f"{text!r} is not an ISO 15924 script; correct or remove it")
            script = True
        elif len(text) == 2 and text.isalpha():
            if region:
                yield subtag.says(TagFault.ORDER, f"{text!r} follows the region, which must be last")
            else:
                yield from _judge_region(subtag)
            region = True
        elif len(text) == 3 and text.isalpha() and not region:
            yield subtag.says(TagFault.REGION, f"{text!r} is not a two-letter ISO 3166-1 region code")
            region = True
        else:
            yield _other_subtag(subtag)


def _judge_region(subtag: _Subtag) -> Iterator[TagProblem]:
    code, text = subtag.upper, subtag.text
    if code in REGIONS:
        return
    reserved = RESERVED.get(code)
    if reserved is not None:
        instead = reserved.instead[0] if len(reserved.instead) == 1 else None
        message = f"{text!r} ({reserved.meant}) is a reserved code, so the region is ignored; use a country code"
        if instead is not None and text.islower():
            instead = instead.lower()
        yield subtag.says(TagFault.RESERVED_REGION, message, instead, certain=code == "UK")
        return
    language = LANGUAGES.get(text.lower())
    what = f"the language {language}, not a region" if language else "not an ISO 3166-1 region; use a country code"
    yield subtag.says(TagFault.REGION, f"{text!r} is {what}")


def _other_subtag(subtag: _Subtag) -> TagProblem:
    text = subtag.text[:_SHOWN]
    if len(text) == UN_M49_DIGITS and text.isdigit():
        return subtag.says(TagFault.OTHER_SUBTAG, f"UN region {text!r} is not supported; use a country or remove it")
    return subtag.says(TagFault.OTHER_SUBTAG, f"{text!r} is not a script or country, so it is not supported")


def _is_reversed(first: _Subtag, second: _Subtag) -> bool:
    if first.lower in LANGUAGES or not _is_region(first.upper) or second.lower not in LANGUAGES:
        return False
    # in-ID is Indonesian with its old code, IN-en is English of India in the wrong order
    return not (first.lower in WITHDRAWN and second.upper in REGIONS)


def _is_region(code: str) -> bool:
    return code in REGIONS or code in RESERVED
