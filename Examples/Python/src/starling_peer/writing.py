"""Writes into a document: which operations a writer makes for what a program asks (merge.md, "Operations")."""
from __future__ import annotations

from typing import Any, Union

from .document import LIST, MAP, Document, Object, Slot
from .reading import View, objects_of
from .values import (
    ORIGIN, Change, Definition, Dot, Increment, Insert, Key, Operation, Remove, RemoveRun, Scalar, Set, Value, counters_taken,
    value_of)
from .wire.notation import derived_id

BOUND = 60_000 << 16
"""How far ahead of this machine's clock a stamp may follow those of others: 60 seconds."""


Plain = Union[Scalar, dict[str, Any], list[Any], tuple[Any, ...]]
"""What a program writes: a scalar, or dictionaries and lists of such."""


class Transaction:
    """Operations that become one change. Each is applied to the document as soon as it is written."""

    def __init__(self, document: Document, replica: int, milliseconds: int, last_stamp: int) -> None:
        self.document, self.replica = document, replica
        self.first_counter = self.counter = document.version.get(replica, 0) + 1
        here = milliseconds << 16
        self.stamp = max(last_stamp + 1, here, min(document.latest_stamp + 1, here + BOUND))
        self.operations: list[Operation] = []

    def write(self, operation: Operation) -> None:
        self.document.apply(operation, (self.replica, self.counter), self.stamp)
        self.operations.append(operation)
        self.counter += counters_taken(operation)
        self.document.generation += 1

    def finish(self) -> Change | None:
        """The change, which counts as merged from now on; None where nothing was written."""
        if not self.operations:
            return None
        frontier = tuple(sorted(dot for dot in self.document.frontier if dot[0] != self.replica))
        change = Change(
            self.replica, self.first_counter, self.stamp, frontier, definitions(self.document, self.operations),
            tuple(self.operations))
        self.document.advance(self.replica, change.last_counter, frontier, self.stamp)
        return change

    # Objects

    def derived(self, parent: int, key: Key, kind: int) -> Object:
        """The object derived from its place. Nothing is written to make it."""
        id = derived_id(parent, key.wire, kind)
        self.document.define(Definition(id, parent, key, kind))
        return self.document.objects[id]

    def container(self, object: int, key: Key, kind: int) -> Object:
        """What stands in a slot, if it is an object of this kind; else the one derived from the slot."""
        found = View(self.document).visible(object, key)
        return found if isinstance(found, Object) and found.kind == kind else self.derived(object, key, kind)

    # Slots

    def assign(self, object: int, key: Key, value: Value) -> None:
        """Writes a value over all that the slot shows; nothing where it shows that already."""
        slot = self.slot(object, key)
        clearing = self.clearing(object, key, value.content if value.sort == "derived" else None)
        values = [each for _, each in slot.entries.values()]
        if values == [value] and value.sort != "object" and clearing is None:
            return
        self.remove_places(object, key)
        self.write(Set(object, key, value, tuple(sorted(self.slot(object, key).entries)), clearing))

    def remove(self, object: int, key: Key) -> None:
        """Removes all that the slot shows; an element of a list with its place."""
        if key.sort == 3:
            self.remove_places(object, key)
            self.write(RemoveRun(object, key.name, 1))
            return
        slot, clearing = self.slot(object, key), self.clearing(object, key, None)
        if slot.entries or clearing is not None:
            self.remove_places(object, key)
            self.write(Remove(object, key, tuple(sorted(slot.entries)), clearing))

    def add(self, object: int, key: Key, amount: int) -> None:
        """Adds to a counter."""
        if amount != 0:
            share = self.slot(object, key).shares.get(self.replica)
            self.write(Increment(object, key, amount, self.counter if share is None else share.birth))

    def slot(self, object: int, key: Key) -> Slot:
        return self.document.objects[object].slots.get(key, Slot())

    def clearing(self, object: int, key: Key, kept_kind: int | None) -> tuple[Dot, ...] | None:
        """The writer's version, if the slot shows what a set or remove must clear."""
        document = self.document
        below = any(document.holds_something(each) for each in document.derived_at(object, key) if each.kind != kept_kind)
        if not below and not self.slot(object, key).shares:
            return None
        version = dict(self.document.version)
        if self.counter > 1:
            version[self.replica] = self.counter - 1
        return tuple(sorted(version.items()))

    def remove_places(self, object: int, key: Key) -> None:
        """Removes the other places of objects that are seen in a slot, or below it, and that moved."""
        if not self.document.has_moved:
            return
        view = View(self.document)
        for id in self.objects_below(view, object, key):
            for dot, ((container, place, _), _, _) in view.places.get(id, {}).items():
                if (container, place) != (object, key) and container in view.standing:
                    self.write(Remove(container, place, (dot,)))

    def objects_below(self, view: View, object: int, key: Key) -> set[int]:
        found: set[int] = set()
        pending = [(object, key)]
        while pending:
            at, place = pending.pop()
            inner = [each.id for each in self.document.derived_at(at, place)]
            for dot, value in view.entries(at, place):
                found.update(objects_of(value, dot))
                inner += objects_of(value, dot)
            for id in inner:
                below = self.document.objects[id]
                pending += [(id, each) for each in {*below.slots, *self.document.derived.get(id, {})}]
        return found

    # Lists and texts

    def insert(self, object: Object, offset: int, content: str | tuple[Value, ...]) -> None:
        """Inserts characters or elements behind the first `offset` visible ones."""
        if not content:
            return
        visible = object.sequence.visible()
        if not 0 <= offset <= len(visible):
            raise IndexError(f"There is no place {offset}; {len(visible)} items are there.")
        anchor, side = object.sequence.place_of_insertion(visible[offset - 1] if offset else ORIGIN)
        self.write(Insert(object.id, anchor, side, content))

    def remove_text(self, object: Object, offset: int, count: int) -> None:
        """Removes visible characters, as runs of dots that follow each other."""
        doomed = object.sequence.visible()[offset:offset + count]
        if len(doomed) < count:
            raise IndexError(f"There are not {count} characters from {offset} on.")
        start = 0
        for end in range(1, count + 1):
            if end == count or doomed[end] != (doomed[end - 1][0], doomed[end - 1][1] + 1):
                self.write(RemoveRun(object.id, doomed[start], end - start))
                start = end

    # What stands for plain Python values (models.md, "JSON")

    def put(self, object: int, key: Key, value: Plain) -> None:
        """Writes a scalar, or a dictionary, list or text in place of what is there."""
        if isinstance(value, dict):
            self.put_members(self.container(object, key, MAP), value, object, key)
        elif isinstance(value, (list, tuple)):
            self.put_elements(self.container(object, key, LIST), list(value), object, key)
        else:
            self.assign(object, key, value_of(value))

    def put_members(self, container: Object, value: dict[str, Any], object: int, key: Key) -> None:
        view = View(self.document)
        for each in view.keys(container):
            if str(each) not in value:
                self.remove(container.id, each)
        if not value and container.derived_from == (object, key):
            self.assign(object, key, Value("derived", container.kind))
        for name, member in value.items():
            self.put(container.id, Key.named(name), member)

    def put_elements(self, container: Object, value: list[Any], object: int, key: Key) -> None:
        view = View(self.document)
        elements = view.keys(container)
        shown = [view.plain(view.visible(container.id, each)) for each in elements]
        same = 0
        while same < min(len(shown), len(value)) and shown[same] == value[same]:
            same += 1
        tail = 0
        while tail < min(len(shown), len(value)) - same and shown[-1 - tail] == value[-1 - tail]:
            tail += 1
        for element in elements[same:len(elements) - tail]:
            self.remove(container.id, element)
        self.insert_plain(container, same, value[same:len(value) - tail])
        if not value and container.derived_from == (object, key):
            self.assign(object, key, Value("derived", LIST))

    def insert_plain(self, container: Object, offset: int, values: list[Any]) -> None:
        first = self.counter
        made: dict[type, Value] = {dict: Value("object", MAP), list: Value("object", LIST)}
        self.insert(container, offset, tuple(made.get(type(each)) or value_of(each) for each in values))
        for place, each in enumerate(values):
            inner = self.document.objects.get(self.replica << 64 | first + place)
            if inner is not None and isinstance(each, dict):
                for name, member in each.items():
                    self.put(inner.id, Key.named(name), member)
            elif inner is not None and isinstance(each, list):
                self.insert_plain(inner, 0, each)


def definitions(document: Document, operations: list[Operation]) -> tuple[Definition, ...]:
    """The derived objects that operations touch, and those that they stand in, each after its parent."""
    listed: dict[int, Definition] = {}
    for operation in operations:
        chain: list[Definition] = []
        id = operation.object
        while (above := document.objects[id].derived_from) is not None:
            chain.append(Definition(id, above[0], above[1], document.objects[id].kind))
            id = above[0]
        for each in reversed(chain):
            listed.setdefault(each.id, each)
    return tuple(listed.values())
