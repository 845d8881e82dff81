"""Reads messages, published frames and presence (wire-format.md, "Messages", "Published frames" and "Presence")."""
from __future__ import annotations

import re
from typing import Any

from .notation import (
    ENDPOINTS, EQUIVOCATIONS, FORGOTTEN, FRAME_BYTES, LACKING, MEMBERS, MEMBER_ENDPOINTS, MEMBER_ENDPOINT_BYTES,
    PRESENCE_BYTES, PRESENCE_KEY, PRESENCE_MS, PRESENCE_NOTICES, SHARDS, SNAPSHOT_BYTES, TEXT_BYTES, WRITERS,
    WRITER_NAME_BYTES,
    Reader, Refused, show_dot, show_dots)

def published(data: bytes) -> Any:
    r = Reader(data)
    topic, stream, sequence = r.u32(), r.u32(), r.varint()
    return {"topic": str(topic), "stream": str(stream), "sequence": str(sequence), "payload": r.take(r.rest).hex()}


def presence(data: bytes) -> Any:
    r = Reader(data, PRESENCE_BYTES)
    name = document(r)
    notices = [presence_notice(r) for _ in range(r.count(13, PRESENCE_NOTICES))]
    return r.finish({"document": name, "notices": notices})


def presence_notice(r: Reader) -> Any:
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



def message(data: bytes) -> dict[str, Any]:
    r = Reader(data)
    kind: int = r.varint()
    if kind == 0:
        raise Refused("malformed", 0, "kind 0")
    if kind not in MESSAGES:
        return {"message": "unknown", "kind": str(kind)}
    shown: Any = {"message": MESSAGES[kind].__name__} | MESSAGES[kind](r)
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
    return dict(shown)


def hello(r: Reader) -> Any:
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
        "relays": bool(flags & 2), "grantsLeases": bool(flags & 8), "wantsReply": bool(flags & 4),
        "isMeshPeer": bool(flags & 16),
    }


def have(r: Reader) -> Any:
    shown: Any = {"document": document(r), "version": show_dots(r.version())}
    at = r.at
    flags = r.u8()
    if flags & ~3:
        raise Refused("malformed", at, "flags")
    shown["position"] = position(r) if flags & 1 else None
    shown["digest"] = f"{r.u64():016x}{r.u64():016x}" if flags & 2 else None
    return shown


def notice(r: Reader, length: int) -> Any:
    if length > TEXT_BYTES:
        raise Refused("tooLarge", r.at)
    return r.utf8(length).decode()


def arriving(r: Reader, _: int) -> Any:
    return {"byteCount": str(r.varint()), "wholeByteCount": str(r.varint())}


def want(r: Reader) -> Any:
    shown: Any = {"document": document(r), "request": below(r, 32), "version": show_dots(r.version())}
    at = r.at
    flags = r.u8()
    if flags & ~3:
        raise Refused("malformed", at, "flags")
    shown["wantsState"] = bool(flags & 1)
    shown["begun"] = {"checksum": f"{r.u64():016x}", "byteCount": str(r.varint())} if flags & 2 else None
    return shown


def changes(r: Reader) -> Any:
    return {"document": document(r), "request": below(r, 32), "batch": r.counted().hex()}


def paths(r: Reader) -> Any:
    return changes(r)


def lacking(r: Reader, _: int) -> Any:
    return [show_dot(r.dot()) for _ in range(r.count(9, LACKING))]


def snapshot(r: Reader) -> Any:
    shown: Any = {"document": document(r), "request": below(r, 32), "checksum": f"{r.u64():016x}"}
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


def resume(r: Reader) -> Any:
    return {
        "document": document(r), "request": below(r, 32), "version": show_dots(r.version()), "position": position(r),
        "tables": r.counted().hex(),
    }


def live(r: Reader) -> Any:
    return {"frame": r.counted().hex()}


def acknowledge(r: Reader) -> Any:
    return {"document": document(r), "version": show_dots(r.version())}


def refuse(r: Reader) -> Any:
    code = below(r, 16)
    return {"code": code if code <= 5 else 0, "explanation": r.text()}


def goodbye(r: Reader) -> Any:
    return {}


def credit(r: Reader) -> Any:
    return {"document": document(r), "request": below(r, 32), "byteCount": str(r.varint())}


