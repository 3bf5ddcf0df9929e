"""A seed → readable nonsense in paragraphs, the same for the same seed, with the word frequencies of real text."""

from __future__ import annotations

from functools import cache
from itertools import accumulate
from random import Random

SMALL = "the of and to a in that it was for on with as at by from this but not are"
NOUNS_TEXT = """harbour lantern garden railway kettle orchard market bridge teacher engine window river letter valley
winter summer island meadow bakery station journey kitchen library painter cottage mountain village weather
blanket candle carpet ceiling clock corner cousin curtain daughter doctor drawer evening farmer feather finger
forest furnace glacier granite hammer hallway hillside horizon hospital jacket ladder lemon machine marble
mirror morning museum needle neighbour notebook ocean officer paddock parcel pasture pencil pepper piano pillow
planet pocket quarry rabbit ribbon saddle sailor season shadow shelter shoulder signal silver sister spoon
stable stranger sugar tailor temple thunder ticket timber tower traveller tunnel uncle vessel violin voyage
wagon waiter wallet whistle willow workshop yard zebra"""
VERBS_TEXT = """carries follows keeps leaves makes opens paints reads sends takes turns watches builds brings catches
draws drops finds gathers grows helps holds joins knows learns lifts listens lives looks loses meets mends moves
needs offers passes plants plays points pours pulls pushes reaches remembers returns sails sells shows sings
sleeps speaks spends stands starts stays tells thinks throws travels tries visits waits walks wants warms wears
works writes"""
OTHERS_TEXT = """ancient blue bright broken calm careful clean clever cold crowded curious deep dusty early empty
familiar fine foreign fresh gentle golden green heavy hollow honest hungry large late light little lonely long
lucky narrow new noisy old open patient plain pleasant polite quick quiet rare red rough round sharp short shy
simple slow small smooth soft strange strong sudden sweet tall thick thin tired warm wet white wide wild young
again almost already always because before behind between often perhaps quite rather seldom slowly sometimes
soon still suddenly then there together under until usually very when where while without yesterday"""
NOUNS, VERBS, OTHERS = NOUNS_TEXT.split(), VERBS_TEXT.split(), OTHERS_TEXT.split()

SENTENCE_LENGTHS = (7, 12, 9, 17, 5, 14, 11, 21, 8)
SENTENCES_IN_PARAGRAPH = 5


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Words and their running weights: a few small words make up half of a text, as they do everywhere."""
    small, rest = SMALL.split(), NOUNS + VERBS + OTHERS
    weights = [len(rest) / len(small)] * len(small) + [2.0 / (1 + place % 97) + 0.5 for place in range(len(rest))]
    return small + rest, list(accumulate(weights))


def words(random: Random, count: int) -> list[str]:
    known, weights = vocabulary()
    return random.choices(known, cum_weights=weights, k=count)


def title(random: Random) -> str:
    return " ".join((random.choice(OTHERS), random.choice(NOUNS), random.choice(VERBS), random.choice(NOUNS))).title()


def paragraphs(random: Random, count: int) -> list[str]:
    """`count` words in paragraphs of some five sentences."""
    drawn = words(random, count)
    found: list[str] = []
    sentences: list[str] = []
    start = turn = 0
    while start < count:
        length = SENTENCE_LENGTHS[turn % len(SENTENCE_LENGTHS)]
        sentences.append(" ".join(drawn[start : start + length]).capitalize() + ".")
        start, turn = start + length, turn + 1
        if len(sentences) == SENTENCES_IN_PARAGRAPH:
            found.append(" ".join(sentences))
            sentences = []
    if sentences:
        found.append(" ".join(sentences))
    return found
