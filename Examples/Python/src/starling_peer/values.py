"""Dots, keys, values and changes as Python values, made from what the readers of `starling_peer.wire` give."""
from __future__ import annotations

import datetime
import json
import struct
from dataclasses import dataclass
from typing import Any, NamedTuple, Union

from .wire.notation import KINDS, ROOT

Dot = tuple[int, int]
"""(replica, counter): the name of one operation or item."""
ORIGIN: Dot = (0, 0)
"""The beginning of a list or text."""
LEFT, RIGHT = 0, 1

__all__ = [
    "Change", "Definition", "Dot", "Increment", "Insert", "Key", "LEFT", "Mark", "Move", "ORIGIN", "Operation", "RIGHT", "ROOT",
    "Remove", "RemoveRun", "Set", "Value", "change_from", "key_from", "python_value", "value_from", "value_of",
]


class Key(NamedTuple):
    """The name of a slot within its object; ordered as the protocol orders keys."""

    sort: int
    """0 name, 1 integer, 2 bytes, 3 element of a list."""
    name: Any

    @staticmethod
    def named(name: str) -> Key:
        return Key(0, name.encode())

    @property
    def wire(self) -> tuple[str, Any]:
        return (("name", "integer", "bytes", "element")[self.sort], self.name)

    def __str__(self) -> str:
        if self.sort == 0:
            return str(self.name.decode())
        if self.sort == 2:
            return str(self.name.hex())
        return f"{self.name[0]:016x}:{self.name[1]}" if self.sort == 3 else str(self.name)


class Value(NamedTuple):
    """What an entry holds: a sort, as Protocol/vectors names them, and the content.

    The content of a double and of a date is the bits, so that equal values have equal bits.
    """

    sort: str
    content: Any = None

    @property
    def kind(self) -> int | None:
        """The kind of the object that the value makes or moves here."""
        if self.sort == "object":
            return int(self.content)
        return None if (moved := self.moved) is None else moved[0]

    @property
    def moved(self) -> tuple[int, Dot, Dot] | None:
        """Of a moved object: its kind, its dot, and the entry from which it was moved (merge.md, "Moving between parents")."""
        if self.sort != "unknown" or self.content[0] != 1 or len(self.content[1]) != 33:
            return None
        kind, *numbers = struct.unpack("<BQQQQ", self.content[1])
        return kind, (numbers[0], numbers[1]), (numbers[2], numbers[3])


NULL = Value("null")


@dataclass(frozen=True)
class Definition:
    """An object that is derived from its place."""

    id: int
    parent: int
    key: Key
    kind: int


@dataclass(frozen=True)
class Set:
    object: int
    key: Key
    value: Value
    replacing: tuple[Dot, ...] = ()
    clearing: tuple[Dot, ...] | None = None


@dataclass(frozen=True)
class Remove:
    object: int
    key: Key
    replacing: tuple[Dot, ...] = ()
    clearing: tuple[Dot, ...] | None = None


@dataclass(frozen=True)
class Increment:
    object: int
    key: Key
    amount: int
    birth: int


@dataclass(frozen=True)
class Insert:
    object: int
    anchor: Dot
    side: int
    content: Union[str, tuple[Value, ...]]


@dataclass(frozen=True)
class RemoveRun:
    object: int
    first: Dot
    count: int


@dataclass(frozen=True)
class Move:
    object: int
    element: Dot
    anchor: Dot
    side: int
    replacing: tuple[Dot, ...]


@dataclass(frozen=True)
class Mark:
    object: int
    name: Key
    start: tuple[int, Dot]
    end: tuple[int, Dot]
    rank: int
    value: Value
    replacing: tuple[Dot, ...] = ()


Operation = Union[Set, Remove, Increment, Insert, RemoveRun, Move, Mark]


def counters_taken(operation: Operation) -> int:
    """How many counters of its writer an operation takes."""
    return len(operation.content) if isinstance(operation, Insert) else 1


@dataclass(frozen=True)
class Change:
    """What one transaction did (merge.md, "Changes")."""

    replica: int
    first_counter: int
    stamp: int
    frontier: tuple[Dot, ...]
    objects: tuple[Definition, ...]
    operations: tuple[Operation, ...]

    @property
    def last_counter(self) -> int:
        return self.first_counter + sum(map(counters_taken, self.operations)) - 1


# From the content of Protocol/vectors


def dot_from(text: str) -> Dot:
    replica, counter = text.split(":")
    return int(replica, 16), int(counter)


def dots_from(texts: list[str]) -> tuple[Dot, ...]:
    return tuple(map(dot_from, texts))


