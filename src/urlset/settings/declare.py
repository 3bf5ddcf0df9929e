"""Fields of a settings class → options: one declaration behind flags, files, variables, keywords and docs."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, Field, dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, Union, cast, dataclass_transform, get_args, get_origin

import msgspec

from urlset.model.errors import UrlsetError

StrPath = str | Path
T = TypeVar("T")


class OptionScope(Enum):
    """Which sources may set an option."""

    EVERYWHERE = "flag, variable, settings file"
    NOT_IN_FILES = "flag, variable"
    """a secret, or an override of a safety check: not for a file that others commit"""
    ONE_RUN = "flag"
    ONLY_IN_FILES = "settings file"
    """a table with lists in it, which no flag can spell"""


NOT_IN_FILES, ONE_RUN, ONLY_IN_FILES = OptionScope.NOT_IN_FILES, OptionScope.ONE_RUN, OptionScope.ONLY_IN_FILES


class Opt(msgspec.Struct, frozen=True):
    """What an option says beyond the type and default of its field."""

    help: str
    """a noun phrase or an imperative, under 60 characters"""
    metavar: str = ""
    flag: str = ""
    """the flag, where it is not the name of the field: a list is plural in files and singular on the command line"""
    short: str = ""
    choices: Sequence[str] | Callable[[], Sequence[str]] = ()
    """for texts; an enum or a Literal brings its own"""
    least: float | None = None
    most: float | None = None
    split: bool = False
    """`a,b` is two values"""
    scope: OptionScope = OptionScope.EVERYWHERE
    secret: bool = False
    """never shown; `scope` keeps it out of files"""
    default: str = ""
    """what the help shows as the default, where the value itself does not say it"""
    command_only: bool = False
    """makes no sense as a keyword of a library function"""
    positional: bool = False
    """an argument, not a flag; in files and variables it is a key like any other"""
    required: str = ""
    """what to give, for the message where nothing does"""
    unique: str = ""
    """for the message where the flag is repeated; without it, the last one counts"""
    is_url: bool = False
    """a bare host is completed to a URL"""
    or_storage: bool = False
    """a path, or a storage URL such as s3://bucket/prefix, which stays a text"""
    exists: Literal["", "file", "folder"] = ""
    """a path that must exist when it is given as a flag or a variable"""
    complete: Literal["", "rules", "profiles"] = ""
    """what a shell completes, where type and choices do not say it"""


def opt(value: T, said: str | Opt, metavar: str = "", **more: Any) -> T:
    """A field of a settings class: its default, its help, and the rest of an `Opt`, which several classes may share."""
    metadata = {"opt": said if isinstance(said, Opt) else Opt(said, metavar, **more)}
    made = field(default_factory=value.copy, metadata=metadata) if isinstance(value, dict) else None
    return cast("T", made or field(default=value, metadata=metadata))


def argument(value: T, said: str, metavar: str, required: str = "", **more: Any) -> T:
    """The same without a flag; `required` is what to give, for the message where nothing does."""
    return opt(value, said, metavar, positional=True, required=required, **more)


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Options:
    """The base of every settings class, which makes it a frozen dataclass with keywords.

    Mixins are help sections; `heading` is the title.
    """

    heading: ClassVar[str]
    in_library: ClassVar[bool]
    """whether the fields are keywords of the library function of the same name"""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, *, heading: str = "Options", in_library: bool = True) -> None:
        cls.heading, cls.in_library = heading, in_library
        dataclass(frozen=True, kw_only=True, repr=False)(cls)

    def __repr__(self) -> str:
        secret = {option.name for option in options_of(type(self)) if option.opt.secret}
        shown = (f"{name}={getattr(self, name)!r}" for name in field_names(type(self)) if name not in secret)
        return f"{type(self).__name__}({', '.join(shown)})"

    def values(self, group: type[Options]) -> dict[str, Any]:
        """The fields of a group of options, for the settings of another command that has them too."""
        return {name: getattr(self, name) for name in field_names(group)}

    def problems(self) -> Iterator[tuple[str, str]]:
        """Field and message for each value that has the right type and still cannot be used.

        A class with such values has a method `faults`, which looks at its own fields only.
        """
        for home in reversed(type(self).__mro__):
            if "faults" in vars(home):
                yield from vars(home)["faults"](self)