def lease(r: Reader) -> Any:
    return about_lease(r, "asks", ["one", "goOn", "giveBack"], "one")


def leased(r: Reader) -> Any:
    return about_lease(r, "answer", ["granted", "nothing", "over", "returned"], "nothing")


def about_lease(r: Reader, member: str, words: list[str], without: str) -> Any:
    shown: Any = {"document": document(r)}
    at = r.at
    word = r.u8()
    if word >= len(words):
        raise Refused("malformed", at, member)
    shown[member] = words[word]
    shown["grant"] = None if words[word] == without else grant(r)
    return shown


def grant(r: Reader) -> Any:
    shown: Any = {"replica": f"{r.u64():016x}", "number": str(r.varint())}
    at = r.at
    counter = r.varint()
    if counter >> 63:
        raise Refused("malformed", at, "a counter of 64 bits")
    return shown | {"counter": str(counter)}


def forget(r: Reader) -> Any:
    shown: Any = []
    for _ in range(r.count(2, FORGOTTEN)):
        at = r.at
        name = document(r)
        if shown and shown[-1].encode() >= name.encode():
            raise Refused("outOfOrder", at, "documents")
        shown.append(name)
    return {"documents": shown}


def members(r: Reader) -> Any:
    shown: list[Any] = []
    last: Any = -1
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


def writers(r: Reader) -> Any:
    shown: list[Any] = []
    last: Any = -1
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


def generation(r: Reader, _: int) -> Any:
    at = r.at
    number = below(r, 48)
    if number == 0:
        raise Refused("malformed", at, "generation 0")
    return str(number)


def known_start(r: Reader, _: int) -> Any:
    return {"generation": generation(r, _), "epoch": f"{r.u64():016x}"}


def shard(r: Reader, _: int) -> Any:
    at = r.at
    number, count = r.varint(), r.varint()
    if not 1 <= number <= count <= SHARDS:
        raise Refused("malformed", at, f"shard {number} of {count}")
    return f"{number}/{count}"


def equivocations(r: Reader) -> Any:
    shown: list[Any] = []
    last: Any = None
    for _ in range(r.count(11, EQUIVOCATIONS)):
        at = r.at
        dot = r.dot()
        name = document(r)
        if last is not None and (dot, name.encode()) <= last:
            raise Refused("outOfOrder", at, "equivocations")
        last = (dot, name.encode())
        shown.append({"dot": show_dot(dot), "document": name})
    return {"equivocations": shown}


def evidence(r: Reader) -> Any:
    return {"document": document(r), "batch": r.counted().hex()}


def heartbeat(r: Reader) -> Any:
    return {"count": str(r.varint())}


def disown(r: Reader) -> Any:
    return {"document": document(r), "replica": f"{r.u64():016x}"}


def endpoints(r: Reader) -> Any:
    return [r.utf8(r.length(MEMBER_ENDPOINT_BYTES)).decode() for _ in range(r.count(1, MEMBER_ENDPOINTS))]


MESSAGES: dict[int, Any] = dict(enumerate(
    [hello, have, want, changes, snapshot, resume, live, acknowledge, refuse, goodbye, credit, lease, leased], start=1))
MESSAGES |= {14: members, 16: writers, 17: disown, 18: forget, 19: paths, 20: equivocations, 21: evidence}
MESSAGES |= {22: heartbeat}
LATER_FIELDS: dict[int, Any] = {
    1: {1: ("notice", notice), 2: ("generation", generation), 3: ("knownStart", known_start),
        4: ("shard", shard)},
    2: {1: ("arriving", arriving)},
    3: {1: ("takesOwnOnly", lambda r, _: True), 2: ("lacking", lacking),
        3: ("keptByteCount", lambda r, _: str(r.varint()))},
    8: {1: ("behind", lambda r, _: show_dots(r.version()))}}


def document(r: Reader) -> str:
    at = r.at
    count = r.length(FRAME_BYTES)
    if not 1 <= count <= 200:
        raise Refused("malformed", at, "name of a document")
    return r.utf8(count).decode()


def below(r: Reader, bits: int) -> int:
    at = r.at
    number = r.varint()
    if number >> bits:
        raise Refused("malformed", at, f"more than {bits} bits")
    return number


def position(r: Reader) -> Any:
    return {"stream": str(r.u32()), "sequence": str(r.varint())}

