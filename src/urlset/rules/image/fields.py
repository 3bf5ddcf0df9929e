"""Which fields does an image have in addition to its URL, and in which order?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from weakref import WeakKeyDictionary

from urlset.fixing.removal import with_its_line
from urlset.model.columns import Edit
from urlset.model.place import Place, between
from urlset.rules import Bad, Fix, ImageItem, ListedPage, Problem, Safety, Severity, Signal, Sitemap, rule
from urlset.rules.media.fields import GOOGLE, SCHEMA, known_fields, table
from urlset.rules.media.order import out_of_order
from urlset.spec import namespaces
from urlset.spec.extensions import IMAGE

_WITHDRAWN = table(IMAGE, lambda spec: spec.withdrawn is not None)


@rule(
    "M003",
    "too-many-images-on-page",
    when=Signal.MEDIA_SHAPE,
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

    Google only reads the first 1,000 images of each page.
    """
    images, limit = image.listed.images, IMAGE.max_per_parent
    if limit is not None and len(images) > limit and image is images[limit]:
        yield Problem(
            image.place,
            f"the page has {len(images):,} images, but Google reads only the first {limit:,}, so it ignores the images "
            "from here on; remove them",
        )


_TAGS: WeakKeyDictionary[Sitemap, tuple[bytes, ...]] = WeakKeyDictionary()


def _tags(sitemap: Sitemap) -> tuple[bytes, ...]:
    """How the tags of deprecated fields begin; in ordinary images no other field begins so."""
    begins = _TAGS.get(sitemap)
    if begins is None:
        root = sitemap.document.root
        declared = root.declared if root is not None else {}
        images = [f"{prefix}:" if prefix else "" for prefix, uri in declared.items() if uri == namespaces.IMAGE]
        named = (f"<{head}{name}".encode() for head in images for name in _WITHDRAWN)
        begins = _TAGS[sitemap] = tuple(each for each in named if sitemap.last_of(each) >= 0)
    return begins


@rule(
    "M004",
    "withdrawn-image-field",
    when=Signal.CAPTIONED,
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
    """An image has a caption, title, location, or license, which engines ignore.

    Google deprecated these four fields in August 2022. They do no harm and have no effect. Google reads this
    information from the page, its structured data, and the image metadata.
    """
    ordinary = not listed.sitemap.signals[listed.row] & Signal.MEDIA_SHAPE
    for name, place in _by_tags(listed) if ordinary else _by_elements(listed):
        yield Problem(
            place,
            f"<image:{name}> has had no effect since {_WITHDRAWN[name].withdrawn}; remove it",
            Fix(f"remove {name}", partial(_removal, listed, place), Safety.REVIEW),
        )


def _by_elements(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    for image in listed.images:
        for _, element in known_fields(image.element, _WITHDRAWN):
            yield element.local, partial(Place, element.place.offset, element.place.length)


def _by_tags(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    """The same for images with only expected content, where the tags are sufficient."""
    data, row = listed.document.data, listed.place
    starts = ((at, begin) for begin in _tags(listed.sitemap) for at in _offsets(data, begin, row.offset, row.end))
    for at, begin in sorted(starts):
        name = begin.rpartition(b":")[2].lstrip(b"<").decode()
        yield name, partial(_whole, data, at, data.index(b">", at) + 1)


def _offsets(data: bytes, text: bytes, at: int, end: int) -> Iterator[int]:
    while (at := data.find(text, at, end)) >= 0:
        yield at
        at += len(text)


def _whole(data: bytes, start: int, inside: int) -> Place:
    """From an open tag to the end of the close tag, with only text between them."""
    return between(start, data.index(b">", data.index(b"</", inside)) + 1)


def _removal(listed: ListedPage, place: Callable[[], Place]) -> tuple[Edit, ...]:
    return (Edit(with_its_line(listed.document.data, place()), b""),)


@rule(
    "M012",
    "image-fields-out-of-schema-order",
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
    """The fields of an image are not in schema order.

    The schema of the extension requires the order loc, caption, geo_location, title, license. Search engines accept any
    order; validators do not.
    """
    yield from out_of_order(image.listed.document, image.element, IMAGE, salvaged=image.listed.salvaged)
