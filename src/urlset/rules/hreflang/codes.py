"""Is each hreflang value a language, with a script and a region that exist, in the right form?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache, partial
from typing import NamedTuple

import msgspec

from urlset.checking.declare import bad, good, google_error, google_warning
from urlset.model.columns import Edit
from urlset.model.entry import Attribute
from urlset.rules import Fix, Has, LinkSet, Problem, Safety, Severity, Signal
from urlset.rules.hreflang.links import links_of, text_of
from urlset.spec.languages import (
    COUNTRY_TRAPS,
    LANGUAGES,
    REGION_FOR_LANGUAGE,
    REGIONS,
    RESERVED,
    SCRIPTS,
    THREE_LETTER,
    UN_M49_DIGITS,
    WITHDRAWN,
    X_DEFAULT,
)
from urlset.spec.lazy_pattern import lazy_pattern

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
        elif len(text) == UN_M49_DIGITS and text.isdigit():
            message = f"UN region {text!r} is not supported; use a country or remove it"
            yield subtag.says(TagFault.OTHER_SUBTAG, message)
        else:
            message = f"{text!r} is not a script or country, so it is not supported"
            yield subtag.says(TagFault.OTHER_SUBTAG, message)


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


def _is_reversed(first: _Subtag, second: _Subtag) -> bool:
    if first.lower in LANGUAGES or not _is_region(first.upper) or second.lower not in LANGUAGES:
        return False
    # in-ID is Indonesian with its old code, IN-en is English of India in the wrong order
    return not (first.lower in WITHDRAWN and second.upper in REGIONS)


def _is_region(code: str) -> bool:
    return code in REGIONS or code in RESERVED


# The judged hreflang values of a page → problems of one kind, with place and fix.

tag_error = partial(google_error, when=Signal.LINKS | Signal.LINK_CODE, kinds=Has.URL_ELEMENTS)
tag_warning = partial(google_warning, when=Signal.LINKS | Signal.LINK_CODE, kinds=Has.URL_ELEMENTS)
"""a rule on the values that `tag_problems` has judged"""


def tag_problems(links: LinkSet, fault: TagFault) -> Iterator[Problem]:
    known: _JudgedTags | None = links.shared.get("tag problems")
    if known is None:
        tagged = [link for link in links_of(links) if link.hreflang is not None]
        values = tuple([link.language for link in tagged])
        judged = zip([link.hreflang for link in tagged], judge_tags(values), strict=True)
        every = [(attribute, each) for attribute, found in judged for each in found if attribute is not None]
        known = links.shared["tag problems"] = _JudgedTags(every, frozenset(map(str.lower, values)))
    for attribute, problem in known.problems:
        if problem.fault is fault:
            # a country code that is also a language code may be correct
            doubtful = problem.fault is TagFault.REGION_ALONE and not problem.certain
            yield Problem(
                attribute.value.part(problem.start, problem.end),
                problem.message,
                _fix(attribute, problem, known.codes),
                severity=Severity.WARNING if doubtful else None,
            )


class _JudgedTags(NamedTuple):
    problems: list[tuple[Attribute, TagProblem]]
    codes: frozenset[str]
    """all values of the page, in lowercase"""


def _fix(attribute: Attribute, problem: TagProblem, codes: frozenset[str]) -> Fix | None:
    if problem.instead is None:
        return None
    value = text_of(attribute)
    instead = problem.instead
    old = value[problem.start : problem.end]
    if problem.fault is TagFault.WITHDRAWN and old.isupper():
        instead = instead.upper()
    spans = ((problem.start, problem.end), *problem.again)
    new = value
    for start, end in reversed(spans):
        new = new[:start] + instead + new[end:]
    if new.lower() in codes:
        return None  # the page already has a link for the correct code, so one of the two must be removed
    edits = tuple(Edit(attribute.value.part(start, end), instead.encode()) for start, end in spans)
    return Fix(f"write {new}", edits, Safety.SAFE if problem.certain else Safety.REVIEW)


# Are the language, script, and region codes supported by Google?

_SELF = '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/"/>'


def _link(tag: str) -> str:
    return f'{_SELF}<xhtml:link rel="alternate" hreflang="{tag}" href="https://example.com/2"/>'


@tag_error("H006", cites=("google-hreflang", "iso-639"))
@bad(_link("«xx»"), _link("«english»"), _link("«xx»-US"), _link("«x»-default-de"), _link("«de,at»"))
@good(_link("de"), _link("DE"), _link("x-default"), _link("X-Default"), _link(" de "), _link("yi"))
def unknown_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang does not start with a known two-letter language code.

    Google supports only ISO 639-1 languages. It ignores a link with an unknown language.
    """
    return tag_problems(links, TagFault.LANGUAGE)


@tag_error("H007", cites=("google-hreflang", "iso-3166"))
@bad(_link("en-«XX»"), _link("de-«en»"), _link("en-«USA»"), _link("zh-Hant-«ZZ»"))
@good(_link("en-GB"), _link("en-gb"), _link("zh-Hant-TW"), _link("sr-Latn-RS"))
def unknown_hreflang_region(links: LinkSet) -> Iterator[Problem]:
    """hreflang has an unassigned region code.

    The region must be a two-letter ISO 3166-1 country code. With any other code, the link does not reach its audience.
    """
    return tag_problems(links, TagFault.REGION)


