"""What the users of the text cases and of crdt-benchmarks do, edit by edit: drawn as EditScript.swift and
CRDTBenchmarks.swift draw it, so that every system does the same work.

An edit of a text is (position, deleted, inserted), one of a list (position, values).
"""
import struct

EDITS = 6000
USERS = 1540


def trace(path):
    """The edits of a file as data/trace.py writes it, and the text that they end in."""
    with open(path, "rb") as file:
        data = file.read()
    _, count, end_bytes = struct.unpack_from("<BII", data, 4)
    place = 13 + end_bytes
    edits = []
    for _ in range(count):
        position, deleted, inserted_bytes = struct.unpack_from("<III", data, place)
        place += 12
        edits.append((position, deleted, data[place : place + inserted_bytes].decode()))
        place += inserted_bytes
    return edits, data[13 : 13 + end_bytes].decode()


class Random32:
    """Marsaglia's xorshift32, as in Random32.swift."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.state = x
        return x

    def below(self, bound):
        return (self.next() >> 8) % bound

    def letters(self, count):
        return "".join(chr(97 + self.below(26)) for _ in range(count))

    def word(self):
        return self.letters(3 + self.below(7))


def tree(node_count, move_count, seed, anywhere=False):
    """The parent below which each node begins, None for the root; and moves as (node, target). As TreeScript."""
    random, parents, moves = Random32(1), [], []
    for node in range(node_count):
        place = random.below(node + 1)
        parents.append(None if place == node else place)
    standing, random = list(parents), Random32(seed)
    while len(moves) < move_count:
        node = 1 + random.below(node_count - 1)
        target = random.below(node_count if anywhere else node)
        ancestor = target
        while ancestor is not None and ancestor != node:
            ancestor = standing[ancestor]
        if ancestor is None:
            standing[node] = target
            moves.append((node, target))
    return parents, moves


class Script:
    def __init__(self, kind, edits):
        self.kind = kind
        self.edits = edits


def append(count, seed):
    random = Random32(seed)
    return Script("text", [(place, 0, random.letters(1)) for place in range(count)])


def insert_whole(count, seed):
    return Script("text", [(0, 0, Random32(seed).letters(count))])


def prepend(count, seed):
    random = Random32(seed)
    return Script("text", [(0, 0, random.letters(1)) for _ in range(count)])


def insert_anywhere(count, seed, length=0):
    random = Random32(seed)
    return Script("text", [(random.below(length + place + 1), 0, random.letters(1)) for place in range(count)])


def insert_words(count, seed, length=0):
    random, edits = Random32(seed), []
    for _ in range(count):
        position, word = random.below(length + 1), random.word()
        length += len(word)
        edits.append((position, 0, word))
    return Script("text", edits)


def insert_and_delete(count, seed):
    return Script("text", [(0, 0, Random32(seed).letters(count)), (0, count, "")])


def mixed(count, seed, length=0):
    random, edits = Random32(seed), []
    for _ in range(count):
        position = random.below(length + 1)
        if position == length or random.below(2) == 0:
            word = random.word()
            length += len(word)
            edits.append((position, 0, word))
        else:
            deleted = min(length - position, 1 + random.below(9))
            length -= deleted
            edits.append((position, deleted, ""))
    return Script("text", edits)


def append_numbers(count):
    return Script("list", [(place, [place]) for place in range(count)])


def insert_numbers_whole(count):
    return Script("list", [(0, list(range(count)))])


def prepend_numbers(count):
    return Script("list", [(0, [place]) for place in range(count)])


def insert_numbers_anywhere(count, seed):
    random = Random32(seed)
    return Script("list", [(random.below(place + 1), [place]) for place in range(count)])


def edits(quick):
    return EDITS // 20 if quick else EDITS


def users(quick):
    return USERS // 20 if quick else USERS


ONE_USER = {
    "b1.1": lambda quick: append(edits(quick), 1),
    "b1.2": lambda quick: insert_whole(edits(quick), 2),
    "b1.3": lambda quick: prepend(edits(quick), 3),
    "b1.4": lambda quick: insert_anywhere(edits(quick), 4),
    "b1.5": lambda quick: insert_words(edits(quick), 5),
    "b1.6": lambda quick: insert_and_delete(edits(quick), 6),
    "b1.7": lambda quick: mixed(edits(quick), 7),
    "b1.8": lambda quick: append_numbers(edits(quick)),
    "b1.9": lambda quick: insert_numbers_whole(edits(quick)),
    "b1.10": lambda quick: prepend_numbers(edits(quick)),
    "b1.11": lambda quick: insert_numbers_anywhere(edits(quick), 11),
}

# What both begin with, and what each of them does.
TWO_USERS = {
    "b2.1": lambda quick: (insert_whole(100, 20), [insert_whole(edits(quick), seed) for seed in (21, 22)]),
    "b2.2": lambda quick: (insert_whole(100, 20), [insert_anywhere(edits(quick), seed, 100) for seed in (21, 22)]),
    "b2.3": lambda quick: (insert_whole(100, 20), [insert_words(edits(quick), seed, 100) for seed in (21, 22)]),
    "b2.4": lambda quick: (insert_whole(100, 20), [mixed(edits(quick), seed, 100) for seed in (21, 22)]),
}

# What each sets under one key of a map, or inserts at the beginning of a list.
MANY_USERS = {
    "b3.1": lambda quick: [("map", number) for number in range(users(quick))],
    "b3.2": lambda quick: [("map", {"address": "here", "name": str(number)}) for number in range(users(quick))],
    "b3.3": lambda quick: [("map", Random32(number + 1).letters(77)) for number in range(users(quick))],
    "b3.4": lambda quick: [("list", str(number)) for number in range(users(quick))],
}
