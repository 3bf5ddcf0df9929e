"""Comments, docstrings, messages, and docs → no phrase that has a plain replacement.

The table is short on purpose: it holds the phrasings that came up again and again, not a style guide. Every room
of the package and every handwritten page is checked.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from tests.house.source_tree import ROOT, Module, package

SOURCES = tuple(
    f"src/urlset/{room.name}"
    for room in sorted((ROOT / "src" / "urlset").iterdir())
    if room.is_dir() and room.name != "__pycache__"
)
DATA = (
    "src/urlset/spec/citations.py",  # what sources say
    "src/urlset/spec/languages.py",  # ISO 15924 codes: Mend is a script
    "src/urlset/workflows/demo/sample/draft.py",  # words that pages are made of
)
"""modules whose strings are data, not language"""
GENERATED = frozenset({"cli.md", "coverage.md", "demo.md"})
PAGES: tuple[str, ...] = (
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
)
"""hand-written Markdown files, relative to the project; generated pages follow from their sources"""


class Phrase(NamedTuple):
    """One banned phrasing: a pattern, what to write instead, and a sentence that has it."""

    pattern: str
    instead: str
    example: str


PHRASES = (
    Phrase(r"\b(?:no|some|any|every)body\b", "name the subject: crawlers, engines, users, you", "nobody reads it"),
    Phrase(r"\bwho(?:ever|soever)\b", "name the subject: a client, a crawler", "whoever follows the link"),
    Phrase(r"\bso that\b", '"so" for a consequence, "to" for a purpose', "escaped, so that it is safe"),
    Phrase(r"\bbesides\b", '"in addition to", "other", or "also"', "what is known besides"),
    Phrase(r"\b(?:is|are|was|were) asked\b", '"is requested" or "is needed"', "the page is asked for"),
    Phrase(r"\b(?:is|are|was|were|be) told\b", '"is reported" or "is stated"', "it is told once"),
    Phrase(r"\btells? of\b", '"reports" or "describes"', "X011 tells of them"),
    Phrase(r"(?<!-)\bstands?\b(?!-| ?alone)", '"is", "means", or "covers"', "a space stands before it"),
    Phrase(r"\bmend(?:s|ed|ing)?\b", '"fix"', "fixes that mend a file"),
    Phrase(r"\btakes? (?:it|them|the \w+|this \w+) out\b", '"remove"', "take the entry out"),
    Phrase(r"\blets? (?:\w+ )?pass\b", '"accept" or "not report"', "such files are let pass"),
    Phrase(r"\bin vain\b", '"without success"', "crawlers ask in vain"),
    Phrase(r"\bwhite space\b", '"whitespace"', "white space around a date"),
    Phrase(r"\b(?:upper|lower) case\b", '"uppercase", "lowercase"', "in lower case"),
    Phrase(r"\b(?:mis|re)?spelt\b(?!-)", '"misspelled" or "written"', "a misspelt name"),
    Phrase(r"\bcommonest\b", '"most common"', "the commonest fix"),
    Phrase(r"\bkept? (?:us|it|them|urlset|\w+bots?) out\b", '"block"', "a page that kept us out"),
    Phrase(r"\bon whose\b|\bfor whom\b", "name the source, or the affected engines", "why, and on whose word"),
    Phrase(r"\bwish(?:es)?\b|\bwants? to\b", '"requires" or "should"', "what the host wishes"),
    Phrase(r"\bminds\b", '"affects", "reports", or "rejects"', "no engine minds"),
    Phrase(
        r"\bspeaks? (?:for|of|against)\b", '"covers", "describes", or "found no blockers"', "it speaks for the site"
    ),
    Phrase(r"(?<!there )(?<!There )\b(?:is|are) no (?!longer\b|more\b)", '"is not a"', "a word that is no number"),
    Phrase(
        r"\bhowever (?:many|few|often|large|small|mild|long)\b", '"regardless of" or "any number of"', "however many"
    ),
    Phrase(r"\bgoes on\b|\bgo on (?:with|as|where)\b", '"continues" or "resumes"', "the run goes on"),
    Phrase(r"\bbroke down\b|\bbreaks down\b", '"crashed" or "failed"', "the rule broke down"),
    Phrase(r"\bnot fine\b", '"with problems"', "pages that are not fine"),
    Phrase(r"\bof (?:its|their) own\b(?! \w)", '"its own X"', "a line of its own"),
    Phrase(r"\b(?:thereof|thereby|whereby|whence|wherein|hereby)\b", "a plain clause", "whereby it fails"),
)
ANY = re.compile("|".join(f"(?:{each.pattern})" for each in PHRASES), re.IGNORECASE)
_FENCED = re.compile(r"^(`{3,}|~{3,}).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`[^`\n]+`")


def findings(text: str, shown: str, first: int = 1) -> Iterator[str]:
    """The banned phrases of a text whose first line has this number, each with what to write instead."""
    for phrase in PHRASES:
        for match in re.finditer(phrase.pattern, text, re.IGNORECASE):
            line = first + text.count("\n", 0, match.start())
            yield f"{shown}:{line}: {match[0]!r}: write {phrase.instead}"


def said_in(module: Module) -> Iterator[tuple[int, str]]:
    """The comments and string literals of a module, with their line numbers; names are not language."""
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type in kinds:
            yield token.start[0], token.string


@cache
def prose(page: str) -> str:
    """A Markdown page without its code; lines keep their numbers."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = _FENCED.sub(lambda match: "\n" * match[0].count("\n"), text)
    return _INLINE.sub("`code`", text)


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_each_pattern_finds_its_example_and_its_replacement_is_allowed(phrase: Phrase) -> None:
    assert re.search(phrase.pattern, phrase.example, re.IGNORECASE)
    assert not re.search(phrase.pattern, phrase.instead, re.IGNORECASE)


@pytest.mark.parametrize("folder", SOURCES)
def test_sources_are_in_plain_english(folder: str) -> None:
    found = [
        finding
        for module in package()
        if module.shown.startswith(f"{folder}/") and module.shown not in DATA
        if ANY.search(module.text)  # most files have no hit, and tokenizing is slow
        for line, text in said_in(module)
        for finding in findings(text, module.shown, line)
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_in_plain_english(page: str) -> None:
    found = list(findings(prose(page), page))
    assert not found, "\n" + "\n".join(found)
