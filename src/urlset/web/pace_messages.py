"""What a process that sends requests and the owner of the pace say to each other."""

from __future__ import annotations

import msgspec

from urlset.web.exchange import Exchange


class Message(msgspec.Struct, frozen=True, array_like=True, tag=True):
    slot: int
    """which of the processes; a replaced one has the number of the one before"""
    token: str
    """which of those that had this number"""


class Hello(Message, frozen=True):
    """Said first, and again to an owner that was restarted."""

    held: tuple[tuple[int, str], ...]
    """turns in use: number and host"""


class Beat(Message, frozen=True):
    """I am still here."""


class Take(Message, frozen=True):
    number: int
    host: str
    page: int = 0
    attempt: int = 0
    """0 where the request is not for a page of the list"""


class Settle(Message, frozen=True):
    number: int
    exchange: Exchange
    """without its body; with headers only where the host pushed back"""
    tried: int
    refused_at: int | None


class Drop(Message, frozen=True):
    number: int


class NoFaster(Message, frozen=True):
    host: str
    delay: float


class Reply(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Anything the owner says."""


class Stranger(Reply, frozen=True):
    """The owner does not know who is speaking: it was restarted."""


class Heard(Reply, frozen=True):
    pass


class HostStanding(Reply, frozen=True):
    """The answer to a beat."""

    under_way: int
    pause: tuple[float, str] | None


class Granted(Reply, frozen=True):
    pass


class TurnRefused(Reply, frozen=True):
    exchange: Exchange


class Settled(Reply, frozen=True):
    pause: float | None = None
    refused_at: int | None = None


_encode = msgspec.msgpack.Encoder().encode
read_message = msgspec.msgpack.Decoder(Hello | Beat | Take | Settle | Drop | NoFaster).decode
read_reply = msgspec.msgpack.Decoder(Stranger | Heard | HostStanding | Granted | TurnRefused | Settled).decode


def packed(said: Message | Reply) -> bytes:
    return _encode(said)
