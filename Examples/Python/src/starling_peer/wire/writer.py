"""Writes what this peer says: values, live streams, batches and messages (wire-format.md).

A writer may spell a change in many ways. This one always names the writer, the counter and the slot, and so needs none of
the shorter forms that depend on the cursor or on a slot's *last*.
"""
from __future__ import annotations

import struct
from typing import Iterable

from ..values import Change, Dot, Increment, Insert, Key, Move, Operation, Remove, RemoveRun, Set, Value, counters_taken
from .notation import ROOT, siphash128

WORD = (1 << 64) - 1

Parents = dict[int, tuple[int, Key, int]]
"""Of each derived object of a change: its parent, key and kind."""


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def svarint(number: int) -> bytes:
    return varint(2 * number if number >= 0 else -2 * number - 1)


def counted(data: bytes) -> bytes:
    return varint(len(data)) + data


def text(string: str) -> bytes:
    return counted(string.encode())


def u64(number: int) -> bytes:
    return struct.pack("<Q", number)


def value(what: Value) -> bytes:
    sort, content = what
    if sort == "null":
        return b"\xa0"
    if sort == "bool":
        return b"\xa2" if content else b"\xa1"
    if sort == "integer":
        if 0 <= content < 64:
            return bytes([content])
        if 64 <= content <= 8255:
            return bytes([0x80 + (content - 64 >> 8), content - 64 & 255])
        return b"\xa4" + varint(content) if content >= 1 << 63 else b"\xa3" + svarint(content)
    if sort == "text":
        data = content.encode()
        return bytes([0x40 + len(data)]) + data if len(data) < 64 else b"\xa6" + counted(data)
    if sort in ("double", "date"):
        return (b"\xa5" if sort == "double" else b"\xa9") + u64(content)
    if sort in ("bytes", "json"):
        return b"\xa7" + counted(content) if sort == "bytes" else b"\xa8" + text(content)
    if sort in ("object", "derived"):
        return (b"\xaa" if sort == "object" else b"\xab") + bytes([content])
    if sort == "reference":
        return b"\xac" + object_id(content)
    return b"\xbf" + varint(content[0]) + counted(content[1])


def object_id(id: int) -> bytes:
    if id == ROOT:
        return b"\0"
    if id >> 63 & 1:
        return b"\2" + u64(id >> 64) + u64(id & WORD)
    return b"\1" + u64(id >> 64) + varint(id & WORD)


def version(entries: dict[int, int]) -> bytes:
    return varint(len(entries)) + b"".join(u64(replica) + varint(counter) for replica, counter in sorted(entries.items()))


