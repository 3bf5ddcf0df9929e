"""A page to request → its answer, fetched and understood, in this process or any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from urlset.auditing.generator_signs import GeneratorSigns
from urlset.auditing.session_answers import rendered, understood
from urlset.auditing.soft404 import ErrorProbe
from urlset.auditing.store import MEDIA, PendingUrl, Result, What
from urlset.model.visit import Visit
from urlset.web.validators import Validators

if TYPE_CHECKING:
    from urlset.auditing.robots_gate import RobotsGate
    from urlset.auditing.second_look import SecondLook
    from urlset.web.client import Client

MEDIA_CAP = 1 << 16
"""bytes of an image or a video that are read: only that it answers is wanted"""


class PageTask(msgspec.Struct, frozen=True, array_like=True):
    """All that the process that asks needs to know."""

    page: PendingUrl
    probe: ErrorProbe | None = None
    """how its host answers addresses that cannot exist"""
    known: tuple[Visit, bytes | None] | None = None
    validators: Validators | None = None
    failed_tries: int = 0
    """of its first try, where that failed: what fails twice is judged otherwise than what failed once"""
    patient: bool = False
    in_full: bool = True
    search: bool = False
    """for signs of the program that made the site"""


class PageSeen(msgspec.Struct, frozen=True, array_like=True):
    result: Result
    generators: tuple[str, ...] | None = None
    """None where the page was not searched"""


class LocalLooks:
    """In this process."""

    def __init__(self, client: Client, gate: RobotsGate, second_look: SecondLook | None = None) -> None:
        self._client, self._gate, self._second_look = client, gate, second_look
        self._rendering = 0

    @property
    def busy(self) -> int:
        return self._client.under_way + self._rendering

    async def at(self, task: PageTask) -> PageSeen:
        page = task.page
        answer = await self._client.get(
            page.url,
            cap=MEDIA_CAP if page.kind in MEDIA else None,
            validators=task.validators,
            patient=task.patient,
            refusal=self._gate.on_the_way,
        )
        generators = None
        if task.search and answer.ok and answer.body:
            signs = GeneratorSigns()
            signs.page(answer.body, answer.headers)
            generators = tuple(each.name for each in signs.found())
        if task.failed_tries:
            answer = msgspec.structs.replace(answer, tries=answer.tries + task.failed_tries)
        result = understood(page, answer, task.known, task.probe, in_full=task.in_full)
        if self._second_look is not None and page.kind is What.PAGE and not answer.not_modified:
            self._rendering += 1
            try:
                result = await rendered(self._second_look, result, answer, task.probe)
            finally:
                self._rendering -= 1
        return PageSeen(result, generators)
