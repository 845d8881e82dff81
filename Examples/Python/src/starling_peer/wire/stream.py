"""Reads live streams and their tables (wire-format.md, "Live streams" and "Tables")."""
from __future__ import annotations

from typing import Any

from .notation import (
    COUNTER_MAX, DEFINITIONS, DEPTH, DOTS, KEY_BYTES, KINDS, MASK, OPERATIONS, ROOT, VALUE_BYTES, Reader, Refused, assigned_id,
    checked_counter, derived_id, show_dots, show_edge, show_key)


class Entry:
    """An object of the tables."""

    def __init__(self, id: int, parent: int | None = None, definition: Any = None, depth: int = 0) -> None:
        self.id, self.parent, self.definition, self.depth = id, parent, definition, depth


class Stream:
    def __init__(self) -> None:
        self.begin()
        self.broken = False

    def begin(self) -> None:
        self.writer: Any = None  # a replica's number
        self.stamp, self.slot = 0, -1
        self.cursor: Any = None  # [object, replica, before, after]; the replica may be None
        self.replicas: list[list[int]] = []  # [id, greatest counter]
        self.names: list[Any] = []
        self.slots: list[list[Any]] = []  # [object, key, last]
        self.objects = [Entry(ROOT)]
        self.weight = self.key_bytes = 0

    def decode(self, payload: bytes) -> Any:
        if self.broken:
            raise Refused("brokenStream", 0)
        self.broken = True
        reader, changes = Reader(payload), []
        while reader.rest:
            changes.append(self.change(reader))
        self.broken = False
        return changes

    def change(self, r: Reader) -> Any:
        start = r.at
        flags = r.u8()
        if flags & 0x80:
            raise Refused("malformed", start, "flags")
        if flags & 1:
            self.writer = self.replica(r)
        elif self.writer is None:
            raise Refused("unknownIndex", start, "no writer")
        writer = self.replicas[self.writer]
        at = r.at
        first = writer[1] + 1
        if flags & 2:
            first = first + r.svarint() & MASK
        checked_counter(first, at)
        self.stamp = self.read_stamp(r, flags >> 2 & 3)
        frontier = []
        if flags & 0x10:
            at = r.at
            frontier = self.dots(r)
            if any(a >= b for a, b in zip(frontier, frontier[1:])):
                raise Refused("outOfOrder", at)
        count = 1
        if flags & 0x20:
            at = r.at
            count = r.count(1, OPERATIONS)
            if count < 2:
                raise Refused("overlong", at)
        r.spend("operations", count, start)

        touched: set[int] = set()
        listed: list[Any] = []
        operations: list[Any] = []
        only: Any = None  # the only object with a chain so far, whose definitions are not counted
        counter = first
        for _ in range(count):
            at = r.at
            operation, object, taken = self.operation(r, counter)
            counter += taken
            operations.append(operation)
            if self.objects[object].definition is None or object == only:
                continue
            if not touched:
                only = object
                listed, touched = self.chain(object), self.ancestors(object)
                continue
            if only is not None:
                r.spend("definitions", len(listed), at)
                only = None
            fresh = [number for number in self.ancestors(object, ordered=True) if number not in touched]
            r.spend("definitions", len(fresh), at)
            touched.update(fresh)
            listed = listed + [self.objects[number].definition for number in reversed(fresh)]

        writer[1] = max(writer[1], counter - 1)
        message = None
        if flags & 0x40:
            at = r.at
            more = r.u8()
            if more == 0 or more & ~3:
                raise Refused("malformed", at, "more")
            if more & 1:
                message = r.text()
            if more & 2:
                at = r.at
                count = r.count(1, DEFINITIONS)
                r.spend("definitions", count, at)
                listed = []
                for _ in range(count):
                    at = r.at
                    definition = self.objects[self.object(r)].definition
                    if definition is None:
                        raise Refused("malformed", at, "a listed object is not defined")
                    listed.append(definition)
        change = {
            "replica": f"{writer[0]:016x}", "firstCounter": str(first), "stamp": str(self.stamp),
            "frontier": show_dots(frontier), "objects": listed, "operations": operations, "message": message,
        }
        if self.is_too_heavy():
            self.begin()
        return change

    def is_too_heavy(self) -> bool:
        return (max(len(self.replicas), len(self.names), len(self.slots)) > 65536 or self.weight > 131072
                or self.key_bytes > 4 << 20)

    def read_stamp(self, r: Reader, form: int) -> int:
        at = r.at
        if form == 0:
            return self.stamp + 1 & MASK
        if form == 3:
            return self.stamp
        later = r.varint() if form == 1 else r.svarint()
        logical = 0 if form == 1 else r.varint()
        milliseconds = (self.stamp >> 16) + later & MASK
        if milliseconds >> 48 or logical >> 16:
            raise Refused("malformed", at, "stamp")
        return milliseconds << 16 | logical

    def replica(self, r: Reader) -> int:
        at = r.at
        return self.numbered_replica(r, r.varint(), at)

    def numbered_replica(self, r: Reader, number: int, at: int) -> int:
        if number > len(self.replicas):
            raise Refused("unknownIndex", at, "replica")
        if number == len(self.replicas):
            self.replicas.append([r.u64(), 0])
        return number

    def dot(self, r: Reader) -> tuple[int, int]:
        number, counter = self.numbered_dot(r)
        return self.replicas[number][0], counter

    def numbered_dot(self, r: Reader) -> Any:
        number = self.replica(r)
        return number, self.counter(r, number)

    def counter(self, r: Reader, number: int) -> int:
        replica = self.replicas[number]
        at = r.at
        counter = checked_counter(replica[1] + r.svarint() & MASK, at)
        replica[1] = max(replica[1], counter)
        return counter

    def dots(self, r: Reader) -> Any:
        at = r.at
        count = r.count(2, DOTS)
        r.spend("dots", count, at)
        return [self.dot(r) for _ in range(count)]

    # Operations

    def operation(self, r: Reader, counter: int) -> Any:
        start = r.at
        head = r.u8()
        action, prior, where = head & 3, head >> 2 & 3, head >> 5 & 3
        refused = Refused("malformed", start, f"operation {head}")
        if counter > COUNTER_MAX:
            raise Refused("malformed", start, "counters")
        writer = self.replicas[self.writer]
        writer[1] = max(writer[1], counter)
        if head & 0x80:
            return self.sequence_operation(r, head, counter, start, refused)
        if where == 3:
            object = self.object(r)
            last = self.numbered_dot(r)
            slot = [object, ("element", (self.replicas[last[0]][0], last[1])), last]
        else:
            self.slot = self.read_slot(r, where, start, refused)
            slot = self.slots[self.slot]
        if action == 3:
            raise refused
        shown = {"object": f"{self.objects[slot[0]].id:032x}", "key": show_key(slot[1])}

        if action == 2:
            birth = counter
            if head & 0x10 or prior == 3:
                raise refused
            if prior == 1:
                if slot[2] is None:
                    raise Refused("unknownIndex", start, "last")
                if slot[2][0] != self.writer or slot[2][1] >= counter:
                    raise Refused("malformed", start, "not this writer's share")
                birth = slot[2][1]
            elif prior == 2:
                at = r.at
                distance = r.varint()
                if not 1 <= distance < counter:
                    raise Refused("malformed", at, "birth")
                birth = counter - distance
            shown |= {"increment": str(r.svarint()), "birth": str(birth)}
            slot[2] = self.writer, birth
            return shown, slot[0], 1

        replaced: list[Any] = []
        clearing: Any = None
        if prior == 3:
            raise refused
        if prior == 1:
            if slot[2] is None:
                raise Refused("unknownIndex", start, "last")
            replaced = [(self.replicas[slot[2][0]][0], slot[2][1])]
        elif prior == 2:
            replaced = self.dots(r)
        if head & 0x10:
            at = r.at
            clearing = self.dots(r)
            if any(a[0] >= b[0] for a, b in zip(clearing, clearing[1:])):
                raise Refused("outOfOrder", at)
        shown |= {"replacing": show_dots(replaced), "clearing": None if clearing is None else show_dots(clearing)}
        if action == 0:
            shown["set"] = r.value()
            slot[2] = self.writer, counter
        else:
            shown["remove"] = True
            slot[2] = None
        return shown, slot[0], 1

    # Operations on sequences

    def sequence_operation(self, r: Reader, head: int, counter: int, start: int, refused: Refused) -> Any:
        if head & 4:
            self.cursor = [self.object(r), None, 0, 0]
        if self.cursor is None:
            raise Refused("unknownIndex", start, "no cursor")
        object = self.cursor[0]
        shown: dict[str, Any] = {"object": f"{self.objects[object].id:032x}"}
        action, form, taken = head & 3, head >> 3 & 3, 1
        if action == 0:
            if head & 0x10:
                side, item = self.edge(r)
            else:
                side, item = 1, self.at_cursor(2, start)
            content, taken = self.insertion_content(r, head)
            if counter + taken - 1 > COUNTER_MAX:
                raise Refused("malformed", start, "items")
            self.cursor[1:] = self.writer, counter + taken - 1, counter + taken
            shown |= content | {"key": show_key(("element", item)), "side": ["left", "right"][side]}
        elif action == 1:
            if head & 0x40:
                raise refused
            first, count = self.removal(r, head, start, refused)
            shown |= {"key": show_key(("element", first)), "removeRun": str(count)}
        else:
            if head & 0x60:
                raise refused
            if action == 2:
                item = self.dot(r)
                shown |= {"key": show_key(("element", item)), "move": show_edge(self.edge(r))}
            else:
                shown |= {"key": show_key(self.table_key(r)), "start": show_edge(self.edge(r)),
                          "end": show_edge(self.edge(r)), "rank": str(r.varint())}
            if form == 3 or form == 1 and action == 3:
                raise refused
            replaced = self.dots(r) if form == 2 else [item] if form == 1 else []
            shown["replacing"] = show_dots(replaced)
            if action == 3:
                shown["mark"] = r.value()
        return shown, object, taken

    def insertion_content(self, r: Reader, head: int) -> Any:
        at = r.at
        size = head >> 5 & 3
        is_text = not head & 8
        if size == 0:
            size = r.length(VALUE_BYTES) if is_text else r.count(1, OPERATIONS)
            if size < 4:
                raise Refused("overlong", at)
        if is_text:
            text = r.utf8(size).decode()
            return {"insertText": text}, len(text)
        r.spend("operations", size, at)
        return {"insertValues": [r.value() for _ in range(size)]}, size

    def removal(self, r: Reader, head: int, start: int, refused: Refused) -> Any:
        form = head >> 3 & 3
        if form == 0:
            replica, given = self.numbered_dot(r)
        elif form == 3:
            raise refused
        else:
            self.at_cursor(form + 1, start)
            replica, given = self.cursor[1], self.cursor[form + 1]
        at, count = r.at, 1
        if head & 0x20:
            count = r.varint()
            if count < 2:
                raise Refused("overlong", at)
        if count > (given if form == 1 else COUNTER_MAX - given + 1):
            raise Refused("malformed", at, "too many items")
        first = given - count + 1 if form == 1 else given
        self.cursor[1:] = replica, first - 1, first + count
        return (self.replicas[replica][0], first), count

    def at_cursor(self, place: int, start: int) -> Any:
        if self.cursor[1] is None or not 1 <= self.cursor[place] <= COUNTER_MAX:
            raise Refused("unknownIndex", start, "nothing at the cursor")
        return self.replicas[self.cursor[1]][0], self.cursor[place]

    def edge(self, r: Reader) -> Any:
        at = r.at
        head = r.varint()
        if head < 2:
            return head, (0, 0)
        number = self.numbered_replica(r, (head >> 1) - 1, at)
        return head & 1, (self.replicas[number][0], self.counter(r, number))

    def read_slot(self, r: Reader, where: int, start: int, refused: Refused) -> Any:
        if where == 0:
            at = r.at
            number = r.varint()
            if number >= len(self.slots):
                raise Refused("unknownIndex", at, "slot")
            return number
        if where == 1:
            if self.slot + 1 >= len(self.slots):
                raise Refused("unknownIndex", start, "slot")
            return self.slot + 1
        object = self.object(r)
        self.slots.append([object, self.table_key(r), None])
        return len(self.slots) - 1

    # New slots, objects and names

    def object(self, r: Reader) -> Any:
        at = r.at
        number = r.varint()
        if number < len(self.objects):
            return number
        if number - len(self.objects) + 1 > DEPTH + 1:
            raise Refused("unknownIndex", at, "object")
        while len(self.objects) <= number:
            self.enter_object(r)
        return number

    def enter_object(self, r: Reader, table_dot: Any = None) -> None:
        """`table_dot` reads a dot where the entry stands in tables, not in a stream."""
        at = r.at
        form = r.u8()
        if form == 0:
            entry = Entry(assigned_id((table_dot or self.dot)(r)))
        elif form == 1:
            entry = Entry(r.bare_id())
        elif form - 2 < len(KINDS):
            place = r.at
            parent = r.varint()
            if parent >= len(self.objects):
                raise Refused("unknownIndex", place, "parent")
            key = self.table_key(r, table_dot)
            above = self.objects[parent]
            if above.depth >= DEPTH:
                raise Refused("tooDeep", at)
            r.spend("definitions", above.depth + 1, at)
            id = derived_id(above.id, key, form - 2)
            shown = {"id": f"{id:032x}", "parent": f"{above.id:032x}", "key": show_key(key), "kind": KINDS[form - 2]}
            entry = Entry(id, parent, shown, above.depth + 1)
        else:
            raise Refused("malformed", at, f"object {form}")
        self.objects.append(entry)
        self.weight += max(1, entry.depth)

    def table_key(self, r: Reader, table_dot: Any = None) -> Any:
        at = r.at
        form = r.varint()
        if form == 0 and table_dot is None:
            return self.enter_name(r)
        if form == 1:
            return "integer", r.svarint()
        if form == 2:
            name = r.counted(KEY_BYTES)
            self.key_bytes += len(name)
            return "bytes", name
        if form == 3:
            return "element", (table_dot or self.dot)(r)
        if form == 0 or form - 4 >= len(self.names):
            raise Refused("unknownIndex", at, "name")
        return self.names[form - 4]

    def enter_name(self, r: Reader) -> Any:
        name = r.utf8(r.length(KEY_BYTES))
        self.names.append(("name", name))
        self.key_bytes += len(name)
        return self.names[-1]

    # Objects of a change

    def ancestors(self, object: Any, ordered: bool = False) -> Any:
        """The numbers of the object and its defined ancestors, itself first."""
        numbers = []
        while self.objects[object].definition is not None:
            numbers.append(object)
            object = self.objects[object].parent
        return numbers if ordered else set(numbers)

    def chain(self, object: Any) -> Any:
        return [self.objects[number].definition for number in reversed(self.ancestors(object, ordered=True))]

    # Tables

    @classmethod
    def from_tables(cls, data: bytes) -> Any:
        stream, r = cls(), Reader(data)
        require_version(r, 1)
        stream.stamp = r.u64()
        writer_at = r.at
        writer = r.varint()
        slot_at = r.at
        slot = r.varint()
        cursor = cls.table_cursor(r)
        for _ in range(r.count(9, 65536)):
            stream.replicas.append(list(r.dot()))
        for _ in range(r.count(1, 65536)):
            stream.enter_name(r)

        def known_replica() -> Any:
            at = r.at
            number = r.varint()
            if number >= len(stream.replicas):
                raise Refused("unknownIndex", at, "replica")
            return number

        def known_dot(r: Reader) -> Any:
            return stream.replicas[known_replica()][0], r.counter()

        for _ in range(r.count(3, 131072)):
            stream.enter_object(r, known_dot)
        for _ in range(r.count(3, 65536)):
            at = r.at
            object = r.varint()
            if object >= len(stream.objects):
                raise Refused("unknownIndex", at, "object")
            key = stream.table_key(r, known_dot)
            at = r.at
            replica = r.varint()
            if replica > len(stream.replicas):
                raise Refused("unknownIndex", at, "replica")
            stream.slots.append([object, key, (replica - 1, r.counter()) if replica else None])
        if writer > len(stream.replicas):
            raise Refused("unknownIndex", writer_at, "writer")
        if slot > len(stream.slots):
            raise Refused("unknownIndex", slot_at, "slot")
        stream.writer, stream.slot = writer - 1 if writer else None, slot - 1
        for number, count, at in zip(cursor["numbers"], (len(stream.objects), len(stream.replicas)), cursor["at"]):
            if number > count:
                raise Refused("unknownIndex", at, "cursor")
        object, replica = cursor["numbers"]
        if object:
            stream.cursor = [object - 1, replica - 1 if replica else None, *cursor["between"]]
        if stream.is_too_heavy():
            raise Refused("tooLarge", r.at)
        return r.finish(stream)


    @staticmethod
    def table_cursor(r: Reader) -> Any:
        """What the tables say of the cursor, before the entries that it names."""
        cursor = {"numbers": [0, 0], "at": [r.at, 0], "between": [0, 0]}
        cursor["numbers"][0] = r.varint()
        if cursor["numbers"][0]:
            cursor["at"][1] = r.at
            cursor["numbers"][1] = r.varint()
        if cursor["numbers"][1]:
            for place, most in enumerate((COUNTER_MAX, COUNTER_MAX + 1)):
                at = r.at
                cursor["between"][place] = r.varint()
                if cursor["between"][place] > most:
                    raise Refused("malformed", at, "cursor")
        return cursor


def require_version(r: Reader, version: int) -> Any:
    at = r.at
    if r.u8() != version:
        raise Refused("unsupportedVersion", at)
