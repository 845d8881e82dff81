"""A document: what stands in it, and how changes and states merge into it (merge.md).

The document forgets nothing that is removed: it keeps tombstones, and objects that cannot be reached any more, until a
state takes the place of all. The protocol allows that, and it spares this peer the rules of forgetting.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator

from .sequence import Item, Sequence
from .values import (
    ORIGIN, RIGHT, ROOT, Change, Definition, Dot, Increment, Insert, Key, Mark, Move, Operation, Remove, RemoveRun, Set, Value,
    counters_taken, dot_from, dots_from, edge_from, key_from, value_from)
from .wire.notation import KINDS, assigned_id, derived_id

MAP, SET, DICTIONARY, LIST, TEXT = range(5)
COUNTER_MAX = (1 << 63) - 1
WORD = (1 << 64) - 1


class MergeError(Exception):
    """A change or a state that must be refused (merge.md, "Changes" and "Snapshots")."""


@dataclass
class Share:
    """What one replica has added to the counter in a slot."""

    birth: int
    last: int
    total: int
    stamp: int


@dataclass
class Slot:
    entries: dict[Dot, tuple[int, Value]] = field(default_factory=dict)
    """Stamp and value of each entry."""
    shares: dict[int, Share] = field(default_factory=dict)


@dataclass
class Object:
    id: int
    kind: int
    origin: Dot | tuple[int, Key] | None
    """The dot that made it; or the parent and key that it is derived from; None for the root."""
    slots: dict[Key, Slot] = field(default_factory=dict)
    sequence: Sequence = field(default_factory=Sequence)

    @property
    def derived_from(self) -> tuple[int, Key] | None:
        if self.origin is None or isinstance(self.origin[1], int):
            return None
        return self.origin[0], self.origin[1]


class Document:
    """One replica of a document, as a value: it sees no clock, no link, no thread."""

    def __init__(self) -> None:
        self.version: dict[int, int] = {}
        self.frontier: set[Dot] = set()
        self.latest_stamp = 0
        self.generation = 0
        """Rises whenever something merges or is written."""
        self.objects: dict[int, Object] = {ROOT: Object(ROOT, MAP, None)}
        self.has_moved = False
        """Whether any object ever moved; where none did, an object stands where it was made."""
        self.derived: dict[int, dict[Key, set[int]]] = {}
        """Of each parent, by key: the objects that are derived from it."""

    def covers(self, dot: Dot) -> bool:
        return dot[1] <= self.version.get(dot[0], 0)

    # Merging changes

    def lacks(self, change: Change) -> dict[int, int]:
        """Of each replica, the counter that must be merged before the change may (merge.md, "The causal gate")."""
        due = [dot for dot in change.frontier if not self.covers(dot)]
        if change.first_counter > self.version.get(change.replica, 0) + 1:
            due.append((change.replica, change.first_counter - 1))
        return dict(due)

    def merge(self, change: Change) -> bool:
        """Merges a change that lacks nothing; False for a duplicate.

        Raises MergeError, and merges nothing, for a change that must be refused.
        """
        if self.covers((change.replica, change.last_counter)):
            return False
        if self.lacks(change):
            raise MergeError("The change depends on others that are not merged.")
        if change.first_counter != self.version.get(change.replica, 0) + 1:
            raise MergeError(f"The change {change.replica:016x}:{change.first_counter} begins within what is merged.")
        self.check(change)
        for definition in change.objects:
            self.define(definition)
        counter = change.first_counter
        for operation in change.operations:
            self.apply(operation, (change.replica, counter), change.stamp)
            counter += counters_taken(operation)
        self.advance(change.replica, change.last_counter, change.frontier, change.stamp)
        return True

    def check(self, change: Change) -> None:
        name = f"{change.replica:016x}:{change.first_counter}"
        if not change.operations or change.last_counter > COUNTER_MAX:
            raise MergeError(f"The change {name} has no operations, or its counters end beyond 2^63 - 1.")
        if any(counter < 1 or replica == change.replica for replica, counter in change.frontier):
            raise MergeError(f"The frontier of the change {name} names its own writer, or a counter of 0.")
        known = self.objects.keys() | {definition.id for definition in change.objects}
        counter = change.first_counter
        for operation in change.operations:
            if operation.object >> 63 & 1 and operation.object not in known:
                raise MergeError(f"The change {name} writes to an object that nobody defined.")
            named: list[Dot] = [] if isinstance(operation, (Increment, Insert, RemoveRun)) else list(operation.replacing)
            named += [] if not isinstance(operation, (Set, Remove)) else operation.clearing or ()
            named += [operation.anchor] if isinstance(operation, Insert) else []
            for dot in named:
                if not (dot == ORIGIN or self.covers(dot) or dot[0] == change.replica and dot[1] < counter):
                    raise MergeError(f"The change {name} names {dot[0]:016x}:{dot[1]}, which its writer cannot have seen.")
            if isinstance(operation, Increment) and not 1 <= operation.birth <= counter:
                raise MergeError(f"An increment of the change {name} goes on with a share that is not begun.")
            if isinstance(operation, Insert) and not self.has_anchor(operation, change):
                raise MergeError(f"The change {name} is anchored on an item that was collected.")
            counter += counters_taken(operation)

    def has_anchor(self, operation: Insert, change: Change) -> bool:
        object = self.objects.get(operation.object)
        if operation.anchor == ORIGIN or object is None or object.kind not in (LIST, TEXT):
            return True
        is_own = operation.anchor[0] == change.replica and operation.anchor[1] >= change.first_counter
        return is_own or operation.anchor in object.sequence.items

    def advance(self, replica: int, counter: int, frontier: Iterable[Dot], stamp: int) -> None:
        self.frontier = {dot for dot in self.frontier if dot[0] != replica} - set(frontier) | {(replica, counter)}
        self.version[replica] = counter
        self.latest_stamp = max(self.latest_stamp, stamp)
        self.generation += 1

    def define(self, definition: Definition) -> None:
        if definition.id not in self.objects:
            self.objects[definition.id] = Object(definition.id, definition.kind, (definition.parent, definition.key))
            self.derived.setdefault(definition.parent, {}).setdefault(definition.key, set()).add(definition.id)

    def make(self, dot: Dot, value: Value) -> None:
        """The object that an entry makes."""
        if value.sort == "object":
            self.objects.setdefault(assigned_id(dot), Object(assigned_id(dot), value.content, dot))
        self.has_moved = self.has_moved or value.moved is not None

    # Operations

    def apply(self, operation: Operation, dot: Dot, stamp: int) -> None:
        object = self.objects.get(operation.object)
        if object is None:
            self.make_orphans(operation, dot)
        elif isinstance(operation, (Set, Remove, Increment)):
            self.apply_to_slot(operation, object, dot, stamp)
        elif object.kind in (LIST, TEXT):
            self.apply_to_sequence(operation, object, dot, stamp)

    def make_orphans(self, operation: Operation, dot: Dot) -> None:
        """An operation on an object that does not stand is ignored, but for the objects that it makes."""
        if isinstance(operation, Set):
            self.make(dot, operation.value)
        elif isinstance(operation, Insert) and not isinstance(operation.content, str):
            for place, value in enumerate(operation.content):
                self.make((dot[0], dot[1] + place), value)

    def apply_to_slot(self, operation: Set | Remove | Increment, object: Object, dot: Dot, stamp: int) -> None:
        if operation.key.sort == 3 and operation.key.name not in object.sequence.candidates:
            return self.make_orphans(operation, dot)
        slot = object.slots.setdefault(operation.key, Slot())
        if isinstance(operation, Increment):
            share = slot.shares.get(dot[0])
            if operation.birth == dot[1]:
                slot.shares[dot[0]] = Share(dot[1], dot[1], operation.amount, stamp)
            elif share is not None and share.birth == operation.birth:
                share.total = signed(share.total + operation.amount)
                share.last, share.stamp = dot[1], stamp
            return None
        for replaced in operation.replacing:
            slot.entries.pop(replaced, None)
        if operation.clearing is not None:
            value = operation.value if isinstance(operation, Set) else None
            kept = value.content if value is not None and value.sort == "derived" else None
            self.clear(object.id, operation.key, dict(operation.clearing), kept)
        if isinstance(operation, Set):
            slot.entries[dot] = stamp, operation.value
            self.make(dot, operation.value)
        return None

    def clear(self, object: int, key: Key, cleared: dict[int, int], kept_kind: int | None = None) -> None:
        """Removes what the version `cleared` covers at and under a slot (merge.md, "Clears")."""
        def covers(dot: Dot) -> bool:
            return dot[1] <= cleared.get(dot[0], 0)

        slot = self.objects[object].slots.get(key, Slot())
        slot.shares = {replica: share for replica, share in slot.shares.items() if not covers((replica, share.birth))}
        for id in self.derived.get(object, {}).get(key, set()):
            below = self.objects[id]
            if kept_kind == below.kind:
                continue
            sequence = below.sequence
            for element in [dot for dot in sequence.candidates if covers(dot)]:
                self.remove_element(below, element)
            for dot, item in sequence.items.items():
                if item.character is not None and covers(dot):
                    item.character = None
            sequence.marks = {dot: mark for dot, mark in sequence.marks.items() if not covers(dot)}
            for inner_key in [each for each in {*below.slots, *self.derived.get(id, {})} if each.sort != 3]:
                inner = below.slots.get(inner_key, Slot())
                inner.entries = {dot: entry for dot, entry in inner.entries.items() if not covers(dot)}
                self.clear(id, inner_key, cleared)

    def remove_element(self, object: Object, element: Dot) -> None:
        object.sequence.remove(element)
        object.slots.pop(Key(3, element), None)

    def apply_to_sequence(self, operation: Operation, object: Object, dot: Dot, stamp: int) -> None:
        sequence = object.sequence
        if isinstance(operation, Insert):
            self.insert(operation, object, dot, stamp)
        elif isinstance(operation, RemoveRun):
            for place in range(operation.count):
                self.remove_element(object, (operation.first[0], operation.first[1] + place))
        elif isinstance(operation, Move) and object.kind == LIST:
            stands = operation.element in sequence.candidates
            for replaced in operation.replacing:
                sequence.take_candidate(replaced)
            element = operation.element if stands else None
            sequence.insert(dot, Item(operation.anchor, operation.side, element=element, moved_at=stamp))
        elif isinstance(operation, Mark) and object.kind == TEXT:
            for replaced in operation.replacing:
                sequence.marks.pop(replaced, None)
            sequence.marks[dot] = operation

    def insert(self, operation: Insert, object: Object, dot: Dot, stamp: int) -> None:
        if isinstance(operation.content, str) != (object.kind == TEXT):
            return self.make_orphans(operation, dot)
        if operation.anchor != ORIGIN and operation.anchor not in object.sequence.items:
            return self.make_orphans(operation, dot)
        anchor, side = operation.anchor, operation.side
        contents: Iterable[str | Value] = operation.content
        for place, content in enumerate(contents):
            item = dot[0], dot[1] + place
            if isinstance(content, str):
                object.sequence.insert(item, Item(anchor, side, character=content))
            else:
                object.sequence.insert(item, Item(anchor, side, element=item))
                object.slots[Key(3, item)] = Slot({item: (stamp, content)})
                self.make(item, content)
            anchor, side = item, RIGHT
        return None

    # States

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Document:
        """The document that a snapshot holds; `state` is what `wire.snapshot` gives."""
        document = cls()
        document.version = dict(dots_from(state["version"]))
        document.frontier = set(dots_from(state["frontier"]))
        document.latest_stamp = int(state["latestStamp"])
        for shown in state["objects"]:
            document.define_listed(int(shown["id"], 16), shown["origin"])
        for shown in state["objects"]:
            object = document.objects[int(shown["id"], 16)]
            for slot in shown["slots"]:
                entries = {dot_from(entry["dot"]): (int(entry["stamp"]), value_from(entry["value"])) for entry in slot["entries"]}
                shares = {int(share["replica"], 16): Share(int(share["birth"]), int(share["last"]), int(share["total"]),
                                                           int(share["stamp"])) for share in slot["shares"]}
                object.slots[key_from(slot["key"])] = Slot(entries, shares)
                for dot, (_, value) in entries.items():
                    document.make(dot, value)
            if "sequence" in shown:
                read_sequence(object, shown["sequence"])
                check_sequence(object)
        return document

    def define_listed(self, id: int, origin: Any) -> None:
        if origin == "root":
            return
        if "parent" in origin:
            key, kind, parent = key_from(origin["key"]), KINDS.index(origin["kind"]), int(origin["parent"], 16)
            if id != derived_id(parent, key.wire, kind):
                raise MergeError(f"The state has an object {id:032x} whose id is not that of its place.")
            self.define(Definition(id, parent, key, kind))
        else:
            kind = KINDS.index(origin.get("assigned") or origin["orphan"])
            self.objects[id] = Object(id, kind, (id >> 64, id & WORD))

    def derived_at(self, object: int, key: Key) -> Iterator[Object]:
        """What is derived from a slot, the least kind first."""
        yield from sorted(
            (self.objects[id] for id in self.derived.get(object, {}).get(key, ())), key=lambda each: each.kind)

    def holds_something(self, object: Object) -> bool:
        if object.kind == TEXT and any(item.character is not None for item in object.sequence.items.values()):
            return True
        if any(slot.entries or slot.shares for slot in object.slots.values()):
            return True
        return any(self.holds_something(self.objects[id]) for key, ids in self.derived.get(object.id, {}).items()
                   if key.sort != 3 or key.name in object.sequence.candidates for id in ids)


def read_sequence(object: Object, shown: dict[str, Any]) -> None:
    sequence = object.sequence
    for run in shown["runs"]:
        dot = dot_from(run["first"])
        side, anchor = edge_from(run["anchor"])
        if "moved" in run:
            sequence.insert(dot, Item(anchor, side, element=dot_from(run["moved"]), moved_at=int(run["stamp"])))
            continue
        text = run.get("text", "")
        count = len(text) or int(run.get("removed") or run["elements"])
        for place in range(count):
            item = dot[0], dot[1] + place
            character = text[place] if text else None
            sequence.insert(item, Item(anchor, side, character=character, element=item if "elements" in run else None))
            anchor, side = item, RIGHT
    for mark in shown["marks"]:
        sequence.marks[dot_from(mark["dot"])] = Mark(
            object.id, key_from(mark["name"]), edge_from(mark["start"]), edge_from(mark["end"]), int(mark["rank"]),
            value_from(mark["value"]))


def check_sequence(object: Object) -> None:
    """Every anchor and every edge is an item, or the origin."""
    sequence = object.sequence
    named = [item.anchor for item in sequence.items.values()]
    named += [dot for mark in sequence.marks.values() for _, dot in (mark.start, mark.end)]
    for dot in named:
        if dot != ORIGIN and dot not in sequence.items:
            raise MergeError(f"The state names an item {dot[0]:016x}:{dot[1]} that it does not have.")


def signed(number: int) -> int:
    """A sum modulo 2^64, as a signed integer."""
    return (number + (1 << 63) & WORD) - (1 << 63)
