"""Everything the library raises on purpose: one base, and the classes that belong to no single workflow."""

from __future__ import annotations

from typing import Any


class UrlsetError(Exception):
    """Base of every exception of urlset."""


class ArgumentTypeError(UrlsetError, TypeError):
    """An argument of the wrong type, or an unknown keyword; the message says what is expected."""


class ArgumentValueError(UrlsetError, ValueError):
    """An argument of the right type with a value that cannot be used; the message says why."""


class FileError(UrlsetError, OSError):
    """A file or folder that cannot be used. `errno`, `strerror` and `filename` are those of the operating system."""


class FileMissingError(FileError, FileNotFoundError):
    """A path that leads nowhere."""


class FileDeniedError(FileError, PermissionError):
    """A path that must not be read or written."""


class NotAFileError(FileError, IsADirectoryError):
    """A folder where a file is needed."""


class NotAFolderError(FileError, NotADirectoryError):
    """A file where a folder is needed."""


class EngineError(UrlsetError):
    """A search engine that refused, or credentials that cannot be used."""


class IncompleteError(UrlsetError):
    """Something could not be read, was left out, or was not there at all; with `strict=False` the call returns.

    `result` is what the call would have returned, where there is one, and `reasons` says what is missing from it.
    """

    SHOWN = 3

    def __init__(self, reasons: tuple[str, ...], result: Any = None) -> None:
        super().__init__(reasons, result)
        self.reasons, self.result = reasons, result

    def __str__(self) -> str:
        more = len(self.reasons) - self.SHOWN
        shown = "; ".join(self.reasons[: self.SHOWN])
        return f"{shown}; and {more:,} more" if more > 0 else shown


def file_error(error: OSError) -> OSError:
    """The same as an exception of urlset, which is still what `except FileNotFoundError` catches.

    Others than those about files are of sockets and the like, which a program has in its own iterables.
    """
    kind = FileError if type(error) is OSError else _BY_SYSTEM.get(type(error))
    if kind is None:
        return error
    made = kind(*error.args)
    for name in ("filename", "filename2"):
        if getattr(error, name) is not None:  # set to None, it would be shown
            setattr(made, name, getattr(error, name))
    return made


_BY_SYSTEM: dict[type[OSError], type[FileError]] = {
    FileNotFoundError: FileMissingError,
    PermissionError: FileDeniedError,
    IsADirectoryError: NotAFileError,
    NotADirectoryError: NotAFolderError,
}
