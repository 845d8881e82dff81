#!/usr/bin/env python3
"""A second reader of the Starling wire format, written from ../wire-format.md.

usage: decode.py VECTORS        decodes VECTORS/accept and VECTORS/reject, prints "N passed, M failed"
       decode.py KIND HEX       decodes one message, batch, snapshot, published frame or presence and prints it as JSON

Needs nothing but Python's standard library. Each function is named after the part of the page it reads.
"""
import json
import re
import sys
from pathlib import Path

MASK = (1 << 64) - 1
COUNTER_MAX = (1 << 63) - 1
KINDS = ["map", "set", "dictionary", "list", "text", "later5", "later6", "later7"]
SEQUENCES = (3, 4)
ROOT = 1 << 63  # high 0, low 2^63

FRAME_BYTES = 16 << 20
SNAPSHOT_BYTES = 1 << 30
SNAPSHOT_ENTRIES = 1 << 25
MANY_SLOTS, BLOCK_SLOTS = 1024, 64
OPERATIONS = DOTS = DEFINITIONS = 1 << 20
DEPTH = 64
KEY_BYTES = TEXT_BYTES = 1 << 16
VALUE_BYTES = 16 << 20
ENDPOINTS = 64
MEMBERS, MEMBER_ENDPOINTS, MEMBER_ENDPOINT_BYTES = 256, 4, 255
WRITERS, WRITER_NAME_BYTES = 1024, 64
FORGOTTEN = 4096
LACKING = 1024
EQUIVOCATIONS = 1024
PRESENCE_BYTES, PRESENCE_NOTICES, PRESENCE_KEY, PRESENCE_MS = 1 << 16, 1024, 200, 3_600_000


class Refused(Exception):
    def __init__(self, code, offset, what=""):
        super().__init__(f"{code} at byte {offset}: {what}")
        self.code, self.offset = code, offset


# Hashing ------------------------------------------------------------------------------------------


def siphash128(key, data):
    """SipHash-2-4 with a 128-bit result, as bytes."""
    def rotate(x, n):
        return (x << n | x >> 64 - n) & MASK

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rounds(n):
        for _ in range(n):
            v[0] = (v[0] + v[1]) & MASK
            v[1] = rotate(v[1], 13) ^ v[0]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[3]) & MASK
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = (v[0] + v[3]) & MASK
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = (v[2] + v[1]) & MASK
            v[1] = rotate(v[1], 17) ^ v[2]
            v[2] = rotate(v[2], 32)

    padded = data + bytes(-(len(data) + 1) % 8) + bytes([len(data) & 0xFF])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at:at + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return first.to_bytes(8, "little") + (v[0] ^ v[1] ^ v[2] ^ v[3]).to_bytes(8, "little")


def derived_id(parent, key, kind):
    """Object ids are integers here: high << 64 | low."""
    data = (parent >> 64).to_bytes(8, "little") + (parent & MASK).to_bytes(8, "little") + bytes([kind])
    form, name = key
    if form == "integer":
        data += b"\1" + (name & MASK).to_bytes(8, "little")
    elif form == "element":
        data += b"\3" + name[0].to_bytes(8, "little") + name[1].to_bytes(8, "little")
    else:
        data += (b"\0" if form == "name" else b"\2") + name
    digest = siphash128(b"Starling objects", data)
    return int.from_bytes(digest[:8], "little") << 64 | int.from_bytes(digest[8:], "little") | 1 << 63


def assigned_id(dot):
    return dot[0] << 64 | dot[1]


def key_order(key):
    return (["name", "integer", "bytes", "element"].index(key[0]), key[1])


# Notation -----------------------------------------------------------------------------------------


