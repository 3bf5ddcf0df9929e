"""Does each image have exactly one URL that can be fetched?"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.checking.elements import value_place
from urlset.model.columns import Edit
from urlset.model.element import Element
from urlset.model.place import Place
from urlset.rules import Bad, Fix, ImageItem, Problem, Safety, Severity, Signal, rule
from urlset.rules.media.address import address_faults, address_of
from urlset.rules.media.byte_edits import drop
from urlset.rules.media.fields import GOOGLE, GOOGLE_AND_SCHEMA, fields, missing
from urlset.rules.quoting import quoted
from urlset.spec.extensions import IMAGE
from urlset.spec.protocol import LOC_SCHEMES

# They contain the bytes themselves or only exist in one browser; crawlers cannot fetch them.
_PLACELESS = frozenset({"data", "blob", "cid"})
_SOUND = "<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>"


def _scheme(element: Element) -> str:
    return (address_of(element.text).scheme or "").lower()


@rule(
    "M002",
    "image-without-address",
    when=Signal.MEDIA_MISSING,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("google-image", "xsd-image"),
    bad=(
        Bad(f"{_SOUND}\n  «<image:image/>»\n", fixed=f"{_SOUND}\n"),
        Bad(f"{_SOUND}«<image:image>»<image:title>A kitten</image:title></image:image>", fixed=_SOUND),
        "<image:image>«<image:loc> </image:loc>»</image:image>",
        "<url><loc>https://example.com/</loc>«<image:image>»<loc>https://example.com/kitten.jpg</loc></image:image></url>",
    ),
    good=("<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>",),
)
def image_without_address(image: ImageItem) -> Iterator[Problem]:
    """An image has no image:loc, or an empty one.

    Without a URL the image is ignored, and strict parsers reject the whole file.
    """
    for problem in missing(image.element, IMAGE, "loc", "the image is ignored"):
        says_nothing = not any(child.text for child in image.element.walk())
        safety = Safety.SAFE if says_nothing else Safety.REVIEW
        gone = drop(image.listed.document, [image.element], "remove the image", safety)
        yield Problem(problem.place, problem.message, gone)


@rule(
    "M005",
    "bad-image-address",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("google-image", "xsd-image", "rfc3986"),
    bad=(
        "<image:loc>«/photos/kitten.jpg»</image:loc>",
        "<image:loc>«//cdn.example.com/kitten.jpg»</image:loc>",
        "<image:loc>«file»:///srv/photos/kitten.jpg</image:loc>",
        Bad(
            "<image:loc>https://example.com/my« »kitten.jpg?a=1&amp;b=2</image:loc>",
            fixed="<image:loc>https://example.com/my%20kitten.jpg?a=1&amp;b=2</image:loc>",
        ),
        Bad(
            "<image:loc>https://example.com/k«ä»tzchen.jpg</image:loc>",
            fixed="<image:loc>https://example.com/k%C3%A4tzchen.jpg</image:loc>",
        ),
    ),
    good=(
        "<image:loc>\n  https://example.com/kitten.jpg?w=600&amp;h=400\n</image:loc>",
        "<image:loc><![CDATA[https://example.com/kitten.jpg?w=600&h=400]]></image:loc>",
        "<image:loc>https://example.com/image?src=%2Fphotos%2Fkitten.jpg</image:loc>",
    ),
)
def bad_image_address(image: ImageItem) -> Iterator[Problem]:
    """An image URL is not absolute, not http or https, or not escaped.

    The same requirements apply as for page URLs: crawlers do not resolve a path without a host, and they read illegal
    characters in different ways.
    """
    for loc in fields(image.element, "loc"):
        if _scheme(loc) not in _PLACELESS:
            yield from address_faults(image.listed.document, loc, LOC_SCHEMES)


@rule(
    "M009",
    "image-listed-twice",
    when=Signal.MEDIA_ADDRESS | Signal.MEDIA_SHAPE,
    severity=Severity.INFO,
    engines=GOOGLE,
    cites=("general-knowledge",),
    bad=(
        Bad(
            "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
            "<image:image><image:loc>«https://example.com/a.jpg»</image:loc></image:image>",
            fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>",
        ),
    ),
    good=(
        (
            "<image:image><image:loc>https://example.com/a.jpg?w=300</image:loc></image:image>"
            "<image:image><image:loc>https://example.com/a.jpg?w=600</image:loc></image:image>"
        ),
    ),
)
def image_listed_twice(image: ImageItem) -> Iterator[Problem]:
    """A page lists the same image twice.

    The second entry adds nothing and counts toward the limit of 1,000 images per page.
    """
    if image is not image.listed.images[0]:
        return  # the first image reports for the whole page
    seen: set[str] = set()
    for each in image.listed.images:
        locs = fields(each.element, "loc")
        if len(locs) != 1 or not locs[0].text:
            continue
        if locs[0].text in seen:
            safety = Safety.SAFE if len(each.element.children) == 1 else Safety.REVIEW
            gone = drop(each.listed.document, [each.element], "remove the duplicate", safety)
            yield Problem(
                value_place(locs[0]), f"{quoted(locs[0].text)} is already listed for this page; list it once", gone
            )
        seen.add(locs[0].text)


@rule(
    "M010",
    "image-address-without-server",
    when=Signal.MEDIA_ADDRESS,
    severity=Severity.ERROR,
    engines=GOOGLE,
    cites=("general-knowledge", "google-video"),
    bad=(
        Bad(
            f"{_SOUND}<image:image><image:loc>«data»:image/png;base64,iVBORw0KGgo=</image:loc></image:image>",
            fixed=_SOUND,
        ),
        "<image:loc>«blob»:https://example.com/5f2a</image:loc>",
    ),
    good=("<image:loc>https://example.com/data:image.png</image:loc>",),
)
def image_address_without_server(image: ImageItem) -> Iterator[Problem]:
    """An image URL is a data:, blob:, or cid: URL.

    Such a URL contains the image itself, or refers to something in one browser or one email. Crawlers cannot fetch it,
    so the image is not indexed.
    """
    for loc in fields(image.element, "loc"):
        address = address_of(loc.text)
        if address.parts.scheme is not None and _scheme(loc) in _PLACELESS:
            start, end = address.parts.scheme
            lead = len(loc.value.text) - len(loc.value.text.lstrip())
            yield Problem(
                loc.value.locate(lead + start, end - start),
                f"{quoted(loc.text)} cannot be fetched by crawlers; use an http or https URL",
                drop(image.listed.document, [image.element], "remove the image", Safety.REVIEW),
            )


@rule(
    "M011",
    "several-addresses-in-image",
    when=Signal.MEDIA_SHAPE,
    severity=Severity.ERROR,
    engines=GOOGLE_AND_SCHEMA,
    cites=("xsd-image",),
    bad=(
        Bad(
            "<image:image><image:loc>https://example.com/a.jpg</image:loc>"
            "«<image:loc>»https://example.com/b.jpg</image:loc></image:image>",
            fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
            "<image:image><image:loc>https://example.com/b.jpg</image:loc></image:image>",
        ),
    ),
    good=(
        (
            "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
            "<image:image><image:loc>https://example.com/b.jpg</image:loc></image:image>"
        ),
    ),
)
def several_addresses_in_image(image: ImageItem) -> Iterator[Problem]:
    """An image:image contains more than one image:loc.

    Each image needs its own element. Crawlers use the first URL, or the last, or reject the file.
    """
    for again in fields(image.element, "loc")[1:]:
        yield Problem(
            again.open_tag,
            f"second <image:loc> ({quoted(again.text)}) in one <image:image>; use one <image:image> per URL",
            _split_before(image, again),
        )


def _split_before(image: ImageItem, loc: Element) -> Fix | None:
    """A new image starts here; not if the tag itself declares the prefix."""
    if b"xmlns" in image.element.open_tag.cut(image.listed.document.data) or image.listed.salvaged:
        return None
    name = image.element.written
    only_locs = all(child.local == "loc" for child in image.element.children)
    edit = Edit(Place(loc.place.offset, 0), f"</{name}><{name}>".encode())
    return Fix("use one image element per URL", (edit,), Safety.SAFE if only_locs else Safety.REVIEW)
