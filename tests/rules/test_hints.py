"""Family F: changefreq and priority agree with the schema, and whole files are judged once."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Rule, wrap
from urlset.checking.engine import check, run
from urlset.findings.card import Severity
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.rules import hints
from urlset.spec.engines import Engine
from urlset.spec.protocol import CHANGEFREQ

RULES: list[AnyRule] = [value for module in (hints,) for value in vars(module).values() if isinstance(value, Rule)]
ENTRY_RULES = [rule for rule in RULES if rule.code not in {"F008", "F009", "F010", "F013"}]
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
SCHEMA = (Engine.XSD_STRICT,)
READERS = tuple(engine for engine in Engine if engine is not Engine.XSD_STRICT)


def codes(fields: str, engines: tuple[Engine, ...], rules: list[AnyRule] = ENTRY_RULES) -> dict[str, Severity]:
    document = read(wrap(f"<url><loc>https://example.com/</loc>{fields}</url>").encode())
    chosen = [rule for rule in rules if rule.card.severity_for(engines) is not None]
    found = check(document, chosen, Context(now=NOW, engines=engines)).findings
    assert "T001" not in {finding.code for finding in found}, found
    return {finding.code: finding.severity for finding in found}


@pytest.mark.parametrize("text", [".5", "+0.5", "1", "1.00", "0", "-0.0", "1.", "00.5", " 0.5 ", "0." + "3" * 80])
def test_every_spelling_of_a_decimal_passes(text: str) -> None:
    assert codes(f"<priority>{text}</priority>", (*SCHEMA, Engine.PROTOCOL, Engine.GOOGLE)) == {}


@pytest.mark.parametrize("text", ["1e999999999", "0e999999999", "1e-99", "9" * 5000, "0,5e5", "٠.٥", "½", "inf", "--1"])
def test_odd_numbers_cost_an_error_and_no_crash(text: str) -> None:
    assert list(codes(f"<priority>{text}</priority>", SCHEMA).values()) == [Severity.ERROR]


@given(st.text("0123456789.,+-eE% ", max_size=8))
@example("1.0000000000000000000000000000000001")
@example("-0")
@example(" ")
def test_a_priority_passes_exactly_when_the_schema_accepts_it(text: str) -> None:
    try:
        plain = text.strip()
        valid = not set(plain) & set("eE% ") and 0 <= Decimal(plain) <= 1
    except ArithmeticError:
        valid = False
    assert valid == (codes(f"<priority>{text}</priority>", SCHEMA) == {})
    assert valid == (codes(f"<priority>{text}</priority>", READERS) == {})


@given(
    st.sampled_from(CHANGEFREQ), st.sampled_from(["", " ", "\n", "\t "]), st.sampled_from([str, str.title, str.upper])
)
def test_a_changefreq_passes_the_schema_only_as_it_is_listed(word: str, space: str, case: type[str]) -> None:
    written = f"<changefreq>{space}{case(word)}{space}</changefreq>"
    assert (codes(written, SCHEMA) == {}) == (space == "" and case(word) == word)
    google = tuple(engine for engine in READERS if engine is not Engine.PROTOCOL)
    assert codes(written, google) == {}


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ("<changefreq/>", "F006"),
        ("<changefreq> </changefreq>", "F006"),
        ("<changefreq>Often</changefreq>", "F001"),
        ("<changefreq> often </changefreq>", "F001"),
        ("<priority>0,5</priority>", "F005"),
        ("<priority/>", "F006"),
        ("<priority>e1</priority>", "F004"),
        ("<priority>1,5</priority>", "F005"),
    ],
)
def test_a_near_miss_of_one_rule_is_the_finding_of_another_alone(fields: str, code: str) -> None:
    assert codes(fields, SCHEMA) == {code: Severity.ERROR}


@pytest.mark.parametrize(
    ("lastmod", "word", "contradicts"),
    [
        ("2026-11-15", "never", True),
        ("2026-11-09T00:00:00Z", "NEVER", True),
        ("2026-11-01", "never", False),
        ("2026-12-24", "never", False),
        ("2024-11-01", "hourly", True),
        ("2024-12-01", "always", False),
        ("2024", "hourly", False),
        ("2015-05-01", "monthly", False),
        ("rubbish", "hourly", False),
        ("", "hourly", False),
    ],
)
def test_contradictions_are_certain(lastmod: str, word: str, contradicts: bool) -> None:
    fields = f"<lastmod>{lastmod}</lastmod><changefreq>{word}</changefreq>"
    assert ("F012" in codes(fields, (Engine.PROTOCOL,))) == contradicts


def test_hints_are_not_called_useless_for_yandex() -> None:
    fields = "<changefreq>daily</changefreq><priority>0.8</priority>"
    assert codes(fields, (Engine.YANDEX,), RULES) == {}
    assert codes(fields, (Engine.GOOGLE,), RULES) == {"F009": Severity.INFO}
    assert codes(fields, (Engine.BING,), RULES) == {"F010": Severity.INFO}


def test_dropping_all_priorities_leaves_no_trace_of_them() -> None:
    entries = [
        "<url>\n  <loc>https://example.com/a</loc>\n  <priority>0.5</priority>\n</url>",
        "<url><loc>https://example.com/b</loc><!-- <priority>0.9</priority> --><priority>.5</priority></url>",
        '<url><priority class="x"><![CDATA[0.50]]></priority><loc>https://example.com/c</loc></url>',
    ]
    document = read(wrap("\n".join(entries)).encode())
    rules = [rule for rule in RULES if rule.code == "F008"]
    [(_, problem, _)] = run(document, rules, Context(engines=(Engine.PROTOCOL,))).problems
    assert problem.fix is not None
    fixed = apply_edits(document.data, 0, len(document.data), problem.fix.edits)
    assert read(fixed).columns.priorities == [None, None, None]
    assert b"<!-- <priority>0.9</priority> -->" in fixed
    assert b"</loc>\n</url>" in fixed


def test_whole_file_rules_are_quick() -> None:
    entry = "<url><loc>https://example.com/{0}</loc><changefreq>daily</changefreq><priority>0.{1}</priority></url>"
    document = read(wrap("\n".join(entry.format(n, n % 10) for n in range(50_000))).encode())
    rules = [rule for rule in RULES if rule not in ENTRY_RULES]
    start = time.process_time()
    found = run(document, rules, Context(engines=(Engine.PROTOCOL, Engine.GOOGLE, Engine.BING)))
    assert {rule.code for rule, _, _ in found.problems} == {"F009", "F010", "F013"}
    assert time.process_time() - start < 1