class Reader:
    def __init__(self, data, most=FRAME_BYTES):
        if len(data) > most:
            raise Refused("tooLarge", 0, "too many bytes")
        self.data, self.at = data, 0
        self.left = {
            "operations": OPERATIONS, "dots": DOTS, "definitions": DEFINITIONS, "entries": SNAPSHOT_ENTRIES,
            "unfolded": SNAPSHOT_BYTES, "typed": FRAME_BYTES,
        }

    @property
    def rest(self):
        return len(self.data) - self.at

    def finish(self, result):
        if self.rest:
            raise Refused("trailingBytes", self.at)
        return result

    def spend(self, what, count, at):
        self.left[what] -= count
        if self.left[what] < 0:
            raise Refused("tooLarge", at, f"too many {what}")

    def take(self, count):
        if count > self.rest:
            raise Refused("truncated", self.at)
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self):
        return self.take(1)[0]

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def u64(self):
        return int.from_bytes(self.take(8), "little")

    def varint(self):
        start, result = self.at, 0
        for place in range(10):
            if start + place >= len(self.data):
                raise Refused("truncated", start)
            byte = self.data[start + place]
            if place == 9 and byte > 1:
                break
            result |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                if byte == 0 and place:
                    raise Refused("overlong", start)
                self.at = start + place + 1
                return result
        raise Refused("malformed", start, "more than 64 bits")

    def svarint(self):
        raw = self.varint()
        return -(raw >> 1) - 1 if raw & 1 else raw >> 1

    def length(self, most, given=None, at=None):
        at = self.at if at is None else at
        count = self.varint() if given is None else given
        if count > most:
            raise Refused("tooLarge", at)
        if count > self.rest:
            raise Refused("truncated", at)
        return count

    def count(self, size, most=None):
        at = self.at
        count = self.varint()
        if most is not None and count > most:
            raise Refused("tooLarge", at)
        if count > self.rest // size:
            raise Refused("truncated", at)
        return count

    def utf8(self, count):
        at = self.at
        return checked_utf8(self.take(count), at)

    def counted(self, most=FRAME_BYTES):
        return self.take(self.length(most))

    def text(self, most=TEXT_BYTES):
        return self.utf8(self.length(most)).decode()

    def packable(self):
        """A text that may be packed, as bytes."""
        at = self.at
        head = self.varint()
        self.spend("typed", head >> 1, at)
        return self.packed(head, at)

    def packable_of_snapshot(self):
        at = self.at
        head = self.varint()
        if head >> 1 > SNAPSHOT_BYTES:
            raise Refused("tooLarge", at)
        if head & 1:
            self.spend("unfolded", head >> 1, at)
        return self.packed(head, at)

    def packed(self, head, at):
        count, text = head >> 1, bytearray()
        if not head & 1:
            return self.take(self.length(count, count, at))
        while len(text) < count:
            start = self.at
            nibbles = self.u8()
            literals, length = nibbles >> 4, nibbles & 15
            if literals == 15:
                literals += self.varint()
            if literals > count - len(text):
                raise Refused("malformed", start, "literals")
            text += self.take(literals)
            if len(text) == count and length == 0:
                break
            if length == 15:
                more = self.u8()
                if more > 127:
                    raise Refused("malformed", start, "length")
                length += more
            at = self.at
            distance = self.varint()
            if not 1 <= distance <= len(text):
                raise Refused("malformed", at, "distance")
            if length + 4 > count - len(text):
                raise Refused("malformed", start, "length")
            for _ in range(length + 4):
                text.append(text[-distance])
        return bytes(text)

    # Values, keys, object ids, dots and versions --------------------------------------------------

    def value(self):
        at = self.at
        head = self.u8()
        if head < 0x40:
            return {"integer": str(head)}
        if head < 0x80:
            return {"text": self.utf8(head - 0x40).decode()}
        if head < 0xA0:
            return {"integer": str(64 + 256 * (head - 0x80) + self.u8())}
        if head == 0xA0:
            return {"null": None}
        if head in (0xA1, 0xA2):
            return {"bool": head == 0xA2}
        if head == 0xA3:
            integer = self.svarint()
            if 0 <= integer <= 8255:
                raise Refused("overlong", at)
            return {"integer": str(integer)}
        if head == 0xA4:
            integer = self.varint()
            if integer < 1 << 63:
                raise Refused("overlong", at)
            return {"integer": str(integer)}
        if head == 0xA5:
            return {"double": f"{self.u64():016x}"}
        if head == 0xA6:
            count = self.length(VALUE_BYTES)
            if count < 64:
                raise Refused("overlong", at)
            return {"text": self.utf8(count).decode()}
        if head == 0xA7:
            return {"bytes": self.counted(VALUE_BYTES).hex()}
        if head == 0xA8:
            return {"json": self.text(VALUE_BYTES)}
        if head == 0xA9:
            return {"date": f"{self.u64():016x}"}
        if head in (0xAA, 0xAB):
            return {"object" if head == 0xAA else "derived": KINDS[self.kind()]}
        if head == 0xAC:
            return {"reference": f"{self.object_id():032x}"}
        if head == 0xBF:
            tag = self.varint()
            return {"unknown": {"tag": str(tag), "payload": self.counted(VALUE_BYTES).hex()}}
        raise Refused("malformed", at, f"value {head}")

    def kind(self):
        at = self.at
        kind = self.u8()
        if kind >= len(KINDS):
            raise Refused("malformed", at, f"kind {kind}")
        return kind

    def key(self):
        at = self.at
        head = self.varint()
        if head & 3 == 0:
            return "name", self.utf8(self.length(KEY_BYTES, head >> 2, at))
        if head & 3 == 2:
            return "bytes", self.take(self.length(KEY_BYTES, head >> 2, at))
        if head not in (1, 3):
            raise Refused("malformed", at, f"key {head}")
        return ("integer", self.svarint()) if head == 1 else ("element", self.dot())

    def object_id(self):
        at = self.at
        form = self.u8()
        if form == 0:
            return ROOT
        if form == 1:
            return assigned_id(self.dot())
        if form == 2:
            return self.bare_id()
        raise Refused("malformed", at, f"object id {form}")

    def bare_id(self):
        at = self.at
        high, low = self.u64(), self.u64()
        if not low >> 63 or high << 64 | low == ROOT:
            raise Refused("malformed", at, "not a derived id")
        return high << 64 | low

    def counter(self):
        at = self.at
        return checked_counter(self.varint(), at)

    def dot(self):
        return self.u64(), self.counter()

    def version(self):
        at = self.at
        count = self.count(9, DOTS)
        self.spend("dots", count, at)
        dots = []
        for _ in range(count):
            at = self.at
            dot = self.dot()
            if dots and dot[0] <= dots[-1][0]:
                raise Refused("outOfOrder", at)
            dots.append(dot)
        return dots


def checked_utf8(data, at):
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("malformed", at, "not UTF-8") from None
    return bytes(data)


def checked_counter(counter, at):
    if not 1 <= counter <= COUNTER_MAX:
        raise Refused("malformed", at, "counter")
    return counter


# How content is written as JSON -------------------------------------------------------------------


def show_dot(dot):
    return f"{dot[0]:016x}:{dot[1]}"


def show_dots(dots):
    return [show_dot(dot) for dot in dots]


def show_key(key):
    form, name = key
    if form == "element":
        return {form: show_dot(name)}
    return {form: name.decode() if form == "name" else str(name) if form == "integer" else name.hex()}


def show_edge(edge):
    side, item = edge
    return {"side": ["left", "right"][side], "item": show_dot(item)}


# Live streams -------------------------------------------------------------------------------------


class Entry:
    """An object of the tables."""

    def __init__(self, id, parent=None, definition=None, depth=0):
        self.id, self.parent, self.definition, self.depth = id, parent, definition, depth


