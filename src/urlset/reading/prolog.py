"""The bytes before the first entry → declaration, doctype, root, and where the content begins.

Expat never sees any of this: it is fed from the root on, so there is no DTD, no entity of the file's own making, no
encoding or version to disagree about. Entities that the document uses are declared by `reading.doctype`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pyexpat import ExpatError, ParserCreate

import msgspec

from urlset.model.document import Declaration, Kind, Prolog, Root
from urlset.model.place import Place, between
from urlset.model.trouble import Trouble, TroubleKind, Troubles
from urlset.reading.around import (
    BLANK,
    Doctype,
    MarkupPiece,
    Seeker,
    UsedEntities,
    doctype_at,
    judged,
    open_tag,
    piece_at,
    used_entities,
)
from urlset.reading.salvage import Salvage
from urlset.reading.vocabulary import BY_ROOT, BY_ROW, Vocabulary, is_name
from urlset.spec import namespaces
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.spec.namespaces import FORMATS_BY_NAMESPACE

_PSEUDO = lazy_pattern(rb"(?<!\w)(\w++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)')")
_WORD = rb"[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+"
_ROOT_NAME = _WORD + rb"(?::" + _WORD + rb")?+"
_TAG_NAME = lazy_pattern(rb"<(" + _ROOT_NAME + rb")(?=[\s/>])")
_TAG = lazy_pattern(rb"<" + _ROOT_NAME + rb"(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+>")
KNOWN_ROOT = lazy_pattern(
    rb"<(?:[\w.\x80-\xff-]+:)?(?:" + b"|".join(name.encode() for name in BY_ROOT) + rb")(?=[\s/>])", re.IGNORECASE
)
_LOOK_AHEAD = 1 << 18


class Beginning(msgspec.Struct):
    """All that is known when the first entry is about to be read."""

    prolog: Prolog
    root: Root
    vocabulary: Vocabulary | None
    """None when the root is not that of any kind of sitemap"""
    frame: bytes
    """the root's open tag, made well-formed, to be fed to every pass; behind the entities, if the document uses any"""
    content: int
    """offset behind the root's open tag"""
    empty: bool
    """the root closes itself"""
    troubles: Troubles
    comments: list[Place]
    entities: UsedEntities


