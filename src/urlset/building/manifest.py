"""The files of a published set with their hashes ↔ `manifest.json` in the state folder."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum
from pathlib import Path

import msgspec

from urlset.model.address import Address
from urlset.model.errors import ArgumentValueError
from urlset.spec.lazy_pattern import lazy_pattern
from urlset.writing.files import write_atomically

SCHEMA = 1
CURRENT = "manifest.json"
PREVIOUS = "manifest.previous.json"

_SAFE_NAME = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,199}")
_BLOCK = 1 << 20


class FileRole(StrEnum):
    INDEX = "index"
    SHARD = "shard"
    EXTRA = "extra"
    """a page or style sheet for people; no sitemap"""


class PublishedFile(msgspec.Struct, frozen=True, omit_defaults=True):
    name: str
    sha256: str
    bytes: int
    entries: int = 0
    section: str = ""
    newest: str | None = None
    """the newest lastmod inside, as written there"""
    role: FileRole = FileRole.SHARD
    foreign: bool = False
    """urlset did not write it and only replaced it: it can be put back, and is never removed"""


class Manifest(msgspec.Struct, frozen=True):
    """One complete set; `files` in the order of the index."""

    base_url: str
    host: str
    build: str
    """tells sets apart: equal for equal files, so not a time"""
    files: tuple[PublishedFile, ...] = ()
    schema: int = SCHEMA

    @classmethod
    def of(cls, base_url: str, files: tuple[PublishedFile, ...]) -> Manifest:
        build = hashlib.sha256(msgspec.json.encode([base_url, files])).hexdigest()[:12]
        return cls(base_url, host_of(base_url), build, files)

    @property
    def entries(self) -> int:
        return sum(file.entries for file in self.shards)

    @property
    def shards(self) -> tuple[PublishedFile, ...]:
        return tuple(file for file in self.files if file.role is FileRole.SHARD)

    @property
    def sections(self) -> dict[str, int]:
        """Entries by section."""
        counts: dict[str, int] = {}
        for file in self.shards:
            counts[file.section] = counts.get(file.section, 0) + file.entries
        return counts

    @property
    def entry_point(self) -> PublishedFile | None:
        """The file that readers begin with: the index, or the only sitemap."""
        return next(iter(self.entry_points), None)

    @property
    def entry_points(self) -> tuple[PublishedFile, ...]:
        """More than one where the set needs several indexes: robots.txt names them all."""
        return tuple(file for file in self.files if file.role is FileRole.INDEX) or self.shards[:1]

    def named(self, name: str) -> PublishedFile | None:
        return next((file for file in self.files if file.name == name), None)

    def url_of(self, name: str) -> str:
        return url_of(self.base_url, name)


class ManifestError(ArgumentValueError):
    """A manifest that is not one of ours, or is of a later version."""


class UnsafeNameError(ArgumentValueError):
    """A file name that could leave the folder, or hide in it."""


def safe_name(name: str) -> str:
    """The name, if it is that of a plain file in a folder and needs no escaping in an address."""
    if not _SAFE_NAME.fullmatch(name):
        raise UnsafeNameError(f"{name!r} is not a valid file name for a published file")
    return name


def url_of(base_url: str, name: str) -> str:
    folder = re.split(r"[?#]", base_url, maxsplit=1)[0]
    return f"{folder if folder.endswith('/') else folder + '/'}{name}"


def host_of(base_url: str) -> str:
    """Host, and the port unless it is the usual one."""
    origin = Address.parse(base_url).origin
    if origin is None:
        raise ValueError(f"base URL {base_url!r} has no scheme and host")
    usual = {"http": 80, "https": 443}.get(origin.scheme)
    return origin.host if origin.port in (usual, None) else f"{origin.host}:{origin.port}"


def sha256_of(path: Path) -> str | None:
    """None when there is no such file. A link does not count as the file it points to."""
    if path.is_symlink() or not path.is_file():
        return None
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def load(state_dir: Path, name: str = CURRENT) -> Manifest | None:
    """None when nothing was published yet."""
    path = state_dir / name
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
        for file in manifest.files:
            safe_name(file.name)
    except (msgspec.DecodeError, UnsafeNameError) as error:
        raise ManifestError(f"{path} is not a manifest: {error}") from error
    if manifest.schema != SCHEMA:
        raise ManifestError(f"{path} has schema {manifest.schema}; this version reads {SCHEMA}")
    return manifest


def save(state_dir: Path, manifest: Manifest, name: str = CURRENT) -> None:
    write_atomically(state_dir / name, [encode(manifest)], private=True)


def encode(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
