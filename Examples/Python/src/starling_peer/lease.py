"""The replica id under which this peer writes: a leased one where a peer grants it (conversation.md, "Leases").

A program that runs for a moment and keeps nothing would otherwise add an entry to the version for ever, each time.
"""
from __future__ import annotations

from typing import Any, Callable

from .replica import Replica
from .wire import writer

Say = Callable[[int, bytes], None]
Draw = Callable[[int], int]
"""So many random bits, as an integer."""
Grant = tuple[int, int, int]
"""A replica, the number of the lease, and the counter at which the id rests."""

WITHOUT, ASKING, OFFERED, HOLDING, RETURNING, SETTLED = range(6)


class Lease:
    """The state of the page's table, at the holder."""

    def __init__(self, document: str, replica: Replica, draw: Draw) -> None:
        self.document, self.replica, self.draw = document, replica, draw
        self.state = WITHOUT
        self.peer = 0
        self.granter: str | None = None
        self.grant: Grant | None = None
        self.asked_at = self.began_at = self.left_at = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether it is decided under which id this peer writes."""
        return self.state in (HOLDING, SETTLED)

    def met(self, peer: int, hello: dict[str, Any], now: float, say: Say) -> None:
        """A peer's hello came."""
        if self.state == WITHOUT and hello["grantsLeases"]:
            self.state = SETTLED if self.replica.own else ASKING
            self.peer, self.granter, self.began_at, self.asked_at = peer, hello["store"], now, now
            if self.state == ASKING:
                say(peer, writer.lease(self.document, writer.ASKS, None))
        elif hello["store"] == self.granter:
            self.peer = peer
            if self.state == HOLDING:
                say(peer, writer.lease(self.document, writer.GOES_ON, self.present()))

    def present(self) -> Grant:
        assert self.grant is not None
        counter = max([self.grant[2], *(each.last_counter for each in self.replica.own if each.replica == self.grant[0])])
        return self.grant[0], self.grant[1], counter

    def answered(self, peer: int, message: dict[str, Any], now: float, say: Say) -> None:
        shown, answer = message["grant"], message["answer"]
        grant = None if shown is None else (int(shown["replica"], 16), int(shown["number"]), int(shown["counter"]))
        if answer == "granted" and grant is not None:
            if self.state == ASKING and peer == self.peer:
                self.state, self.grant = OFFERED, grant
                self.merged(now, say)
            elif self.grant is None or grant[0] != self.grant[0]:
                say(peer, writer.lease(self.document, writer.GIVES_BACK, grant))
        elif answer == "nothing" and self.state in (ASKING, HOLDING):
            self.state = SETTLED
        elif answer == "over" and self.state == HOLDING:
            self.disown()
        elif answer == "returned" and self.state == RETURNING:
            self.state = SETTLED

    def merged(self, now: float, say: Say) -> None:
        """Something merged: an offered id may be written under, or a held one be somebody else's too."""
        if self.grant is None:
            return
        covered = self.replica.document.version.get(self.grant[0], 0)
        if self.state == OFFERED:
            if self.replica.own or covered > self.grant[2]:
                self.give_back(say)
            elif covered == self.grant[2]:
                self.state, self.replica.id = HOLDING, self.grant[0]
        elif self.state == HOLDING and covered > self.present()[2]:
            self.disown()

    def give_back(self, say: Say) -> None:
        assert self.grant is not None
        say(self.peer, writer.lease(self.document, writer.GIVES_BACK, self.grant))
        self.state = SETTLED

    def disown(self) -> None:
        """From now on this peer writes under an id of its own."""
        self.state, self.replica.id = SETTLED, self.draw(64)

    def tick(self, now: float, say: Say) -> None:
        if self.state == ASKING and now - self.began_at >= 10:
            self.state = SETTLED
        elif self.state == ASKING and now - self.asked_at >= 0.5:
            self.asked_at = now
            say(self.peer, writer.lease(self.document, writer.ASKS, None))
        elif self.state == OFFERED and (self.replica.own or now - self.began_at >= 10):
            self.give_back(say)

    def leave(self, now: float, say: Say) -> None:
        self.left_at = now
        if self.state in (OFFERED, HOLDING):
            say(self.peer, writer.lease(self.document, writer.GIVES_BACK, self.present()))
            self.state = RETURNING

    def may_leave(self, now: float) -> bool:
        return self.state != RETURNING or now - self.left_at >= 2