class PrologReader:
    """Walks from the first byte to the root."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self._seeker = Seeker(data)
        self.troubles = Troubles()
        self.comments: list[Place] = []
        self.declaration: Declaration | None = None
        self.doctype: Doctype | None = None
        self.stylesheets: list[str] = []
        self._pieces: list[MarkupPiece] = []
        self._junk: int | None = None
        self._met_a_tag = False

    def read(self) -> Beginning | None:
        """None when there is no tag at all."""
        while (tag := self._step()) is None:
            if self.at >= len(self.data):
                return None
        self._settle_junk(
            tag.start(), TroubleKind.BAD_PROLOG if self.declaration else TroubleKind.TEXT_BEFORE_DECLARATION
        )
        self.troubles += judged(self.data, self._pieces)
        place = None if self.doctype is None else self.doctype.place
        prolog = Prolog(self.declaration, place, tuple(self.stylesheets))
        beginning = read_root(self.data, tag.start(), prolog, self.troubles, self.comments, self._entities())
        if beginning.vocabulary is not None and is_foreign(self.data, beginning.root, beginning.vocabulary):
            beginning.vocabulary = None
        return beginning

    def _step(self) -> re.Match[bytes] | None:
        """Take one piece of the prolog; the match when it is the root's tag."""
        data = self.data
        blank = BLANK.match(data, self.at)
        assert blank is not None
        at = self.at = blank.end()
        if (piece := piece_at(data, at, self._seeker)) is not None and not self._holds_the_root(piece):
            self._take_piece(piece)
        elif data[at : at + 9].upper() == b"<!DOCTYPE":
            self._take_doctype()
        elif (match := _TAG_NAME.match(data, at)) and self._is_root(match):
            return match
        else:
            if self._junk is None:
                self._junk = self.at
            following = self.data.find(b"<", self.at + 1)
            self.at = following if following != -1 else len(self.data)
        return None

    def _holds_the_root(self, piece: MarkupPiece) -> bool:
        """An instruction without its ?> reaches into the body, to the end of the next instruction there."""
        if piece.kind is not TroubleKind.BAD_INSTRUCTION:
            return False
        root = self._seeker.find(KNOWN_ROOT, piece.place.offset)
        return -1 < root < piece.place.end and self._seeker.find(KNOWN_ROOT, piece.place.end) == -1

    def _take_piece(self, piece: MarkupPiece) -> None:
        place = piece.place
        self.at = place.end
        if piece.kind is TroubleKind.BAD_DECLARATION:
            self._take_declaration(piece)
            return
        self._pieces.append(piece)
        if piece.kind is TroubleKind.BAD_COMMENT:
            self.comments.append(place)
        elif self.data.startswith(b"<?xml-stylesheet", place.offset):
            self.stylesheets.append(place.cut(self.data)[2:-2].decode("utf-8", "replace"))

    def _is_root(self, tag: re.Match[bytes]) -> bool:
        """A tag is the root unless a known root follows: then this is something pasted in front."""
        local = tag[1].rpartition(b":")[2].decode("utf-8", "replace").lower()
        if local in BY_ROOT:
            return True
        known = self._seeker.find(KNOWN_ROOT, tag.end())
        if local in BY_ROW:  # a row that holds a root and closes nothing before it is a stray tag
            return known == -1 or -1 < self._seeker.find(b"</", tag.end()) < known
        if known == -1 or known - tag.end() > _LOOK_AHEAD:
            return True
        is_first, self._met_a_tag = not self._met_a_tag, True
        return is_first and encloses(self.data, tag.start(), known)

    def _settle_junk(self, end: int, kind: TroubleKind) -> None:
        if self._junk is not None:
            self._trouble(kind, between(self._junk, end))
            self._junk = None

    def _take_declaration(self, piece: MarkupPiece) -> None:
        place = piece.place
        if self.declaration is not None:
            self._trouble(TroubleKind.BAD_DECLARATION, place, "a second XML declaration")
            return
        if place.offset > 0:
            self._junk = None
            self._trouble(TroubleKind.TEXT_BEFORE_DECLARATION, between(0, place.offset))
        values = {name: double or single for name, double, single in _PSEUDO.findall(place.cut(self.data))}
        texts = {name.decode(): value.decode("utf-8", "replace") for name, value in values.items()}
        self.declaration = Declaration(place, texts.get("version"), texts.get("encoding"), texts.get("standalone"))
        faults = list(judged(self.data, (piece,)))
        self.troubles += faults
        if not faults and texts.get("version") != "1.0":
            self._trouble(TroubleKind.XML_VERSION, place, texts.get("version", ""))

    def _take_doctype(self) -> None:
        self._settle_junk(self.at, TroubleKind.BAD_PROLOG if self.declaration else TroubleKind.TEXT_BEFORE_DECLARATION)
        found = doctype_at(self.data, self.at)
        self.at = found.place.end
        self._trouble(TroubleKind.DOCTYPE, found.place)
        for entity in found.entities:
            kind = TroubleKind.EXTERNAL_ENTITY if entity.is_external else TroubleKind.ENTITY_DECLARED
            self._trouble(kind, entity.place, entity.name.decode("utf-8", "replace"))
        if self.doctype is not None:  # only the first is legal, but a reference may mean an entity of any
            found = msgspec.structs.replace(self.doctype, entities=(*self.doctype.entities, *found.entities))
        self.doctype = found

    def _entities(self) -> UsedEntities:
        if self.doctype is None:
            return UsedEntities()
        standalone = self.declaration is not None and self.declaration.standalone == "yes"
        used = used_entities(self.data, self.doctype, standalone=standalone)
        if used.first is not None:
            self._trouble(TroubleKind.ENTITY_USED, used.first)
        return used

    def _trouble(self, kind: TroubleKind, place: Place, detail: str = "") -> None:
        shown = detail or self.data[place.offset : min(place.end, place.offset + 120)].decode("utf-8", "replace")
        self.troubles.append(Trouble(kind, place, shown))


