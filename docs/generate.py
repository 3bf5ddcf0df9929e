"""Writes docs/cli.md, coverage.md, demo.md, rules, reference, screens, man; keywords and contract of the library.

Run `make docs`. A test fails when a page is not what this would write.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from urlset.checking.declare import AnyRule, Bad, Good
from urlset.checking.live_page import LIVE
from urlset.rules.catalogue import own_rules
from urlset.spec.citations import CITATIONS

HERE = Path(__file__).parent
DEMO_STARTS, DEMO_ENDS = "<!-- demo: written by make docs -->", "<!-- end of demo -->"
sys.path.insert(0, str(HERE.parent))
from docs.catalog_codes import (  # noqa: E402 - neighbors, not part of the package
    FAMILIES,
    NON_RULE_CODES,
    SCHEMA,
    SEVERITY_REASONS,
    Handling,
    NonRuleCode,
    catalogue_codes,
)
from docs.cli_reference import reference  # noqa: E402
from docs.library_contract import embedded  # noqa: E402
from docs.library_keywords import keywords_module  # noqa: E402
from docs.man_pages import man_pages  # noqa: E402
from docs.reference_pages import reference_pages  # noqa: E402
from docs.screens import demo_screen, screens  # noqa: E402 - a neighbour, not part of the package


def pages() -> dict[str, str]:
    """Path below docs/ → text."""
    return {
        "cli.md": reference(),
        "../src/urlset/workflows/library/keywords.py": keywords_module(),
        "library.md": embedded((HERE / "library.md").read_text(encoding="utf-8")),
        "coverage.md": "\n".join(coverage()) + "\n",
        "rules/README.md": "\n".join(index()) + "\n",
        **{f"man/{name}": text for name, text in man_pages()},
        **screens(),
        **reference_pages(),
        **{f"rules/{letter}.md": "\n".join(family(letter)) + "\n" for letter in FAMILIES},
    }


def index() -> Iterator[str]:
    yield "# Rules"
    yield ""
    yield "Generated from the declarations in `src/urlset/rules`; `urlset explain CODE` shows the same in the terminal."
    yield ""
    yield "| Family | About | Rules |"
    yield "|---|---|---:|"
    for letter, title in FAMILIES.items():
        count = sum(rule.card.family == letter for rule in own_rules())
        yield f"| [{letter}]({letter}.md) | {title} | {count} |"


def family(letter: str) -> Iterator[str]:
    yield f"# {letter}: {FAMILIES[letter]}"
    yield ""
    yield "Generated from the declarations; the marks «…» show the exact bytes that are flagged."
    if any(rule.on in LIVE for rule in own_rules() if rule.card.family == letter):
        yield (
            "Rules about what servers answer are shown by transcripts: `>` is a request, `<` the status of its answer, "
            "`!` a failure; other known facts come before them."
        )
    for rule in own_rules():
        if rule.card.family == letter:
            yield ""
            yield from rule_page(rule)


def rule_page(rule: AnyRule) -> Iterator[str]:
    card = rule.card
    yield f"## {card.code} {card.name}"
    yield ""
    yield card.summary
    if card.rationale:
        yield ""
        yield card.rationale
    yield ""
    for severity in dict.fromkeys(card.severities.values()):
        engines = ", ".join(engine for engine, level in card.severities.items() if level == severity)
        yield f"- **{severity}** for {engines}"
    if rule.needs:
        yield f"- skipped if: {rule.needs}"
    if card.fixable:
        yield "- can be fixed"
    for title, examples in (("Wrong", rule.bad), ("Right", rule.good)):
        shown = [list(shown_lines(example)) for example in examples]
        if rule.on in LIVE:  # each transcript is a story of its own
            yield from ("", f"{title}:", *(line for lines in shown for line in ("", "```", *lines, "```")))
        elif any(shown):
            yield from ("", f"{title}:", "", "```", *(line for lines in shown for line in lines), "```")
    fixed = [line for bad in rule.bad if bad.fixed is not None for line in bad.fixed.splitlines()]
    if fixed:
        yield from ("", "Fixed:", "", "```", *fixed, "```")
    yield ""
    yield "Sources: " + "; ".join(_source(key) for key in card.cites) + "."


def shown_lines(example: Bad | Good) -> Iterator[str]:
    if example.title:
        yield f"({example.title})"
        return
    if example.at:
        yield f"(in {example.at})"
    for name, text in list(example.files.items()) or [("", example.text or repr(example.data)[2:-1])]:
        if name:
            yield f"{name}:"
        yield from (line[:400] for line in text.strip("\n").splitlines()[:20])


def _source(key: str) -> str:
    citation = CITATIONS[key]
    return f"[{citation.document}]({citation.url})" if citation.url else citation.document


def coverage() -> Iterator[str]:
    rules = {rule.code: rule for rule in own_rules()}
    others = {item.code: item for item in NON_RULE_CODES}
    yield "# What became of every code of the catalogue"
    yield ""
    counts = [(how, sum(item.how is how for item in others.values())) for how in Handling]
    reported = ", ".join(f"{count} {how}" for how, count in counts)
    yield f"Generated. {len(catalogue_codes())} codes: {len(rules)} rules, {reported}."
    yield ""
    yield "| Code | As | What |"
    yield "|---|---|---|"
    for code in catalogue_codes():
        if code in rules:
            card = rules[code].card
            yield f"| [{code}](rules/{card.family}.md) | rule | `{card.name}`: {card.summary} |"
        elif code in others:
            yield f"| {code} | {others[code].how} | {_describe(others[code])} |"
        else:
            yield f"| {code} | unaccounted | |"
    yield from ("", "## Severities that differ from the catalogue", "", SCHEMA, "", "| Code | Why |", "|---|---|")
    for code, reason in SEVERITY_REASONS.items():
        yield f"| {code} | {reason} |"


def _describe(item: NonRuleCode) -> str:
    test = f" (`tests/{item.test}`)" if item.test else ""
    return item.what.replace("|", "\\|") + test


def demo_page(demo: str) -> str:
    """docs/demo.md with the transcript of today between its marks."""
    head, _, rest = (HERE / "demo.md").read_text(encoding="utf-8").partition(DEMO_STARTS)
    return f"{head}{DEMO_STARTS}\n\n```text\n{demo.rstrip()}\n```\n\n{DEMO_ENDS}{rest.partition(DEMO_ENDS)[2]}"


def main() -> int:
    demo = demo_screen()
    for name, text in {**pages(), "screens/demo.txt": demo, "demo.md": demo_page(demo)}.items():
        path = HERE / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
