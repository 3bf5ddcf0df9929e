"""Numbers → the way people write them."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def amount(count: int, one: str, many: str | None = None) -> str:
    """1 URL, 2,000 URLs."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(count: int) -> str:
    """Bytes at three digits: 812 bytes, 9.8 KiB, 1.5 MiB."""
    if count < 1024:
        return amount(count, "byte")
    value = float(count)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 999.5 or unit == "TiB":
            break
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"


def share(part: int, whole: int) -> str:
    """A percentage that says 0 or 100 only where it is exactly that."""
    if not whole:
        return "0 %"
    percent = round(100 * part / whole)
    if part and not percent:
        return "under 1 %"
    if part != whole and percent == 100:
        return "over 99 %"
    return f"{percent} %"


def bar(count: int, largest: int, width: int) -> str:
    """A horizontal bar in eighths of a character, visible for every count above zero."""
    if not count or not largest:
        return ""
    eighths = max(1, round(count * width * 8 / largest))
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest] if rest else "")