def read_root(
    data: bytes, at: int, prolog: Prolog, troubles: Troubles, comments: list[Place], entities: UsedEntities
) -> Beginning:
    """The tag at `at` as a root, repaired if necessary, assumed if there is none."""
    name = _TAG_NAME.match(data, at)
    assert name is not None
    local = name[1].rpartition(b":")[2].decode("utf-8", "replace")
    vocabulary = BY_ROOT.get(local.lower())
    row_of = BY_ROW.get(local.lower())
    if vocabulary is None and row_of is not None and has_rows(data, at, row_of):
        vocabulary = row_of
        troubles.append(Trouble(TroubleKind.MISSING_ROOT, Place(at), f"<{vocabulary.roots[0]}>"))
        return _assumed(prolog, vocabulary, at, troubles, comments, entities)
    tag = _TAG.match(data, at)
    if tag is None:
        end = re.compile(rb"[<>]").search(data, name.end())
        stop = len(data) if end is None else end.start() + (end.group() == b">")
        place = between(at, stop)
        troubles.append(Trouble(TroubleKind.BROKEN_ROOT, place, place.cut(data)[:120].decode("utf-8", "replace")))
        if vocabulary is not None:
            return _assumed(prolog, vocabulary, stop, troubles, comments, entities)
        return Beginning(prolog, Root(place, local, local, ""), None, b"", stop, False, troubles, comments, entities)
    declared = entities.declarations
    if (
        vocabulary is None and _fault(declared + tag.group()) is not None
    ):  # nothing is read from it, so nothing is repaired
        return Beginning(
            prolog,
            Root(between(*tag.span()), local, local, ""),
            None,
            b"",
            tag.end(),
            False,
            troubles,
            comments,
            entities,
        )
    frame = declared + repair_tag(data, tag, troubles, declared)
    root = parse_root_tag(frame, between(*tag.span()))
    empty = tag.group().endswith(b"/>")
    if frame.endswith(b"/>"):  # also where only the repaired tag closes itself
        frame = frame[:-2] + b">"
    return Beginning(prolog, root, vocabulary, frame, tag.end(), empty, troubles, comments, entities)


def _assumed(
    prolog: Prolog,
    vocabulary: Vocabulary,
    content: int,
    troubles: Troubles,
    comments: list[Place],
    entities: UsedEntities,
) -> Beginning:
    frame = entities.declarations + b"<%s%s>" % (vocabulary.roots[0].encode(), declarations(known_prefixes(vocabulary)))
    root = parse_root_tag(frame, Place(content))
    root = msgspec.structs.replace(root, synthetic=True)
    return Beginning(prolog, root, vocabulary, frame, content, False, troubles, comments, entities)


def known_prefixes(vocabulary: Vocabulary) -> dict[str, str]:
    """What a sound root of this kind would declare."""
    default = namespaces.ATOM if vocabulary.roots == ("feed",) else ""
    if not vocabulary.strict_namespace:
        default = namespaces.SITEMAP
    prefixed = {prefix: namespace.uri for prefix, namespace in namespaces.BY_PREFIX.items() if prefix}
    return {"": default, **prefixed} if default else prefixed


def declarations(prefixes: dict[str, str]) -> bytes:
    return b"".join(
        b' xmlns%s="%s"' % (b":" + prefix.encode() if prefix else b"", uri.encode()) for prefix, uri in prefixes.items()
    )


def repair_tag(data: bytes, tag: re.Match[bytes], troubles: Troubles, declared: bytes = b"") -> bytes:
    """The root's tag with its own faults repaired, and every prefix it uses bound."""
    text = tag.group()
    for _ in range(8):
        fault = _fault(declared + text)
        if fault is None:
            return text
        if fault == _UNBOUND:
            text, missing = bind_prefixes(text, text)
            place = between(*tag.span())
            troubles += [Trouble(TroubleKind.UNBOUND_PREFIX, place, prefix) for prefix in missing]
            if missing:
                continue
        fixed = _salvage_tag(data, tag, troubles)
        if fixed == text:
            break
        text = fixed
    name = re.match(rb"<(?:[^\s/>:]+:)?([^\s/>:]+)", tag.group())
    assert name is not None
    bare = b"<" + name[1] + b">"
    if not any(tag.start() <= trouble.place.offset < tag.end() for trouble in troubles):
        shown = tag.group()[:120].decode("utf-8", "replace")
        troubles.append(Trouble(TroubleKind.BROKEN_ROOT, between(*tag.span()), shown))
    return bare if _fault(bare) is None else b"<urlset>"


