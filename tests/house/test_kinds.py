"""Document kinds are declared once: other code asks a kind what it has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import urlset

SOURCE = Path(urlset.__file__).parent
DECLARATION = SOURCE / "model" / "document.py"


def kind_lists(tree: ast.AST) -> Iterator[int]:
    """Lines with a literal that names several kinds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            members: list[ast.expr | None] = list(node.elts)
        elif isinstance(node, ast.Dict):
            members = list(node.keys)
        else:
            continue
        named = [each for each in members if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "Kind"]
        if len(named) > 1:
            yield node.lineno


def test_no_list_of_kinds_outside_their_declaration() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in SOURCE.rglob("*.py")
        if path != DECLARATION and (text := path.read_text()).count("Kind.") > 1
        for line in kind_lists(ast.parse(text))
    ]
    assert not found, "ask for a capability (Kind.has, Kind.is_sitemap …) instead of a list of kinds"


def test_a_list_is_noticed() -> None:
    assert list(kind_lists(ast.parse("x = (Kind.RSS, Kind.ATOM)\ny = {Kind.RSS: 1, Kind.TEXT: 2}\nz = (Kind.RSS,)")))
