"""What merges into what, and what a writer writes."""
import random
import unittest

from test_wire import vectors

from starling_peer import wire
from starling_peer.digest import digest
from starling_peer.document import DICTIONARY, LIST, MAP, SET, TEXT, Document, MergeError
from starling_peer.reading import View
from starling_peer.values import ROOT, Key, Value, change_from, value_of
from starling_peer.wire import writer
from starling_peer.writing import Transaction


class Replica:
    """A document under a replica id, with a clock that the test holds."""

    def __init__(self, id, log):
        self.id, self.document, self.log, self.now, self.last_stamp = id, Document(), log, 1000, 0

    def write(self, body):
        transaction = Transaction(self.document, self.id, self.now, self.last_stamp)
        body(transaction)
        change = transaction.finish()
        if change is not None:
            self.last_stamp = change.stamp
            (read,) = wire.batch(writer.batch([change]))
            assert change_from(read) == change
            self.log.append(change)

    def catch_up(self):
        pending = list(self.log)
        while pending:
            waiting = [each for each in pending if self.document.lacks(each)]
            for each in pending:
                if not self.document.lacks(each):
                    self.document.merge(each)
            assert len(waiting) < len(pending), "nothing can merge"
            pending = waiting

    def plain(self):
        view = View(self.document)
        return view.plain(self.document.objects[ROOT])


class ADigest(unittest.TestCase):
    def test_is_that_of_the_page(self):
        replica = Replica(0x0102030405060708, [])

        def body(transaction):
            transaction.assign(ROOT, Key.named("title"), value_of("Dune"))
            transaction.add(ROOT, Key.named("copies"), -2)

        replica.now = 1
        replica.write(body)
        document = Document()
        (change,) = replica.log
        document.merge(change.__class__(change.replica, 1, 1000 << 16, (), (), change.operations))
        self.assertEqual(f"{digest(document):032x}", "14aae8a124992ddad11c197a032b79eb")

    def test_counts_what_stands_in_a_state(self):
        refused = []
        for name, vector in vectors("accept", "snapshot"):
            try:
                document = Document.from_state(vector["content"])
            except MergeError:
                refused.append(name)
                continue
            with self.subTest(name):
                before = digest(document)
                document.latest_stamp += 1
                self.assertNotEqual(digest(document), before)
        # Their bytes are right, and their marks rest on items that they do not have.
        self.assertEqual(refused, ["snapshot-drawn-0", "snapshot-drawn-1", "snapshot-text"])


