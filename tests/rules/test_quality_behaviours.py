"""What family Q promises that no example can show: limits in bytes, and what is not complained about."""

from __future__ import annotations

import gzip

import msgspec
import pytest

from docs.catalog_codes import NON_RULE_CODES
from urlset.checking.context import Context, Thresholds
from urlset.checking.declare import AnyRule, Rule, wrap
from urlset.checking.engine import run
from urlset.findings.finding import Finding
from urlset.model.document import Document
from urlset.reading.read import read
from urlset.rules import quality
from urlset.rules.loc import duplicates, form, host, location, path
from urlset.spec.protocol import MAX_BYTES

MODULES = (
    duplicates,
    form,
    host,
    location,
    path,
    quality,
)
RULES: tuple[AnyRule, ...] = tuple(
    {value.code: value for module in MODULES for value in vars(module).values() if isinstance(value, Rule)}.values()
)
HOME = "https://example.com/sitemap.xml"
ACCOUNTED = [entry for entry in NON_RULE_CODES if entry.code.startswith("Q")]


def findings(document: Document, thresholds: Thresholds | None = None) -> list[Finding]:
    tally = run(document, RULES, Context(thresholds=thresholds or Thresholds()))
    assert not tally.crashes, tally.crashes
    return [finding.made() for _, _, finding in tally.problems]


def pages(*names: str) -> bytes:
    return wrap("\n".join(f"<url><loc>https://example.com/{name}</loc></url>" for name in names)).encode()


def sized(document: Document, size: int) -> Document:
    return msgspec.structs.replace(document, envelope=msgspec.structs.replace(document.envelope, size=size))


def test_the_order_of_addresses_changes_no_verdict() -> None:
    names = [f"{letter}/{number}" for letter in "abc" for number in range(20)]
    assert findings(read(pages(*names), url=HOME)) == []
    assert findings(read(pages(*reversed(names)), url=HOME)) == []


def test_a_small_sitemap_is_not_complained_about() -> None:
    assert findings(read(pages(""), url=HOME)) == []


def test_extensions_count_towards_the_size_limit() -> None:
    image = "<image:image><image:loc>https://example.com/i.png</image:loc></image:image>"
    data = wrap(f"<url><loc>https://example.com/</loc>{image * 50}</url>").encode()
    document = read(data, url=HOME)
    share = len(data) * 0.99 / MAX_BYTES
    assert [finding.code for finding in findings(document, Thresholds(nearly_full_share=share))] == ["Q002"]
    assert findings(document, Thresholds(nearly_full_share=len(data) * 1.01 / MAX_BYTES)) == []


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (10_485_760, []),
        (10_485_761, ["Q003"]),
        (MAX_BYTES * 9 // 10, ["Q003"]),
        (MAX_BYTES * 9 // 10 + 1, ["Q002", "Q003"]),
        (MAX_BYTES, ["Q002", "Q003"]),
        (MAX_BYTES + 1, ["Q003"]),
    ],
)
def test_sizes(size: int, expected: list[str]) -> None:
    assert sorted(finding.code for finding in findings(sized(read(pages(""), url=HOME), size))) == expected


def test_a_compressed_file_is_not_told_to_be_compressed() -> None:
    document = read(gzip.compress(pages("")), url=f"{HOME}.gz")
    assert document.envelope.compression is not None
    assert findings(sized(document, 20_000_000)) == []


def test_every_behaviour_names_a_test_of_this_file() -> None:
    named = {entry.test for entry in ACCOUNTED if entry.test and "/live/" not in entry.test}
    here = {f"rules/test_quality_behaviours.py::{name}" for name in globals() if name.startswith("test_")}
    assert named <= here
    assert len({entry.code for entry in ACCOUNTED}) == len(ACCOUNTED)
    assert not {entry.code for entry in ACCOUNTED} & {rule.code for rule in RULES}
