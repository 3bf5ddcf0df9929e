"""What image, video and news rules share: domains, fixes inside CDATA, and where the schema is wider than Google."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from urlset.checking.context import Context
from urlset.checking.declare import AnyRule, Good
from urlset.checking.engine import run
from urlset.checking.examples import document_of
from urlset.findings.finding import Problem
from urlset.reading.salvage import apply_edits
from urlset.rules.image import bad_image_address, image_outside_url, wrong_image_namespace
from urlset.rules.video_fields import video_description_too_long
from urlset.rules.video_values import bad_family_friendly, bad_video_duration
from urlset.spec import namespaces
from urlset.spec.engines import Engine

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def found(rule: AnyRule, text: str, *engines: Engine) -> tuple[bytes, list[Problem]]:
    document = document_of(Good(text))
    tally = run(document, [rule], Context(now=NOW, engines=engines or tuple(Engine)))
    assert not tally.crashes
    return document.data, [problem for _, problem, _ in tally.problems]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (bad_video_duration, "<video:duration>0</video:duration>"),
        (bad_family_friendly, "<video:family_friendly>YES</video:family_friendly>"),
    ],
)
def test_what_the_schema_takes_is_no_fault_under_the_schema_alone(rule: AnyRule, text: str) -> None:
    assert found(rule, text, Engine.XSD_STRICT)[1] == []
    assert len(found(rule, text, Engine.GOOGLE)[1]) == 1


def test_a_fix_in_a_cdata_section_is_not_escaped_and_outside_it_is() -> None:
    for before, after in (
        ("<![CDATA[https://example.com/a b?c=1&d=2]]>", "<![CDATA[https://example.com/a%20b?c=1&d=2]]>"),
        ("https://example.com/a b?c=1&amp;d=2", "https://example.com/a%20b?c=1&amp;d=2"),
    ):
        data, (problem,) = found(bad_image_address, f"<image:loc>{before}</image:loc>")
        assert problem.fix is not None
        assert apply_edits(data, 0, len(data), problem.fix.edits) == data.replace(before.encode(), after.encode())


def test_a_value_pieced_together_is_left_to_people() -> None:
    _, (problem,) = found(bad_image_address, "<image:loc>https://example.com/<![CDATA[a b]]></image:loc>")
    assert problem.fix is None
    text = f"<video:description>{'a' * 2000} {'a' * 40}<![CDATA[{'b' * 100}]]></video:description>"
    _, (problem,) = found(video_description_too_long, text)
    assert problem.fix is None


def test_images_under_a_prefix_bound_elsewhere_are_no_images() -> None:
    """The wrong namespace is the one fault; the tags under it are then not judged as images."""
    head = f'<urlset xmlns="{namespaces.SITEMAP}" xmlns:image="urn:pictures"><url><loc>https://example.com/</loc>'
    text = f"{head}<image:image/></url><image:image/></urlset>"
    assert len(found(wrong_image_namespace, text)[1]) == 1
    assert found(image_outside_url, text)[1] == []