class Stream:
    def __init__(self):
        self.begin()
        self.broken = False

    def begin(self):
        self.writer, self.stamp, self.slot = None, 0, -1
        self.cursor = None  # [object, replica, before, after]; the replica may be None
        self.replicas, self.names, self.slots = [], [], []  # replica: [id, counter]; slot: [object, key, last]
        self.objects = [Entry(ROOT)]
        self.weight = self.key_bytes = 0

    def decode(self, payload):
        if self.broken:
            raise Refused("brokenStream", 0)
        self.broken = True
        reader, changes = Reader(payload), []
        while reader.rest:
            changes.append(self.change(reader))
        self.broken = False
        return changes

    def change(self, r):
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

        touched, listed, operations = set(), [], []
        only = None  # the only object with a chain so far, whose definitions are not counted
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

    def is_too_heavy(self):
        return (max(len(self.replicas), len(self.names), len(self.slots)) > 65536 or self.weight > 131072
                or self.key_bytes > 4 << 20)

    def read_stamp(self, r, form):
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

    def replica(self, r):
        at = r.at
        return self.numbered_replica(r, r.varint(), at)

    def numbered_replica(self, r, number, at):
        if number > len(self.replicas):
            raise Refused("unknownIndex", at, "replica")
        if number == len(self.replicas):
            self.replicas.append([r.u64(), 0])
        return number

    def dot(self, r):
        number, counter = self.numbered_dot(r)
        return self.replicas[number][0], counter

    def numbered_dot(self, r):
        number = self.replica(r)
        return number, self.counter(r, number)

    def counter(self, r, number):
        replica = self.replicas[number]
        at = r.at
        counter = checked_counter(replica[1] + r.svarint() & MASK, at)
        replica[1] = max(replica[1], counter)
        return counter

    def dots(self, r):
        at = r.at
        count = r.count(2, DOTS)
        r.spend("dots", count, at)
        return [self.dot(r) for _ in range(count)]

    # Operations

    def operation(self, r, counter):
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

        replaced, clearing = [], None
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

    def sequence_operation(self, r, head, counter, start, refused):
        if head & 4:
            self.cursor = [self.object(r), None, 0, 0]
        if self.cursor is None:
            raise Refused("unknownIndex", start, "no cursor")
        object = self.cursor[0]
        shown = {"object": f"{self.objects[object].id:032x}"}
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

    def insertion_content(self, r, head):
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

    def removal(self, r, head, start, refused):
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

    def at_cursor(self, place, start):
        if self.cursor[1] is None or not 1 <= self.cursor[place] <= COUNTER_MAX:
            raise Refused("unknownIndex", start, "nothing at the cursor")
        return self.replicas[self.cursor[1]][0], self.cursor[place]

    def edge(self, r):
        at = r.at
        head = r.varint()
        if head < 2:
            return head, (0, 0)
        number = self.numbered_replica(r, (head >> 1) - 1, at)
        return head & 1, (self.replicas[number][0], self.counter(r, number))

    # Histories

    def history(self, r):
        """The changes of a history."""
        start = r.at
        r.u8()
        at = r.at
        change_count = r.varint()
        if change_count == 0:
            raise Refused("malformed", at, "no changes")
        if change_count > OPERATIONS:
            raise Refused("tooLarge", at, "changes")
        self.writer = self.replica(r)
        writer = self.replicas[self.writer]
        at = r.at
        first = counter = checked_counter(writer[1] + 1 + r.svarint() & MASK, at)
        self.cursor = [self.object(r), None, 0, 0]
        object, objects = self.cursor[0], self.chain(self.cursor[0])
        counts = []
        while len(counts) < change_count:
            at = r.at
            changes, operations = r.varint(), r.varint()
            if not 1 <= changes <= change_count - len(counts) or operations == 0:
                raise Refused("malformed", at, "operations")
            if sum(counts) + changes * operations > OPERATIONS:
                raise Refused("tooLarge", at, "operations")
            counts += [operations] * changes
        r.spend("operations", sum(counts), start)

        # Each operation, its text to come: the item, the side of an insertion or None, the size.
        operations = []
        while len(operations) < sum(counts):
            stroke = self.stroke(r, sum(counts) - len(operations), counter)
            operations += stroke
            counter += sum(1 if side is None else size for _, side, size in stroke)
        at = r.at
        text = checked_utf8(r.packable(), at).decode()
        if len(text) != sum(size for _, side, size in operations if side is not None):
            raise Refused("malformed", at, "text")
        stamps = self.stamps(r, change_count)
        writer[1] = max(writer[1], counter - 1)

        changes, counter, operations = [], first, iter(operations)
        for count, stamp in zip(counts, stamps):
            change = {
                "replica": f"{writer[0]:016x}", "firstCounter": str(counter), "stamp": str(stamp), "frontier": [],
                "objects": objects, "operations": [], "message": None,
            }
            for item, side, size in (next(operations) for _ in range(count)):
                shown = {"object": f"{self.objects[object].id:032x}", "key": show_key(("element", item))}
                if side is None:
                    shown["removeRun"] = str(size)
                    counter += 1
                else:
                    shown |= {"insertText": text[:size], "side": ["left", "right"][side]}
                    text = text[size:]
                    counter += size
                change["operations"].append(shown)
            changes.append(change)
        if self.is_too_heavy():
            self.begin()
        return changes

    def stroke(self, r, most, counter):
        start = r.at
        head = r.varint()
        count, action = (head >> 4) + 1, head & 3
        if count > most:
            raise Refused("malformed", start, "too many operations")
        at, size = r.at, 1
        if head & 8:
            size = r.varint()
            if size < 2:
                raise Refused("overlong", at)
        if action > 0 and count > 32:
            raise Refused("malformed", start, "too many removals")
        taken = count * size if action == 0 else count
        if count * size > MASK or counter + taken - 1 > COUNTER_MAX:
            raise Refused("malformed", start, "counters")
        if action == 0:
            side, item = self.near(r) if head & 4 else (1, self.at_cursor(2, start))
            self.cursor[1:] = self.writer, counter + taken - 1, counter + taken
            # Only so many as have text can stand; the text is checked in the end.
            me = self.replicas[self.writer][0]
            return [(item if place == 0 else (me, counter + place * size - 1), side if place == 0 else 1, size)
                    for place in range(count)]
        if action == 3:
            raise Refused("malformed", start, f"stroke {head}")
        backwards = action == 2
        if head & 4:
            at = r.at
            side, item = self.near(r)
            if side == 0 or item == (0, 0):
                raise Refused("malformed", at, "no item")
            first = item[1]
        else:
            self.at_cursor(2 if backwards else 3, start)
            first = self.cursor[2] - size + 1 if backwards else self.cursor[3]
        step = -size if backwards else size
        last = first + (count - 1) * step
        if min(first, last) < 1 or max(first, last) + size - 1 > COUNTER_MAX:
            raise Refused("malformed", start, "items")
        self.cursor[2:] = last - 1, last + size
        replica = self.replicas[self.cursor[1]][0]
        return [((replica, first + place * step), None, size) for place in range(count)]

    def near(self, r):
        """An edge, spelled by the cursor; that is at the edge's replica then."""
        at = r.at
        head = r.varint()
        if head < 2:
            return head, (0, 0)
        number = self.numbered_replica(r, (head >> 1) - 1, at)
        if number != self.cursor[1]:
            self.cursor[1] = number
            return head & 1, (self.replicas[number][0], self.counter(r, number))
        at = r.at
        return head & 1, (self.replicas[number][0], checked_counter(self.cursor[2] + r.svarint() & MASK, at))

    def stamps(self, r, count):
        stamps = []
        while len(stamps) < count:
            start = r.at
            head = r.varint()
            if not 1 <= head >> 2 <= count - len(stamps):
                raise Refused("malformed", start, "stamps")
            form = head & 3
            step = r.varint() if form == 1 else 0
            for _ in range(head >> 2):
                at = start if form == 1 else r.at
                if form == 0:
                    self.stamp = self.stamp + 1 & MASK
                else:
                    later = step if form == 1 else r.varint() if form == 2 else r.svarint()
                    logical = r.varint() if form == 3 else 0
                    milliseconds = (self.stamp >> 16) + later & MASK
                    if milliseconds >> 48 or logical >> 16:
                        raise Refused("malformed", at, "stamp")
                    self.stamp = milliseconds << 16 | logical
                stamps.append(self.stamp)
        return stamps

    def read_slot(self, r, where, start, refused):
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

    def object(self, r):
        at = r.at
        number = r.varint()
        if number < len(self.objects):
            return number
        if number - len(self.objects) + 1 > DEPTH + 1:
            raise Refused("unknownIndex", at, "object")
        while len(self.objects) <= number:
            self.enter_object(r)
        return number

    def enter_object(self, r, table_dot=None):
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

    def table_key(self, r, table_dot=None):
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

    def enter_name(self, r):
        name = r.utf8(r.length(KEY_BYTES))
        self.names.append(("name", name))
        self.key_bytes += len(name)
        return self.names[-1]

    # Objects of a change

    def ancestors(self, object, ordered=False):
        """The numbers of the object and its defined ancestors, itself first."""
        numbers = []
        while self.objects[object].definition is not None:
            numbers.append(object)
            object = self.objects[object].parent
        return numbers if ordered else set(numbers)

    def chain(self, object):
        return [self.objects[number].definition for number in reversed(self.ancestors(object, ordered=True))]

    # Tables

    @classmethod
    def from_tables(cls, data):
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

        def known_replica():
            at = r.at
            number = r.varint()
            if number >= len(stream.replicas):
                raise Refused("unknownIndex", at, "replica")
            return number

        def known_dot(r):
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
    def table_cursor(r):
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