class Option(msgspec.Struct, frozen=True):
    """One field, ready for a command line, a settings file or a page of documentation."""

    name: str
    type: Any
    default: Any
    opt: Opt
    heading: str
    in_library: bool = True

    @property
    def key(self) -> str:
        """In settings files."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        return self.opt.flag or f"--{self.key}"

    @property
    def has_flag(self) -> bool:
        return self.opt.scope is not OptionScope.ONLY_IN_FILES

    @property
    def has_variable(self) -> bool:
        return self.opt.scope in (OptionScope.EVERYWHERE, OptionScope.NOT_IN_FILES)

    @property
    def has_key(self) -> bool:
        """In settings files."""
        return self.opt.scope in (OptionScope.EVERYWHERE, OptionScope.ONLY_IN_FILES)

    @property
    def variable(self) -> str:
        """Without the prefix and the command."""
        return self.name.upper()

    @property
    def is_switch(self) -> bool:
        return self.type is bool

    @property
    def is_list(self) -> bool:
        return get_origin(self.type) is tuple or self.is_map

    @property
    def is_map(self) -> bool:
        """KEY=VALUE on the command line, a table in a file."""
        return get_origin(self.type) is dict or (isinstance(self.type, type) and issubclass(self.type, msgspec.Struct))

    @property
    def item(self) -> Any:
        """The type of one value."""
        if get_origin(self.type) is dict:
            return get_args(self.type)[1]
        return get_args(self.type)[0] if self.is_list and not self.is_map else self.type

    @property
    def is_path(self) -> bool:
        return self.item is StrPath or self.item == StrPath

    @property
    def choices(self) -> tuple[str, ...]:
        declared = self.opt.choices() if callable(self.opt.choices) else self.opt.choices
        if declared:
            return tuple(declared)
        if isinstance(self.item, type) and issubclass(self.item, StrEnum):
            return tuple(self.item)
        return get_args(self.item) if get_origin(self.item) is Literal else ()

    @property
    def default_text(self) -> str:
        """As the help shows it; empty where the default is nothing."""
        if self.opt.default or self.default in (None, False, (), "") or self.is_map:
            return self.opt.default
        if self.is_list:
            return ",".join(map(str, self.default))
        return f"{self.default:g}" if isinstance(self.default, float) else f"{self.default}"

    @property
    def metavar(self) -> str:
        if self.opt.metavar or self.is_switch:
            return self.opt.metavar
        if self.choices and len("|".join(self.choices)) <= 32:
            return f"[{'|'.join(self.choices)}]"
        plain = {int: "N", float: "NUMBER"}
        return "FILE" if self.is_path else plain.get(self.item, "TEXT")


def field_names(settings: type[Options]) -> tuple[str, ...]:
    """Every field of a settings class: its own first, then those of mixins in order, then those of the base."""
    return tuple(_fields(settings))


_KNOWN: dict[type[Options], tuple[Option, ...]] = {}


def options_of(settings: type[Options]) -> tuple[Option, ...]:
    """The fields declared with `opt`, in the same order. Any other is a keyword of the library only."""
    if settings not in _KNOWN:
        declared = settings.__dataclass_fields__
        _KNOWN[settings] = tuple(
            _option(declared[name], home)
            for name, home in _fields(settings).items()
            if "opt" in declared[name].metadata
        )
    return _KNOWN[settings]


def _fields(settings: type[Options]) -> dict[str, type[Options]]:
    """Each field and the class that declares it."""
    found: dict[str, type[Options]] = {}
    for home in settings.__mro__:
        if home is not Options and issubclass(home, Options):
            for name in vars(home).get("__annotations__", {}):
                found.setdefault(name, home)
    return found


def _option(declared: Field[Any], home: type[Options]) -> Option:
    # get_type_hints would also evaluate the other fields of the class, and takes three times as long
    kind = eval(declared.type, vars(sys.modules[home.__module__]))  # type: ignore[arg-type]  # noqa: S307 - our own text
    if get_origin(kind) in (Union, types.UnionType) and type(None) in get_args(kind):
        rest = tuple(each for each in get_args(kind) if each is not type(None))
        kind = rest[0] if len(rest) == 1 else Union[rest]  # noqa: UP007 - built from values, not written down
    said: Opt = declared.metadata["opt"]
    in_library = home.in_library and not (said.positional or said.command_only)
    default = declared.default if declared.default_factory is MISSING else declared.default_factory()
    return Option(declared.name, kind, default, said, home.heading, in_library)


def refused(name: str, read: Callable[[str], object], *texts: str | None) -> Iterator[tuple[str, str]]:
    """The field, and why `read` does not take a text of it."""
    for text in texts:
        try:
            if text is not None:
                read(text)
        except (ValueError, UrlsetError) as error:
            yield name, str(error)