_UNBOUND = 27


def _fault(tag: bytes) -> int | None:
    """Expat's code for what is wrong with a root tag; 0 when it is more than one tag."""
    opened: list[str] = []
    parser = ParserCreate("utf-8", " ")
    parser.StartElementHandler = lambda name, _attributes: opened.append(name)
    try:
        parser.Parse(tag)
    except ExpatError as error:
        return error.code
    return None if len(opened) == 1 else 0


def _salvage_tag(data: bytes, tag: re.Match[bytes], troubles: Troubles) -> bytes:
    name = re.match(rb"<(" + _ROOT_NAME + rb")", tag.group())
    assert name is not None
    salvage = Salvage(data, tag.start(), tag.end(), name[1], Seeker(data), cut=False)
    salvage.run()
    closer = b"</" + name[1] + b">"
    wanted = [repair for repair in salvage.repairs if repair.edit.text != closer]
    troubles += [Trouble(repair.kind, repair.edit.place, repair.detail) for repair in wanted]
    fixed = salvage.repaired().removesuffix(closer)
    alone = _ONE_TAG.match(fixed)
    return fixed if alone is None else alone.group()  # the repair may have closed the tag early


_ONE_TAG = lazy_pattern(rb"""<(?:[^<>"']++|"[^"]*+"|'[^']*+')*+>""")


_PREFIX = lazy_pattern(rb"(?:</?|\s)([A-Za-z_\x80-\xff][\w.\x80-\xff-]*):[A-Za-z_\x80-\xff][\w.\x80-\xff-]*(?=[\s=/>])")


def assumed_namespace(prefix: str) -> str:
    """What a prefix without a declaration is taken to mean."""
    return namespaces.BY_PREFIX[prefix].uri if prefix in namespaces.BY_PREFIX else f"urn:unbound:{prefix}"


def bind_prefixes(frame: bytes, tag: bytes) -> tuple[bytes, list[str]]:
    """`frame` with declarations for the prefixes that `tag` uses and `frame` does not bind."""
    bound = set(re.findall(rb"xmlns:([\w.\x80-\xff-]+)\s*=", frame)) | {b"xml", b"xmlns"}
    used = dict.fromkeys(_PREFIX.findall(tag))
    missing = [prefix.decode() for prefix in used if prefix not in bound and is_name(prefix)]
    if not missing:
        return frame, []
    name = re.compile(rb"<" + _ROOT_NAME).match(frame, open_tag(frame))
    assert name is not None
    known = {prefix: assumed_namespace(prefix) for prefix in missing}
    return frame[: name.end()] + declarations(known) + frame[name.end() :], missing


def parse_root_tag(frame: bytes, place: Place) -> Root:
    declared: dict[str, str] = {}
    found: list[tuple[str, dict[str, str]]] = []
    parser = ParserCreate("utf-8", " ")
    parser.StartNamespaceDeclHandler = lambda prefix, uri: declared.__setitem__(prefix or "", uri or "")
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    parser.Parse(frame)
    expanded, attributes = found[0]
    namespace, _, local = expanded.rpartition(" ")
    written = re.compile(rb"<(" + _ROOT_NAME + rb")").match(frame, open_tag(frame))
    assert written is not None
    return Root(place, written[1].decode(), local, namespace, declared, attributes)


# A root that may belong to another XML format → whether its document is a sitemap or feed after all.
#
# The names of rows are ordinary words: ASP.NET and Dynamics 365 call their navigation `<siteMap>`, Sitecore has
# `<item>`, dictionaries have `<entry>`. And `<feed>` or `<rdf:RDF>` occur inside images and settings. A name alone
# decides for `<urlset>`, `<sitemapindex>` and `<rss>` only.

