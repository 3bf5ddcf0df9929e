"""The fingerprint sees what changed on a page and is blind to what the site repeats."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urlset.reading import fingerprint
from urlset.reading.fingerprint import (
    MINIMUM_PAGES,
    SHARE,
    BlockCounter,
    RepeatedBlocks,
    block_of,
    boilerplate_of,
    has_moved,
    hash_of,
    hashes_of,
    is_boilerplate,
    is_same_content,
    main_blocks,
    main_fingerprint,
    pack,
    page_fingerprint,
    unpack,
)
from urlset.reading.html_text import collapsed

Site = list[list[str]]


def blocks_of(texts: list[str]) -> tuple[int, ...]:
    return fingerprint.blocks_of([collapsed(text) for text in texts])


def counted(site: Site) -> BlockCounter:
    counter = BlockCounter()
    for page in site:
        counter.add(blocks_of(page))
    return counter


def moved_pages(before: Site, after: Site) -> set[int]:
    """As a build does it: the boilerplate of the last build is known, that of this one is counted."""
    boilerplate = boilerplate_of(counted(before)) | boilerplate_of(counted(after))
    return {
        number
        for number, (old, new) in enumerate(zip(before, after, strict=True))
        if has_moved(blocks_of(old), blocks_of(new), boilerplate)
    }


# blocks

SAME = [
    ("Hello  world", "hello world"),
    ("Hello\n\t world ", "Hello world"),
    ("Hello\u00a0world", "Hello world"),
    ("Caf\u00e9", "CAFE\u0301"),
    ("STRASSE", "straße"),
]
OTHER = [("Hello world", "Hello word"), ("19.99", "18.99"), ("€ 20", "€ 25"), ("3 / 5", "4 / 5"), ("a b", "ab")]
SILENT = ["", "  \n", "—", "»", "* * *", "128", "1,204", "1.204.551", "(3)", "# 7", "2024", "| 12 |", "12 345"]


@pytest.mark.parametrize(("one", "two"), SAME)
def test_white_space_case_and_composition_do_not_count(one: str, two: str) -> None:
    assert blocks_of([one]) == blocks_of([two]) != ()


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_words_and_prices_count(one: str, two: str) -> None:
    assert blocks_of([one]) != blocks_of([two])


@pytest.mark.parametrize("text", SILENT)
def test_counters_and_ornaments_are_no_blocks(text: str) -> None:
    assert blocks_of([text]) == ()


def test_hashes_are_the_same_everywhere() -> None:
    assert blocks_of(["Hello world", "one more"]) == (-8681194425623006896, hash_of("one more"))


@given(st.lists(st.text()))
def test_hashes_fit_and_survive_packing(texts: list[str]) -> None:
    blocks = blocks_of(texts)
    assert all(-(2**63) <= block < 2**63 for block in blocks)
    assert unpack(pack(blocks)) == blocks


def test_lone_surrogates_do_not_hurt() -> None:
    assert blocks_of(["a\ud800b"]) != blocks_of(["ab"])


# counting


@given(st.lists(st.lists(st.integers(0, 20))))
def test_each_block_counts_once_per_page(pages: list[list[int]]) -> None:
    counter = BlockCounter()
    for page in pages:
        counter.add(page)
    assert counter.pages == len(pages)
    assert all(counter.count(block) == sum(block in page for page in pages) for block in range(21))


@given(st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=200), st.integers(1, 30))
def test_a_full_counter_never_counts_too_low_and_never_much_too_high(pages: list[list[int]], most: int) -> None:
    counter = BlockCounter(most_distinct=most)
    settled = 0
    for page in pages:
        counter.add(page)
        settled += not counter._fresh
    for block in range(41):
        true = sum(block in page for page in pages)
        assert true <= counter.count(block) <= true + max(0.05 * len(pages), settled)


def test_a_full_counter_stays_small_and_finds_the_boilerplate() -> None:
    counter = BlockCounter(most_distinct=2_000)
    for page in range(5_000):
        counter.add([-1, -2, *([-3] if page % 10 < 4 else []), *range(page * 20, page * 20 + 20)])
        assert len(counter._fresh) + len(counter._settled) < 2_100
    assert boilerplate_of(counter) == {-1, -2, -3}


# boilerplate

THRESHOLDS = [
    # count, pages, boilerplate
    (1, 1, False),
    (1, 2, False),
    (2, 2, True),
    (2, 3, False),
    (3, 3, True),
    (3, 4, False),
    (4, 4, True),
    (4, 10, True),
    (3, 9, False),
    (4, 13, True),
    (4, 14, False),
    (30, 100, False),
    (31, 100, True),
    (300, 1000, False),
    (301, 1000, True),
]


@pytest.mark.parametrize(("count", "pages", "expected"), THRESHOLDS)
def test_thresholds(count: int, pages: int, expected: bool) -> None:
    assert (SHARE, MINIMUM_PAGES) == (0.3, 4)
    assert is_boilerplate(count, pages) is expected


@given(st.integers(1, 2000), st.floats(0, 1))
def test_a_text_of_its_own_is_never_boilerplate(pages: int, share: float) -> None:
    assert not is_boilerplate(1, pages, share)


def test_a_page_made_of_boilerplate_has_one_constant_fingerprint() -> None:
    assert main_fingerprint((1, 2), {1, 2}) == main_fingerprint((), ()) != main_fingerprint((3,), ())


def test_order_counts() -> None:
    assert main_fingerprint((1, 2), ()) != main_fingerprint((2, 1), ())


# transitions


def site_of(pages: int, footer: str = "© 2024 Example Ltd", **every: str) -> Site:
    return [
        ["Home", "Products", *every.values(), f"Article {n}", f"Text of article {n}.", footer] for n in range(pages)
    ]


@pytest.mark.parametrize("pages", [2, 3, 4, 5, 10, 400])
def test_a_new_footer_on_all_pages_moves_nothing(pages: int) -> None:
    assert moved_pages(site_of(pages), site_of(pages, "© 2025 Example Ltd")) == set()
    assert moved_pages(site_of(pages), site_of(pages, banner="Sale!")) == set()
    assert moved_pages(site_of(pages, banner="Sale!"), site_of(pages)) == set()


@pytest.mark.parametrize("pages", [1, 2, 3, 4, 5, 10, 400])
def test_a_new_text_moves_its_page_even_with_a_new_footer(pages: int) -> None:
    after = site_of(pages, "© 2025 Example Ltd")
    after[0][3] = "Another text."
    assert moved_pages(site_of(pages), after) == {0}


def test_a_banner_that_spreads_moves_only_its_first_pages() -> None:
    plain, tenth, all_over = site_of(100), site_of(100), site_of(100, banner="Now open on Sundays")
    tenth[:10] = all_over[:10]
    assert moved_pages(plain, tenth) == set(range(10)), "on ten pages it could be content"
    assert moved_pages(tenth, all_over) == set()
    assert moved_pages(all_over, tenth) == set()


@pytest.mark.parametrize(("before", "after"), [(29, 31), (31, 29)])
def test_a_block_that_drifts_across_the_share_moves_nothing_it_stood_on(before: int, after: int) -> None:
    one, two = site_of(100), site_of(100)
    for number in range(before):
        one[number].append("Out of stock")
    for number in range(after):
        two[number].append("Out of stock")
    assert moved_pages(one, two) == set()


def test_a_page_whose_text_vanishes_moves() -> None:
    after = site_of(20)
    after[7] = [after[7][0], after[7][1], after[7][4]]
    assert moved_pages(site_of(20), after) == {7}


def test_what_was_not_seen_says_nothing() -> None:
    assert has_moved(None, (1,), ()) is None
    assert has_moved((1,), None, ()) is None


@given(
    st.lists(st.lists(st.integers(0, 30), max_size=8), min_size=8, max_size=40),
    st.lists(st.integers(100, 105), max_size=3),
    st.lists(st.integers(200, 205), max_size=3),
)
def test_frames_around_all_pages_never_move_any(pages: list[list[int]], old: list[int], new: list[int]) -> None:
    before = [[*old, *page, *old] for page in pages]
    after = [[*new, *page, *new] for page in pages]
    boilerplate = _boilerplate(before) | _boilerplate(after)
    assert not any(has_moved(tuple(one), tuple(two), boilerplate) for one, two in zip(before, after, strict=True))
    assert all(set(main_blocks(page, boilerplate)) <= set(range(31)) for page in after)


def _boilerplate(pages: list[list[int]]) -> frozenset[int]:
    counter = BlockCounter()
    for page in pages:
        counter.add(page)
    return boilerplate_of(counter)


# how well it does on a site with known changes

WORDS = ("river", "stone", "light", "under", "garden", "letter", "winter", "morning", "paper", "glass", "orchard")


def sentence(random_: random.Random, words: int = 14) -> str:
    return " ".join(random_.choice(WORDS) for _ in range(words)) + f" {random_.randrange(10**6)} words."


def articles(random_: random.Random, pages: int) -> Site:
    titles = [sentence(random_, 5) for _ in range(pages)]
    return [
        [
            "Example", "Home", "Shop", "About us", titles[number],
            *(sentence(random_) for _ in range(random_.randrange(3, 9))),
            f"€ {random_.randrange(5, 300)}.99", f"{random_.randrange(5000)}",
            "Read next", *(random_.choice(titles) for _ in range(3)),
            "Imprint", "© 2024 Example Ltd. All rights reserved.",
        ]
        for number in range(pages)
    ]  # fmt: skip


def edit(page: list[str], random_: random.Random) -> None:
    page[5] = sentence(random_)


def add(page: list[str], random_: random.Random) -> None:
    page.insert(6, sentence(random_))


def cut(page: list[str], random_: random.Random) -> None:
    del page[random_.randrange(5, 8)]


def retitle(page: list[str], random_: random.Random) -> None:
    page[4] = sentence(random_, 5)


def reprice(page: list[str], random_: random.Random) -> None:
    page[-8] = f"€ {random_.randrange(300, 900)}.50"


def count_up(page: list[str], random_: random.Random) -> None:
    page[-7] = str(5000 + random_.randrange(5000))


def respace(page: list[str], random_: random.Random) -> None:
    place = random_.randrange(len(page))
    page[place] = "\n  " + page[place].upper().replace(" ", "  ")


def recommend(page: list[str], random_: random.Random) -> None:
    """The hard one: a teaser is text of a few pages only, like content."""
    page[-5] = sentence(random_, 5)


REAL: list[Callable[[list[str], random.Random], None]] = [edit, add, cut, retitle, reprice]
NOISE: list[Callable[[list[str], random.Random], None]] = [count_up, respace]


def retemplate(site: Site, number: int) -> Site:
    """A menu entry more, another year, a banner: on every page."""
    return [
        [*page[:3], f"Offer {number}", *page[3:-1], f"© {2024 + number} Example Ltd. All rights reserved."]
        if number % 2
        else [f"Banner {number}", *page]
        for page in site
    ]


@pytest.mark.parametrize(("teasers", "precision_floor"), [(0, 1.0), (3, 0.9)])
def test_precision_and_recall_on_a_labelled_site(teasers: int, precision_floor: float) -> None:
    right = wrong = missed = 0
    for seed in range(6):
        random_ = random.Random(seed)
        before = articles(random_, 500)
        after = [list(page) for page in before]
        truth = set(random_.sample(range(500), 50))
        for number in truth:
            random_.choice(REAL)(after[number], random_)
        for number in random_.sample(range(500), 100):
            random_.choice(NOISE)(after[number], random_)
        for number in random_.sample(sorted(set(range(500)) - truth), teasers):
            recommend(after[number], random_)
        found = moved_pages(before, retemplate(after, seed))
        right += len(found & truth)
        wrong += len(found - truth)
        missed += len(truth - found)
    assert right / (right + missed) == 1.0, "recall"
    assert right / (right + wrong) >= precision_floor, "precision"


@pytest.mark.parametrize(
    "text",
    ["3 days ago", "Updated 2 hours ago", "an hour ago", "1 day and 3 hours ago", "vor 3 Tagen", "vor einer Stunde",
     "il y a 5 jours", "hace 2 días", "há 3 dias", "3 giorni fa", "2 dagen geleden", "för 3 dagar sedan",
     "3 dni temu", "5 дней назад", "3 gün önce", "před 3 dny", "3日前", "5 天前"],
)  # fmt: skip
def test_how_long_ago_says_nothing(text: str) -> None:
    assert block_of(text) is None


@pytest.mark.parametrize(
    "text", ["Long ago", "3 days", "Vor dem Haus", "Three days ago a lamp fell from the third floor of the house",
             "From 3 days ago to now", "hace frío", "3 Tage", "日前"],
)  # fmt: skip
def test_what_only_looks_like_it_speaks(text: str) -> None:
    assert block_of(text) is not None


def test_many_texts_are_hashed_like_one() -> None:
    texts = ["", "a", "é", "\ud800", "https://www.example.com/"]
    assert list(hashes_of(texts)) == list(map(hash_of, texts))


@pytest.mark.parametrize("more", range(6))
def test_a_block_that_crosses_the_share_changes_no_page(more: int) -> None:
    """A lock has fingerprints only: what was boilerplate when they were made has to be found out."""

    def hashed(texts: list[str]) -> tuple[int, ...]:
        return tuple(block for text in texts if (block := block_of(text)) is not None)

    pages = [
        hashed([f"own text {number}", *(["by the same author"] if number < 4 else []), "for all pages"])
        for number in range(12)
    ]

    def repeated(found: list[tuple[int, ...]]) -> RepeatedBlocks:
        counter = BlockCounter()
        for blocks in found:
            counter.add(blocks)
        return RepeatedBlocks.of(counter)

    before = repeated(pages)
    known = [page_fingerprint(blocks, before.boilerplate).content for blocks in pages]
    after = repeated([*pages, *(hashed([f"new text {number}"]) for number in range(more))])
    assert all(is_same_content(content, blocks, after) for content, blocks in zip(known, pages, strict=True))
    edited = hashed(["own text, edited", "by the same author", "for all pages"])
    assert not is_same_content(known[0], edited, after)