@tag_error("H008", cites=("google-hreflang", "iso-3166"))
@bad(_link("en-«UK»"), fixed=_link("en-GB"))
@bad(_link("en-«uk»"), fixed=_link("en-gb"))
@bad(
    _link("es-«EU»"),
    _link("en-«UN»"),
    '<xhtml:link rel="alternate" hreflang="en-«UK»" href="https://example.com/"/>'
    '<xhtml:link rel="alternate" hreflang="en-GB" href="https://example.com/gb"/>',
)
@good(_link("en-GB"), _link("uk"), _link("uk-UA"), _link("eu-ES"))
def reserved_hreflang_region(links: LinkSet) -> Iterator[Problem]:
    """hreflang has a reserved code such as UK or EU as region.

    ISO reserves some two-letter codes without assigning them to a country. Google ignores such a region, so the page
    targets the whole language. The code of the United Kingdom is GB.
    """
    return tag_problems(links, TagFault.RESERVED_REGION)


@tag_error("H012", cites=("google-hreflang", "iso-15924"))
@bad(_link("zh-«Hanz»"), _link("sr-«Latm»-RS"))
@good(_link("zh-Hans"), _link("zh-hant"), _link("zh-Hans-US"), _link("sr-Cyrl"))
def unknown_hreflang_script(links: LinkSet) -> Iterator[Problem]:
    """hreflang has an unknown script code.

    Four letters after the language are an ISO 15924 script, such as Hans and Hant for Chinese. A wrong script makes the
    whole value invalid.
    """
    return tag_problems(links, TagFault.SCRIPT)


@tag_error("H013", cites=("google-hreflang", "un-m49", "rfc5646"))
@bad(_link("es-«419»"), _link("de-«1996»"), _link("ca-«valencia»"), _link("en-«x»-«pirate»"))
@good(_link("es-MX"), _link("es"), _link("x-default"))
def unsupported_hreflang_subtag(links: LinkSet) -> Iterator[Problem]:
    """hreflang contains subtags that Google does not support.

    Language tags may contain UN regions such as 419 for Latin America, variants, and private-use subtags. hreflang only
    supports a language, a script, and a country. List the countries one by one, or only the language.
    """
    return tag_problems(links, TagFault.OTHER_SUBTAG)


@tag_error("H014", cites=("google-hreflang", "iso-639"))
@bad(_link("«fil»"), _link("«ger»"), _link("«eng»-US"))
@good(_link("tl"), _link("de"), _link("en-US"))
def three_letter_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang starts with a three-letter language code.

    hreflang does not support ISO 639-2 and 639-3 codes, even if the language has no two-letter code.
    """
    return tag_problems(links, TagFault.THREE_LETTERS)


@tag_warning("H027", cites=("iso-639", "general-knowledge"))
@bad(_link("«iw»"), fixed=_link("he"))
@bad(_link("«in»-ID"), fixed=_link("id-ID"))
@bad(_link("«JI»"), fixed=_link("YI"))
@bad(_link("«sh»"), fixed=_link("sr"))
@bad(_link("«bh»"))
@good(_link("he"), _link("id"), _link("yi"), _link("jv"), _link("ro-MD"))
def withdrawn_hreflang_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang has a language code that ISO has withdrawn.

    Some parsers still support the old codes, but the list that Google references does not contain them: he replaced iw,
    id replaced in, and yi replaced ji.
    """
    return tag_problems(links, TagFault.WITHDRAWN)


# Is the hreflang value of the form `language`, `language-REGION`, or `language-Script-REGION`?


def _links(*tags: str) -> str:
    others = "".join(
        f'<xhtml:link rel="alternate" hreflang="{tag}" href="https://example.com/{number}"/>'
        for number, tag in enumerate(tags)
    )
    return _SELF + others


@tag_error("H009", cites=("google-hreflang", "iso-3166"))
@bad(_links("«us»"), _links("«gb»"), _links("«jp»", "«se»"), _links("«ch»"), _links("«GB»", "«be»", "de"))
@good(_links("en-us"), _links("be"), _links("be-BY"), _links("ca", "fr"), _links("se", "nb"), _links("uk"))
def hreflang_region_without_language(links: LinkSet) -> Iterator[Problem]:
    """hreflang is a country code instead of a language.

    The language always comes first; a country alone has no meaning. Some codes are both: be is Belarusian, not Belgium,
    and ch is Chamorro, not Switzerland. Such a code is only reported if the language is rare on the web, or if the page
    has other countries without a language.
    """
    return tag_problems(links, TagFault.REGION_ALONE)


@tag_error("H010", cites=("google-hreflang", "rfc5646"))
@bad(_links("en«_»US"), fixed=_links("en-US"))
@bad(_links("zh«_»Hant_TW"), fixed=_links("zh-Hant-TW"))
@bad(_links("x«_»default"), fixed=_links("x-default"))
@bad(_links("en«\u2013»GB"), fixed=_links("en-GB"))
@bad(_links("en«--»GB"), fixed=_links("en-GB"))
@bad(_links("en«-»"))
@good(_links("en-US"), _links("zh-Hant-TW"))
def hreflang_separator(links: LinkSet) -> Iterator[Problem]:
    """The parts of a hreflang value are not separated by a hyphen.

    Locale names in programs are written en_US. hreflang requires en-US; the other form is ignored.
    """
    return tag_problems(links, TagFault.SEPARATOR)


@tag_error("H011", cites=("google-hreflang", "rfc5646"))
@bad(_links("«US-en»"), _links("zh-TW-«Hant»"), _links("en-US-«GB»"))
@good(_links("en-US"), _links("zh-Hant-TW"), _links("ca-FR"))
def hreflang_order(links: LinkSet) -> Iterator[Problem]:
    """The parts of a hreflang value are in the wrong order.

    The order is language, script, region. In any other order, the region is read as an unknown language.
    """
    return tag_problems(links, TagFault.ORDER)
