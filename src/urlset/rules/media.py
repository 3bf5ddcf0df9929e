"""Fields of images, videos and news: presence, order, URLs, dates, numbers, and the bytes to edit.

For facts about a whole file, the tags of an extension are found without parsing the entries one by one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

import msgspec

from urlset.checking.subjects import value_place
from urlset.findings.finding import alternatives, quoted
from urlset.fixing.markup import with_its_line
from urlset.model.address import Address, Illegality, percent_encode
from urlset.model.columns import Edit
from urlset.model.document import Document
from urlset.model.entry import Attribute, Element
from urlset.model.moment import DateForm, Fault, Moment
from urlset.model.place import Place, between
from urlset.rules import Engine, Fix, ListedPage, Problem, Safety, Severity, Sitemap
from urlset.rules.lastmod_form import words
from urlset.spec import namespaces
from urlset.spec.extensions import ElementSpec, FieldKind, FieldSpec
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import means

GOOGLE = (Engine.GOOGLE,)
GOOGLE_AND_SCHEMA = (Engine.GOOGLE, Engine.XSD_STRICT)
SCHEMA = (Engine.XSD_STRICT,)


def is_own(parent: Element, child: Element) -> bool:
    """In the parent's own namespace, even if either is misspelled."""
    return child.namespace == parent.namespace or means(child.namespace) == means(parent.namespace)


def fields(parent: Element, local: str) -> list[Element]:
    """The children with that name in the parent's own namespace."""
    own = parent.namespace
    return [
        child for child in parent.children if child.local == local and (child.namespace == own or is_own(parent, child))
    ]


def first_field(parent: Element, local: str) -> Element | None:
    return next(iter(fields(parent, local)), None)


def known_fields(parent: Element, specs: Mapping[str, FieldSpec]) -> Iterator[tuple[FieldSpec, Element]]:
    """The fields in the table, with their entries, in source order."""
    for child in parent.children:
        spec = specs.get(child.local)
        if spec is not None and is_own(parent, child):
            yield spec, child


def field(spec: ElementSpec, name: str) -> FieldSpec:
    """A field that must be in the table."""
    found = spec.field(name)
    assert found is not None, f"{spec.name} has no field {name}"
    return found


def table(spec: ElementSpec, wanted: Callable[[FieldSpec], bool]) -> dict[str, FieldSpec]:
    """The fields of a table that a rule needs, by name."""
    return {each.name: each for each in spec.fields if wanted(each)}


def text_of(parent: Element, local: str) -> str:
    """The first value of that field, trimmed; empty if absent."""
    return next((child.text for child in fields(parent, local)), "")


def filled(element: Element) -> bool:
    return bool(element.text or element.children)


def missing(parent: Element, spec: ElementSpec, name: str, cost: str) -> Iterator[Problem]:
    """One problem if the field is absent or always empty."""
    found = fields(parent, name)
    tag = f"<{spec.namespace}:{name}>"
    if any(child.local.lower() == name and is_own(parent, child) for child in parent.children if child not in found):
        return  # S015 reports the wrong case
    if not found:
        stray = next((child for child in parent.children if child.local == name), None)
        hint = f" (<{stray.written}> is in another namespace)" if stray is not None else ""
        yield Problem(parent.open_tag, f"{tag} is missing{hint}, so {cost}; add it")
    elif not any(filled(element) for element in found):
        yield Problem(found[0].place, f"{tag} is empty, so {cost}; add a value")


def repeated(parent: Element, spec: ElementSpec, once: Mapping[str, FieldSpec]) -> Iterator[Problem]:
    """One problem for each field beyond the first."""
    seen: set[str] = set()
    for each, element in known_fields(parent, once):
        if each.name in seen:
            yield Problem(
                element.open_tag,
                f"second <{spec.namespace}:{each.name}>, and it is undefined which one is used; keep one",
            )
        seen.add(each.name)


def too_long(element: Element, limit: int, who: str) -> Iterator[Problem]:
    """The characters beyond the limit."""
    text = element.text
    if len(text) > limit:
        yield Problem(
            element.value.part(limit, len(text)),
            f"{quoted(text[:40] + '…')} has {len(text):,} characters; {who} at most {limit:,}",
        )


# An extension element and its table → whether its fields are in schema order.


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


# The text of a number field and its table entry → the problem, in words.

