"""Reads lines of keys, endings, short dots and checksums, the parts of snapshots (wire-format.md, "Lines of keys")."""
from __future__ import annotations

from typing import Any

from .notation import COUNTER_MAX, KEY_BYTES, MASK, Reader, Refused, checked_utf8, key_order


class Line:
    """A line of keys. `version` is that of the snapshot, a list of dots."""

    def __init__(self, version: list[tuple[int, int]]) -> None:
        self.version = version
        self.above: list[Any] = []
        self.group: list[Any] = []
        self.cursor = 0
        self.place: int | None = None  # of the replica of the element before, where it is known

    def covered_element(self) -> Any:
        """The place of the last key's replica and its counter, where it is an element that the version covers."""
        if self.place is None or self.group[-1][0] != "element" or self.group[-1][1][1] > self.version[self.place][1]:
            return None
        return self.place, self.group[-1][1][1]

    def begin_group(self) -> None:
        self.above, self.group, self.cursor = self.group, [], 0

    def begin_block(self) -> None:
        self.above, self.group, self.cursor, self.place = [], [], 0, None

    def read(self, form: int, start: int, r: Reader, repeating: bool = False) -> Any:
        key = self.spelled(form, start, r)
        if self.group:
            before, this = key_order(self.group[-1]), key_order(key)
            if this < before or this == before and not repeating:
                raise Refused("outOfOrder", start)
        self.group.append(key)
        while self.cursor < len(self.above) and key_order(self.above[self.cursor]) <= key_order(key):
            self.cursor += 1
        return key

    def spelled(self, form: int, start: int, r: Reader) -> Any:
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
        before: Any = self.group[-1] if self.group else ("nothing", None)
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


def ending(before: bytes, most: int, r: Reader) -> Any:
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


def short_dot(r: Reader, version: list[tuple[int, int]], place: int | None = None, at: int = 0) -> Any:
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


def checksum(data: bytes) -> int:
    total = 0
    whole = len(data) // 8 * 8
    words = [int.from_bytes(data[at:at + 8], "little") for at in range(0, whole, 8)]
    for word in words + [int.from_bytes(data[whole:], "little"), len(data)]:
        total = (total ^ word) * 0x9E3779B97F4A7C15 & MASK
        total ^= total >> 32
    return total
