"""Reads snapshots (wire-format.md, "Snapshots")."""
from __future__ import annotations

from typing import Any

from .lines import Line, checksum, ending, short_dot
from .notation import (
    BLOCK_SLOTS, DEPTH, KINDS, MANY_SLOTS, MASK, ROOT, SEQUENCES, SNAPSHOT_BYTES, VALUE_BYTES, Reader, Refused, assigned_id,
    checked_utf8, derived_id, key_order, show_dot, show_dots, show_edge, show_key)
from .stream import require_version


class SnapshotReader:
    def __init__(self, data: bytes) -> None:
        self.r = Reader(data, SNAPSHOT_BYTES)

    def begin_entries(self) -> None:
        """As before the first entry of the snapshot."""
        self.replica: Any = None  # its place in the version
        self.counter_before = 0
        self.value: Any = {"null": None}
        self.stamp, self.integer, self.text = self.latest, 0, b""

    def read(self) -> Any:
        r = self.r
        require_version(r, 1)
        self.version = r.version()
        frontier: list[Any] = []
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

    def short_dot(self) -> Any:
        return self.dot_at(short_dot(self.r, self.version))

    def dot_at(self, item: Any) -> Any:
        """`item` is a place in the version and a counter, None the origin."""
        return (0, 0) if item is None else (self.version[item[0]][0], item[1])

    def standing(self) -> None:
        r = self.r
        self.members: list[dict[str, Any]] = []
        at = r.at
        count = r.count(1)
        r.spend("entries", count, at)
        for _ in range(count):
            at = r.at
            form = r.u8()
            is_sequence = form - 3 in SEQUENCES or form - 16 in SEQUENCES
            origin: Any
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

    def derived(self) -> None:
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

    def slots(self, line: Line, object: Any) -> Any:
        r = self.r
        at = r.at
        count = r.count(1)
        r.spend("entries", count, at)
        slots: list[Any] = []
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

    def slots_of_group(self, count: int, line: Line, slots: list[Any]) -> None:
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

    def counts(self) -> Any:
        r = self.r
        start = r.at
        entry_count, share_count = r.count(1), r.count(1)
        if share_count == 0 and entry_count < 2:
            raise Refused("overlong", start)
        r.spend("entries", entry_count + share_count, start)
        entries: list[Any] = []
        shares: list[Any] = []
        before: Any = None
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

    def entry(self, head: int) -> Any:
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

    def stamp_difference(self) -> int:
        at = self.r.at
        milliseconds = (self.stamp >> 16) + self.r.svarint() & MASK
        logical = self.r.varint()
        if milliseconds >> 48 or logical >> 16:
            raise Refused("malformed", at, "stamp")
        self.stamp = milliseconds << 16 | logical
        return self.stamp


    # Sequences

    def sequence(self) -> Any:
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
        self.before: Any = None
        self.awaited: list[Any] = []
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

    def run(self) -> Any:
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

    def run_first(self, form: int, start: int) -> Any:
        if form == 0:
            return short_dot(self.r, self.version)
        if form == 3:
            return self.next_awaited(start)
        return self.covered(self.before, 1 + (self.r.svarint() if form == 1 else 0), start)

    def run_anchor(self, form: int, first: Any, start: int, head: int) -> Any:
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

    def next_awaited(self, start: int) -> Any:
        if not self.awaited:
            raise Refused("malformed", start, "no item is awaited")
        return self.awaited[-1]

    def covered(self, item: Any, difference: int, at: int) -> Any:
        if item is None:
            raise Refused("malformed", at, "no item before")
        counter = item[1] + difference & MASK
        if not 1 <= counter <= self.version[item[0]][1]:
            raise Refused("malformed", at, "item outside the version")
        return item[0], counter

    def marks(self) -> Any:
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

    def edge(self) -> Any:
        at = self.r.at
        head = self.r.varint()
        item = None if head < 2 else short_dot(self.r, self.version, (head >> 1) - 1, at)
        return show_edge((head & 1, self.dot_at(item)))


def snapshot(data: bytes) -> dict[str, Any]:
    """The state that a snapshot holds, checked."""
    state: dict[str, Any] = SnapshotReader(data).read()
    return state