def require_version(r, version):
    at = r.at
    if r.u8() != version:
        raise Refused("unsupportedVersion", at)


def batch(data):
    r = Reader(data)
    require_version(r, 1)
    stream, changes = Stream(), []
    for _ in range(r.count(2, OPERATIONS)):
        is_history = r.rest > 0 and r.data[r.at] == 0x80
        changes += stream.history(r) if is_history else [stream.change(r)]
    return r.finish(changes)


def published(data):
    r = Reader(data)
    topic, stream, sequence = r.u32(), r.u32(), r.varint()
    return {"topic": str(topic), "stream": str(stream), "sequence": str(sequence), "payload": r.take(r.rest).hex()}


def presence(data):
    r = Reader(data, PRESENCE_BYTES)
    name = document(r)
    notices = [presence_notice(r) for _ in range(r.count(13, PRESENCE_NOTICES))]
    return r.finish({"document": name, "notices": notices})


def presence_notice(r):
    origin, number, at = r.u64(), r.varint(), r.at
    lifetime = r.varint()
    if not 1 <= lifetime <= PRESENCE_MS:
        raise Refused("malformed", at, "lifetime")
    at = r.at
    size = r.length(PRESENCE_BYTES)
    if not 1 <= size <= PRESENCE_KEY:
        raise Refused("malformed", at, "key")
    key, at = r.utf8(size).decode(), r.at
    flags = r.u8()
    if flags & ~1:
        raise Refused("malformed", at, "flags")
    return {
        "origin": f"{origin:016x}", "number": str(number), "lifetime": str(lifetime), "key": key,
        "value": r.value() if flags & 1 else None,
    }


# Snapshots ----------------------------------------------------------------------------------------


class Line:
    """A line of keys. `version` is that of the snapshot, a list of dots."""

    def __init__(self, version):
        self.version = version
        self.above, self.group, self.cursor = [], [], 0
        self.place = None  # of the replica of the element before, where it is known

    def covered_element(self):
        """The place of the last key's replica and its counter, where it is an element that the version covers."""
        if self.place is None or self.group[-1][0] != "element" or self.group[-1][1][1] > self.version[self.place][1]:
            return None
        return self.place, self.group[-1][1][1]

    def begin_group(self):
        self.above, self.group, self.cursor = self.group, [], 0

    def begin_block(self):
        self.above, self.group, self.cursor, self.place = [], [], 0, None

    def read(self, form, start, r, repeating=False):
        key = self.spelled(form, start, r)
        if self.group:
            before, this = key_order(self.group[-1]), key_order(key)
            if this < before or this == before and not repeating:
                raise Refused("outOfOrder", start)
        self.group.append(key)
        while self.cursor < len(self.above) and key_order(self.above[self.cursor]) <= key_order(key):
            self.cursor += 1
        return key

    def spelled(self, form, start, r):
        if form == 0:
            self.place = None
            return r.key()
        if form == 5:
            self.place = None
            if self.cursor == len(self.above):
                raise Refused("unknownIndex", start, "key above")
            return self.above[self.cursor]
        if form == 7:
            self.place, counter = short_dot(r, self.version)
            return "element", (self.version[self.place][0], counter)
        before = self.group[-1] if self.group else ("nothing", None)
        later = r.varint() if form == 6 else 0
        if before[0] == "element" and form in (4, 6):
            replica, counter = before[1]
            if counter + 1 + later > COUNTER_MAX:
                raise Refused("malformed", start, "element")
            return "element", (replica, counter + 1 + later)
        if before[0] != ("integer" if form == 6 else "name"):
            raise Refused("malformed", start, "no such key before")
        if form == 6:
            integer = before[1] + 1 + later
            if integer >> 63 > 0:
                raise Refused("malformed", start, "integer key")
            return "integer", integer
        name = before[1]
        if form == 1:
            return "name", checked_utf8(ending(name, KEY_BYTES, r), start)
        r.spend("unfolded", len(name), start)
        if form == 3:
            if len(name) >= KEY_BYTES:
                raise Refused("tooLarge", start)
            return "name", checked_utf8(name + bytes([r.u8()]), start)
        if not name:
            raise Refused("malformed", start, "empty name before")
        last = (name[-1] + 1) & 0xFF if form == 4 else r.u8()
        return "name", checked_utf8(name[:-1] + bytes([last]), start)


