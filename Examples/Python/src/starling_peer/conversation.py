"""What this peer says, and when (conversation.md), as a value: messages and the time in, messages to send out.

This peer dials and cannot be dialled; it keeps nothing, does not relay, and has one document open.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from . import wire
from .answering import Answer
from .document import Document, MergeError
from .lease import Draw, Lease
from .replica import Replica
from .values import Change, change_from, dots_from
from .wire import lines, writer

Send = tuple[int, bytes]
"""A connection, and a message for it."""

KEPT_FRAMES = 4096
PATIENCE = 2.0
HEARTBEAT = 1.0


@dataclass
class Connection:
    """What is known of one peer that was dialled."""

    number: int
    hello: dict[str, Any] | None = None
    is_refused: bool = False
    greeted_at: float = 0
    # Its stream: `following` while the place of its next frame is known, `asking` while an answer is on its way.
    stream: wire.Stream | None = None
    stream_number: int = 0
    next_sequence: int = 0
    kept: dict[tuple[int, int], bytes] = field(default_factory=dict)
    request: int = 0
    asked_at: float | None = None
    behind_since: float | None = None
    was_told: bool = False
    asked_us: bool = False
    part: bytearray = field(default_factory=bytearray)
    part_of: tuple[int, int] = (0, 0)
    taken: int = 0
    credited: int = 0
    sent: int = 0
    heard_at: float = 0
    answer: Answer | None = None
    counted: int = 0
    missing: int = 0

    @property
    def is_following(self) -> bool:
        return self.stream is not None


class Conversation:
    """All that is said about one document, on all connections."""

    def __init__(self, document: str, replica: Replica, agent: str, draw: Draw, now: float) -> None:
        self.document, self.agent = document, agent
        self.store, self.epoch, self.stream = draw(64), draw(64), draw(32) or 1
        self.replica = replica
        self.connections: dict[int, Connection] = {}
        self.sends: list[Send] = []
        self.writer, self.sequence = writer.StreamWriter(), 0
        self.lease = Lease(document, replica, draw)
        self.refusals: list[str] = []
        self.acknowledged: dict[int, int] = {}
        self.acknowledged_at = self.beat_at = now
        self.is_caught_up = False
        """Whether any peer has answered all that was asked of it."""
        self.held: dict[int, int] = {}
        """What others acknowledged, or say that they hold."""

    @property
    def is_held_elsewhere(self) -> bool:
        """Whether some peer holds all that was written here."""
        return all(counter <= self.held.get(replica, 0) for replica, counter in self.replica.claim().items())

    def take_sends(self) -> list[Send]:
        sends, self.sends = self.sends, []
        return sends

    def send(self, connection: Connection, message: bytes) -> None:
        connection.sent += 1
        self.sends.append((connection.number, message))

    def greet(self, connection: Connection, wants_reply: bool, now: float) -> None:
        connection.greeted_at, connection.sent = now, -1
        self.send(connection, writer.hello(self.store, self.epoch, self.agent, wants_reply))

    # Connections

    def opened(self, number: int, now: float) -> None:
        connection = self.connections[number] = Connection(number, heard_at=now)
        self.greet(connection, True, now)

    def closed(self, number: int) -> None:
        self.connections.pop(number, None)

    def received(self, number: int, data: bytes, now: float) -> None:
        """A message of the peer at the other end of a connection."""
        connection = self.connections.get(number)
        if connection is None or connection.is_refused:
            return
        connection.heard_at = now
        connection.counted += 1
        try:
            message = wire.message(data)
        except wire.Refused as refused:
            self.send(connection, writer.refuse(2, f"A message cannot be read: {refused}."))
            return
        kind = message["message"]
        if kind == "hello":
            self.take_hello(connection, message, now)
        elif kind == "refuse":
            connection.is_refused = message["code"] == 1
            self.refusals.append(message["explanation"])
        elif kind == "goodbye":
            connection.hello, connection.stream, connection.asked_at = None, None, None
        elif kind == "unknown":
            return
        elif connection.hello is None:
            self.greet(connection, True, now)
        elif message.get("document", self.document) == self.document:
            try:
                self.take(kind, connection, message, now)
            except (wire.Refused, MergeError) as error:
                self.send(connection, writer.refuse(2, str(error)))

    def take_hello(self, connection: Connection, hello: dict[str, Any], now: float) -> None:
        if hello["store"] == f"{self.store:016x}" and hello["epoch"] == f"{self.epoch:016x}":
            connection.is_refused = True
            return
        if not hello["lowestVersion"] <= 1 <= hello["highestVersion"]:
            self.send(connection, writer.refuse(1, f"{self.agent} speaks version 1 of the protocol alone."))
            connection.is_refused = True
            return
        if connection.hello is None or connection.hello["epoch"] != hello["epoch"]:
            connection.stream, connection.asked_at, connection.was_told, connection.asked_us = None, None, False, False
            connection.kept.clear()
        connection.hello, connection.counted = hello, 0
        if hello["wantsReply"]:
            self.greet(connection, False, now)
        self.tell(connection)
        if hello["relays"]:
            connection.behind_since = now - PATIENCE
        self.lease.met(connection.number, hello, now, self.lease_send)

    def lease_send(self, number: int, message: bytes) -> None:
        if number in self.connections:
            self.send(self.connections[number], message)

    def tell(self, connection: Connection) -> None:
        self.send(connection, writer.have(self.document, self.replica.claim(), self.stream, self.sequence))
        connection.was_told = True

    # Messages

    def take(self, kind: str, connection: Connection, message: dict[str, Any], now: float) -> None:
        if kind == "have":
            self.take_have(connection, message, now)
        elif kind == "want":
            connection.asked_us = True
            request = message["request"]
            if connection.answer is None or connection.answer.request != request:
                changes = self.replica.answer(dict(dots_from(message["version"])))
                connection.answer = Answer(self.document, request, changes)
        elif kind == "acknowledge":
            self.note_held(dict(dots_from(message["version"])))
        elif kind == "credit" and connection.answer is not None:
            connection.answer.credit(message["request"], int(message["byteCount"]))
        elif kind == "live":
            self.frame(connection.number, bytes.fromhex(message["frame"]), now)
        elif kind == "changes" and message["request"] == connection.request:
            self.took(connection, len(message["batch"]) // 2, now)
            self.merge(connection, [change_from(each) for each in wire.batch(bytes.fromhex(message["batch"]))], now)
        elif kind == "snapshot" and message["request"] == connection.request:
            self.take_part(connection, message, now)
        elif kind == "resume" and message["request"] == connection.request and connection.asked_at is not None:
            self.take_resume(connection, message, now)
        elif kind == "leased":
            self.lease.answered(connection.number, message, now, self.lease_send)
        elif kind == "heartbeat":
            self.compare_count(connection, int(message["count"]), now)
        elif kind == "disown" and int(message["replica"], 16) == self.replica.id:
            self.lease.disown()
        elif kind == "forget" and self.document in message["documents"]:
            self.refusals.append(f"The document '{self.document}' was deleted for good.")

    def take_have(self, connection: Connection, message: dict[str, Any], now: float) -> None:
        if not connection.was_told:
            self.tell(connection)
        version = dict(dots_from(message["version"]))
        self.note_held(version)
        position = message["position"]
        lacks = any(not self.replica.document.covers(dot) for dot in version.items())
        moved_on = position is not None and connection.is_following and (
            int(position["stream"]) != connection.stream_number or int(position["sequence"]) > connection.next_sequence)
        if not connection.is_following and position is not None or lacks or moved_on:
            connection.behind_since = connection.behind_since or now
        else:
            connection.behind_since = None

    def note_held(self, version: dict[int, int]) -> None:
        for replica, counter in version.items():
            self.held[replica] = max(self.held.get(replica, 0), counter)

    def took(self, connection: Connection, byte_count: int, now: float) -> None:
        """Counts what has arrived of an answer, and says so to the peer that sends it."""
        connection.asked_at = now
        connection.taken += byte_count + 8192
        if connection.taken - connection.credited >= 1 << 20:
            self.give_credit(connection)

    def give_credit(self, connection: Connection) -> None:
        if connection.taken > connection.credited:
            connection.credited = connection.taken
            self.send(connection, writer.credit(self.document, connection.request, connection.taken))

    def take_part(self, connection: Connection, message: dict[str, Any], now: float) -> None:
        part, whole = bytes.fromhex(message["bytes"]), (int(message["checksum"], 16), int(message["byteCount"]))
        offset = int(message["offset"])
        if offset == 0:
            connection.part, connection.part_of = bytearray(), whole
        if connection.part_of != whole or offset != len(connection.part):
            raise MergeError("The parts of a state leave a gap, or are of different states.")
        connection.part += part
        self.took(connection, len(part), now)
        if len(connection.part) == whole[1]:
            data, connection.part = bytes(connection.part), bytearray()
            if lines.checksum(data) != whole[0]:
                raise MergeError("The parts of a state do not have its checksum.")
            self.replica.merge_state(Document.from_state(wire.snapshot(data)))
            self.compare_lease(connection, now)

    def take_resume(self, connection: Connection, message: dict[str, Any], now: float) -> None:
        self.give_credit(connection)
        connection.asked_at = connection.behind_since = None
        connection.stream = wire.Stream.from_tables(bytes.fromhex(message["tables"]))
        connection.stream_number = int(message["position"]["stream"])
        connection.next_sequence = int(message["position"]["sequence"])
        kept, connection.kept = connection.kept, {}
        for (stream, sequence), payload in sorted(kept.items()):
            self.take_frame(connection, stream, sequence, payload, now)
        version = dict(dots_from(message["version"]))
        if all(self.replica.document.covers(dot) for dot in version.items()):
            self.is_caught_up = True
        if self.replica.lacks():  # the peer does not have it either, or not yet
            connection.behind_since = now + PATIENCE
        self.acknowledge(connection)
        self.compare_lease(connection, now)

    def compare_count(self, connection: Connection, count: int, now: float) -> None:
        """Messages were lost where two heartbeats in a row differ from our count by the same number."""
        missing = count - connection.counted
        if missing and missing == connection.missing:
            connection.missing = 0
            self.greet(connection, True, now)
        else:
            connection.missing = missing

    # Frames

    def frame(self, number: int, data: bytes, now: float) -> None:
        """A frame that a peer published, from the publish socket or in `live`."""
        connection = self.connections.get(number)
        if connection is None or data[:4] != writer.topic(self.document):
            return
        connection.heard_at = now
        try:
            frame = wire.published(data)
        except wire.Refused:
            return
        stream = int(frame["stream"])
        if stream != 0:
            self.take_frame(connection, stream, int(frame["sequence"]), bytes.fromhex(frame["payload"]), now)

    def take_frame(self, connection: Connection, stream: int, sequence: int, payload: bytes, now: float) -> None:
        if connection.stream is None or connection.asked_at is not None:
            if len(connection.kept) >= KEPT_FRAMES:
                connection.kept.clear()
            connection.kept[stream, sequence] = payload
        if connection.stream is None or stream != connection.stream_number or sequence < connection.next_sequence:
            return
        if sequence > connection.next_sequence:
            self.lose_place(connection, now)
            connection.kept[stream, sequence] = payload
            return
        try:
            changes = connection.stream.decode(payload)
        except wire.Refused:
            self.lose_place(connection, now)
            return
        connection.next_sequence += 1
        self.merge(connection, [change_from(each) for each in changes], now)

    def lose_place(self, connection: Connection, now: float) -> None:
        connection.stream = None
        connection.behind_since = now - PATIENCE

    def merge(self, connection: Connection, changes: list[Change], now: float) -> None:
        try:
            self.replica.merge(changes)
        except MergeError as error:
            self.send(connection, writer.refuse(2, str(error)))
        if self.replica.lacks() or self.replica.needs_state:
            connection.behind_since = connection.behind_since or now
        self.compare_lease(connection, now)

    def compare_lease(self, connection: Connection, now: float) -> None:
        self.lease.merged(now, self.lease_send)

    # What is written here

    def publish(self, change: Change) -> None:
        """Sends a change that was written here to everybody who may follow this peer."""
        payload = self.writer.change(change)
        frame = writer.frame(self.document, self.stream, self.sequence, payload)
        self.sequence += 1
        for connection in self.connections.values():
            if connection.hello is not None and not connection.is_refused:
                self.send(connection, writer.live(frame))

    # Time

    def tick(self, now: float) -> None:
        """What is due; call it every few hundredths of a second."""
        talking = [each for each in self.connections.values() if each.hello is not None and not each.is_refused]
        for connection in self.connections.values():
            if connection.hello is None and not connection.is_refused and now - connection.greeted_at >= HEARTBEAT:
                self.greet(connection, True, now)
        for connection in talking:
            self.ask(connection, talking, now)
            self.go_on_answering(connection)
        if now - self.acknowledged_at >= 0.02 and self.acknowledged != self.replica.document.version:
            self.acknowledged_at, self.acknowledged = now, dict(self.replica.document.version)
            for connection in talking:
                self.acknowledge(connection)
        self.lease.tick(now, self.lease_send)
        if now - self.beat_at >= HEARTBEAT:
            self.beat_at = now
            for connection in talking:
                self.tell(connection)
                self.acknowledge(connection)
                self.send(connection, writer.heartbeat(connection.sent + 1))

    def ask(self, connection: Connection, talking: list[Connection], now: float) -> None:
        """Wants what a peer has and we lack: of one peer at a time, and the next one where that is silent."""
        if connection.asked_at is not None:
            if now - connection.asked_at < PATIENCE:
                return
            connection.asked_at, connection.behind_since = None, now - PATIENCE
        if connection.behind_since is None or now - connection.behind_since < 0.25:
            return
        if any(each.asked_at is not None and now - each.asked_at < PATIENCE / 16 for each in talking if each is not connection):
            return
        connection.request += 1
        connection.asked_at, connection.taken, connection.credited = now, 0, 0
        connection.part, connection.behind_since = bytearray(), None
        version = self.replica.document.version
        self.send(connection, writer.want(self.document, connection.request, version, self.replica.needs_state))

    def go_on_answering(self, connection: Connection) -> None:
        if connection.answer is None:
            return
        for message in connection.answer.parts():
            self.send(connection, message)
        if connection.answer.is_done:
            self.send(connection, writer.resume(
                self.document, connection.answer.request, self.replica.claim(), self.stream, self.sequence, self.writer.tables()))
            connection.answer = None

    def acknowledge(self, connection: Connection) -> None:
        self.send(connection, writer.acknowledge(self.document, self.replica.document.version))

    def leave(self, now: float) -> None:
        """Gives a lease back; `goodbye` is said once that is answered, or after two seconds (`may_leave`)."""
        self.lease.leave(now, self.lease_send)

    def may_leave(self, now: float) -> bool:
        return self.lease.may_leave(now)

    def say_goodbye(self) -> None:
        for connection in self.connections.values():
            if connection.hello is not None:
                self.send(connection, writer.GOODBYE)
