"""The text of a date → its form, its legality, the stretch of time it covers, and its right spelling."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from urlset.model.cached import cached_property_unlocked
from urlset.model.moment_notations import (
    LARGEST_OFFSET,
    DateForm,
    DateReading,
    Fault,
    FaultAt,
    Interval,
    days_in_month,
    diagnose,
    moved,
    offset_of,
)
from urlset.model.shown import Shown
from urlset.spec.lazy_pattern import lazy_pattern

__all__ = ["DateForm", "DateReading", "Fault", "FaultAt", "Interval", "Moment"]

_PADDING = " \t\r\n"
# The six forms of the W3C note with every range but the length of the month, which needs the year.
_W3C = lazy_pattern(
    r"([0-9]{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-5][0-9]))?)?)?"
)
_XSD = lazy_pattern(
    r"-?(?!0000-)([1-9][0-9]{4,}|[0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"(?:T(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?))?"
    r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
)
_GRAMMATICAL = frozenset({Fault.OFFSET_RANGE})
_OFFSET = lazy_pattern(r"Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9]")
# xsd:dateTime compares values without a zone as if it could be anywhere within this much of UTC.
_ANYWHERE = timedelta(minutes=LARGEST_OFFSET)


class Moment(Shown, msgspec.Struct, frozen=True, dict=True):
    """A date as written, at the precision written.

    `faults` lists every departure from the W3C note in the order of the text. An offset beyond ±14:00 and
    -00:00 are faults of a text that the note's grammar accepts, so `w3c_valid` holds for them; any other
    fault makes the form illegal. Whitespace around the text is a fact (`padded`), not a fault.
    """

    raw: str
    form: DateForm
    offset_minutes: int | None = None
    faults: tuple[FaultAt, ...] = ()

    @classmethod
    def parse(cls, raw: str) -> Moment:
        match = _W3C.fullmatch(raw)
        if match is None:
            return cls._parse_slowly(raw)
        year, month, day, seconds, fraction, zone = match.groups()
        if zone is None:
            if day is None:
                return cls(raw, DateForm.YEAR if month is None else DateForm.MONTH)
            form, offset = DateForm.DAY, None
        else:
            offset = 0 if zone == "Z" else offset_of(zone)
            if zone == "-00:00" or not -LARGEST_OFFSET <= offset <= LARGEST_OFFSET:
                return cls._parse_slowly(raw)
            form = DateForm.MINUTE if seconds is None else DateForm.SECOND if fraction is None else DateForm.FRACTION
        if day > "28" and int(day) > days_in_month(int(year), int(month)):
            return cls._parse_slowly(raw)
        return cls(raw, form, offset)

    @classmethod
    def _parse_slowly(cls, raw: str) -> Moment:
        text = raw.strip(_PADDING)
        found = diagnose(text)
        before = len(raw) - len(raw.lstrip(_PADDING)) if text else 0
        faults = tuple(each.shifted(before) for each in found.faults)
        zone = found.reading.zone if found.reading else None
        form = DateForm.ILLEGAL
        if found.reading and not found.reading.lacks_zone and {each.fault for each in faults} <= _GRAMMATICAL:
            form = found.reading.form
        return cls(raw, form, offset_of(zone) if zone else None, faults)

    def __str__(self) -> str:
        return self.raw

    @property
    def text(self) -> str:
        """What is written, without the whitespace around it."""
        return self.raw.strip(_PADDING)

    @property
    def padded(self) -> bool:
        return self.text != self.raw

    # legality

    @property
    def w3c_valid(self) -> bool:
        return self.form is not DateForm.ILLEGAL

    @property
    def xsd_valid(self) -> bool:
        """Accepted by the official schema, whose type is xsd:date or xsd:dateTime."""
        match = _XSD.fullmatch(self.text)
        if match is None:
            return False
        # leap years repeat every 400 years, so the last four digits decide for a year of any length
        year, month, day = int(match[1][-4:]), int(match[2]), int(match[3])
        return day <= days_in_month(year, month)

    @property
    def fault(self) -> Fault | None:
        """The first fault in the text."""
        return self.faults[0].fault if self.faults else None

    def has(self, fault: Fault) -> FaultAt | None:
        """The first place of the given fault."""
        return next((each for each in self.faults if each.fault is fault), None)

    # meaning

    @cached_property_unlocked
    def reading(self) -> DateReading | None:
        """What the text says, also where it says it in a wrong spelling; None where that is not certain."""
        if self.form is DateForm.DAY and len(self.raw) == len("2026-11-16") and not self.faults:
            return DateReading(int(self.raw[:4]), int(self.raw[5:7]), int(self.raw[8:]))
        return diagnose(self.text).reading

    @property
    def precision(self) -> DateForm | None:
        """How finely it tells the time, also where the spelling is wrong."""
        return self.reading.form if self.reading else None

    @property
    def timezone_known(self) -> bool:
        return self.offset_minutes is not None

    @property
    def suggestion(self) -> str | None:
        """The right spelling of an illegal text whose meaning is certain."""
        reading = self.reading
        if self.w3c_valid or reading is None or reading.lacks_zone or self.has(Fault.OFFSET_RANGE):
            return None
        return reading.spell()

    def with_timezone(self, offset: str) -> str | None:
        """The correct form once the offset is known; None if that is not what is missing."""
        if not _OFFSET.fullmatch(offset) or abs(offset_of(offset)) > LARGEST_OFFSET or offset == "-00:00":
            raise ValueError(f"{offset!r} is not a UTC offset: write Z, or a sign and hh:mm up to 14:00")
        if self.reading is None or not self.reading.lacks_zone or self.has(Fault.OFFSET_RANGE):
            return None
        return msgspec.structs.replace(self.reading, zone=offset).spell()

    def interval(self) -> Interval | None:
        """The half-open stretch of UTC it covers: a date is its whole day, a month its whole month.

        Where no zone is written the calendar is UTC's. None where the meaning is not certain.
        """
        return self.reading.interval() if self.reading else None

    def certain_interval(self) -> Interval | None:
        """Like `interval`, but where no zone is written widened by 14 hours each way to hold anywhere."""
        found = self.interval()
        if found is None or self.timezone_known:
            return found
        return moved(found[0], -_ANYWHERE), moved(found[1], _ANYWHERE)

    def is_after(self, instant: datetime) -> bool:
        """All it can mean lies after the instant (naive: UTC); False where the meaning is not certain."""
        found = self.certain_interval()
        if instant.tzinfo is None:
            instant = instant.replace(tzinfo=UTC)
        return found is not None and found[0] > instant

    def newer_than(self, other: Moment) -> bool:
        """No instant of this one lies before the end of the other.

        Two texts without a zone are taken to share one; against a text with a zone they could be anywhere.
        """
        same_clock = not (self.timezone_known or other.timezone_known)
        mine = self.interval() if same_clock else self.certain_interval()
        others = other.interval() if same_clock else other.certain_interval()
        return mine is not None and others is not None and mine[0] >= others[1]
