#!/usr/bin/env python3
"""A second reader of the Starling wire format, written from ../wire-format.md.

usage: decode.py VECTORS        decodes VECTORS/accept and VECTORS/reject, prints "N passed, M failed"
       decode.py KIND HEX       decodes one message, batch, snapshot, published frame or presence and prints it as JSON

Needs nothing but Python's standard library. The reader is that of the Python peer, Examples/Python/src/starling_peer/wire,
whose functions are named after the part of the page that they read.
"""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Examples" / "Python" / "src"))
from starling_peer.wire import Refused, Stream, batch, message, presence, published, snapshot  # noqa: E402

SUBJECTS = {
    "message": message, "batch": batch, "published": published, "presence": presence, "snapshot": snapshot,
}


def content(vector: dict[str, Any]) -> Any:
    if vector["kind"] != "stream":
        return SUBJECTS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    stream = Stream.from_tables(bytes.fromhex(vector["tables"])) if "tables" in vector else Stream()
    payloads = [stream.decode(bytes.fromhex(payload)) for payload in vector["payloads"]]
    return payloads[vector.get("contentStart", 0):]


def fault(path: Path, vector: dict[str, Any]) -> str | None:
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


def main(arguments: list[str]) -> int:
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
