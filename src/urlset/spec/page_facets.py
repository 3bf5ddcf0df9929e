"""The parts of a page whose change can move its date → their names, and the schema.org properties each is read from."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class Facet(StrEnum):
    """A part of a page that is compared separately."""

    TEXT = "text"
    """the text of the main content"""
    IMAGES = "images"
    """key images: of the main content, for previews, of the structured data"""
    DATA = "data"
    """what structured data says about a product, an article, an event"""
    PRICE = "price"
    AVAILABILITY = "availability"
    RATING = "rating"
    """average and number of ratings and reviews"""


DATED_BY = (Facet.TEXT, Facet.IMAGES, Facet.DATA)
"""prices, stock and ratings change daily on pages that say nothing new"""

_OFFERED = (Facet.PRICE, Facet.AVAILABILITY)


def backing(counted: Collection[Facet]) -> tuple[Facet, ...]:
    """The parts whose change makes a new date honest: those that count, and with the structured data what it offers.

    A site need not date a page by its price or stock, and may. Ratings are other people's words.
    """
    offered = _OFFERED if Facet.DATA in counted else ()
    return tuple(facet for facet in Facet if facet in counted or facet in offered)


SAID = {
    Facet.TEXT: "the main content",
    Facet.IMAGES: "a key image",
    Facet.DATA: "the structured data",
    Facet.PRICE: "the price",
    Facet.AVAILABILITY: "the availability",
    Facet.RATING: "the rating",
}

PROPERTIES = {
    **dict.fromkeys(("price", "lowPrice", "highPrice", "priceCurrency"), Facet.PRICE),
    "availability": Facet.AVAILABILITY,
    **dict.fromkeys(("ratingValue", "reviewCount", "ratingCount"), Facet.RATING),
    "image": Facet.IMAGES,
    # what a reader would call another product, article, event, recipe or job; never dates, identifiers of nodes,
    # addresses of pages and what a template counts
    **dict.fromkeys(
        (
            *("name", "headline", "alternativeHeadline", "description", "abstract", "author", "brand", "manufacturer"),
            *("sku", "mpn", "gtin", "gtin8", "gtin12", "gtin13", "gtin14", "isbn", "model", "productID"),
            *("color", "size", "material", "pattern", "weight", "width", "height", "depth", "category"),
            *("itemCondition", "additionalProperty", "startDate", "endDate", "doorTime", "eventStatus", "location"),
            *("performer", "organizer", "recipeIngredient", "recipeInstructions", "recipeYield", "cookTime"),
            *("prepTime", "totalTime", "nutrition", "employmentType", "jobLocation", "baseSalary", "validThrough"),
            *("title", "qualifications", "openingHours", "openingHoursSpecification", "address", "telephone"),
            *("softwareVersion", "operatingSystem", "duration", "director", "actor", "numberOfPages", "bookEdition"),
        ),
        Facet.DATA,
    ),
}
OF_OFFERS = ("offers", "priceSpecification", "hasVariant")
OF_RATINGS = ("aggregateRating",)
"""properties that lead to further nodes with prices, availability and ratings"""

NOT_THE_PAGE = frozenset(
    {
        *("comment", "review", "userreview", "criticreview", "person", "organization", "imageobject", "videoobject"),
        *("breadcrumblist", "website", "answer", "question", "audioobject", "searchaction", "sitenavigationelement"),
    }
)
"""types that describe the site, its people or what others said"""
