"""`make new-rule CODE=L045 NAME=too-many-dots` → a rule with its example, and what is left to do.

The rule goes to the file of its topic (TOPIC=path; a new file is added to the list of modules). Run again, it changes
nothing and says what is missing.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULES = ROOT / "src" / "urlset" / "rules"
CATALOGUE = RULES / "catalogue.py"
HOMES = {
    "X": "xml/",
    "S": "structure/",
    "L": "loc/",
    "D": "lastmod_",
    "F": "hints",
    "I": "index_",
    "M": "image",
    "V": "video_",
    "N": "news_",
    "H": "hreflang/",
    "R": "robots",
    "Q": "quality",
    "P": "policy",
}
"""a file, or the start of a path that the topic completes; only for families whose rules look at files, because rules
on live pages and reports of engines start from transcripts"""
HEADER = '''"""TODO: the question that the rules of this file answer?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.declare import bad, good, warning_rule
from urlset.rules import ListedPage, Problem, Signal
'''
RULE = '''

# TODO: a key of spec/citations.py; and signals of spec/signals.py that each such entry raises, since a rule without
# them runs on each entry of a file
@warning_rule("{code}", when=Signal.FRAGMENT, cites=("general-knowledge",))
@bad("<loc>https://example.com/#«TODO»</loc>")
@good("<loc>https://example.com/</loc>")
def {function}(listed: ListedPage) -> Iterator[Problem]:
    """TODO: what is wrong, in one sentence of up to 80 characters.

    TODO: the consequence, and why it matters.
    """
    start = listed.loc.find("TODO")
    if start >= 0:
        yield Problem(listed.part(start, start + 4), "TODO: what is there, and what to do")
'''


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make new-rule", description="Start a rule, or say what one lacks.")
    parser.add_argument("code", help="such as L045")
    parser.add_argument("name", nargs="?", default="", help="the problem in two or three words, such as too-many-dots")
    parser.add_argument("--topic", default="", help="file of the family, such as path; default: the name")
    given = parser.parse_args(arguments)
    code = given.code.upper()
    if not re.fullmatch(r"[A-Z]\d{3}", code) or code[0] not in HOMES:
        parser.error(f"{given.code!r} is no code of a rule on files: one of {', '.join(HOMES)} and three digits")
    home = find(code)
    if home is None:
        if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", given.name):
            parser.error(f"{code} is new: add NAME=the-problem-in-words, in lower case with hyphens")
        home = write(code, given.name, given.topic or given.name)
        print(f"wrote {code} {given.name} to {home.relative_to(ROOT)}")  # noqa: T201 - a command speaks
    steps = list(missing(code, home))
    print("\n".join(["next:", *(f"  - {step}" for step in steps)] if steps else [f"{code} is complete"]))  # noqa: T201
    return 0


def find(code: str) -> Path | None:
    """The file that declares it."""
    declared = re.compile(rf'@\w+\(\s*"{code}"')
    return next((path for path in sorted(RULES.rglob("*.py")) if declared.search(path.read_text("utf-8"))), None)


def write(code: str, name: str, topic: str) -> Path:
    begin = HOMES[code[0]]
    home = RULES / f"{begin}{topic.replace('-', '_') if begin.endswith(('/', '_')) else ''}.py"
    if not home.exists():
        home.write_text(HEADER, encoding="utf-8")
        module = ".".join(("urlset", *home.relative_to(RULES.parent).with_suffix("").parts))
        text = CATALOGUE.read_text(encoding="utf-8")
        CATALOGUE.write_text(
            text.replace("\n)\nFOR_ANSWERS", f'\n    "{module}",\n)\nFOR_ANSWERS', 1), encoding="utf-8"
        )
    text = (
        home.read_text(encoding="utf-8").rstrip("\n") + "\n" + RULE.format(code=code, function=name.replace("-", "_"))
    )
    if "warning_rule" not in text.partition("\n@")[0]:
        text = text.replace("import annotations\n", "import annotations\n\n" + HEADER.partition("Iterator\n\n")[2], 1)
    home.write_text(text, encoding="utf-8")
    return home


def missing(code: str, home: Path) -> Iterator[str]:
    """What keeps the rule from being merged."""
    shown = home.relative_to(ROOT)
    for number, line in enumerate(home.read_text(encoding="utf-8").splitlines(), start=1):
        if "TODO" in line:
            yield f"{shown}:{number}: {line.strip()}"
    if f"## {code} " not in _text(ROOT / "docs" / "rules" / f"{code[0]}.md"):
        yield "make docs (writes the page of the rule)"
    if code not in _text(ROOT / "CHANGELOG.md"):
        yield "CHANGELOG.md: a line under Unreleased"
    if not any(f'"{code}"' in _text(path) for path in sorted((ROOT / "suite" / "cases").rglob("*.json"))):
        yield "python -m suite.from_rules --schemas FOLDER (adds them to the suite; FOLDER has the schemas)"
    yield "make format"
    yield f'make test PYTEST_ARGS="tests/rules -k {code}" (runs the examples; a failure says what to change)'


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
