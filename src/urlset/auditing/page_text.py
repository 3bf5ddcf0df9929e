"""A page that was read → its text in blocks, its own words, marks of an error page; and what all pages repeat."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from functools import cached_property
from zlib import crc32

from urlset.auditing.store import AuditStore, What
from urlset.model.page import PageFacts
from urlset.reading.fingerprint import MOST_DISTINCT, BlockCounter, block_of, boilerplate_of
from urlset.reading.host_robots import origin_of
from urlset.spec.error_phrases import STATE_MARKS, TEMPLATE_MARK
from urlset.spec.protection import SIGN_IN_WORDS

_TAGS = re.compile(rb"<(img|amp-img|video|audio|iframe|canvas|object|embed|select|textarea|input\b[^>]*)")
_PICTURES = frozenset({b"img", b"amp-img"})
_FIELDS = frozenset({b"select", b"textarea"})
_COUNTING_FRAME = b"googletagmanager.com/ns.html"
_NO_FIELD = re.compile(rb"type=[\"']?(?:hidden|submit|search|button|image|reset)", re.IGNORECASE)
_PASSWORD = re.compile(rb"type=[\"']?password", re.IGNORECASE)
_APP_ROOTS = re.compile(
    rb"id=[\"']?(?:root|app|__next|__nuxt|app-root|svelte|q-app|___gatsby)[\"'\s>]|<app-root\b|\bng-app\b"
)
_SHELL_WORDS = 100
"""a page that shows more was not left to scripts"""
_FEWEST_WORDS = 20
"""with fewer a page says nothing: a title, the label of a field, a request to turn scripts on"""
_LOGIN_WORDS = 80
# Not data for search engines and not a template.
_RUNNING_SCRIPT = re.compile(
    rb"<script(?![^>]*\btype\s*=\s*[\"']?\s*(?:application/(?:ld\+)?json|text/(?:html|template|x-)|importmap))[\s>]",
    re.IGNORECASE,
)
_TAG_END = 4000


def runs_scripts(body: bytes) -> bool:
    """Whether the HTML has a script that a browser runs."""
    return _RUNNING_SCRIPT.search(body) is not None


class PageText:
    """The text at once, the marks lazily: most pages have so many words that nothing else is needed."""

    def __init__(self, facts: PageFacts, body: bytes, apart: Collection[int] = frozenset()) -> None:
        """`apart` holds the blocks that the site repeats on other pages, its error page among them."""
        self.facts, self._body = facts, body
        frame = frozenset(facts.frame)
        self.blocks: list[int] = []
        """the hash of each block that says something"""
        self.counts: list[int] = []
        """the words of each of them; none where the page marks it as frame"""
        self.texts: list[str] = []
        self.own: list[str] = []
        """texts outside the frame that other pages do not show"""
        self.own_words = 0
        for text in facts.blocks:
            block, words = block_of(text), 0 if text in frame else words_in(text)
            if block is not None:
                self.blocks.append(block)
                self.counts.append(words)
                self.texts.append(text)
            if words and block not in apart:
                self.own.append(text)
                self.own_words += words
        self.shown_words = sum(self.counts) + sum(map(words_in, frame))

    @cached_property
    def marked_as_error(self) -> bool:
        """Site software says in the markup that this is its error page."""
        start = self._body.find(b"<body")
        tag = self._body[start : self._body.find(b">", start, start + _TAG_END) + 1] if start >= 0 else b""
        return TEMPLATE_MARK.search(tag) is not None or any(mark in self._body for mark in STATE_MARKS)

    @cached_property
    def _tags(self) -> list[bytes]:
        return _TAGS.findall(self._body)

    @cached_property
    def pictures(self) -> int:
        return sum(tag in _PICTURES for tag in self._tags)

    @cached_property
    def players(self) -> int:
        """Videos, maps, drawings: anything that runs in its own frame."""
        others = sum(tag not in _PICTURES and tag not in _FIELDS and tag[:5] != b"input" for tag in self._tags)
        return max(0, others - self._body.count(_COUNTING_FRAME)) if others else 0

    @cached_property
    def fields(self) -> int:
        return sum(tag in _FIELDS or (tag[:5] == b"input" and _NO_FIELD.search(tag) is None) for tag in self._tags)

    @cached_property
    def has_login(self) -> bool:
        return any(_PASSWORD.search(tag) is not None for tag in self._tags)

    @cached_property
    def is_blank(self) -> bool:
        return self._shows_nothing and not self._runs_scripts

    @cached_property
    def only_scripts(self) -> bool:
        """A shell that is empty until a browser runs its scripts."""
        few = self.made_by_scripts and self.shown_words < _FEWEST_WORDS
        return (few and not self.fields) or (self._shows_nothing and self._runs_scripts)

    @cached_property
    def only_login(self) -> bool:
        """A form to sign in; a page that has one beside its text is about something else."""
        if self.own_words >= _LOGIN_WORDS or not self.has_login:
            return False
        said = f"{self.facts.title or ''}\n{self.facts.heading or ''}".casefold()
        return self.own_words < _FEWEST_WORDS or SIGN_IN_WORDS.search(said) is not None

    @cached_property
    def _shows_nothing(self) -> bool:
        return not (self.shown_words or self.pictures or self.players or self.fields)

    @cached_property
    def _runs_scripts(self) -> bool:
        return runs_scripts(self._body)

    @cached_property
    def made_by_scripts(self) -> bool:
        """An empty place and scripts that fill it: what readers see is not in the HTML."""
        if self.shown_words > _SHELL_WORDS or b"<script" not in self._body:
            return False
        return _APP_ROOTS.search(self._body) is not None


# Text → how many words it has, in scripts with and without spaces between them.

# Chinese and Japanese need about two characters for a word; Thai, Lao, Khmer and Burmese about five.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SPACELESS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")


def words_in(text: str) -> int:
    """Of a text whose whitespace is collapsed."""
    if not text:
        return 0
    spaced = text.count(" ") + 1
    if text.isascii() or len(text.encode("utf-8", "replace")) < 1.6 * len(text):
        return spaced  # too few wide characters for one of those scripts
    return max(spaced, len(_DENSE.findall(text)) // 2 + len(_SPACELESS.findall(text)) // 5)


# The number of pages to be asked → whose texts are kept, to learn from them what the site repeats on its pages.
#
# What most pages say is known from a thousand of them as well as from all. Of the others only short pages are read word
# for word: whatever a long one repeats, there is enough left that is its own.

ENOUGH = 1_000
FEWEST = 200
"""if fewer of the sample were requested, every text that was kept counts"""


class TextSample:
    """Every so many-th page, by the number it has in the store: the same ones when an audit is taken up again."""

    def __init__(self, pages: int) -> None:
        self._one_in = max(1, pages // ENOUGH)

    def __contains__(self, page: int) -> bool:
        return self._one_in == 1 or crc32(b"%d" % page) % self._one_in == 0


# The text of a page ↔ the form in which it is kept.


def pack_text(blocks: tuple[int, ...], words: tuple[int, ...]) -> bytes | None:
    """Twelve bytes for each block: its hash and its words."""
    if not blocks:
        return None
    return array("q", blocks).tobytes() + array("I", words).tobytes()


def unpack_text(data: bytes) -> tuple[tuple[int, ...], tuple[int, ...]]:
    count = len(data) // 12
    with suppress(ValueError):
        return tuple(array("q", data[: count * 8])), tuple(array("I", data[count * 8 :]))
    return (), ()


# The texts of all pages → what each host repeats on its pages, which is not a page's own text.
#
# Menus and footers are those of a host: counted over several hosts together, those of the smaller ones would pass for
# what their pages have to say.

_HOSTS = 8
"""counted by themselves, the largest; the others together"""
_LARGE = 20
"""pages from which a host is"""
_MOST_HOSTS = 10_000


class Boilerplate:
    """Counted once, then looked up for each page."""

    def __init__(self, store: AuditStore) -> None:
        self._store = store
        self._sample = TextSample(store.count(chosen=True, kind=What.PAGE))
        self._large = self._large_hosts()
        self._of_host = {origin: self._found(origin) for origin in self._large}
        self._of_others = self._found(None)

    def of(self, url: str) -> frozenset[int]:
        return self._of_host.get(origin_of(url) or "", self._of_others) if self._of_host else self._of_others

    def _large_hosts(self) -> tuple[str, ...]:
        """None where one host has all pages."""
        pages: Counter[str] = Counter()
        for _, url, _ in self._store.texts():
            pages[origin_of(url) or ""] += 1
            if len(pages) > _MOST_HOSTS:
                return ()
        if len(pages) == 1:
            return ()
        return tuple(origin for origin, count in pages.most_common(_HOSTS) if count >= _LARGE)

    def _found(self, origin: str | None) -> frozenset[int]:
        """On the pages of one host; None for those of all hosts that are not counted by themselves."""
        for sampled in (True, False):
            counter = BlockCounter(MOST_DISTINCT // (len(self._large) + 1))
            for page, url, text in self._store.texts():
                own = origin_of(url) if self._large else origin
                belongs = own == origin if origin is not None or not self._large else own not in self._large
                if belongs and (not sampled or page in self._sample):
                    counter.add(unpack_text(text)[0])
            if counter.pages >= FEWEST:
                break
        return boilerplate_of(counter)
