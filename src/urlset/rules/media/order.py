"""An extension element and its table → whether its fields are in schema order."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.model.document import Document
from urlset.model.element import Element
from urlset.rules import Problem
from urlset.rules.media.byte_edits import reorder
from urlset.rules.media.fields import is_own
from urlset.spec.fields import ElementSpec


def out_of_order(document: Document, parent: Element, spec: ElementSpec, *, salvaged: bool) -> Iterator[Problem]:
    """One problem at the first field that comes too late, with a fix that sorts all fields."""
    rank = {name: position for position, name in enumerate(spec.xsd_sequence)}
    known = [child for child in parent.children if child.local in rank and is_own(parent, child)]
    ranks = [rank[child.local] for child in known]
    for position in range(1, len(known)):
        if ranks[position] < ranks[position - 1]:
            late, before = known[position], known[position - 1]
            wanted = sorted(known, key=lambda child: rank[child.local])
            yield Problem(
                late.open_tag,
                f"<{spec.namespace}:{late.local}> comes after <{spec.namespace}:{before.local}>, so validators reject "
                "the file; use the schema order",
                None if salvaged else reorder(document, known, wanted, "use the schema order"),
            )
            return