def ending(before, most, r):
    at = r.at
    head = r.varint()
    dropped, added = head >> 3, head & 7
    if dropped > len(before):
        raise Refused("malformed", at, "drops too much")
    shared = len(before) - dropped
    if added == 7:
        added += r.varint()
    added = r.length(max(0, most - shared), added, at)
    r.spend("unfolded", shared, at)
    return before[:shared] + r.take(added)


def short_dot(r, version, place=None, at=None):
    """The place of the dot's replica and its counter."""
    if place is None:
        at = r.at
        place = r.varint()
    if place >= len(version):
        raise Refused("unknownIndex", at, "replica")
    at = r.at
    counter = version[place][1] - r.varint()
    if counter < 1:
        raise Refused("malformed", at, "dot outside the version")
    return place, counter


def checksum(data):
    total = 0
    whole = len(data) // 8 * 8
    words = [int.from_bytes(data[at:at + 8], "little") for at in range(0, whole, 8)]
    for word in words + [int.from_bytes(data[whole:], "little"), len(data)]:
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        total ^= total >> 32
    return total


class SnapshotReader:
    def __init__(self, data):
        self.r = Reader(data, SNAPSHOT_BYTES)

    def begin_entries(self):
        """As before the first entry of the snapshot."""
        self.replica, self.counter_before, self.value = None, 0, {"null": None}
        self.stamp, self.integer, self.text = self.latest, 0, b""

    def read(self):
        r = self.r
        require_version(r, 1)
        self.version = r.version()
        frontier = []
        for _ in range(r.count(2)):
            at = r.at
            dot = self.short_dot()
            if frontier and dot <= frontier[-1]:
                raise Refused("outOfOrder", at)
            frontier.append(dot)
        self.latest = r.u64()
        self.begin_entries()
        self.standing()
        self.derived()
        line, objects = Line(self.version), []
        for member in self.members:
            if member["origin"] is None:
                if not member["is_parent"]:
                    raise Refused("malformed", member["at"], "a parent without children")
                continue
            object = {"id": f"{member['id']:032x}", "origin": member["origin"], "slots": self.slots(line, member)}
            if member["is_sequence"] and (sequence := self.sequence()) is not None:
                object["sequence"] = sequence
            objects.append(object)
        at = r.at
        if r.u64() != checksum(r.data[:at]):
            raise Refused("malformed", at, "checksum")
        objects.sort(key=lambda object: object["id"])
        return r.finish({
            "version": show_dots(self.version), "frontier": show_dots(frontier), "latestStamp": str(self.latest),
            "objects": objects,
        })

    def short_dot(self):
        return self.dot_at(short_dot(self.r, self.version))

    def dot_at(self, item):
        """`item` is a place in the version and a counter, None the origin."""
        return (0, 0) if item is None else (self.version[item[0]][0], item[1])

    def standing(self):
        r = self.r
        self.members = []
        at = r.at
        count = r.count(1)
        r.spend("entries", count, at)
        for _ in range(count):
            at = r.at
            form = r.u8()
            is_sequence = form - 3 in SEQUENCES or form - 16 in SEQUENCES
            if form < 2:
                id, origin = ROOT, "root" if form else None
            elif form - 3 < len(KINDS):
                id = assigned_id(self.short_dot())
                origin = {"assigned": KINDS[form - 3]} if form > 2 else None
            elif 0 <= form - 16 < len(KINDS):
                id = assigned_id(self.short_dot())
                origin = {"orphan": KINDS[form - 16]}
            else:
                raise Refused("malformed", at, f"object {form}")
            if self.members and (id == ROOT or self.members[-1]["id"] not in (ROOT,) and id <= self.members[-1]["id"]):
                raise Refused("outOfOrder", at)
            self.members.append({
                "id": id, "origin": origin, "depth": 0, "is_parent": False, "at": at, "is_sequence": is_sequence,
            })

    def derived(self):
        r, line, parent, before = self.r, Line(self.version), 0, None
        at = r.at
        count = r.count(1)
        r.spend("entries", count, at)
        for place in range(count):
            at = r.at
            head = r.varint()
            if head >> 6 >= len(self.members) - parent:
                raise Refused("unknownIndex", at, "parent")
            if head >> 6 or place == 0:
                line.begin_group()
                before = None
            parent += head >> 6
            kind = head >> 3 & 7
            if kind >= len(KINDS):
                raise Refused("malformed", at, "kind")
            key = line.read(head & 7, at, r, repeating=True)
            if before is not None and (key_order(key), kind) <= before:
                raise Refused("outOfOrder", at)
            before = key_order(key), kind
            above = self.members[parent]
            if above["depth"] >= DEPTH:
                raise Refused("tooDeep", at)
            above["is_parent"] = True
            self.members.append({
                "id": derived_id(above["id"], key, kind),
                "origin": {"parent": f"{above['id']:032x}", "key": show_key(key), "kind": KINDS[kind]},
                "depth": above["depth"] + 1, "is_parent": False, "at": at, "is_sequence": kind in SEQUENCES,
            })

    def slots(self, line, object):
        r = self.r
        at = r.at
        count = r.count(1)
        r.spend("entries", count, at)
        slots = []
        if count < MANY_SLOTS or object["is_sequence"]:
            line.begin_group()
            self.slots_of_group(count, line, slots)
            return [slot for _, slot in slots]
        for first in range(0, count, BLOCK_SLOTS):
            start = r.at
            head = r.varint()
            size = r.length(SNAPSHOT_BYTES, head >> 1, start)
            line.begin_block()
            self.begin_entries()
            at = r.at
            self.slots_of_group(min(BLOCK_SLOTS, count - first), line, slots)
            if first and slots[first][0] <= slots[first - 1][0]:
                raise Refused("outOfOrder", at)
            holds_object = any("object" in entry["value"] for _, slot in slots[first:] for entry in slot["entries"])
            if r.at != at + size or holds_object != bool(head & 1):
                raise Refused("malformed", start, "block")
        line.begin_block()
        self.begin_entries()
        return [slot for _, slot in slots]

    def slots_of_group(self, count, line, slots):
        """Adds pairs of the key, as keys are ordered, and the slot."""
        r = self.r
        for _ in range(count):
            at = r.at
            head = r.u8()
            key = line.read(head & 7, at, r)
            if (element := line.covered_element()) is not None:
                self.replica, self.counter_before = element[0], element[1] - 1
            entries, shares = [], []
            if head >> 3 & 3 == 3:
                if head >> 5:
                    raise Refused("malformed", at, f"slot {head}")
                entries, shares = self.counts()
            else:
                entries = [self.entry(head)]
            slots.append((key_order(key), {
                "key": show_key(key),
                "entries": [{"dot": show_dot(dot), "stamp": str(s), "value": v} for dot, s, v in entries],
                "shares": shares,
            }))

    def counts(self):
        r = self.r
        start = r.at
        entry_count, share_count = r.count(1), r.count(1)
        if share_count == 0 and entry_count < 2:
            raise Refused("overlong", start)
        r.spend("entries", entry_count + share_count, start)
        entries, shares, before = [], [], None
        for _ in range(entry_count):
            at = r.at
            head = r.u8()
            if head & 7 or head >> 3 & 3 == 3:
                raise Refused("malformed", at, f"entry {head}")
            entry = self.entry(head)
            if entries and entry[0] <= entries[-1][0]:
                raise Refused("outOfOrder", at)
            entries.append(entry)
        for _ in range(share_count):
            at = r.at
            replica, last = self.short_dot()
            place = r.at
            distance = r.varint()
            if distance >= last:
                raise Refused("malformed", place, "birth")
            total = r.svarint()
            stamp = self.stamp_difference()
            if before is not None and (replica, last - distance) <= before:
                raise Refused("outOfOrder", at)
            before = replica, last - distance
            shares.append({
                "replica": f"{replica:016x}", "birth": str(last - distance), "last": str(last), "total": str(total),
                "stamp": str(stamp),
            })
        return entries, shares

    def entry(self, head):
        r = self.r
        at = r.at
        form = head >> 3 & 3
        if form == 0:
            self.replica, self.counter_before = short_dot(r, self.version)
        else:
            if self.replica is None:
                raise Refused("malformed", at, "no entry before")
            counter = self.counter_before + (1 if form == 2 else r.svarint()) & MASK
            if not 1 <= counter <= self.version[self.replica][1]:
                raise Refused("malformed", at, "dot outside the version")
            self.counter_before = counter
        if head & 0x20:
            self.stamp_difference()
        form = head >> 6
        if form == 0:
            value = r.value()
            if "integer" in value and int(value["integer"]) < 1 << 63:
                self.integer = int(value["integer"])
            if "text" in value:
                self.text = value["text"].encode()
        elif form == 1:
            self.integer = (self.integer + r.svarint() + (1 << 63) & MASK) - (1 << 63)
            value = {"integer": str(self.integer)}
        elif form == 2:
            at = r.at
            self.text = checked_utf8(ending(self.text, VALUE_BYTES, r), at)
            value = {"text": self.text.decode()}
        else:
            value = self.value
        self.value = value
        return (self.version[self.replica][0], self.counter_before), self.stamp, value

    def stamp_difference(self):
        at = self.r.at
        milliseconds = (self.stamp >> 16) + self.r.svarint() & MASK
        logical = self.r.varint()
        if milliseconds >> 48 or logical >> 16:
            raise Refused("malformed", at, "stamp")
        self.stamp = milliseconds << 16 | logical
        return self.stamp


    # Sequences

    def sequence(self):
        r = self.r
        at = r.at
        count = r.varint() - 1
        if count < 0:
            return None
        if count > r.rest:
            raise Refused("truncated", at)
        r.spend("entries", count, at)
        at = r.at
        end = r.length(SNAPSHOT_BYTES) + r.at
        self.before, self.awaited = None, []
        runs = [self.run() for _ in range(count)]
        if r.at != end:
            raise Refused("malformed", at, "runs")
        at = r.at
        text = checked_utf8(bytes(r.packable_of_snapshot()), at).decode()
        if len(text) != sum(count for run, count in runs if "text" in run):
            raise Refused("malformed", at, "text")
        for run, count in runs:
            if "text" in run:
                run["text"], text = text[:count], text[count:]
        return {"runs": [run for run, _ in runs], "marks": self.marks()}

    def run(self):
        r = self.r
        start = r.at
        head = r.u8()
        first = self.run_first(head >> 2 & 3, start)
        if self.awaited and self.awaited[-1] == first:
            self.awaited.pop()
        anchor, side = self.run_anchor(head >> 4 & 7, first, start, head)
        place, count = r.at, 1
        if head & 0x80:
            count = r.varint()
            if count < 2:
                raise Refused("overlong", place)
            if first[1] + count - 1 > self.version[first[0]][1]:
                raise Refused("malformed", place, "passes the version")
        self.before = first[0], first[1] + count - 1
        if side == 0 and anchor is not None and self.awaited[-1:] != [anchor]:
            self.awaited.append(anchor)
        run = {"first": show_dot(self.dot_at(first)), "anchor": show_edge((side, self.dot_at(anchor)))}
        content = head & 3
        if content == 0:
            run["text"] = ""
        elif content == 1:
            run["removed"] = str(count)
        elif content == 2:
            r.spend("entries", count, place)
            run["elements"] = str(count)
        else:
            if head & 0x80:
                raise Refused("malformed", start, "several items moved")
            run["moved"] = show_dot(self.short_dot())
            run["stamp"] = str(self.stamp_difference())
        return run, count

    def run_first(self, form, start):
        if form == 0:
            return short_dot(self.r, self.version)
        if form == 3:
            return self.next_awaited(start)
        return self.covered(self.before, 1 + (self.r.svarint() if form == 1 else 0), start)

    def run_anchor(self, form, first, start, head):
        """The item, None for the origin, and the side."""
        if form == 0:
            return self.covered(first, -1, start), 1
        if form == 1:
            return self.before, 1
        if form == 2:
            return self.covered(self.before, 1, start), 0
        if form == 3:
            return self.next_awaited(start), 0
        if form > 5:
            raise Refused("malformed", start, f"run {head}")
        at = self.r.at
        how = self.r.varint()
        item = None
        if how == 1:
            at = self.r.at
            item = self.covered(first, self.r.svarint(), at)
        elif how > 1:
            item = short_dot(self.r, self.version, how - 2, at)
        return item, 5 - form

    def next_awaited(self, start):
        if not self.awaited:
            raise Refused("malformed", start, "no item is awaited")
        return self.awaited[-1]

    def covered(self, item, difference, at):
        if item is None:
            raise Refused("malformed", at, "no item before")
        counter = item[1] + difference & MASK
        if not 1 <= counter <= self.version[item[0]][1]:
            raise Refused("malformed", at, "item outside the version")
        return item[0], counter

    def marks(self):
        r = self.r
        at = r.at
        count = r.count(7)
        r.spend("entries", count, at)
        names, marks, before = [], [], None
        for _ in range(count):
            at = r.at
            dot = self.short_dot()
            if before is not None and dot <= before:
                raise Refused("outOfOrder", at)
            before = dot
            at = r.at
            number = r.varint()
            if number == 0:
                names.append(r.key())
            elif number > len(names):
                raise Refused("unknownIndex", at, "name")
            marks.append({
                "dot": show_dot(dot), "name": show_key(names[number - 1]), "start": self.edge(), "end": self.edge(),
                "rank": str(r.varint()), "value": r.value(),
            })
        return marks

    def edge(self):
        at = self.r.at
        head = self.r.varint()
        item = None if head < 2 else short_dot(self.r, self.version, (head >> 1) - 1, at)
        return show_edge((head & 1, self.dot_at(item)))