class StreamWriter:
    """The state of a live stream at the end that writes it (wire-format.md, "Live streams")."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.stamp = 0
        self.replicas: dict[int, int] = {}
        self.greatest: list[int] = []
        self.names: dict[bytes, int] = {}
        self.objects: dict[int, int] = {ROOT: 0}
        self.depths = [0]
        self.slots: dict[tuple[int, Key], int] = {}
        self.weight = self.key_bytes = 0
        # What the tables say of this state, entry by entry.
        self.object_entries: list[bytes] = []
        self.slot_entries: list[bytes] = []

    def change(self, change: Change) -> bytes:
        """The bytes of a change, as the stream's next one."""
        parents = {definition.id: (definition.parent, definition.key, definition.kind) for definition in change.objects}
        out = bytearray(self.replica(change.replica))
        writer = self.replicas[change.replica]
        out += svarint(change.first_counter - 1 - self.greatest[writer])
        out += svarint((change.stamp >> 16) - (self.stamp >> 16)) + varint(change.stamp & 0xFFFF)
        self.stamp = change.stamp
        flags = 0b1011
        if change.frontier:
            flags |= 0x10
            out += self.dots(change.frontier)
        if len(change.operations) > 1:
            flags |= 0x20
            out += varint(len(change.operations))
        counter = change.first_counter
        for operation in change.operations:
            self.greatest[writer] = max(self.greatest[writer], counter)
            out += self.operation(operation, counter, parents)
            counter += counters_taken(operation)
        self.greatest[writer] = max(self.greatest[writer], counter - 1)
        if (self.weight > 131_072 or self.key_bytes > 4 << 20
                or max(len(self.replicas), len(self.names), len(self.slots)) > 65_536):
            self.begin()
        return bytes([flags]) + bytes(out)

    def replica(self, id: int) -> bytes:
        if id in self.replicas:
            return varint(self.replicas[id])
        self.replicas[id] = len(self.replicas)
        self.greatest.append(0)
        return varint(self.replicas[id]) + u64(id)

    def dot(self, dot: Dot) -> bytes:
        out = self.replica(dot[0])
        number = self.replicas[dot[0]]
        out += svarint(dot[1] - self.greatest[number])
        self.greatest[number] = max(self.greatest[number], dot[1])
        return out

    def dots(self, dots: Iterable[Dot]) -> bytes:
        listed = list(dots)
        return varint(len(listed)) + b"".join(self.dot(dot) for dot in listed)

    # Operations

    def operation(self, operation: Operation, counter: int, parents: Parents) -> bytes:
        if isinstance(operation, (Set, Remove, Increment)):
            return self.slot_operation(operation, counter, parents)
        object = self.object(operation.object, parents)
        if isinstance(operation, Insert):
            is_text = isinstance(operation.content, str)
            content = operation.content.encode() if isinstance(operation.content, str) else b"".join(map(value, operation.content))
            size = len(content) if is_text else len(operation.content)
            head = 0x94 | (0 if is_text else 8) | (size << 5 if size < 4 else 0)
            return bytes([head]) + object + self.edge(operation.side, operation.anchor) + (varint(size) if size > 3 else b"") + content
        if isinstance(operation, RemoveRun):
            is_long = operation.count > 1
            return bytes([0x85 | is_long << 5]) + object + self.dot(operation.first) + (varint(operation.count) if is_long else b"")
        form = 2 if operation.replacing else 0
        if isinstance(operation, Move):
            out = bytes([0x86 | form << 3]) + object + self.dot(operation.element) + self.edge(operation.side, operation.anchor)
            return out + (self.dots(operation.replacing) if form else b"")
        out = bytes([0x87 | form << 3]) + object + self.table_key(operation.name)
        out += self.edge(*operation.start) + self.edge(*operation.end) + varint(operation.rank)
        return out + (self.dots(operation.replacing) if form else b"") + value(operation.value)

    def slot_operation(self, operation: Set | Remove | Increment, counter: int, parents: Parents) -> bytes:
        where, place = self.slot(operation.object, operation.key, parents)
        if isinstance(operation, Increment):
            form = 0 if operation.birth == counter else 2
            distance = varint(counter - operation.birth) if form else b""
            return bytes([2 | form << 2 | where << 5]) + place + distance + svarint(operation.amount)
        form = 2 if operation.replacing else 0
        head = (0 if isinstance(operation, Set) else 1) | form << 2 | where << 5 | (operation.clearing is not None) << 4
        out = bytes([head]) + place + (self.dots(operation.replacing) if form else b"")
        if operation.clearing is not None:
            out += self.dots(operation.clearing)
        return out + (value(operation.value) if isinstance(operation, Set) else b"")

    def edge(self, side: int, item: Dot) -> bytes:
        if item == (0, 0):
            return varint(side)
        out = self.replica(item[0])
        number = self.replicas[item[0]]
        rest = out[len(varint(number)):]
        difference = svarint(item[1] - self.greatest[number])
        self.greatest[number] = max(self.greatest[number], item[1])
        return varint(2 * (number + 1) + side) + rest + difference

    def slot(self, object: int, key: Key, parents: Parents) -> tuple[int, bytes]:
        """Where the slot is, as bits 5 and 6 of the head say, and the bytes that say it."""
        if (number := self.slots.get((object, key))) is not None:
            return 0, varint(number)
        spelled = self.object(object, parents)
        if key.sort == 3:
            return 3, spelled + self.dot(key.name)
        self.slots[object, key] = len(self.slots)
        spelled_key = self.table_key(key)
        self.slot_entries.append(varint(self.objects[object]) + self.known_key(key) + b"\0")
        return 2, spelled + spelled_key

    def object(self, id: int, parents: Parents) -> bytes:
        if id in self.objects:
            return varint(self.objects[id])
        missing = [id]
        while missing[-1] in parents and parents[missing[-1]][0] not in self.objects:
            missing.append(parents[missing[-1]][0])
        last = len(self.objects) + len(missing) - 1
        return varint(last) + b"".join(self.new_object(each, parents) for each in reversed(missing))

    def new_object(self, id: int, parents: Parents) -> bytes:
        number, depth = len(self.objects), 0
        if id in parents:
            parent, key, kind = parents[id]
            depth = self.depths[self.objects[parent]] + 1
            head = bytes([2 + kind]) + varint(self.objects[parent])
            spelled, known = head + self.table_key(key), head + self.known_key(key)
        elif id >> 63 & 1:
            spelled = known = b"\1" + u64(id >> 64) + u64(id & WORD)
        else:
            dot = id >> 64, id & WORD
            spelled = b"\0" + self.dot(dot)
            known = b"\0" + varint(self.replicas[dot[0]]) + varint(dot[1])
        self.objects[id] = number
        self.depths.append(depth)
        self.object_entries.append(known)
        self.weight += max(1, depth)
        return spelled

    def table_key(self, key: Key) -> bytes:
        if key.sort == 1:
            return b"\1" + svarint(key.name)
        if key.sort == 3:
            return b"\3" + self.dot(key.name)
        if key.sort == 2:
            self.key_bytes += len(key.name)
            return b"\2" + counted(key.name)
        if key.name in self.names:
            return varint(4 + self.names[key.name])
        self.names[key.name] = len(self.names)
        self.key_bytes += len(key.name)
        return b"\0" + counted(key.name)

    def known_key(self, key: Key) -> bytes:
        """A key as tables spell it, once the stream has it."""
        if key.sort == 0:
            return varint(4 + self.names[key.name])
        if key.sort == 3:
            return b"\3" + varint(self.replicas[key.name[0]]) + varint(key.name[1])
        return b"\1" + svarint(key.name) if key.sort == 1 else b"\2" + counted(key.name)

    def tables(self) -> bytes:
        """The state for a reader that joins here. No later change needs the writer, the slot or the cursor of before."""
        out = b"\1" + u64(self.stamp) + b"\0\0\0" + varint(len(self.replicas))
        out += b"".join(u64(id) + varint(self.greatest[number]) for id, number in self.replicas.items())
        out += varint(len(self.names)) + b"".join(map(counted, self.names))
        out += varint(len(self.object_entries)) + b"".join(self.object_entries)
        return out + varint(len(self.slot_entries)) + b"".join(self.slot_entries)