def key_from(shown: dict[str, str]) -> Key:
    ((form, name),) = shown.items()
    if form == "name":
        return Key(0, name.encode())
    if form == "integer":
        return Key(1, int(name))
    return Key(2, bytes.fromhex(name)) if form == "bytes" else Key(3, dot_from(name))


def value_from(shown: dict[str, Any]) -> Value:
    ((sort, content),) = shown.items()
    if sort == "integer":
        return Value(sort, int(content))
    if sort in ("double", "date", "reference"):
        return Value(sort, int(content, 16))
    if sort == "bytes":
        return Value(sort, bytes.fromhex(content))
    if sort in ("object", "derived"):
        return Value(sort, KINDS.index(content))
    if sort == "unknown":
        return Value(sort, (int(content["tag"]), bytes.fromhex(content["payload"])))
    return Value(sort, content)


def edge_from(shown: dict[str, str]) -> tuple[int, Dot]:
    return (LEFT if shown["side"] == "left" else RIGHT), dot_from(shown["item"])


def operation_from(shown: dict[str, Any]) -> Operation:
    object, key = int(shown["object"], 16), key_from(shown["key"])
    if "set" in shown or "remove" in shown:
        clearing = None if shown["clearing"] is None else dots_from(shown["clearing"])
        if "set" in shown:
            return Set(object, key, value_from(shown["set"]), dots_from(shown["replacing"]), clearing)
        return Remove(object, key, dots_from(shown["replacing"]), clearing)
    if "increment" in shown:
        return Increment(object, key, int(shown["increment"]), int(shown["birth"]))
    if "removeRun" in shown:
        return RemoveRun(object, key.name, int(shown["removeRun"]))
    if "move" in shown:
        side, anchor = edge_from(shown["move"])
        return Move(object, key.name, anchor, side, dots_from(shown["replacing"]))
    if "mark" in shown:
        return Mark(object, key, edge_from(shown["start"]), edge_from(shown["end"]), int(shown["rank"]),
                    value_from(shown["mark"]), dots_from(shown["replacing"]))
    side = LEFT if shown["side"] == "left" else RIGHT
    content = shown["insertText"] if "insertText" in shown else tuple(map(value_from, shown["insertValues"]))
    return Insert(object, key.name, side, content)


def definition_from(shown: dict[str, Any]) -> Definition:
    return Definition(
        int(shown["id"], 16), int(shown["parent"], 16), key_from(shown["key"]), KINDS.index(shown["kind"]))


def change_from(shown: dict[str, Any]) -> Change:
    return Change(
        int(shown["replica"], 16), int(shown["firstCounter"]), int(shown["stamp"]), dots_from(shown["frontier"]),
        tuple(map(definition_from, shown["objects"])), tuple(map(operation_from, shown["operations"])))


# To and from what a program holds (models.md, "Scalars")

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)

Scalar = Union[None, bool, int, float, str, bytes, datetime.datetime, Value]
"""What a program writes into a slot. A `Value` is written as it is."""


def value_of(scalar: Scalar) -> Value:
    """The value of a scalar as Swift models write it."""
    if isinstance(scalar, Value):
        return scalar
    if scalar is None:
        return NULL
    if isinstance(scalar, bool):
        return Value("bool", scalar)
    if isinstance(scalar, int):
        if not -(1 << 63) <= scalar < 1 << 64:
            raise ValueError(f"{scalar} has more than 64 bits; write it as a text or as bytes.")
        return Value("integer", scalar)
    if isinstance(scalar, float):
        return Value("double", bits_of(scalar))
    if isinstance(scalar, str):
        return Value("text", scalar)
    if isinstance(scalar, (bytes, bytearray)):
        return Value("bytes", bytes(scalar))
    if isinstance(scalar, datetime.datetime):
        return Value("date", bits_of((scalar - EPOCH).total_seconds()))
    raise TypeError(f"A {type(scalar).__name__} is no scalar; write a map, a list or a text for it.")


def python_value(value: Value) -> Any:
    """What a program reads for a value: a scalar; JSON text as what it says; anything else as the `Value` itself."""
    if value.sort in ("null", "bool", "integer", "text", "bytes"):
        return value.content
    if value.sort in ("double", "date"):
        (number,) = struct.unpack("<d", value.content.to_bytes(8, "little"))
        return number if value.sort == "double" else EPOCH + datetime.timedelta(seconds=number)
    return json.loads(value.content) if value.sort == "json" else value


def bits_of(number: float) -> int:
    return int.from_bytes(struct.pack("<d", number), "little")