# Messages -----------------------------------------------------------------------------------------


def message(data):
    r = Reader(data)
    kind = r.varint()
    if kind == 0:
        raise Refused("malformed", 0, "kind 0")
    if kind not in MESSAGES:
        return {"message": "unknown", "kind": str(kind)}
    shown = {"message": MESSAGES[kind].__name__} | MESSAGES[kind](r)
    fields = LATER_FIELDS.get(kind, {})
    last = 0
    while r.rest:
        at = r.at
        number = r.varint()
        if number <= last:
            raise Refused("outOfOrder", at)
        last = number
        length = r.length(FRAME_BYTES)
        start, end = r.at, r.at + length
        if number in fields:
            name, read = fields[number]
            shown[name] = read(r, length)
        if r.at > end:
            raise Refused("malformed", start, "field")
        r.take(end - r.at)
    return shown


def hello(r):
    at = r.at
    if r.take(4) != b"Star":
        raise Refused("malformed", at, "magic")
    at = r.at
    lowest, highest = below(r, 16), below(r, 16)
    if lowest > highest:
        raise Refused("malformed", at, "versions")
    store, epoch, flags, agent = r.u64(), r.u64(), r.u8(), r.text()
    return {
        "lowestVersion": lowest, "highestVersion": highest, "store": f"{store:016x}", "epoch": f"{epoch:016x}",
        "agent": agent, "endpoints": [r.text() for _ in range(r.count(1, ENDPOINTS))], "isDurable": bool(flags & 1),
        "relays": bool(flags & 2), "lends": bool(flags & 8), "wantsReply": bool(flags & 4),
        "isFellow": bool(flags & 16),
    }


