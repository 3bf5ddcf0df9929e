"""Which fields does an image carry beside its address, and in which order?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from weakref import WeakKeyDictionary

from urlset.checking.declare import Bad, rule
from urlset.checking.subjects import ImageItem, ListedPage, Sitemap
from urlset.findings.finding import Problem
from urlset.findings.fix import Fix, Safety
from urlset.findings.severity import Severity
from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.rules.media.fields import GOOGLE, SCHEMA, known_fields, table
from urlset.rules.media.order import out_of_order
from urlset.spec import namespaces
from urlset.spec.extensions import IMAGE
from urlset.spec.signals import Signal

_WITHDRAWN = table(IMAGE, lambda spec: spec.withdrawn is not None)


@rule(
    "M003",
    "too-many-images-on-page",
    on=ImageItem,
    when=Signal.IMAGES,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-image", "xsd-image"),
    bad=(
        Bad(
            "<url><loc>https://example.com/</loc>"
            + "".join(
                f"<image:image><image:loc>https://example.com/{n}.jpg</image:loc></image:image>" for n in range(1000)
            )
            + "«<image:image>»<image:loc>https://example.com/1000.jpg</image:loc></image:image></url>",
            title="a page with 1,001 images",
        ),
    ),
    good=("<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>",),
)
def too_many_images_on_page(image: ImageItem) -> Iterator[Problem]:
    """A page lists more than 1,000 images.

    Google reads the first 1,000 of each page and no more.
    """
    images, limit = image.listed.images, IMAGE.max_per_parent
    if limit is not None and len(images) > limit and image is images[limit]:
        yield Problem(
            image.place,
            f"{len(images):,} images on one page: Google reads {limit:,}, from here on none",
        )


_TAGS: WeakKeyDictionary[Sitemap, re.Pattern[bytes]] = WeakKeyDictionary()


def _tags(sitemap: Sitemap) -> re.Pattern[bytes]:
    """The open tags of withdrawn fields in ordinary images."""
    pattern = _TAGS.get(sitemap)
    if pattern is None:
        root = sitemap.document.root
        declared = root.declared if root is not None else {}
        prefixes = [re.escape(prefix) for prefix, uri in declared.items() if prefix and uri == namespaces.IMAGE]
        either = prefixes[0] if len(prefixes) == 1 else f"(?:{'|'.join(prefixes) or '(?!)'})"
        pattern = _TAGS[sitemap] = re.compile(rf"<{either}:({'|'.join(_WITHDRAWN)})\s*>".encode())
    return pattern


def _count(sitemap: Sitemap, row: int) -> int | None:
    if sitemap.signals[row] & Signal.IMAGES:
        return None
    return len(_tags(sitemap).findall(sitemap.data, sitemap.columns.starts[row], sitemap.columns.ends[row]))


@rule(
    "M004",
    "withdrawn-image-field",
    on=ListedPage,
    when=Signal.IMAGES | Signal.CAPTIONED,
    count=_count,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("google-2022", "google-image"),
    bad=(
        Bad(
            "<image:image>\n<image:loc>https://example.com/a.jpg</image:loc>\n"
            "«<image:title>A kitten</image:title>»\n</image:image>",
            fixed="<image:image>\n<image:loc>https://example.com/a.jpg</image:loc>\n</image:image>",
        ),
        (
            "<image:image><image:loc>https://example.com/a.jpg</image:loc>«<image:caption>Asleep</image:caption>»"
            "«<image:license>https://example.com/licence</image:license>»</image:image>"
        ),
    ),
    good=("<image:loc>https://example.com/kitten.jpg</image:loc>",),
)
def withdrawn_image_field(listed: ListedPage) -> Iterator[Problem]:
    """An image has a caption, title, place or licence that nobody reads.

    Google gave these four fields up in August 2022: they do no harm and have no effect. What used to be said
    here is now read from the page, its structured data and the metadata in the image.
    """
    ordinary = not listed.sitemap.signals[listed.row] & Signal.IMAGES
    for name, place in _by_tags(listed) if ordinary else _by_elements(listed):
        yield Problem(
            place,
            f"<image:{name}> has had no effect since {_WITHDRAWN[name].withdrawn}",
            Fix(f"drop {name}", partial(_removal, listed, place), Safety.REVIEW),
        )


def _by_elements(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    for image in listed.images:
        for _, element in known_fields(image.element, _WITHDRAWN):
            yield element.local, partial(Place, element.place.offset, element.place.length)


def _by_tags(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    """The same where images hold nothing but what is expected, so that the tags tell it all."""
    data, row = listed.document.data, listed.place
    for tag in _tags(listed.sitemap).finditer(data, row.offset, row.end):
        yield tag[1].decode(), partial(_whole, data, tag.start(), tag.end())


def _whole(data: bytes, start: int, inside: int) -> Place:
    """From an open tag to the end of the close tag; there is nothing but text between them."""
    return between(start, data.index(b">", data.index(b"</", inside)) + 1)


def _removal(listed: ListedPage, place: Callable[[], Place]) -> tuple[Edit, ...]:
    return (Edit(with_its_line(listed.document.data, place()), b""),)


@rule(
    "M012",
    "image-fields-out-of-schema-order",
    on=ImageItem,
    severity=Severity.INFO,
    fails_schema=True,
    engines=SCHEMA,
    cites=("xsd-image",),
    bad=(
        Bad(
            "<image:image><image:title>A kitten</image:title> «<image:loc>»https://example.com/a.jpg</image:loc></image:image>",
            fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc> "
            "<image:title>A kitten</image:title></image:image>",
        ),
    ),
    good=(
        (
            "<image:image><image:loc>https://example.com/a.jpg</image:loc><image:caption>Asleep</image:caption>"
            "<image:title>A kitten</image:title></image:image>"
        ),
    ),
)
def image_fields_out_of_schema_order(image: ImageItem) -> Iterator[Problem]:
    """The fields of an image are not in the order of the schema.

    The schema of the extension is a sequence: loc, caption, geo_location, title, license. No search engine
    minds another order; a validator that holds the file against the schema does.
    """
    yield from out_of_order(image.listed.document, image.element, IMAGE, salvaged=image.listed.salvaged)
