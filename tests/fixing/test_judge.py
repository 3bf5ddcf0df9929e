"""The last check of `fix`: what expat reads before and after, against what the report names."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from unittest import mock

import msgspec
import pytest

import urlset
from urlset.cli.main import main
from urlset.findings.fix_result import FixedFile
from urlset.fixing import fix as fixing
from urlset.fixing.fix import verified
from urlset.fixing.judge import ReportedUrls, objection
from urlset.model.document import Envelope
from urlset.workflows import fix as workflow
from urlset.workflows.fix import FixTarget

CORE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
A, B = "https://e.com/a", "https://e.com/b"


def urlset_of(*locs: str, inside: str = "", doctype: str = "") -> bytes:
    entries = "".join(f"<url><loc>{loc}</loc>{inside}</url>" for loc in locs)
    return f"{doctype}<urlset {CORE} {IMAGE}>{entries}</urlset>".encode()


def image(loc: str) -> str:
    return f"<image:image><image:loc>{loc}</image:loc></image:image>"


@pytest.mark.parametrize(
    ("before", "after", "named", "words"),
    [
        (urlset_of(A), urlset_of(A), ReportedUrls(), None),
        (urlset_of(A), urlset_of(A)[:-1], ReportedUrls(), "malformed"),
        (urlset_of(A)[:-1], urlset_of(B)[:-1], ReportedUrls(), None),
        (urlset_of(A, B), urlset_of(A), ReportedUrls(), "lost"),
        (urlset_of(A, B), urlset_of(A), ReportedUrls([B]), None),
        (urlset_of(A), urlset_of(B), ReportedUrls(), "lost"),
        (urlset_of(A), urlset_of(B), ReportedUrls(changed=[(A, B)]), None),
        (urlset_of(A), urlset_of(B), ReportedUrls(changed=[(A, "x"), ("x", B)]), None),
        (urlset_of(A), urlset_of(B), ReportedUrls(changed=[(A, "x"), ("x", A)]), "lost"),
        (urlset_of(A), urlset_of(A, B), ReportedUrls(), "new"),
        (urlset_of(A), urlset_of(A, B), ReportedUrls(may_add=True), None),
        (urlset_of("HTTP://E.com:80/%7Ea b"), urlset_of("http://e.com/~a%20b"), ReportedUrls(), None),
        (urlset_of(A, inside=image(B)), urlset_of(A), ReportedUrls(), "lost"),
        (urlset_of(A, inside=image(B)), urlset_of(A), ReportedUrls(edited=([150], [300])), None),
        (urlset_of(A, "c", inside=image(B)), urlset_of("c"), ReportedUrls([A]), "lost"),
        (urlset_of(A, inside=image(B)), urlset_of(), ReportedUrls([A]), None),
        (urlset_of(A).replace(b"loc>", b"link>"), urlset_of(A), ReportedUrls(), None),
        (
            urlset_of("&h;1", doctype=f"<!DOCTYPE urlset [<!ENTITY h '{A}'>]>"),
            urlset_of("&amp;h;1"),
            ReportedUrls(),
            "lost",
        ),
        (b"https://e.com/a\n", b"https://e.com/b\n", ReportedUrls(), None),
    ],
)
def test_what_is_lost_or_new_is_named(before: bytes, after: bytes, named: ReportedUrls, words: str | None) -> None:
    doubt = objection(before, [after], named)
    assert doubt is None if words is None else doubt is not None and words in doubt


def test_the_parts_of_a_split_file_are_judged_together() -> None:
    index = f"<sitemapindex {CORE}><sitemap><loc>https://e.com/1.xml</loc></sitemap></sitemapindex>".encode()
    assert objection(urlset_of(A, B), [index, urlset_of(A), urlset_of(B)], ReportedUrls(may_add=True)) is None
    assert objection(urlset_of(A, B), [index, urlset_of(A)], ReportedUrls(may_add=True)) is not None


def test_the_stored_bytes_are_judged_in_their_own_encoding() -> None:
    before = b'<?xml version="1.0" encoding="windows-1252"?>' + urlset_of("https://e.com/é")
    stored = before.decode().encode("cp1252")
    assert objection(before, [before], ReportedUrls(), (stored, [stored])) is None
    assert objection(before, [before], ReportedUrls(), (stored, [stored[:-2]])) is not None
    unknown = before.replace(b"windows-1252", b"gb18030")
    assert objection(unknown, [unknown], ReportedUrls(), (unknown, [unknown])) is None


BOMBS = [
    "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(12)),
    f'<!ENTITY e11 "{"x" * 100_000}">',
]


@pytest.mark.parametrize("subset", BOMBS)
def test_entities_that_expand_too_far_are_refused_at_once(subset: str) -> None:
    data = urlset_of(*["&e11;" * 1000] * 100, doctype=f"<!DOCTYPE urlset [{subset}]>")
    began = time.process_time()
    assert "entities" in (objection(data, [data], ReportedUrls()) or "")
    assert time.process_time() - began < 1


@pytest.fixture
def refusing() -> object:
    with mock.patch.object(fixing, "objection", return_value="no") as judge:
        yield judge


UNTIDY = urlset_of("https://E.com/a b")


def by_library(path: Path) -> None:
    assert urlset.fix(path).data == path.read_bytes()


def by_command(path: Path) -> None:
    main(["fix", str(path)])


def by_mcp(path: Path) -> None:
    from urlset.settings.fix import FixSettings

    targets = list(workflow.fix_targets(FixSettings(targets=(str(path),), unsafe=True)))
    assert not any(target.changed for target in targets if isinstance(target, FixTarget))


@pytest.mark.parametrize("fix", [by_library, by_command, by_mcp])
@pytest.mark.parametrize("name", ["sitemap.xml", "index.xml"])
def test_every_way_to_fix_asks_the_judge(
    refusing: mock.Mock, fix: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    data = UNTIDY if name == "sitemap.xml" else UNTIDY.replace(b"urlset", b"sitemapindex").replace(b"url>", b"sitemap>")
    path.write_bytes(data)
    fix(path)
    assert refusing.called
    assert path.read_bytes() == data


@pytest.mark.parametrize(("parts", "words"), [((0, 2, 4, 5), None), ((0, 2, 4), "lost")])
def test_the_files_of_a_split_are_verified(parts: tuple[int, ...], words: str | None) -> None:
    locs = [f"https://e.com/{number}" for number in range(5)]
    earlier = urlset.fix(urlset_of(*locs))
    pieces = [urlset_of(*locs[start:end]) for start, end in pairwise(parts)]
    result = msgspec.structs.replace(earlier, pieces=tuple(FixedFile("", (data,)) for data in pieces))
    refused = verified(result, earlier, Envelope(0, 0)).refused
    assert refused is None if words is None else refused is not None and words in refused