def have(r):
    shown = {"document": document(r), "version": show_dots(r.version())}
    at = r.at
    flags = r.u8()
    if flags & ~3:
        raise Refused("malformed", at, "flags")
    shown["position"] = position(r) if flags & 1 else None
    shown["digest"] = f"{r.u64():016x}{r.u64():016x}" if flags & 2 else None
    return shown


def notice(r, length):
    if length > TEXT_BYTES:
        raise Refused("tooLarge", r.at)
    return r.utf8(length).decode()


def arriving(r, _):
    return {"byteCount": str(r.varint()), "wholeByteCount": str(r.varint())}


def want(r):
    shown = {"document": document(r), "request": below(r, 32), "version": show_dots(r.version())}
    at = r.at
    flags = r.u8()
    if flags & ~3:
        raise Refused("malformed", at, "flags")
    shown["wantsState"] = bool(flags & 1)
    shown["begun"] = {"checksum": f"{r.u64():016x}", "byteCount": str(r.varint())} if flags & 2 else None
    return shown


def changes(r):
    return {"document": document(r), "request": below(r, 32), "batch": r.counted().hex()}


def paths(r):
    return changes(r)


def lacking(r, _):
    return [show_dot(r.dot()) for _ in range(r.count(9, LACKING))]


def snapshot(r):
    shown = {"document": document(r), "request": below(r, 32), "checksum": f"{r.u64():016x}"}
    at = r.at
    offset = r.varint()
    size_at = r.at
    size = r.varint()
    if size > SNAPSHOT_BYTES:
        raise Refused("tooLarge", size_at)
    part = r.counted()
    if offset + len(part) > size:
        raise Refused("malformed", at, "beyond the whole")
    return shown | {"offset": str(offset), "byteCount": str(size), "bytes": part.hex()}


def resume(r):
    return {
        "document": document(r), "request": below(r, 32), "version": show_dots(r.version()), "position": position(r),
        "tables": r.counted().hex(),
    }


def live(r):
    return {"frame": r.counted().hex()}


def acknowledge(r):
    return {"document": document(r), "version": show_dots(r.version())}


def refuse(r):
    code = below(r, 16)
    return {"code": code if code <= 5 else 0, "explanation": r.text()}


def goodbye(r):
    return {}


def credit(r):
    return {"document": document(r), "request": below(r, 32), "byteCount": str(r.varint())}


def lease(r):
    return about_lease(r, "asks", ["one", "goOn", "giveBack"], "one")


def leased(r):
    return about_lease(r, "answer", ["granted", "nothing", "over", "returned"], "nothing")


def about_lease(r, member, words, without):
    shown = {"document": document(r)}
    at = r.at
    word = r.u8()
    if word >= len(words):
        raise Refused("malformed", at, member)
    shown[member] = words[word]
    shown["grant"] = None if words[word] == without else grant(r)
    return shown