_LOOK_AT = 1 << 18
_MARKUP = lazy_pattern(
    rb"<(?P<close>/?)(?:[\w.\x80-\xff-]+:)?(?P<name>[A-Za-z_\x80-\xff][\w.\x80-\xff-]*+)(?P<rest>[^<>]*+)>|(?P<skip><!--|<!\[CDATA\[)"
)
_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>"}
_XMLNS = lazy_pattern(rb"\sxmlns(?::[\w.\x80-\xff-]+)?\s*=\s*[\"']([^\"'<]*)[\"']")
_WRITTEN_NAME = lazy_pattern(rb"<([^\s/<>]+)")
_ROOTS_BY_NAME_ALONE = frozenset({b"urlset", b"sitemapindex"})


def has_rows(data: bytes, at: int, vocabulary: Vocabulary) -> bool:
    """Whether the element at `at`, which has the name of a row, holds a field of such a row.

    The field may be in a row inside it, but not in an element of another name: then this is another format.
    """
    known = {*vocabulary.roots, *vocabulary.rows, *vocabulary.containers}
    others: list[str] = []
    for name, closes, empty in _tags(data, at):
        if name in vocabulary.fields and not closes and not others:
            return True
        if name in known or empty:
            continue
        if not closes:
            others.append(name)
        elif name in others:
            del others[others.index(name) :]
    return False


def is_foreign(data: bytes, root: Root, vocabulary: Vocabulary) -> bool:
    """Whether a root with the name of a feed's root belongs to another format."""
    if root.synthetic or not vocabulary.strict_namespace:
        return False
    if root.local.lower() == "rdf":
        return not any(uri.lower() == namespaces.RSS10 or "/rdf/simple/" in uri for uri in root.declared.values())
    if vocabulary.kind is not Kind.ATOM or root.namespace.startswith("urn:unbound:"):
        return False
    if root.namespace:
        return "atom" not in root.namespace.lower()
    return all(name != "entry" for name, _, _ in _tags(data, root.place.end))


def encloses(data: bytes, at: int, known: int) -> bool:
    """Whether the element at `at` is the root of another format, and a sitemap or feed at `known` a part of it.

    A warning or a banner in front of a sitemap is closed before it, or never. A sitemap inside an element without a
    namespace is read: the element was put around it by mistake.
    """
    outer, inner = _MARKUP.match(data, at), _MARKUP.match(data, known)
    if outer is None or inner is None or outer["skip"] or inner["skip"]:
        return False
    written = _WRITTEN_NAME.match(outer.group())
    assert written is not None
    uris = [uri.decode("utf-8", "replace") for uri in _XMLNS.findall(outer["rest"])]
    is_plain = b":" not in written[1] and not any(uri in FORMATS_BY_NAMESPACE for uri in uris)
    if is_plain and inner["name"].lower() in _ROOTS_BY_NAME_ALONE:
        return False
    name = outer["name"].decode("utf-8", "replace").lower()
    depth = sum((-1 if closes else 1) for each, closes, empty in _tags(data, at, known) if each == name and not empty)
    return depth > 0 and data.rfind(b"</" + written[1], known) > known


def first_child(data: bytes, root: Root) -> str:
    """The name of the first element inside the root, in lowercase; empty if there is none."""
    return next((name for name, closes, _ in _tags(data, root.place.end) if not closes), "")


def _tags(data: bytes, at: int, end: int | None = None) -> Iterator[tuple[str, bool, bool]]:
    """Local name in lowercase, whether it closes, whether it is empty; none of comments and sections."""
    stop = min(len(data), at + _LOOK_AT) if end is None else end
    while (tag := _MARKUP.search(data, at, stop)) is not None:
        at = tag.end()
        if tag["skip"] is None:
            yield tag["name"].decode("utf-8", "replace").lower(), bool(tag["close"]), tag["rest"].endswith(b"/")
        elif (at := data.find(_ENDS[tag["skip"]], at, stop)) == -1:
            return
