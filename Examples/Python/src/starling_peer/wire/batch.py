"""Reads batches, with their histories (wire-format.md, "Batches")."""
from __future__ import annotations

from typing import Any

from .notation import COUNTER_MAX, MASK, OPERATIONS, Reader, Refused, checked_counter, checked_utf8, show_key
from .stream import Stream, require_version


class BatchStream(Stream):
    """A stream that may hold histories, as those of batches do."""

    def history(self, r: Reader) -> Any:
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
        counts: list[int] = []
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
        made: list[Any] = []
        while len(made) < sum(counts):
            stroke = self.stroke(r, sum(counts) - len(made), counter)
            made += stroke
            counter += sum(1 if side is None else size for _, side, size in stroke)
        at = r.at
        text = checked_utf8(r.packable(), at).decode()
        if len(text) != sum(size for _, side, size in made if side is not None):
            raise Refused("malformed", at, "text")
        stamps = self.stamps(r, change_count)
        writer[1] = max(writer[1], counter - 1)

        shown_changes: list[Any] = []
        counter, remaining = first, iter(made)
        for count, stamp in zip(counts, stamps):
            change = {
                "replica": f"{writer[0]:016x}", "firstCounter": str(counter), "stamp": str(stamp), "frontier": [],
                "objects": objects, "operations": [], "message": None,
            }
            for item, side, size in (next(remaining) for _ in range(count)):
                shown = {"object": f"{self.objects[object].id:032x}", "key": show_key(("element", item))}
                if side is None:
                    shown["removeRun"] = str(size)
                    counter += 1
                else:
                    shown |= {"insertText": text[:size], "side": ["left", "right"][side]}
                    text = text[size:]
                    counter += size
                change["operations"].append(shown)
            shown_changes.append(change)
        if self.is_too_heavy():
            self.begin()
        return shown_changes

    def stroke(self, r: Reader, most: int, counter: int) -> Any:
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

    def near(self, r: Reader) -> Any:
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

    def stamps(self, r: Reader, count: int) -> Any:
        stamps: list[int] = []
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


def batch(data: bytes) -> Any:
    r = Reader(data)
    require_version(r, 1)
    stream = BatchStream()
    changes: list[Any] = []
    for _ in range(r.count(2, OPERATIONS)):
        is_history = r.rest > 0 and r.data[r.at] == 0x80
        changes += stream.history(r) if is_history else [stream.change(r)]
    return r.finish(changes)