_INTEGER = lazy_pattern(r"[+-]?[0-9]+")
_DECIMAL = lazy_pattern(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")


def number_fault(spec: FieldSpec, text: str) -> str | None:
    """None for a number within the bounds; otherwise the text after "is"."""
    if not text:
        return "empty"
    whole = spec.kind is FieldKind.INTEGER
    if (_INTEGER if whole else _DECIMAL).fullmatch(text) is None:
        return "not an integer" if whole else "not a decimal number"
    value = Decimal(text)
    if spec.minimum is not None and value < Decimal(str(spec.minimum)):
        return "too small"
    if spec.maximum is not None and value > Decimal(str(spec.maximum)):
        return "too large"
    return None


# An element or value to remove or rewrite → byte edits that keep the XML well-formed.

_BLANK = b" \t\r\n"


def rewrite(document: Document, element: Element, text: str, title: str, safety: Safety = Safety.SAFE) -> Fix | None:
    """Replace the value with `text`; None if the value consists of several pieces."""
    place = value_place(element)
    old = place.cut(document.data)
    if b"<" in old or b"]]>" in old:
        return None
    before = document.data[element.open_tag.end : place.offset]
    if before.rfind(b"<![CDATA[") <= before.rfind(b"]]>"):
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return Fix(title, (Edit(place, text.encode("utf-8", "surrogatepass")),), safety)


def drop(document: Document, elements: Sequence[Element], title: str, safety: Safety) -> Fix:
    """Remove the elements, and the line of each one that is alone on its line."""
    return Fix(title, tuple(Edit(with_its_line(document.data, element.place), b"") for element in elements), safety)


def drop_attribute(document: Document, attribute: Attribute, title: str) -> Fix:
    """Remove the attribute with the whitespace before it."""
    start = attribute.place.offset
    while document.data[start - 1 : start] and document.data[start - 1 : start] in _BLANK:
        start -= 1
    return Fix(title, (Edit(between(start, attribute.place.end), b""),))


def reorder(document: Document, elements: Sequence[Element], wanted: Sequence[Element], title: str) -> Fix:
    """Swap the elements; the text between them stays."""
    edits = tuple(
        Edit(here.place, there.place.cut(document.data))
        for here, there in zip(elements, wanted, strict=True)
        if here is not there
    )
    return Fix(title, edits)


# The URL of an image, video file, thumbnail, or player → why a crawler cannot fetch it.


@lru_cache(64)
def address_of(text: str) -> Address:
    """Several rules look at the same URL, one after the other."""
    return Address.parse(text)


def address_faults(document: Document, element: Element, schemes: tuple[str, ...]) -> Iterator[Problem]:
    """At most one problem: not absolute, unsupported scheme, or not escaped."""
    text = element.text
    if not text:
        return
    address = address_of(text)
    scheme = address.parts.scheme
    if scheme is None:
        yield Problem(
            value_place(element), f"{quoted(text)} is a relative URL, so it cannot be fetched; write an absolute URL"
        )
    elif (address.scheme or "").lower() not in schemes:
        yield Problem(
            element.value.part(*scheme),
            f"scheme {quoted(address.scheme or '')} is not supported; use {alternatives(schemes)}",
        )
    elif not address.host:
        yield Problem(value_place(element), f"{quoted(text)} has no host; write an absolute URL")
    else:
        yield from _unescaped(document, element, address)


def _unescaped(document: Document, element: Element, address: Address) -> Iterator[Problem]:
    illegal = address.illegal_all()
    if not illegal:
        return
    worst = next((each for each in illegal if each.reason is not Illegality.NON_ASCII), illegal[0])
    only_spaces = all(each.reason is Illegality.SPACE for each in illegal) and illegal[0].start >= address.parts.path[0]
    yield Problem(
        lambda: element.value.part(worst.start, worst.end),
        f"{quoted(worst.text)} in {quoted(address.raw)} {_WORDS.get(worst.reason, 'is illegal; percent-encode it')}",
        rewrite(document, element, address.raw.replace(" ", "%20"), _ESCAPE)
        if only_spaces
        else _escape(document, element, address.raw),
        severity=Severity.WARNING if worst.reason is Illegality.NON_ASCII else None,
    )


_WORDS = {
    Illegality.SPACE: "is not escaped; write %20",
    Illegality.NON_ASCII: "is not percent-encoded; encode it as UTF-8",
    Illegality.BAD_PERCENT_ESCAPE: "is malformed percent-encoding; write a literal % as %25",
    Illegality.BAD_PORT: "is not a valid port; use 1 to 65535",
}


_ESCAPE = "percent-encode illegal characters"


def _escape(document: Document, element: Element, text: str) -> Fix | None:
    for stray_percent, safety in ((False, Safety.SAFE), (True, Safety.REVIEW)):
        fixed = percent_encode(text, stray_percent=stray_percent)
        if fixed != text and not Address.parse(fixed).illegal_all():
            return rewrite(document, element, fixed, _ESCAPE, safety)
    return None


def same_page(one: str, other: str) -> bool:
    return bool(one) and (one == other or address_of(one).key == address_of(other).key)


# A date in an extension field → whether it is in an allowed form, and which forms are.

# Formatting only: correcting it does not change the meaning.
_SPELLING = frozenset(
    {
        *(Fault.WHITESPACE, Fault.OFFSET_WITHOUT_COLON, Fault.OFFSET_HOUR_ONLY, Fault.SPACE_FOR_T),
        *(Fault.LOWER_CASE, Fault.COMMA_FRACTION, Fault.MISSING_ZERO, Fault.SLASHES, Fault.DOTS),
        *(Fault.BASIC_ISO, Fault.RFC822),
    }
)


_LACKS = {
    DateForm.YEAR: "has no month",
    DateForm.MONTH: "has no day",
    DateForm.DAY: "has no time",
    DateForm.MINUTE: "has no seconds",
    DateForm.SECOND: "has a time",
    DateForm.FRACTION: "has fractional seconds",
}


def legal_moment(element: Element | None) -> Moment | None:
    """The date of a field, if it is valid; the format rules report the others."""
    if element is None:
        return None
    moment = Moment.parse(element.text)
    return moment if moment.w3c_valid and not _beyond_earth(moment) else None


def _beyond_earth(moment: Moment) -> bool:
    """-00:00 is unusual but defined; an offset beyond ±14:00 is not."""
    return moment.has(Fault.OFFSET_RANGE) is not None and moment.offset_minutes != 0


def date_faults(
    listed: ListedPage, element: Element, forms: tuple[DateForm, ...], spelled: tuple[str, ...]
) -> Iterator[Problem]:
    """At most one problem; `spelled` describes the allowed `forms`. Empty values are skipped."""
    document, text = listed.document, element.text
    schema_alone = listed.context.engines == (Engine.XSD_STRICT,)
    if not text:
        return
    moment = Moment.parse(text)
    if schema_alone and moment.xsd_valid:
        return
    wanted = alternatives(spelled)
    if not moment.w3c_valid or _beyond_earth(moment):
        fault = moment.faults[0]
        start, end = (fault.start, fault.end) if fault.end > fault.start else (0, len(text))
        yield Problem(
            element.value.part(start, end), words(fault, moment), _respelled(document, element, moment, forms)
        )
    elif moment.form not in forms:
        yield Problem(
            value_place(element),
            f"{quoted(text)} {_LACKS[moment.form]}, which Google does not document for this field; write {wanted}",
            _respelled(document, element, moment, forms),
            severity=Severity.WARNING if moment.form is DateForm.FRACTION else None,
        )
    elif schema_alone:
        yield Problem(value_place(element), f"{quoted(text)} is not a date of the schema; add the seconds")


def _respelled(document: Document, element: Element, moment: Moment, forms: tuple[DateForm, ...]) -> Fix | None:
    reading = moment.reading
    if reading is None or reading.lacks_zone or moment.has(Fault.OFFSET_RANGE):
        return None
    fitted = reading
    if fitted.form is DateForm.FRACTION and DateForm.FRACTION not in forms:
        fitted = msgspec.structs.replace(fitted, fraction=None)
    if fitted.form is DateForm.MINUTE and DateForm.MINUTE not in forms:
        fitted = msgspec.structs.replace(fitted, second=0)
    if fitted.form not in forms:
        return None
    harmless = fitted is reading and {each.fault for each in moment.faults} <= _SPELLING
    new = fitted.spell()
    return rewrite(document, element, new, f"write {new}", Safety.SAFE if harmless else Safety.REVIEW)


# The bytes of a document → the tags of one extension.

_TEXT = rb"([^<\]]*+)"
_HOST = rb"\s*+[Hh][Tt][Tt][Pp][Ss]?://(?:[^/?#@<\s]*@)?([^/?#:<\]\s]++)"


def prefixes(sitemap: Sitemap, namespace: str) -> list[str]:
    """The prefixes for the namespace, including the usual one unless it is bound to another namespace."""
    root = sitemap.document.root
    declared = {} if root is None else root.declared
    found = [prefix for prefix, uri in declared.items() if means(uri) == namespace]
    usual = namespaces.BY_URI[namespace].prefix
    return found if usual in declared else [*found, usual]


def tags(sitemap: Sitemap, namespace: str, local: str, content: bytes = _TEXT) -> Iterator[re.Match[bytes]]:
    """The open tags of that element outside comments; group 1 is the text up to the next tag."""
    pattern = _pattern(sitemap, namespace, local, content)
    return iter(()) if pattern is None else _outside_comments(sitemap, pattern.finditer(sitemap.data))


def values(sitemap: Sitemap, namespace: str, local: str) -> Iterator[tuple[bytes, Place]]:
    """The simple non-empty values of that field as written, with their places."""
    for match in tags(sitemap, namespace, local):
        value = match[1].strip()
        if value:
            yield value, Place(match.start(1) + match[1].index(value), len(value))


def texts(sitemap: Sitemap, namespace: str, local: str, content: bytes = _TEXT) -> list[bytes]:
    """What comes first in each element of that name: the same without places, which take most of the time."""
    pattern = _pattern(sitemap, namespace, local, content)
    if pattern is None:
        return []
    if sitemap.has_tags_in_comments:
        return [match[1] for match in tags(sitemap, namespace, local, content)]
    return sitemap.cached(f"texts {pattern.pattern!r}", lambda: pattern.findall(sitemap.data))


def counted_values(sitemap: Sitemap, namespace: str, local: str) -> Counter[bytes]:
    """How often each simple non-empty value of that field occurs."""
    counts: Counter[bytes] = Counter()
    for text, number in Counter(texts(sitemap, namespace, local)).items():
        if value := text.strip():
            counts[value] += number
    return counts


def hosts(sitemap: Sitemap, namespace: str, local: str) -> Counter[bytes]:
    """How often each host occurs in the values of that field."""
    return Counter(texts(sitemap, namespace, local, _HOST))


def first_hosts(sitemap: Sitemap, namespace: str, local: str, wanted: set[bytes]) -> dict[bytes, Place]:
    """The first occurrence of each of these hosts."""
    found: dict[bytes, Place] = {}
    for match in tags(sitemap, namespace, local, _HOST) if wanted else ():
        if match[1] in wanted and match[1] not in found:
            found[match[1]] = between(*match.span(1))
    return found


def _pattern(sitemap: Sitemap, namespace: str, local: str, content: bytes = _TEXT) -> re.Pattern[bytes] | None:
    """Group 1 is the content; None where no tag has a prefix of the namespace."""
    names = [
        f"{prefix}:{local}" if prefix else local
        for prefix in prefixes(sitemap, namespace)
        if not prefix or sitemap.last_of(f"<{prefix}:".encode()) >= 0
    ]
    if not names:
        return None
    either = b"|".join(re.escape(name.encode()) for name in names)
    opened = either if len(names) == 1 else b"(?:" + either + b")"
    return re.compile(b"<" + opened + rb"(?=[\s/>])[^<>]*+>(?:\s*+<!\[CDATA\[)?" + content)


def _outside_comments(sitemap: Sitemap, matches: Iterable[re.Match[bytes]]) -> Iterator[re.Match[bytes]]:
    for match in matches:  # comments are looked for only if there is one
        if not sitemap.has_tags_in_comments or not sitemap.is_in_comment(match.start()):
            yield match


def open_tag(sitemap: Sitemap, match: re.Match[bytes]) -> Place:
    return between(match.start(), sitemap.data.index(b">", match.start()) + 1)


def outside_entries(sitemap: Sitemap, namespace: str, local: str) -> list[re.Match[bytes]]:
    """Open tags of that element before, between, or after the entries."""
    columns, root, data = sitemap.columns, sitemap.document.root, sitemap.data
    pattern = _pattern(sitemap, namespace, local)
    if pattern is None or pattern.search(data) is None:
        return []
    shortest = len(local) + 2
    begin = root.place.end if root is not None else 0
    gaps: list[tuple[int, int]] = []
    for first, last in columns.beside_usual(begin, len(data)):
        rows = slice(bisect_left(columns.starts, first), bisect_left(columns.starts, last))
        bounds = zip([first, *columns.ends[rows]], [*columns.starts[rows], last], strict=True)
        gaps += [(end, start) for end, start in bounds if start - end > shortest]
    return list(_outside_comments(sitemap, (match for gap in gaps for match in pattern.finditer(data, *gap))))
