"""Do images have one URL that can be fetched, known fields in order, and a place inside an entry?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from urlset.checking.declare import bad, error_rule, good, google_error, google_info, info_rule
from urlset.checking.subjects import value_place
from urlset.findings.finding import Fix, Problem, Safety, quoted
from urlset.fixing.markup import with_its_line
from urlset.model.columns import Edit, Mark
from urlset.model.entry import Element
from urlset.model.place import Place, between
from urlset.rules import Engine, Has, ImageItem, ListedPage, Signal, Sitemap
from urlset.rules.declarations import wrong_uris
from urlset.rules.loc import only_origin
from urlset.rules.loc.host import registered
from urlset.rules.media import (
    GOOGLE_AND_SCHEMA,
    SCHEMA,
    address_faults,
    address_of,
    drop,
    fields,
    first_hosts,
    hosts,
    known_fields,
    missing,
    open_tag,
    out_of_order,
    outside_entries,
    table,
    tags,
)
from urlset.spec import namespaces
from urlset.spec.extensions import IMAGE
from urlset.spec.namespaces import means
from urlset.spec.protocol import LOC_SCHEMES

# Which fields does an image have in addition to its URL, and in which order?

_WITHDRAWN = table(IMAGE, lambda spec: spec.withdrawn is not None)


@google_error("M003", when=Signal.MEDIA_SHAPE, cites=("google-image", "xsd-image"))
@bad(
    "<url><loc>https://example.com/</loc>"
    + "".join(f"<image:image><image:loc>https://example.com/{n}.jpg</image:loc></image:image>" for n in range(1000))
    + "«<image:image>»<image:loc>https://example.com/1000.jpg</image:loc></image:image></url>",
    title="a page with 1,001 images",
)
@good("<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>")
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


def _tags(sitemap: Sitemap) -> re.Pattern[bytes]:
    """How the tags of deprecated fields begin; in ordinary images no other field begins so."""
    declared = sitemap.document.root.declared if sitemap.document.root is not None else {}
    images = [re.escape(f"{prefix}:" if prefix else "") for prefix, uri in declared.items() if uri == namespaces.IMAGE]
    return re.compile(f"<(?:{'|'.join(images)})({'|'.join(_WITHDRAWN)})".encode() if images else b"(?!)")


@google_info("M004", when=Signal.CAPTIONED, cites=("google-2022", "google-image"))
@bad(
    "<image:image>\n<image:loc>https://example.com/a.jpg</image:loc>\n"
    "«<image:title>A kitten</image:title>»\n</image:image>",
    fixed="<image:image>\n<image:loc>https://example.com/a.jpg</image:loc>\n</image:image>",
)
@bad(
    "<image:image><image:loc>https://example.com/a.jpg</image:loc>«<image:caption>Asleep</image:caption>»"
    "«<image:license>https://example.com/licence</image:license>»</image:image>"
)
@good("<image:loc>https://example.com/kitten.jpg</image:loc>")
def withdrawn_image_field(listed: ListedPage) -> Iterator[Problem]:
    """An image has a caption, title, location, or license, which engines ignore.

    Google deprecated these four fields in August 2022. They do no harm and have no effect. Google reads this
    information from the page, its structured data, and the image metadata.
    """
    ordinary = not listed.sitemap.signals[listed.row] & Signal.MEDIA_SHAPE and _has_sound_tags(listed)
    for name, place in _by_tags(listed) if ordinary else _by_elements(listed):
        words = f"<image:{name}> has had no effect since {_WITHDRAWN[name].withdrawn}; remove it"
        yield Problem(place, words, Fix(f"remove {name}", partial(_removal, listed, place), Safety.REVIEW))


def _has_sound_tags(listed: ListedPage) -> bool:
    """Whether nothing but references was repaired."""
    edits, data = listed.document.columns.edits.get(listed.row, ()) if listed.salvaged else (), listed.document.data
    return all(data.startswith(b"&", edit.place.offset) for edit in edits)


def _by_elements(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    for image in listed.images:
        for _, element in known_fields(image.element, _WITHDRAWN):
            yield element.local, partial(Place, element.place.offset, element.place.length)


def _by_tags(listed: ListedPage) -> Iterator[tuple[str, Callable[[], Place]]]:
    """The same for images with only expected content, where the tags are sufficient."""
    data, row, sitemap = listed.document.data, listed.place, listed.sitemap
    for tag in sitemap.cached("tags of deprecated fields", lambda: _tags(sitemap)).finditer(data, row.offset, row.end):
        yield tag[1].decode(), partial(_whole, data, tag.start(), data.index(b">", tag.start()) + 1)


def _whole(data: bytes, start: int, inside: int) -> Place:
    """From an open tag to the end of the close tag, with only text between them."""
    return between(start, data.index(b">", data.index(b"</", inside)) + 1)


def _removal(listed: ListedPage, place: Callable[[], Place]) -> tuple[Edit, ...]:
    return (Edit(with_its_line(listed.document.data, place()), b""),)


@info_rule("M012", fails_schema=True, engines=SCHEMA, cites=("xsd-image",))
@bad(
    "<image:image><image:title>A kitten</image:title> «<image:loc>»https://example.com/a.jpg</image:loc></image:image>",
    fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc> "
    "<image:title>A kitten</image:title></image:image>",
)
@good(
    "<image:image><image:loc>https://example.com/a.jpg</image:loc><image:caption>Asleep</image:caption>"
    "<image:title>A kitten</image:title></image:image>"
)
def image_fields_out_of_schema_order(image: ImageItem) -> Iterator[Problem]:
    """The fields of an image are not in schema order.

    The schema of the extension requires the order loc, caption, geo_location, title, license. Search engines accept any
    order; validators do not.
    """
    yield from out_of_order(image.listed.document, image.element, IMAGE, salvaged=image.listed.salvaged)


# Where are images in the file, in which namespace, and on which domains?

_HEAD = f'<urlset xmlns="{namespaces.SITEMAP}"'
_PAGE = "<url><loc>https://example.com/</loc>"
_IMAGE = "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"


@google_error("M001", kinds=Has.URL_ELEMENTS, cites=("google-image", "xsd-image", "xml-names"))
@bad(
    f'{_HEAD} xmlns:image="«http://www.google.com/schemas/sitemap-image/1.0»">{_PAGE}{_IMAGE}</url></urlset>',
    fixed=f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}{_IMAGE}</url></urlset>',
)
@bad(
    f'{_HEAD}>{_PAGE}<i:image xmlns:i="«http://www.google.com/schemas/sitemap-image/1.1/»">'
    "<i:loc>https://example.com/a.jpg</i:loc></i:image></url></urlset>",
    fixed=f'{_HEAD}>{_PAGE}<i:image xmlns:i="{namespaces.IMAGE}">'
    "<i:loc>https://example.com/a.jpg</i:loc></i:image></url></urlset>",
)
@bad(f'{_HEAD} xmlns:image="«http://example.com/made-up»">{_PAGE}{_IMAGE}</url></urlset>')
@good(
    f'{_HEAD} xmlns:picture="{namespaces.IMAGE}">{_PAGE}'
    "<picture:image><picture:loc>https://example.com/a.jpg</picture:loc></picture:image></url></urlset>"
)
def wrong_image_namespace(sitemap: Sitemap) -> Iterator[Problem]:
    """The namespace of the image extension is wrong.

    Namespaces are compared character by character. Elements in any other namespace are ignored, so all images in the
    file are ignored.
    """
    yield from wrong_uris(sitemap, namespaces.IMAGE, "image", "image namespace, so its images")


@google_info("M006", kinds=Has.URL_ELEMENTS, cites=("google-image",))
@bad("<image:loc>https://«cdn.example.net»/kitten.jpg</image:loc>")
@good(
    "<image:loc>https://images.example.com/kitten.jpg</image:loc>",
    "<url><loc>https://www.example.co.uk/</loc>"
    "<image:image><image:loc>https://cdn.example.co.uk/kitten.jpg</image:loc></image:image></url>",
)
def image_on_other_domain(sitemap: Sitemap) -> Iterator[Problem]:
    """Images are on a domain without any page in the file.

    This is allowed, and usual with a content delivery network. Google recommends verifying the other domain in Search
    Console to see crawl errors for its images.
    """
    counts: Mapping[bytes, int] = {}
    if sitemap.extended:
        noted = sitemap.media_notes.image_hosts
        counts = hosts(sitemap, namespaces.IMAGE, "loc") if noted is None else noted
    own = _sites(sitemap) if counts else set()
    foreign = {host for host in counts if own and registered(host.decode("utf-8", "replace")) not in own}
    for host, place in first_hosts(sitemap, namespaces.IMAGE, "loc", foreign).items():
        many = "1 image" if counts[host] == 1 else f"{counts[host]:,} images"
        yield Problem(
            place,
            f"{many} on {quoted(host.decode('utf-8', 'replace'))}, a domain without pages in this file; "
            "verify it in Search Console",
            count=counts[host],
        )


def _sites(sitemap: Sitemap) -> set[str]:
    """The domains of the listed pages, computed once per host."""
    only = only_origin(sitemap)
    locs = sitemap.columns.locs if only is None else [only.text]
    origins = {head for loc in locs if loc for head in loc[:300].split("/", 3)[2:3]}
    hosts = {head.rpartition("@")[2].partition(":")[0].partition("?")[0].strip() for head in origins}
    return {registered(host) for host in hosts if host}


@google_error("M008", kinds=Has.PROTOCOL, cites=("google-image",))
@bad(
    f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}</url>'
    "«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></urlset>",
    "<sitemap><loc>https://example.com/pages.xml</loc>"
    "«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></sitemap>",
)
@good(f'{_HEAD} xmlns:image="{namespaces.IMAGE}">{_PAGE}</url><!-- {_IMAGE} --></urlset>', f"{_PAGE}{_IMAGE}</url>")
def image_outside_url(sitemap: Sitemap) -> Iterator[Problem]:
    """An image is outside a <url>.

    An image belongs to the page of its <url>. Outside a <url> it is ignored.
    """
    strays = [open_tag(sitemap, match) for match in outside_entries(sitemap, namespaces.IMAGE, "image")]
    if sitemap.kind.lists_sitemaps:
        for row, mark in enumerate(sitemap.columns.marks):
            if mark & Mark.EXTENDED:
                children = sitemap.document.element(row).children
                strays += [
                    child.open_tag
                    for child in children
                    if (child.local == "image" and means(child.namespace) == namespaces.IMAGE)
                ]
    if strays:
        many, them = (f"{len(strays):,} images", "them") if len(strays) > 1 else ("image", "it")
        message = f"{many} outside <url>, so engines ignore {them}; move {them} into the <url> of the page"
        yield Problem(min(strays), message, count=len(strays))


@info_rule("M014", kinds=Has.URL_ELEMENTS, engines=(Engine.YANDEX,), cites=("yandex-sitemap",))
@bad(f"{_PAGE}«<image:image>»<image:loc>https://example.com/a.jpg</image:loc></image:image></url>")
@good("<loc>https://example.com/image:image</loc>")
def images_unread_by_yandex(sitemap: Sitemap) -> Iterator[Problem]:
    """The file lists images, which Yandex does not read from sitemaps.

    They do no harm. Yandex finds images on the pages themselves.
    """
    found = list(tags(sitemap, namespaces.IMAGE, "image")) if sitemap.extended else []
    if found:
        yield Problem(
            open_tag(sitemap, found[0]),
            f"Yandex ignores {len(found):,} {'image' if len(found) == 1 else 'images'} in this sitemap",
            count=len(found),
        )


# They contain the bytes themselves or only exist in one browser; crawlers cannot fetch them.
_PLACELESS = frozenset({"data", "blob", "cid"})
_SOUND = "<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>"


def _scheme(element: Element) -> str:
    return (address_of(element.text).scheme or "").lower()


@error_rule("M002", when=Signal.MEDIA_MISSING, engines=GOOGLE_AND_SCHEMA, cites=("google-image", "xsd-image"))
@bad(f"{_SOUND}\n  «<image:image/>»\n", fixed=f"{_SOUND}\n")
@bad(f"{_SOUND}«<image:image>»<image:title>A kitten</image:title></image:image>", fixed=_SOUND)
@bad(
    "<image:image>«<image:loc> </image:loc>»</image:image>",
    "<url><loc>https://example.com/</loc>«<image:image>»<loc>https://example.com/kitten.jpg</loc></image:image></url>",
)
@good("<image:image><image:loc>https://example.com/kitten.jpg</image:loc></image:image>")
def image_without_address(image: ImageItem) -> Iterator[Problem]:
    """An image has no image:loc, or an empty one.

    Without a URL the image is ignored, and strict parsers reject the whole file.
    """
    for problem in missing(image.element, IMAGE, "loc", "the image is ignored"):
        says_nothing = not any(child.text for child in image.element.walk())
        safety = Safety.SAFE if says_nothing else Safety.REVIEW
        gone = drop(image.listed.document, [image.element], "remove the image", safety)
        yield Problem(problem.place, problem.message, gone)


@google_error("M005", when=Signal.MEDIA_ADDRESS, cites=("google-image", "xsd-image", "rfc3986"))
@bad(
    "<image:loc>«/photos/kitten.jpg»</image:loc>",
    "<image:loc>«//cdn.example.com/kitten.jpg»</image:loc>",
    "<image:loc>«file»:///srv/photos/kitten.jpg</image:loc>",
)
@bad(
    "<image:loc>https://example.com/my« »kitten.jpg?a=1&amp;b=2</image:loc>",
    fixed="<image:loc>https://example.com/my%20kitten.jpg?a=1&amp;b=2</image:loc>",
)
@bad(
    "<image:loc>https://example.com/k«ä»tzchen.jpg</image:loc>",
    fixed="<image:loc>https://example.com/k%C3%A4tzchen.jpg</image:loc>",
)
@good(
    "<image:loc>\n  https://example.com/kitten.jpg?w=600&amp;h=400\n</image:loc>",
    "<image:loc><![CDATA[https://example.com/kitten.jpg?w=600&h=400]]></image:loc>",
    "<image:loc>https://example.com/image?src=%2Fphotos%2Fkitten.jpg</image:loc>",
)
def bad_image_address(image: ImageItem) -> Iterator[Problem]:
    """An image URL is not absolute, not http or https, or not escaped.

    The same requirements apply as for page URLs: crawlers do not resolve a path without a host, and they read illegal
    characters in different ways.
    """
    for loc in fields(image.element, "loc"):
        if _scheme(loc) not in _PLACELESS:
            yield from address_faults(image.listed.document, loc, LOC_SCHEMES)


@google_info("M009", when=Signal.MEDIA_ADDRESS | Signal.MEDIA_SHAPE, cites=("general-knowledge",))
@bad(
    "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
    "<image:image><image:loc>«https://example.com/a.jpg»</image:loc></image:image>",
    fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>",
)
@good(
    "<image:image><image:loc>https://example.com/a.jpg?w=300</image:loc></image:image>"
    "<image:image><image:loc>https://example.com/a.jpg?w=600</image:loc></image:image>"
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


@google_error("M010", when=Signal.MEDIA_ADDRESS, cites=("general-knowledge", "google-video"))
@bad(f"{_SOUND}<image:image><image:loc>«data»:image/png;base64,iVBORw0KGgo=</image:loc></image:image>", fixed=_SOUND)
@bad("<image:loc>«blob»:https://example.com/5f2a</image:loc>")
@good("<image:loc>https://example.com/data:image.png</image:loc>")
def image_address_without_server(image: ImageItem) -> Iterator[Problem]:
    """An image URL is a data:, blob:, or cid: URL.

    Such a URL contains the image itself, or refers to something in one browser or one email. Crawlers cannot fetch it,
    so the image is not indexed.
    """
    for loc in fields(image.element, "loc"):
        address = address_of(loc.text)
        if address.parts.scheme is not None and _scheme(loc) in _PLACELESS:
            yield Problem(
                loc.value.part(*address.parts.scheme),
                f"{quoted(loc.text)} cannot be fetched by crawlers; use an http or https URL",
                drop(image.listed.document, [image.element], "remove the image", Safety.REVIEW),
            )


@error_rule("M011", when=Signal.MEDIA_SHAPE, engines=GOOGLE_AND_SCHEMA, cites=("xsd-image",))
@bad(
    "<image:image><image:loc>https://example.com/a.jpg</image:loc>"
    "«<image:loc>»https://example.com/b.jpg</image:loc></image:image>",
    fixed="<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
    "<image:image><image:loc>https://example.com/b.jpg</image:loc></image:image>",
)
@good(
    "<image:image><image:loc>https://example.com/a.jpg</image:loc></image:image>"
    "<image:image><image:loc>https://example.com/b.jpg</image:loc></image:image>"
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
