"""A seed → a site before and after a migration, with the true renames; decoys included.

True renames come with every kind of evidence: redirects, canonicals, content, and paths alone (folders renamed, dates
and extensions dropped, ids moved, slugs edited). Decoys are pages that were really removed while similar ones were
really added: the next product of a line, the next year's edition, a translation, a new version.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from urlset.snapshots.delta import Loose

SITE = "https://www.example.com"
WORDS = tuple(
    word
    for line in (
        "basket beacon birch bottle canvas cedar chair copper cotton desk ember fabric feather flask garnet glass",
        "granite harbor hazel iron ivory jacket kettle lamp leather linen maple marble mirror nickel opal paper pearl",
        "quartz ribbon river saddle silver slate spruce steel stone table thread timber velvet walnut willow wool",
        "guide review recipe lesson story report basics secrets mistakes ideas tools habits plan budget travel winter",
        "summer garden kitchen office school weekend family market forest island mountain bicycle camera coffee bread",
    )
    for word in line.split()
)
COMMON_SLUGS = ("intro", "install", "usage", "api", "faq")


class Migration(NamedTuple):
    removed: list[Loose]
    added: list[Loose]
    truth: dict[str, str]


class _Maker:
    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.old: list[Loose] = []
        self.new: list[Loose] = []
        self.truth: dict[str, str] = {}
        self.used: set[str] = set()

    def slug(self, words: int = 4) -> str:
        while True:
            slug = "-".join(self.chance.sample(WORDS, words))
            if slug not in self.used:
                self.used.add(slug)
                return slug

    def stamp(self) -> str:
        pick = self.chance.randrange
        return f"202{pick(2, 7)}-{pick(1, 13):02}-{pick(1, 29):02}T{pick(24):02}:{pick(60):02}:{pick(60):02}Z"

    def renamed(
        self, old: str, new: str, before: dict[str, object] | None = None, after: dict[str, object] | None = None
    ) -> None:
        date = self.stamp()
        self.old.append(Loose(SITE + old, date, **(before or {})))  # type: ignore[arg-type]
        self.new.append(Loose(SITE + new, date if self.chance.random() < 0.5 else self.stamp(), **(after or {})))  # type: ignore[arg-type]
        self.truth[SITE + old] = SITE + new

    def gone(self, path: str) -> None:
        self.old.append(Loose(SITE + path, self.stamp()))

    def come(self, path: str) -> None:
        self.new.append(Loose(SITE + path, self.stamp()))


def migration(seed: int, size: int = 60) -> Migration:
    make = _Maker(seed)
    chance = make.chance
    for number in range(size):
        slug = make.slug()
        make.renamed(f"/blog/{slug}", f"/articles/{slug}")
        slug = make.slug()
        make.renamed(f"/docs/{slug}.html", f"/docs/{slug}")
        slug = make.slug()
        make.renamed(f"/202{number % 5}/{1 + number % 12:02}/{slug}/", f"/news/{slug}/")
        slug = make.slug(3)
        make.renamed(f"/product/{10_000 + number}/{slug}", f"/shop/{slug}-{10_000 + number}")
        slug = make.slug(2)
        make.renamed(f"/Help/{slug.title()}", f"/help/{slug}/")
        make.renamed(f"/catalog.php?id={70_000 + number}", f"/catalog/{70_000 + number}")
        section = f"manual-{number}"
        for common in COMMON_SLUGS[: 1 + number % 3]:
            make.renamed(f"/kb/{section}/{common}", f"/support/{section}/{common}")
    for number in range(size // 2):
        make.renamed(f"/a/{make.slug()}", f"/b/{make.slug()}", {"final_url": None}, {"fingerprint": None})
        old, new = make.old.pop(), make.new.pop()
        match number % 3:
            case 0:
                old = old._replace(final_url=new.loc)
            case 1:
                old = old._replace(canonical=new.loc)
            case _:
                old, new = old._replace(fingerprint=number + 1), new._replace(fingerprint=number + 1)
        make.old.append(old)
        make.new.append(new)
    _edits(make, size)
    _decoys(make, size)
    chance.shuffle(make.old)
    chance.shuffle(make.new)
    return Migration(make.old, make.new, make.truth)


def _edits(make: _Maker, size: int) -> None:
    """Slugs that somebody corrected."""
    for number in range(size // 2):
        words = make.slug(5).split("-")
        edited = list(words)
        match number % 3:
            case 0:
                edited.insert(make.chance.randrange(1, 5), make.chance.choice(("the", "your", "for")))
            case 1:
                edited[2] += "s"
            case _:
                at = make.chance.randrange(1, len(words[1]))
                words[1] = f"{words[1][:at]}{make.chance.choice('aeiouy')}{words[1][at:]}"
        make.renamed(f"/tips/{'-'.join(words)}", f"/tips/{'-'.join(edited)}")


def _decoys(make: _Maker, size: int) -> None:
    for number in range(size):
        make.gone(f"/old-stuff/{make.slug()}")
        make.come(f"/fresh/{make.slug()}")
        words = make.slug(3).split("-")
        make.gone(f"/shop/{'-'.join(words)}")
        words[make.chance.randrange(3)] = make.chance.choice([word for word in WORDS if word not in words])
        make.come(f"/shop/{'-'.join(words)}")
        slug = make.slug(3)
        make.gone(f"/tips/best-{slug}-{2020 + number % 3}")
        make.come(f"/tips/best-{slug}-{2023 + number % 3}")
        slug = make.slug(3)
        make.gone(f"/releases/{slug}-v{number % 7}")
        make.come(f"/releases/{slug}-v{number % 7 + 1}")
        slug = make.slug(3)
        make.gone(f"/en/guide/{slug}")
        make.come(f"/de/guide/{slug}")
        make.gone(f"/item/{number}")
        make.come(f"/ticket/{number * 3}")
