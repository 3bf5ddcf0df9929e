"""Objects as files: names, patterns, listings, streamed and ranged reads, refusals."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest

from urlset.storage.files import StoredFile, files_at
from urlset.storage.paths import each_file, file_at, is_stored
from urlset.storage.store import ConditionFailed, NoSuchObject, StorageError

pytestmark = pytest.mark.network


def test_names_are_taken_apart_like_paths() -> None:
    file = StoredFile("S3://bucket/a b/c%20*.xml")
    assert (str(file), file.name, str(file.parent)) == ("s3://bucket/a b/c%20*.xml", "c%20*.xml", "s3://bucket/a b")
    assert str(file.parent.parent / "x") == "s3://bucket/x"
    assert str(file.with_name("d")) == os.fspath(StoredFile("s3://bucket/a b/d"))
    assert [is_stored(each) for each in ("gs://b/x", "AZ://b/x", "https://b/x", "s3:/x")] == [True, True, False, False]
    assert file_at("a/b") == Path("a/b")


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:secret@bucket/x",
        "s3://bucket/x?X-Amz-Signature=secret",
        "az://box/x?se=2030&sig=secret",
        "gs://bucket/x?GoogleAccessId=secret",
    ],
)
def test_credentials_in_a_url_are_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(StorageError, match="credentials in a storage URL") as refused:
        StoredFile(url)
    assert "secret" not in str(refused.value)


def test_an_object_is_streamed_and_read_at_any_place(bucket: StoredFile) -> None:
    data = os.urandom(3_500_000)
    (bucket / "big").write([data[:1000], data[1000:]])
    with (bucket / "big").open() as file:
        assert file.read(10) == data[:10]
        assert file.read() == data[10:]
        file.seek(-7, os.SEEK_END)
        assert file.read() == data[-7:]
        file.seek(2_000_000)
        assert file.read(5) == data[2_000_000:2_000_005]
    assert (bucket / "big").read_range(5, 9) == data[5:9]
    (bucket / "empty").touch()
    assert (bucket / "empty").open().read() == b""


def test_a_changed_object_is_not_read_as_a_mixture(bucket: StoredFile) -> None:
    (bucket / "x").write([b"1" * 3_000_000])
    with (bucket / "x").open(buffering=1000) as file:
        file.read(10)
        (bucket / "x").write([b"2" * 3_000_000])
        file.seek(2_000_000)
        with pytest.raises(ConditionFailed):
            file.read(1000)


def test_what_is_not_there(bucket: StoredFile) -> None:
    missing = bucket / "missing"
    assert not missing.is_file()
    assert not missing.is_dir()
    for ask in (missing.stat, missing.read_bytes, missing.open):
        with pytest.raises(NoSuchObject, match="no such object") as absent:
            ask()
        assert isinstance(absent.value, FileNotFoundError)
    with pytest.raises(StorageError, match="s3://no-bucket: no such bucket"):
        list(StoredFile("s3://no-bucket/x").iterdir())


def test_folders_and_patterns(bucket: StoredFile) -> None:
    for name in ("a1.csv", "a2.csv", "b/a3.csv", "b/c/a4.csv", "b/c/x.txt", "_SUCCESS", ".part.crc", "empty"):
        (bucket / name).write([b"" if name == "empty" else b"1"])

    def found(pattern: str) -> list[str]:
        return [str(each).removeprefix(f"{bucket}/") for each in files_at(f"{bucket}/{pattern}")]

    assert found("*.csv") == ["a1.csv", "a2.csv"]
    assert found("a[2-9].c?v") == ["a2.csv"]
    assert found("**/*.csv") == ["a1.csv", "a2.csv", "b/a3.csv", "b/c/a4.csv"]
    assert found("b/*/*") == ["b/c/a4.csv", "b/c/x.txt"]
    assert found("b/**") == ["b/a3.csv", "b/c/a4.csv", "b/c/x.txt"]
    assert found("") == ["a1.csv", "a2.csv", "b/a3.csv", "b/c/a4.csv", "b/c/x.txt"]
    assert found("a1.csv") == ["a1.csv"]
    for name in ("*.xml", "none/"):
        with pytest.raises(NoSuchObject, match=r"no (such )?object"):
            found(name)
    assert list(each_file(lambda file: file.read_bytes(), [f"{bucket}/a1.csv"] * 100)) == [b"1"] * 100
    (bucket / "b").remove_tree()
    assert found("**/*.csv") == ["a1.csv", "a2.csv"]


def test_an_empty_piece_is_not_the_end_of_an_object(bucket: StoredFile, monkeypatch: pytest.MonkeyPatch) -> None:
    import obstore

    class InPieces:
        meta: ClassVar = {"size": 6, "e_tag": "1", "version": None, "last_modified": datetime.now(UTC)}

        def stream(self, **_: object) -> list[bytes]:
            return [b"", b"one", b"", b"", b"two", b""]

    monkeypatch.setattr(obstore, "get", lambda *_: InPieces())
    with (bucket / "x").open() as opened:
        assert opened.read() == b"onetwo"
