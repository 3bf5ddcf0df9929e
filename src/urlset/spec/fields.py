"""The shape of a field table: element → fields → attributes, with limits, schema facts and sources."""

from __future__ import annotations

from enum import StrEnum

import msgspec

WITHDRAWN_2022 = "2022-08-06"  # cites: google-2022
YES_NO = ("yes", "no")


class FieldKind(StrEnum):
    """What the text of a field or attribute has to be."""

    TEXT = "text"
    URL = "url"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATETIME = "datetime"
    CHOICE = "choice"  # exactly one of `values`
    CHOICES = "choices"  # a list of `values`
    COUNTRIES = "countries"  # ISO 3166-1 alpha-2, space-separated
    CURRENCY = "currency"  # ISO 4217
    LANGUAGE = "language"  # ISO 639, two or three letters, or zh-cn, zh-tw
    TICKERS = "tickers"  # EXCHANGE:SYMBOL, comma-separated
    GROUP = "group"  # an element with its own fields
    EMPTY = "empty"


class AttributeSpec(msgspec.Struct, frozen=True):
    """One attribute of a field or element."""

    name: str
    kind: FieldKind
    required: bool = False
    values: tuple[str, ...] = ()
    withdrawn: str | None = None
    xsd_pattern: str | None = None


class FieldSpec(msgspec.Struct, frozen=True):
    """One child element: what the documentation asks, and where the schema differs from it."""

    name: str
    kind: FieldKind
    required: bool = False
    repeatable: bool = False
    max_count: int | None = None
    max_length: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    values: tuple[str, ...] = ()
    attributes: tuple[AttributeSpec, ...] = ()
    withdrawn: str | None = None  # ISO date from which it has no effect
    documented: bool = True  # False: in the schema, gone from the documentation, no date known
    xsd_order: int | None = None  # position in the schema's sequence; None where there is no schema
    xsd_max_length: int | None = None
    xsd_values: tuple[str, ...] = ()
    xsd_pattern: str | None = None
    cites: tuple[str, ...] = ()


class ElementSpec(msgspec.Struct, frozen=True):
    """One element with fields: video:video, news:publication, PageMap …"""

    name: str
    namespace: str  # a name in urlset.spec.namespaces.BY_NAME
    parent: str  # its parent element, "url" for the outermost
    fields: tuple[FieldSpec, ...]
    cites: tuple[str, ...]
    attributes: tuple[AttributeSpec, ...] = ()
    one_of: tuple[str, ...] = ()  # at least one of these fields must be there
    max_per_parent: int | None = None
    withdrawn: str | None = None

    def field(self, name: str) -> FieldSpec | None:
        """The field of that local name, or None when the element has no such field."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def xsd_sequence(self) -> tuple[str, ...]:
        """Field names in the order the schema wants them."""
        ordered = [(field.xsd_order, field.name) for field in self.fields if field.xsd_order is not None]
        return tuple(name for _, name in sorted(ordered))
