"""A rule's example → its document, with the marked bytes as places.

A short snippet is completed to a whole sitemap, so an example only shows what matters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

import msgspec

from urlset.checking.context import Context
from urlset.checking.declare import CLOSE, OPEN, AnyRule, Bad, Good, wrap
from urlset.checking.engine import run
from urlset.checking.subjects import Sitemap
from urlset.findings.finding import Problem
from urlset.model.document import Document
from urlset.model.place import Place
from urlset.reading.read import read
from urlset.reading.salvage import apply_edits
from urlset.spec.engines import Engine
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.signals import Signal

_VIDEO = {
    "thumbnail_loc": "<video:thumbnail_loc>https://example.com/v.jpg</video:thumbnail_loc>",
    "title": "<video:title>Title</video:title>",
    "description": "<video:description>Words</video:description>",
    "content_loc": "<video:content_loc>https://example.com/v.mp4</video:content_loc>",
}
_PAPER = {"name": "<news:name>The Example Times</news:name>", "language": "<news:language>en</news:language>"}
_NEWS = {
    "publication": f"<news:publication>{''.join(_PAPER.values())}</news:publication>",
    "publication_date": "<news:publication_date>2026-11-15</news:publication_date>",
    "title": "<news:title>Headline</news:title>",
}
_WHOLE = lazy_pattern(r"\s*(?:<\?|<!|<(?:\w+:)?(?:urlset|sitemapindex|rss|feed|html)\b)|[^<«]", re.IGNORECASE)


class Built(msgspec.Struct, frozen=True):
    """A completed example."""

    data: bytes
    marks: tuple[Place, ...]


def complete(text: str) -> str:
    """The whole document for a snippet, including its marks."""
    bare = text.replace(OPEN, "").lstrip()
    if _WHOLE.match(bare) or not bare.startswith("<"):
        return text
    first = re.match(r"</?((?:\w+:)?\w+)", bare)
    name = first[1] if first else ""
    if name.startswith("video:") and name != "video:video":
        text = _inside("video:video", _VIDEO, name, text)
    elif name in ("news:name", "news:language"):
        paper = "".join((_PAPER | {name.partition(":")[2]: text}).values())
        text = _inside("news:news", _NEWS, "news:publication", f"<news:publication>{paper}</news:publication>")
    elif name.startswith("news:") and name != "news:news":
        text = _inside("news:news", _NEWS, name, text)
    elif name.startswith("image:") and name != "image:image":
        loc = "" if name == "image:loc" else "<image:loc>https://example.com/i.png</image:loc>"
        text = f"<image:image>{loc}{text}</image:image>"
    if name.lower() not in ("url", "sitemap"):
        loc = "" if re.search(r"<«?loc\b", text, re.IGNORECASE) else "<loc>https://example.com/</loc>"
        text = f"<url>{loc}{text}</url>"
    return wrap(text, "sitemapindex" if name.lower() == "sitemap" else "urlset")


def _inside(element: str, fields: dict[str, str], name: str, text: str) -> str:
    given = {found.partition(":")[2] for found in re.findall(r"<«?(\w+:\w+)", text)} | {name.partition(":")[2]}
    others = "".join(field for key, field in fields.items() if key not in given)
    return f"<{element}>{others}{text}</{element}>"


def build(example: Bad | Good) -> Built:
    if example.data is not None:
        marks = example.marks if isinstance(example, Bad) else ()
        data = example.data() if callable(example.data) else example.data
        return Built(data, tuple(Place(offset, length) for offset, length in marks))
    return unmark(complete(example.text))


def unmark(text: str) -> Built:
    """Remove the marks from a text and return their places."""
    data = b""
    marks: list[Place] = []
    opened: int | None = None
    for piece in re.split(f"([{OPEN}{CLOSE}])", text):
        if piece == OPEN:
            opened = len(data)
        elif piece == CLOSE:
            assert opened is not None, f"» without « in {text!r}"
            marks.append(Place(opened, len(data) - opened))
        else:
            data += piece.encode("utf-8", "surrogatepass")
    return Built(data, tuple(marks))


def document_of(example: Bad | Good, data: bytes | None = None) -> Document:
    return read(build(example).data if data is None else data, name="example", url=example.at)


def context_of(example: Bad | Good, engines: tuple[Engine, ...]) -> Context:
    from urlset.reading.robots import read_robots  # examples are rarely used, but rules are declared with them

    robots = read_robots(example.robots.encode())[0] if example.robots is not None else None
    now = datetime.fromisoformat(example.now)
    base_url = example.base_url if isinstance(example, Good) else None
    return Context(now=now, engines=engines, robots=robots, base_url=base_url, policies=example.policies)


# A rule and its examples → what is wrong with them, and what to do next; nothing when all is well.


def example_failures(rule: AnyRule) -> Iterator[str]:
    """For rules on a document or a part of it. Rules on a tree or on live pages have other examples."""
    for number, bad in enumerate(rule.bad, start=1):
        for failure in (bad_failure(rule, bad), fix_failure(rule, bad)):
            if failure is not None:
                yield f"{rule.code}, bad example {number}: {failure}"
    for number, good in enumerate(rule.good, start=1):
        failure = good_failure(rule, good)
        if failure is not None:
            yield f"{rule.code}, good example {number}: {failure}"


def bad_failure(rule: AnyRule, example: Bad) -> str | None:
    """Why a bad example is not flagged at its marks and nowhere else."""
    built, document = build(example), document_of(example)
    found = problems(rule, example, document)
    asleep = _signals_while_asleep(rule, example, document)
    if asleep is not None:
        raised = ", ".join(asleep) or "no signal"
        return (
            f"`when=` keeps the rule from looking at the entry, which raises {raised}\n"
            "  next: name a signal that the entry raises, or leave `when=` out"
        )
    if [problem.place for problem in found] == list(built.marks):
        return None
    marked = [f"  marked:   {_cut(mark.cut(built.data))} at byte {mark.offset}" for mark in built.marks]
    reported = [
        f"  reported: {_cut(each.place.cut(built.data))} at byte {each.place.offset}: {each.message}" for each in found
    ]
    lines = [*(marked or ["  marked:   nothing"]), *(reported or ["  reported: nothing"])]
    return "\n".join(["the marks and the findings differ", *lines, f"  next: {_advice(rule, example, found)}"])


def _advice(rule: AnyRule, example: Bad, found: list[Problem]) -> str:
    document = document_of(example)
    if found and not build(example).marks:
        return "put «marks» around the bytes that the rule reports"
    if found:
        return "move the «marks», or the place that the rule yields, until both name the same bytes"
    if rule.kinds is not None and document.kind not in rule.kinds:
        return f"`kinds=` leaves out this document, which is read as {document.kind}"
    if rule.needs is not None:
        return f"the rule needs something that the example does not give: {rule.needs}"
    return "the rule yields no Problem for this example; check its condition"


def good_failure(rule: AnyRule, example: Good) -> str | None:
    """Why a good example is not silent."""
    found = problems(rule, example, document_of(example))
    if not found:
        return None
    data = build(example).data
    said = [f"  reported: {_cut(each.place.cut(data))}: {each.message}" for each in found]
    return "\n".join(["it is flagged", *said, "  next: narrow the rule, or move the example to `bad` with «marks»"])


def fix_failure(rule: AnyRule, example: Bad) -> str | None:
    """Why the fix does not give the text that the example promises."""
    if example.fixed is None and example.fixed_data is None:
        return None
    document = document_of(example)
    edits = [edit for problem in problems(rule, example, document) if problem.fix for edit in problem.fix.edits]
    edits.sort(key=lambda edit: (edit.place.offset, edit.place.length))
    result = apply_edits(document.data, 0, len(document.data), tuple(edits))
    wanted = example.fixed_data if example.fixed is None else unmark(complete(example.fixed)).data
    if result != wanted:
        advice = "change the edits of the Fix, or `fixed=`" if edits else "yield a Problem with a Fix, or drop `fixed=`"
        return (
            f"the fix gives another text\n  wanted: {_cut(wanted or b'')}\n  got:    {_cut(result)}\n  next: {advice}"
        )
    again = problems(rule, example, document_of(example, result))
    if again:
        return f"the fixed text is flagged again: {again[0].message}\n  next: make the fix remove what the rule reports"
    return None


def problems(rule: AnyRule, example: Bad | Good, document: Document, engines: tuple[Engine, ...] = ()) -> list[Problem]:
    tally = run(document, [rule], context_of(example, engines or tuple(rule.card.severities)))
    assert not tally.crashes, tally.crashes
    return [problem for _, problem, _ in tally.problems]


def _signals_while_asleep(rule: AnyRule, example: Bad, document: Document) -> list[str] | None:
    """What the entry raises, where the rule would report it and no signal wakes it; None otherwise.

    Under the schema every entry is looked at, so its engine is left out here.
    """
    engines = tuple(engine for engine in rule.card.severities if engine is not Engine.XSD_STRICT)
    awake = msgspec.structs.replace(rule, when=None)
    if rule.when is None or not engines or problems(rule, example, document, engines):
        return None
    if not problems(awake, example, document, engines):
        return None
    bits = Sitemap(document, context_of(example, engines)).signals
    known = {name: bit for name, bit in vars(Signal).items() if isinstance(bit, int)}
    return [name for name, bit in known.items() if any(row & bit for row in bits)]


def _cut(data: bytes) -> str:
    """The bytes as text; of a long stretch both ends."""
    text = data.decode("utf-8", "replace")
    return repr(text if len(text) <= 300 else f"{text[:150]} … {text[-150:]}")
