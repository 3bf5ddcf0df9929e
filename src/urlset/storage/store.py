"""A storage URL → objects that are read, written, copied and deleted; failures are StorageError."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from urlset.model.errors import UrlsetError

SCHEMES = ("s3", "gs", "az", "file")
_SECRETIVE = re.compile(r"\?[^\s\"']*")
_FRAME = re.compile(r"^Generic \w+ error: |\b[Ee]rror performing [A-Z]+ \S+ in \S+(?:,[^-]*)? - ")
_KNOWN = (
    (re.compile("NoSuchBucket|specified bucket does not exist|ContainerNotFound"), "{bucket}: no such bucket"),
    (re.compile("Object at location .* not found"), "no such object in {bucket}"),
    (re.compile("InvalidBucketName|specified bucket is not valid"), "{bucket}: not a valid name of a bucket"),
    (
        re.compile(r"169\.254\.169\.254|169\.254\.170\.2|metadata\.google|CredentialsNotLoaded|No credentials"),
        "no credentials for {bucket}: set them as the provider describes, such as AWS_ACCESS_KEY_ID for S3",
    ),
    (
        re.compile("SignatureDoesNotMatch|InvalidAccessKeyId|ExpiredToken|AuthenticationFailed|401 Unauthorized"),
        "{bucket} does not accept the credentials",
    ),
    (
        re.compile("AccessDenied|403 Forbidden"),
        "{bucket} denies access: the credentials need to list and read there, and to write for `publish` and --parts",
    ),
    (
        re.compile("dns error|failed to lookup|error trying to connect|error sending request|tcp connect"),
        "cannot connect to the storage of {bucket}: check the network, the region and the endpoint",
    ),
    (
        re.compile("builder error|URL scheme is not allowed"),
        "cannot use the endpoint of {bucket}: set AWS_ENDPOINT_URL, or `publish --endpoint`, to http://HOST:PORT",
    ),
)
"""in messages of the storage library: the sign of a common mistake, and what to say instead"""
_ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "az": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}
"""variables of the providers that name another endpoint, which may have no TLS"""
T = TypeVar("T")


class StorageError(UrlsetError, OSError):
    """The store cannot be used, or refused."""


class NoSuchObject(StorageError, FileNotFoundError):  # noqa: N818 - an answer, not a mistake
    pass


class ConditionFailed(StorageError):  # noqa: N818 - an answer, not a mistake
    """The object is not the one that the condition names."""


class Stored(msgspec.Struct, frozen=True):
    size: int
    tag: str
    version: str | None
    modified: float


class Store:
    def __init__(self, url: str, *, endpoint: str | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:
            raise StorageError(f"unknown storage scheme {parts.scheme!r}; use {', '.join(SCHEMES)}")
        if "@" in parts.netloc or parts.query:
            raise StorageError("credentials in a storage URL are not accepted; set the variables of the provider")
        if parts.scheme != "file" and not parts.netloc:
            raise StorageError(f"{url!r} names no bucket; write {parts.scheme}://BUCKET/FOLDER")
        self._bucket = f"{parts.scheme}://{parts.netloc}"
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise StorageError("storage URLs need obstore: pip install 'urlset[scale]'") from error
        self.url, self.has_attributes = url, parts.scheme != "file"
        extra: dict[str, Any] = {"endpoint": endpoint} if endpoint else {}
        if self.has_attributes:
            endpoint = endpoint or next(filter(None, map(os.environ.get, _ENDPOINTS.get(parts.scheme, ()))), "")
            extra |= {"endpoint": endpoint} if endpoint else {}
            extra["client_options"] = {"allow_http": endpoint.startswith("http://")}
            extra["retry_config"] = {"max_retries": 3, "retry_timeout": timedelta(seconds=60)}
        elif not extra:
            extra["mkdir"] = True
        self._api: Any = obstore
        self._store = self._asked(lambda: from_url(url, **extra))

    def read(self, name: str) -> tuple[bytes, Stored] | None:
        def ask() -> tuple[bytes, Stored]:
            answer = self._api.get(self._store, name)
            return bytes(answer.bytes()), _stored(answer.meta)

        return self._found(ask)

    def stream(self, name: str, size: int) -> tuple[Stored, Iterator[Any]]:
        """What it is, and its bytes in pieces of about that size, as they come."""
        answer = self._asked(lambda: self._api.get(self._store, name))
        pieces = iter(answer.stream(min_chunk_size=size))

        def chunks() -> Iterator[Any]:
            while (piece := self._asked(lambda: next(pieces, None))) is not None:
                if len(piece):  # an empty one would be read as the end of the file
                    yield piece

        return _stored(answer.meta), chunks()

    def read_range(self, name: str, start: int, end: int, known: Stored | None = None) -> bytes:
        """Raises ConditionFailed if the object is not the one known."""
        options: dict[str, Any] = {"range": (start, end)}
        if known is not None:
            options["if_match"] = f'"{known.tag}"'
        try:
            return self._asked(lambda: bytes(self._api.get(self._store, name, options=options).bytes()))
        except StorageError as error:
            if "non-partial response" not in str(error):
                raise
        whole = self.read(name)  # some stores answer with all of it where the range is the whole object
        if whole is None or (known is not None and whole[1].tag != known.tag):
            raise ConditionFailed(f"{name} has changed")
        return whole[0][start:end]

    def look(self, name: str) -> Stored | None:
        return self._found(lambda: _stored(self._api.head(self._store, name)))

    def list(self, folder: str) -> dict[str, Stored]:
        """The objects directly in a folder, by their names below the URL."""
        found = self._asked(lambda: self._api.list_with_delimiter(self._store, folder or None))
        return {str(each["path"]): _stored(each) for each in found["objects"]}

    def walk(self, folder: str, most: int | None = None) -> Iterator[tuple[str, Stored]]:
        """All objects below a folder, at most so many."""
        pages = iter(self._asked(lambda: self._api.list(self._store, folder or None, chunk_size=1000)))
        found = (each for page in iter(lambda: self._asked(lambda: next(pages, None)), None) for each in page)
        for each in islice(found, most):
            yield str(each["path"]), _stored(each)

    def write(self, name: str, data: bytes, attributes: dict[str, str], *, mode: object = "overwrite") -> None:
        given: dict[str, Any] = {"attributes": attributes} if self.has_attributes else {}
        self._asked(lambda: self._api.put(self._store, name, data, mode=mode, use_multipart=False, **given))

    def replace(self, name: str, data: bytes, attributes: dict[str, str], known: Stored | None) -> None:
        """Write if the object is still the one known; raises ConditionFailed where the store enforces it."""
        if known is None:
            self.write(name, data, attributes, mode="create")
            return
        mode = {"e_tag": f'"{known.tag}"'} | ({"version": known.version} if known.version else {})
        self.write(name, data, attributes, mode=mode)

    def copy(self, source: str, target: str) -> None:
        self._asked(lambda: self._api.copy(self._store, source, target))

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self._found(lambda name=name: self._api.delete(self._store, name))  # type: ignore[misc]

    def delete_all(self, names: Iterable[str]) -> None:
        """Many, in few requests where the store has a request for it; a missing one is ignored."""
        names = iter(names)
        while some := list(islice(names, 1000)):
            self._asked(lambda some=some: self._api.delete(self._store, some))  # type: ignore[misc]

    def _found(self, ask: Callable[[], T]) -> T | None:
        try:
            return self._asked(ask)
        except NoSuchObject:
            return None

    def _asked(self, ask: Callable[[], T]) -> T:
        from obstore import exceptions

        try:
            return ask()
        except FileNotFoundError as error:
            raise NoSuchObject(_plain(error, self._bucket)) from None
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError) as error:
            raise ConditionFailed(_plain(error, self._bucket)) from None
        except (exceptions.BaseError, NotImplementedError, OSError, ValueError, TypeError) as error:
            raise StorageError(_plain(error, self._bucket)) from None


def _stored(meta: Any) -> Stored:
    return Stored(meta["size"], str(meta["e_tag"]).strip('"'), meta["version"], meta["last_modified"].timestamp())


def _plain(error: Exception, bucket: str) -> str:
    """What went wrong and what to do; otherwise the first line of the library, without its frame."""
    whole = str(error)
    for signs, said in _KNOWN:
        if signs.search(whole):
            return said.format(bucket=bucket)
    # without query strings, which may carry signatures and tokens
    line = _SECRETIVE.sub("?…", (whole.splitlines() or [type(error).__name__])[0])
    return f"{bucket}: {_FRAME.sub('', line)[:300]}"


# A file name and its bytes → the attributes of its object.

CACHE_CONTROL = "public, max-age=600"
_UTF8 = "; charset=utf-8"
_TYPES = {
    ".xml": "application/xml",
    ".gz": "application/gzip",
    ".txt": f"text/plain{_UTF8}",
    ".html": f"text/html{_UTF8}",
    ".css": f"text/css{_UTF8}",
    ".js": f"text/javascript{_UTF8}",
    ".md": f"text/markdown{_UTF8}",
    ".json": "application/json",
    ".atom": "application/atom+xml",
    ".rss": "application/rss+xml",
}


def attributes_of(name: str, data: bytes, cache_control: str) -> dict[str, str]:
    """Content-Encoding only for a gzip body without the .gz suffix: with both, clients unpack once too little."""
    suffix = name[name.rfind(".") :].lower()
    is_gzip = data.startswith(b"\x1f\x8b")
    if suffix == ".gz" and not is_gzip:
        raise StorageError(f"{name} is not gzip data; rename it or compress it")
    found = {"Content-Type": _TYPES.get(suffix, "application/octet-stream"), "Cache-Control": cache_control}
    return found | ({"Content-Encoding": "gzip"} if is_gzip and suffix != ".gz" else {})
