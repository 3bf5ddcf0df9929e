"""The links of every page in 32 bits each → which pages link to an address."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from zlib import crc32


def link_hash(url: str) -> int:
    """Small, because there is one for each link of each page; of 100,000 addresses two are alike by chance."""
    return crc32(url.encode())


def packed(hashes: Iterable[int]) -> bytes:
    return array("I", sorted(hashes)).tobytes()


def linking(links: Iterable[tuple[str, bytes]], url: str) -> Iterator[str]:
    """`links` are pages with what `packed` gave for each."""
    wanted = link_hash(url)
    return (page for page, data in links if wanted in array("I", data))
