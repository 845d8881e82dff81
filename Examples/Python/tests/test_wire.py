"""The readers read every vector, and what the writer writes the readers read back."""
import dataclasses
import json
import os
import random
import unittest
from pathlib import Path

from starling_peer import wire
from starling_peer.values import Change, change_from, value_from
from starling_peer.wire import writer

VECTORS = Path(os.environ.get("STARLING_VECTORS", Path(__file__).resolve().parents[3] / "Protocol" / "vectors"))
READERS = {
    "message": wire.message, "batch": wire.batch, "published": wire.published, "presence": wire.presence,
    "snapshot": wire.snapshot,
}


def vectors(folder, kind=None):
    paths = sorted((VECTORS / folder).glob("*.json"))
    assert paths, f"There are no vectors in {VECTORS / folder}; name their folder with STARLING_VECTORS."
    for path in paths:
        vector = json.loads(path.read_text(encoding="utf-8"))
        if kind in (None, vector["kind"]):
            yield path.stem, vector


def content(vector):
    if vector["kind"] != "stream":
        return READERS[vector["kind"]](bytes.fromhex(vector["bytes"]))
    stream = wire.Stream.from_tables(bytes.fromhex(vector["tables"])) if "tables" in vector else wire.Stream()
    return [stream.decode(bytes.fromhex(payload)) for payload in vector["payloads"]][vector.get("contentStart", 0):]


class AReader(unittest.TestCase):
    def test_accepts_what_every_reader_accepts(self):
        for name, vector in vectors("accept"):
            with self.subTest(name):
                self.assertEqual(content(vector), vector["content"])

    def test_refuses_what_every_reader_refuses_by_code_and_offset(self):
        for name, vector in vectors("reject"):
            with self.subTest(name):
                with self.assertRaises(wire.Refused) as raised:
                    content(vector)
                self.assertEqual((raised.exception.code, raised.exception.offset), (vector["code"], vector["offset"]))


def changes_of_vectors():
    for name, vector in vectors("accept"):
        if vector["kind"] == "batch":
            yield name, [change_from(each) for each in vector["content"]]
        elif vector["kind"] == "stream":
            yield name, [change_from(each) for payload in vector["content"] for each in payload]


class AWriter(unittest.TestCase):
    def test_writes_values_as_the_vectors_spell_them(self):
        for name, vector in vectors("accept", "batch"):
            with self.subTest(name):
                for change in vector["content"]:
                    for operation in change["operations"]:
                        if "set" in operation:
                            spelled = writer.value(value_from(operation["set"])).hex()
                            self.assertIn(spelled, vector["bytes"])

    def test_writes_batches_that_say_the_same(self):
        for name, changes in changes_of_vectors():
            with self.subTest(name):
                read = [without_list(change_from(each)) for each in wire.batch(writer.batch(changes))]
                self.assertEqual(read, [without_list(each) for each in changes])

    def test_writes_tables_with_which_a_reader_joins(self):
        seed = random.randrange(1 << 32)
        dice = random.Random(seed)
        for name, changes in changes_of_vectors():
            with self.subTest(name, seed=seed):
                stream = writer.StreamWriter()
                place = dice.randint(0, len(changes))
                for change in changes[:place]:
                    stream.change(change)
                reader = wire.Stream.from_tables(stream.tables())
                for change in changes[place:]:
                    (read,) = reader.decode(stream.change(change))
                    self.assertEqual(without_list(change_from(read)), without_list(change))

    def test_writes_messages_as_the_vectors_spell_them(self):
        self.assertEqual(wire.message(writer.want("a", 7, {1: 2}, True))["wantsState"], True)
        self.assertEqual(wire.message(writer.have("a", {1: 2}, 3, 4))["position"], {"stream": "3", "sequence": "4"})
        self.assertEqual(wire.message(writer.refuse(2, "why")), {"message": "refuse", "code": 2, "explanation": "why"})
        self.assertEqual(wire.message(writer.lease("a", writer.GIVES_BACK, (1, 2, 3)))["asks"], "giveBack")
        self.assertEqual(wire.message(writer.credit("a", 1, 2))["byteCount"], "2")
        self.assertEqual(wire.message(writer.heartbeat(300)), {"message": "heartbeat", "count": "300"})
        self.assertEqual(writer.topic("library").hex(), "f741d29e")


def without_list(change: Change) -> Change:
    """Some vectors list other objects than the operations touch, which this writer does not do."""
    return dataclasses.replace(change, objects=())


if __name__ == "__main__":
    unittest.main()
