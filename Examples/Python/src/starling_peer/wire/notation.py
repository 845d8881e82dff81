"""The notation of the wire format: numbers, texts, values, keys, dots and versions (wire-format.md, "Notation" to "Dots").

What is read is given as the content of Protocol/vectors spells it: plain dictionaries, lists and texts.
"""
from __future__ import annotations

from typing import Any

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
SHARDS = 256
PRESENCE_BYTES, PRESENCE_NOTICES, PRESENCE_KEY, PRESENCE_MS = 1 << 16, 1024, 200, 3_600_000


class Refused(Exception):
    def __init__(self, code: str, offset: int, what: str = "") -> None:
        super().__init__(f"{code} at byte {offset}: {what}")
        self.code, self.offset = code, offset


# Hashing ------------------------------------------------------------------------------------------


def siphash128(key: bytes, data: bytes) -> bytes:
    """SipHash-2-4 with a 128-bit result, as bytes."""
    def rotate(x: int, n: int) -> int:
        return (x << n | x >> 64 - n) & MASK

    k0, k1 = int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rounds(n: int) -> None:
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


def derived_id(parent: int, key: Any, kind: int) -> int:
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


def assigned_id(dot: tuple[int, int]) -> int:
    return dot[0] << 64 | dot[1]


def key_order(key: Any) -> Any:
    return (["name", "integer", "bytes", "element"].index(key[0]), key[1])


# Notation -----------------------------------------------------------------------------------------


class Reader:
    def __init__(self, data: bytes, most: int = FRAME_BYTES) -> None:
        if len(data) > most:
            raise Refused("tooLarge", 0, "too many bytes")
        self.data, self.at = data, 0
        self.left = {
            "operations": OPERATIONS, "dots": DOTS, "definitions": DEFINITIONS, "entries": SNAPSHOT_ENTRIES,
            "unfolded": SNAPSHOT_BYTES, "typed": FRAME_BYTES,
        }

    @property
    def rest(self) -> int:
        return len(self.data) - self.at

    def finish(self, result: Any) -> Any:
        if self.rest:
            raise Refused("trailingBytes", self.at)
        return result

    def spend(self, what: str, count: int, at: int) -> None:
        self.left[what] -= count
        if self.left[what] < 0:
            raise Refused("tooLarge", at, f"too many {what}")

    def take(self, count: int) -> bytes:
        if count > self.rest:
            raise Refused("truncated", self.at)
        self.at += count
        return self.data[self.at - count:self.at]

    def u8(self) -> int:
        return self.take(1)[0]

    def u32(self) -> int:
        return int.from_bytes(self.take(4), "little")

    def u64(self) -> int:
        return int.from_bytes(self.take(8), "little")

    def varint(self) -> int:
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

    def svarint(self) -> int:
        raw = self.varint()
        return -(raw >> 1) - 1 if raw & 1 else raw >> 1

    def length(self, most: int, given: Any = None, at: int | None = None) -> int:
        at = self.at if at is None else at
        count = self.varint() if given is None else given
        if count > most:
            raise Refused("tooLarge", at)
        if count > self.rest:
            raise Refused("truncated", at)
        return count

    def count(self, size: int, most: int | None = None) -> int:
        at = self.at
        count = self.varint()
        if most is not None and count > most:
            raise Refused("tooLarge", at)
        if count > self.rest // size:
            raise Refused("truncated", at)
        return count

    def utf8(self, count: int) -> bytes:
        at = self.at
        return checked_utf8(self.take(count), at)

    def counted(self, most: int = FRAME_BYTES) -> bytes:
        return self.take(self.length(most))

    def text(self, most: int = TEXT_BYTES) -> str:
        return self.utf8(self.length(most)).decode()

    def packable(self) -> Any:
        """A text that may be packed, as bytes."""
        at = self.at
        head = self.varint()
        self.spend("typed", head >> 1, at)
        return self.packed(head, at)

    def packable_of_snapshot(self) -> Any:
        at = self.at
        head = self.varint()
        if head >> 1 > SNAPSHOT_BYTES:
            raise Refused("tooLarge", at)
        if head & 1:
            self.spend("unfolded", head >> 1, at)
        return self.packed(head, at)

    def packed(self, head: int, at: int) -> Any:
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

    def value(self) -> Any:
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

    def kind(self) -> int:
        at = self.at
        kind = self.u8()
        if kind >= len(KINDS):
            raise Refused("malformed", at, f"kind {kind}")
        return kind

    def key(self) -> Any:
        at = self.at
        head = self.varint()
        if head & 3 == 0:
            return "name", self.utf8(self.length(KEY_BYTES, head >> 2, at))
        if head & 3 == 2:
            return "bytes", self.take(self.length(KEY_BYTES, head >> 2, at))
        if head not in (1, 3):
            raise Refused("malformed", at, f"key {head}")
        return ("integer", self.svarint()) if head == 1 else ("element", self.dot())

    def object_id(self) -> Any:
        at = self.at
        form = self.u8()
        if form == 0:
            return ROOT
        if form == 1:
            return assigned_id(self.dot())
        if form == 2:
            return self.bare_id()
        raise Refused("malformed", at, f"object id {form}")

    def bare_id(self) -> Any:
        at = self.at
        high, low = self.u64(), self.u64()
        if not low >> 63 or high << 64 | low == ROOT:
            raise Refused("malformed", at, "not a derived id")
        return high << 64 | low

    def counter(self) -> int:
        at = self.at
        return checked_counter(self.varint(), at)

    def dot(self) -> tuple[int, int]:
        return self.u64(), self.counter()

    def version(self) -> Any:
        at = self.at
        count = self.count(9, DOTS)
        self.spend("dots", count, at)
        dots: list[tuple[int, int]] = []
        for _ in range(count):
            at = self.at
            dot = self.dot()
            if dots and dot[0] <= dots[-1][0]:
                raise Refused("outOfOrder", at)
            dots.append(dot)
        return dots


def checked_utf8(data: bytes, at: int) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("malformed", at, "not UTF-8") from None
    return bytes(data)


def checked_counter(counter: int, at: int) -> int:
    if not 1 <= counter <= COUNTER_MAX:
        raise Refused("malformed", at, "counter")
    return counter


# How content is written as JSON


def show_dot(dot: tuple[int, int]) -> str:
    return f"{dot[0]:016x}:{dot[1]}"


def show_dots(dots: list[tuple[int, int]]) -> list[str]:
    return [show_dot(dot) for dot in dots]


def show_key(key: Any) -> Any:
    form, name = key
    if form == "element":
        return {form: show_dot(name)}
    return {form: name.decode() if form == "name" else str(name) if form == "integer" else name.hex()}


def show_edge(edge: tuple[int, tuple[int, int]]) -> Any:
    side, item = edge
    return {"side": ["left", "right"][side], "item": show_dot(item)}