def grant(r):
    shown = {"replica": f"{r.u64():016x}", "number": str(r.varint())}
    at = r.at
    counter = r.varint()
    if counter >> 63:
        raise Refused("malformed", at, "a counter of 64 bits")
    return shown | {"counter": str(counter)}


def forget(r):
    shown = []
    for _ in range(r.count(2, FORGOTTEN)):
        at = r.at
        name = document(r)
        if shown and shown[-1].encode() >= name.encode():
            raise Refused("outOfOrder", at, "documents")
        shown.append(name)
    return {"documents": shown}


def members(r):
    shown, last = [], -1
    for _ in range(r.count(13, MEMBERS)):
        at = r.at
        store = r.u64()
        incarnation_at = r.at
        incarnation = below(r, 48)
        if incarnation == 0:
            raise Refused("malformed", incarnation_at, "incarnation 0")
        beat, quiet = below(r, 48), below(r, 32)
        flags_at = r.at
        flags = r.u8()
        if flags & ~7 or flags & 3 == 3:
            raise Refused("malformed", flags_at, "flags")
        shown.append({
            "store": f"{store:016x}", "incarnation": str(incarnation), "beat": str(beat), "quiet": quiet,
            "tier": ["either", "upper", "lower"][flags & 3], "hasLeft": bool(flags & 4), "endpoints": endpoints(r),
        })
        if store <= last:
            raise Refused("outOfOrder", at, "members")
        last = store
    return {"members": shown}


def beacon(r):
    at = r.at
    if r.take(4) != b"Star":
        raise Refused("malformed", at, "magic")
    return {"group": f"{r.u64():016x}", "store": f"{r.u64():016x}", "endpoints": endpoints(r)}


def writers(r):
    shown, last = [], -1
    for _ in range(r.count(11, WRITERS)):
        at = r.at
        replica = r.u64()
        name_at = r.at
        name = r.utf8(r.length(WRITER_NAME_BYTES)).decode()
        if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
            raise Refused("malformed", name_at, "name of a writer")
        shown.append({"replica": f"{replica:016x}", "name": name, "boundAt": str(below(r, 48))})
        if replica <= last:
            raise Refused("outOfOrder", at, "writers")
        last = replica
    return {"writers": shown}


def generation(r, _):
    at = r.at
    number = below(r, 48)
    if number == 0:
        raise Refused("malformed", at, "generation 0")
    return str(number)


def known_start(r, _):
    return {"generation": generation(r, _), "epoch": f"{r.u64():016x}"}


def equivocations(r):
    shown, last = [], None
    for _ in range(r.count(11, EQUIVOCATIONS)):
        at = r.at
        dot = r.dot()
        name = document(r)
        if last is not None and (dot, name.encode()) <= last:
            raise Refused("outOfOrder", at, "equivocations")
        last = (dot, name.encode())
        shown.append({"dot": show_dot(dot), "document": name})
    return {"equivocations": shown}


def evidence(r):
    return {"document": document(r), "batch": r.counted().hex()}


def heartbeat(r):
    return {"count": str(r.varint())}


def disown(r):
    return {"document": document(r), "replica": f"{r.u64():016x}"}


def endpoints(r):
    return [r.utf8(r.length(MEMBER_ENDPOINT_BYTES)).decode() for _ in range(r.count(1, MEMBER_ENDPOINTS))]


MESSAGES = dict(enumerate(
    [hello, have, want, changes, snapshot, resume, live, acknowledge, refuse, goodbye, credit, lease, leased], start=1))
MESSAGES |= {14: members, 15: beacon, 16: writers, 17: disown, 18: forget, 19: paths, 20: equivocations, 21: evidence}
MESSAGES |= {22: heartbeat}
LATER_FIELDS = {1: {1: ("notice", notice), 2: ("generation", generation), 3: ("knownStart", known_start)},
                 2: {1: ("arriving", arriving)}, 3: {1: ("takesOwnOnly", lambda r, _: True), 2: ("lacking", lacking)},
                8: {1: ("behind", lambda r, _: show_dots(r.version()))}}


def document(r):
    at = r.at
    count = r.length(FRAME_BYTES)
    if not 1 <= count <= 200:
        raise Refused("malformed", at, "name of a document")
    return r.utf8(count).decode()


def below(r, bits):
    at = r.at
    number = r.varint()
    if number >> bits:
        raise Refused("malformed", at, f"more than {bits} bits")
    return number


def position(r):
    return {"stream": str(r.u32()), "sequence": str(r.varint())}


# Vectors ------------------------------------------------------------------------------------------

SUBJECTS = {
    "message": message, "batch": batch, "published": published, "presence": presence,
    "snapshot": lambda data: SnapshotReader(data).read(),
}


def content(vector):
    if vector["kind"] != "stream":
        return SUBJECTS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    stream = Stream.from_tables(bytes.fromhex(vector["tables"])) if "tables" in vector else Stream()
    payloads = [stream.decode(bytes.fromhex(payload)) for payload in vector["payloads"]]
    return payloads[vector.get("contentStart", 0):]


def fault(path, vector):
    """What is wrong with the reader or the vector; None if they agree."""
    if path.parent.name == "accept":
        try:
            return None if content(vector) == vector["content"] else "decodes to something else"
        except Refused as refused:
            return f"refused: {refused}"
    try:
        content(vector)
        return "accepted"
    except Refused as refused:
        found, due = (refused.code, refused.offset), (vector["code"], vector["offset"])
        return None if found == due else f"{refused}, not {due[0]} at byte {due[1]}"


def main(arguments):
    if len(arguments) == 2 and arguments[0] in SUBJECTS:
        try:
            print(json.dumps(SUBJECTS[arguments[0]](bytes.fromhex(arguments[1])), indent=2, ensure_ascii=False))
            return 0
        except Refused as refused:
            print(refused, file=sys.stderr)
            return 1
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    passed = failed = 0
    for path in sorted(Path(arguments[0]).glob("accept/*.json")) + sorted(Path(arguments[0]).glob("reject/*.json")):
        problem = fault(path, json.loads(path.read_text(encoding="utf-8")))
        passed, failed = passed + (problem is None), failed + (problem is not None)
        if problem is not None:
            print(f"{path.parent.name}/{path.name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
