"""The text of a number field and its table entry → the problem, in words."""

from __future__ import annotations

from decimal import Decimal

from urlset.spec.fields import FieldKind, FieldSpec
from urlset.spec.lazy_pattern import lazy_pattern

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