class ADocument(unittest.TestCase):
    def test_shows_the_later_write_and_keeps_the_other_as_a_conflict(self):
        log = []
        a, b = Replica(1, log), Replica(2, log)
        b.now = 2000
        a.write(lambda transaction: transaction.assign(ROOT, Key.named("x"), value_of("from a")))
        b.write(lambda transaction: transaction.assign(ROOT, Key.named("x"), value_of("from b")))
        for replica in (a, b):
            replica.catch_up()
            values = [value.content for _, value in View(replica.document).entries(ROOT, Key.named("x"))]
            self.assertEqual(values, ["from b", "from a"])
        a.write(lambda transaction: transaction.assign(ROOT, Key.named("x"), value_of("from b")))
        b.catch_up()
        self.assertEqual(len(View(b.document).entries(ROOT, Key.named("x"))), 1)

    def test_adds_increments_of_all_writers_and_clears_those_that_were_seen(self):
        log = []
        a, b = Replica(1, log), Replica(2, log)
        a.write(lambda transaction: transaction.add(ROOT, Key.named("n"), 3))
        b.write(lambda transaction: transaction.add(ROOT, Key.named("n"), -1))
        a.catch_up()
        self.assertEqual(a.plain(), {"n": 2})
        a.write(lambda transaction: transaction.remove(ROOT, Key.named("n")))
        b.write(lambda transaction: transaction.add(ROOT, Key.named("n"), 5))
        b.catch_up()
        self.assertEqual(b.plain(), {})

    def test_refuses_a_change_that_names_what_its_writer_cannot_have_seen(self):
        log = []
        a = Replica(1, log)
        a.write(lambda transaction: transaction.assign(ROOT, Key.named("x"), value_of(1)))
        (change,) = log
        operation = change.operations[0].__class__(ROOT, Key.named("x"), value_of(1), ((9, 9),))
        with self.assertRaises(MergeError):
            Document().merge(change.__class__(1, 1, change.stamp, (), (), (operation,)))

    def test_writes_plain_values_as_objects(self):
        log = []
        a, b = Replica(1, log), Replica(2, log)
        value = {"name": "home", "items": [{"name": "milk", "count": 2}, "bread"], "empty": [], "none": None}
        a.write(lambda transaction: transaction.put(ROOT, Key.named("list"), value))
        a.write(lambda transaction: transaction.put(ROOT, Key.named("list"), {**value, "items": ["bread", {"a": 1.5}]}))
        b.catch_up()
        self.assertEqual(b.plain(), {"list": {**value, "items": ["bread", {"a": 1.5}]}})

    def test_holds_texts_that_two_write_at_once(self):
        log = []
        a, b = Replica(1, log), Replica(2, log)
        a.write(lambda t: t.insert(t.derived(ROOT, Key.named("text"), TEXT), 0, "hello"))
        b.catch_up()
        a.write(lambda t: t.insert(t.derived(ROOT, Key.named("text"), TEXT), 5, " world"))
        b.write(lambda t: t.remove_text(t.derived(ROOT, Key.named("text"), TEXT), 0, 1))
        b.write(lambda t: t.insert(t.derived(ROOT, Key.named("text"), TEXT), 0, "J"))
        for replica in (a, b):
            replica.catch_up()
            self.assertEqual(replica.plain(), {"text": "Jello world"})


class DrawnReplicas(unittest.TestCase):
    def test_agree_whatever_the_order(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        dice = random.Random(seed)
        for world in range(150):
            log = []
            replicas = [Replica(number + 1, log) for number in range(3)]
            for replica in replicas:
                replica.now = dice.randrange(1000, 1010)
            for _ in range(dice.randrange(4, 25)):
                replica = dice.choice(replicas)
                if dice.random() < 0.4:
                    replica.catch_up()
                replica.write(lambda transaction: self.draw(transaction, dice))
            digests = set()
            for replica in replicas:
                replica.catch_up()
                digests.add((digest(replica.document), str(replica.plain())))
            self.assertEqual(len(digests), 1, f"world {world} of seed {seed}")

    def draw(self, transaction, dice):
        name = Key.named(dice.choice("abc"))
        match dice.randrange(8):
            case 0: transaction.assign(ROOT, name, value_of(dice.randrange(3)))
            case 1: transaction.add(ROOT, name, dice.randrange(-2, 3))
            case 2: transaction.remove(ROOT, name)
            case 3: transaction.assign(transaction.derived(ROOT, name, SET).id, Key.named(dice.choice("xy")), Value("bool", True))
            case 4: transaction.assign(transaction.derived(ROOT, name, DICTIONARY).id, Key(1, dice.randrange(2)), value_of("v"))
            case 5:
                text = transaction.derived(ROOT, name, TEXT)
                transaction.insert(text, dice.randint(0, len(text.sequence.visible())), dice.choice(["p", "qr"]))
                if dice.random() < 0.5:
                    transaction.remove_text(text, 0, 1)
            case 6:
                things = transaction.derived(ROOT, name, LIST)
                transaction.insert(things, dice.randint(0, len(things.sequence.visible())), (value_of(1), Value("object", MAP)))
                if dice.random() < 0.3:
                    place = things.sequence.visible()[0]
                    transaction.remove(things.id, Key(3, things.sequence.items[place].element))
            case 7: transaction.put(ROOT, name, dice.choice([[1, 2], {"k": 1}, "s"]))


if __name__ == "__main__":
    unittest.main()