def batch(changes: list[Change]) -> bytes:
    stream = StreamWriter()
    return b"\1" + varint(len(changes)) + b"".join(map(stream.change, changes))


def topic(document: str) -> bytes:
    """The four bytes with which the published frames of a document begin."""
    return siphash128(b"Starling topics!", document.encode())[:4]


def frame(document: str, stream: int, sequence: int, payload: bytes) -> bytes:
    return topic(document) + struct.pack("<I", stream) + varint(sequence) + payload


# Messages

WANTS_REPLY = 4


def hello(store: int, epoch: int, agent: str, wants_reply: bool) -> bytes:
    """Of a peer that keeps nothing, does not relay and cannot be dialled."""
    flags = WANTS_REPLY if wants_reply else 0
    return b"\1Star\1\1" + u64(store) + u64(epoch) + bytes([flags]) + text(agent) + b"\0"


def have(document: str, covered: dict[int, int], stream: int, sequence: int) -> bytes:
    return b"\2" + text(document) + version(covered) + b"\1" + struct.pack("<I", stream) + varint(sequence)


def want(document: str, request: int, covered: dict[int, int], wants_state: bool) -> bytes:
    return b"\3" + text(document) + varint(request) + version(covered) + bytes([wants_state])


def changes(document: str, request: int, content: bytes) -> bytes:
    return b"\4" + text(document) + varint(request) + counted(content)


def resume(document: str, request: int, covered: dict[int, int], stream: int, sequence: int, tables: bytes) -> bytes:
    return (b"\6" + text(document) + varint(request) + version(covered) + struct.pack("<I", stream) + varint(sequence)
            + counted(tables))


def live(published: bytes) -> bytes:
    return b"\7" + counted(published)


def acknowledge(document: str, covered: dict[int, int]) -> bytes:
    return b"\x08" + text(document) + version(covered)


def refuse(code: int, explanation: str) -> bytes:
    return b"\x09" + varint(code) + text(explanation)


GOODBYE = b"\x0a"


def credit(document: str, request: int, byte_count: int) -> bytes:
    return b"\x0b" + text(document) + varint(request) + varint(byte_count)


ASKS, GOES_ON, GIVES_BACK = range(3)


def lease(document: str, what: int, grant: tuple[int, int, int] | None) -> bytes:
    """`grant` is a replica, the number of the lease, and a counter."""
    return b"\x0c" + text(document) + bytes([what]) + (b"" if grant is None else u64(grant[0]) + varint(grant[1]) + varint(grant[2]))


def heartbeat(number: int) -> bytes:
    return b"\x16" + varint(number)
