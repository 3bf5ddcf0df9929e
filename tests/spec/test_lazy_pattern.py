"""Patterns that are compiled when they are first used: they behave as compiled ones, and all of them can be."""

from __future__ import annotations

import gc
import pkgutil
import re
from importlib import import_module

import pytest

import urlset
from urlset.spec.lazy_pattern import LazyPattern, lazy_pattern

BROKEN = "("


@pytest.mark.parametrize(("text", "flags"), [("b+", 0), ("B+", re.IGNORECASE), ("(?P<letter>b)", 0), ("x", 0)])
def test_it_finds_what_a_compiled_one_finds(text: str, flags: int) -> None:
    lazy, compiled = lazy_pattern(text, flags), re.compile(text, flags)
    for subject in "abbc", "", "b", "abbc":
        assert [match.span() for match in lazy.finditer(subject)] == [m.span() for m in compiled.finditer(subject)]
        assert lazy.sub("-", subject) == compiled.sub("-", subject)
        assert (lazy.match(subject) is None) == (compiled.match(subject) is None)
    assert (lazy.pattern, lazy.flags, lazy.groupindex) == (compiled.pattern, compiled.flags, compiled.groupindex)


def test_bytes_are_searched_by_bytes() -> None:
    assert lazy_pattern(rb"b+").findall(b"abbcb") == [b"bb", b"b"]


def test_nothing_is_compiled_before_the_first_use() -> None:
    lazy = lazy_pattern(BROKEN)
    with pytest.raises(re.error):
        lazy.match("")


@pytest.mark.slow
def test_every_pattern_of_the_house_can_be_compiled() -> None:
    for each in pkgutil.walk_packages(urlset.__path__, "urlset."):
        if not each.name.endswith("__main__"):
            import_module(each.name)
    gc.unfreeze()  # what was there when the tests were collected belongs to it
    found = [each for each in gc.get_objects() if type(each) is LazyPattern and each._text != BROKEN]
    gc.freeze()
    assert len(found) > 100
    for lazy in found:
        assert re.compile(lazy._text, lazy._flags) is not None
