#!/usr/bin/env python3
"""Makes the file from which the text cases take their edits; the standard library is enough.

usage: trace.py OUTPUT [TRACE.json.gz]

TRACE is {"startContent": "", "endContent": ..., "txns": [{"patches": [[position, deleted, inserted], ...]}, ...]}.
Without one, OUTPUT gets a trace of the same shape, drawn from a seed: 260,000 edits of one character each, typing and
backspaces in runs with jumps between, that end in about 105,000 characters.

The file, all numbers little-endian, all positions in Unicode scalars:

    offset  size
    0       4     "TRC1"
    4       1     1 if the trace is synthetic, else 0
    5       4     how many edits
    9       4     how many bytes the text at the end has
    13            that text, UTF-8
    then of each edit: position (4), scalars deleted there (4), bytes inserted there (4), those bytes
"""
import gzip
import json
import os
import random
import struct
import sys

SEED = 42
EDITS = 260_000
TYPING_MEAN = 29
# How much is taken back after a run of typing.
DELETING_MEAN = 12.9
LETTERS = "etaoinshrdlucmfwypvbgkjqxz"


def recorded(path):
    with gzip.open(path) as file:
        trace = json.load(file)
    if trace["startContent"]:
        raise SystemExit(f"{path} does not begin with an empty text")
    edits = [tuple(patch) for transaction in trace["txns"] for patch in transaction["patches"]]
    return edits, trace["endContent"]


def synthetic():
    draw = random.Random(SEED).random
    text, edits, place = bytearray(), [], 0
    while len(edits) < EDITS:
        # Mostly near by, now and then anywhere.
        if draw() < 0.1:
            place = int(draw() * (len(text) + 1))
        else:
            place = max(0, min(len(text), place + int((draw() - 0.5) * 60)))
        for _ in range(min(EDITS - len(edits), 1 + int(draw() * 2 * TYPING_MEAN))):
            letter = " " if draw() < 0.17 else LETTERS[int(draw() * draw() * len(LETTERS))]
            edits.append((place, 0, letter))
            text[place:place] = letter.encode()
            place += 1
        for _ in range(min(EDITS - len(edits), place, int(draw() * 2 * DELETING_MEAN))):
            place -= 1
            edits.append((place, 1, ""))
            del text[place]
    return edits, text.decode()


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    edits, end = recorded(sys.argv[2]) if len(sys.argv) == 3 else synthetic()
    end = end.encode()
    parts = [b"TRC1", struct.pack("<BII", len(sys.argv) == 2, len(edits), len(end)), end]
    for position, deleted, inserted in edits:
        inserted = inserted.encode()
        parts += [struct.pack("<III", position, deleted, len(inserted)), inserted]
    # Whole or not at all: a run that was broken off leaves nothing that passes for a trace.
    with open(sys.argv[1] + ".new", "wb") as file:
        file.write(b"".join(parts))
    os.replace(sys.argv[1] + ".new", sys.argv[1])


if __name__ == "__main__":
    main()
