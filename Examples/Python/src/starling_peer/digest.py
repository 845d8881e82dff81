"""The digest of a document: equal versions have equal digests (merge.md, "Digests")."""
from __future__ import annotations

import struct

from .document import Document, Object
from .reading import View
from .sequence import Item
from .values import ORIGIN, Dot, Key, Mark, Value
from .wire.notation import siphash128

SORTS = ["null", "bool", "integer", "unsigned", "double", "text", "bytes", "json", "date", "object", "derived", "reference"]
WORD = (1 << 64) - 1


def digest(document: Document) -> int:
    """A sum of hashes: one of the head, one of each entry, share, run and mark that stands in the canonical form."""
    total = hashed(
        b"\0", words(len(document.version)), *(words(*dot) for dot in sorted(document.version.items())),
        words(len(document.frontier)), *(words(*dot) for dot in sorted(document.frontier)), words(document.latest_stamp))
    view = View(document)
    for id in view.standing:
        total += object_digest(document.objects[id])
    return total % (1 << 128)


def object_digest(object: Object) -> int:
    total, here = 0, words(object.id >> 64, object.id & WORD)
    for key, slot in object.slots.items():
        place = here + key_bytes(key)
        for dot, (stamp, value) in slot.entries.items():
            total += hashed(b"\1", place, words(*dot, stamp), value_bytes(value))
        for replica, share in slot.shares.items():
            total += hashed(b"\2", place, words(replica, share.birth, share.last, share.total & WORD, share.stamp))
    marks = {dot: mark for dot, mark in object.sequence.marks.items() if not is_idle(dot, mark, object)}
    for dot, mark in marks.items():
        total += hashed(b"\4", here, key_bytes(mark.name), words(*dot), edge_bytes(*mark.start), edge_bytes(*mark.end),
                        words(mark.rank), value_bytes(mark.value))
    for first, run in runs(object, marks):
        item = object.sequence.items[first]
        total += hashed(b"\3", here, words(*first), edge_bytes(item.side, item.anchor), content_bytes(run))
    return total


def is_idle(dot: Dot, mark: Mark, object: Object) -> bool:
    """A mark of null that takes away what nobody gives."""
    return mark.value.sort == "null" and not any(
        each.name == mark.name and each.value.sort != "null" and (each.rank, other) < (mark.rank, dot)
        for other, each in object.sequence.marks.items())


def runs(object: Object, marks: dict[Dot, Mark]) -> list[tuple[Dot, list[Item]]]:
    """The runs of the canonical form: of what is live, what edges rest on, and the anchors of those."""
    items, needed = object.sequence.items, set[Dot]()
    resting = [edge[1] for mark in marks.values() for edge in (mark.start, mark.end)]
    for dot in [*(dot for dot, item in items.items() if item.is_live), *resting]:
        while dot != ORIGIN and dot not in needed:
            needed.add(dot)
            dot = items[dot].anchor
    found: list[tuple[Dot, list[Item]]] = []
    before: Dot | None = None
    for dot in object.sequence.walk():
        if dot not in needed:
            continue
        item = items[dot]
        follows = before is not None and dot == (before[0], before[1] + 1) and (item.anchor, item.side) == (before, 1)
        if follows and sort_of(item) == sort_of(found[-1][1][-1]) != 3:
            found[-1][1].append(item)
        else:
            found.append((dot, [item]))
        before = dot
    return found


def sort_of(item: Item) -> int:
    """0 removed, 1 text, 2 an element where it was inserted, 3 one that was moved there."""
    if item.character is not None:
        return 1
    return 0 if item.element is None else 2 if item.moved_at is None else 3


def content_bytes(run: list[Item]) -> bytes:
    sort = sort_of(run[0])
    if sort == 1:
        text = "".join(item.character or "" for item in run).encode()
        return b"\1" + words(len(text)) + text
    if sort == 3:
        return b"\3" + words(*(run[0].element or ORIGIN), run[0].moved_at or 0)
    return bytes([sort]) + words(len(run))


def words(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def edge_bytes(side: int, item: Dot) -> bytes:
    return words(*item) + bytes([side])


def key_bytes(key: Key) -> bytes:
    head = bytes([key.sort])
    if key.sort in (0, 2):
        return head + words(len(key.name)) + bytes(key.name)
    return head + (words(key.name & WORD) if key.sort == 1 else words(*key.name))


def value_bytes(value: Value) -> bytes:
    sort, content = value
    if sort == "unknown":
        return b"\xff" + words(content[0], len(content[1])) + bytes(content[1])
    if sort == "integer" and content >= 1 << 63:
        sort = "unsigned"
    head = bytes([SORTS.index(sort)])
    if sort == "null":
        return head
    if sort in ("bool", "object", "derived"):
        return head + bytes([content])
    if sort == "reference":
        return head + words(content >> 64, content & WORD)
    if sort in ("integer", "unsigned", "double", "date"):
        return head + words(content & WORD)
    data = content if isinstance(content, bytes) else content.encode()
    return head + words(len(data)) + bytes(data)


def hashed(*parts: bytes) -> int:
    result = siphash128(b"Starling digests", b"".join(parts))
    return int.from_bytes(result[:8], "little") << 64 | int.from_bytes(result[8:], "little")
