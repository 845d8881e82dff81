#!/usr/bin/env python3
"""Does the benchmarks' work with the systems that a user would pick instead.

usage: peers.py [--quick] CASE...
prints one line a peer and case: {"case": "document-set", "peer": "yrs", "value": 1920.5}

The text cases take their edits from the file that STARLING_TEXT_TRACE names (data/trace.py draws its shape). With
--quick the cases of crdt-benchmarks have a twentieth of their size, and everything is done once.

Units are those of the case (nanoseconds an operation, milliseconds, bytes). Every figure is the median of SAMPLES
samples, or of as many as fit into ten seconds. Calls go to the native modules as directly as the wheels allow; a trivial call costs 30 to 70 ns there. Where a line
has "glue", so many nanoseconds an operation are Python's, and were subtracted; elsewhere they are part of the figure. A peer that is not installed is left out.
"""
import gc
import json
import os
import statistics
import sys
import time

import scripts

QUICK = "--quick" in sys.argv
SAMPLES = 1 if QUICK else 5
CLIENTS = 1540
ALL = 100_000


def workload(count, keys=1000):
    """The sets that every system does: xorshift32 from 42."""
    x = 42
    for _ in range(count):
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        number = (x >> 12) % 1000
        yield "k%d" % (x % keys), number if x >> 9 & 1 else "v%d" % number


def many_keys():
    return [("key%d" % i, i if i & 1 else "value%d" % i) for i in range(ALL)]


class Yrs:
    """pycrdt's native module; its transactions are explicit."""

    name = "yrs"

    def __init__(self):
        from pycrdt import _pycrdt

        self.native = _pycrdt
        self.kept = []

    def document(self, client):
        return self.native.Doc(client, None, None)

    def map(self, document):
        transaction = document.create_transaction()
        found = document.get_or_insert_map(transaction, "m")
        self.end(transaction)
        return found

    def text(self, document):
        transaction = document.create_transaction()
        found = document.get_or_insert_text(transaction, "t")
        self.end(transaction)
        return found

    def list(self, document):
        transaction = document.create_transaction()
        found = document.get_or_insert_array(transaction, "l")
        self.end(transaction)
        return found

    def end(self, transaction):
        transaction.commit()
        transaction.drop()

    def edit_each(self, document, edits):
        text, begin = self.text(document), document.create_transaction
        insert, remove = text.insert, text.remove_range
        for position, deleted, inserted in edits:
            transaction = begin()
            if deleted:
                remove(transaction, position, deleted)
            if inserted:
                insert(transaction, position, inserted)
            transaction.commit()
            transaction.drop()

    def insert_each(self, document, edits):
        insert, begin = self.list(document).insert, document.create_transaction
        for position, values in edits:
            transaction = begin()
            for offset, value in enumerate(values):
                insert(transaction, position + offset, value)
            transaction.commit()
            transaction.drop()

    def read(self, document):
        text, array, found = self.text(document), self.list(document), self.map(document)
        transaction = document.create_transaction()
        values = (text.get_string(transaction), array.to_json(transaction), found.to_json(transaction))
        self.end(transaction)
        return values

    def read_text(self, document):
        text, transaction = self.text(document), document.create_transaction()
        value = text.get_string(transaction)
        self.end(transaction)
        return value

    def set_each(self, document, sets):
        insert, begin = self.map(document).insert, document.create_transaction
        for key, value in sets:
            transaction = begin()
            insert(transaction, key, value)
            transaction.commit()
            transaction.drop()

    def set_at_once(self, document, sets):
        insert, transaction = self.map(document).insert, document.create_transaction()
        for key, value in sets:
            insert(transaction, key, value)
        self.end(transaction)

    def capture(self, document):
        updates = []
        self.kept.append(document.observe(lambda event: updates.append(event.update)))
        return updates

    def observe(self, document):
        seen = []
        for observed in (self.map(document), self.text(document)):
            self.kept += [observed, observed.observe(lambda event: seen.append(None))]
        return seen

    def export(self, document):
        transaction = document.create_transaction()
        update = document.get_update(transaction, b"\x00")
        self.end(transaction)
        return update

    state = file = export

    def apply(self, document, update):
        transaction = document.create_transaction()
        document.apply_update(transaction, update)
        self.end(transaction)

    def apply_at_once(self, document, updates):
        transaction, apply = document.create_transaction(), document.apply_update
        for update in updates:
            apply(transaction, update)
        self.end(transaction)

    def walk(self, document):
        found, transaction = self.map(document), document.create_transaction()
        count = len(json.loads(found.to_json(transaction)))
        self.end(transaction)
        return count

    def get(self, document, key):
        found, transaction = self.map(document), document.create_transaction()
        value = found.get(transaction, key)
        self.end(transaction)
        return value


class Loro:
    name = "loro"

    def __init__(self):
        import loro

        self.native = loro
        self.kept = []

    def document(self, client):
        document = self.native.LoroDoc()
        document.peer_id = client
        return document

    def edit_each(self, document, edits):
        text, commit = document.get_text("t"), document.commit
        insert, delete = text.insert, text.delete
        for position, deleted, inserted in edits:
            if deleted:
                delete(position, deleted)
            if inserted:
                insert(position, inserted)
            commit()

    def insert_each(self, document, edits):
        insert, commit = document.get_list("l").insert, document.commit
        for position, values in edits:
            for offset, value in enumerate(values):
                insert(position + offset, value)
            commit()

    def make_tree(self, document, parents):
        tree, nodes = document.get_tree("tree"), []
        for parent in parents:
            nodes.append(tree.create(None if parent is None else nodes[parent]))
        document.commit()
        return nodes

    def move_each(self, document, nodes, moves):
        mov, commit = document.get_tree("tree").mov, document.commit
        for node, target in moves:
            mov(nodes[node], nodes[target])
            commit()

    def read(self, document):
        return document.get_deep_value()

    def read_text(self, document):
        return document.get_text("t").to_string()

    def set_each(self, document, sets):
        insert, commit = document.get_map("m").insert, document.commit
        for key, value in sets:
            insert(key, value)
            commit()

    def set_at_once(self, document, sets):
        insert = document.get_map("m").insert
        for key, value in sets:
            insert(key, value)
        document.commit()

    def capture(self, document):
        updates = []

        def keep(update):
            updates.append(bytes(update))
            return True

        self.kept.append(document.subscribe_local_update(keep))
        return updates

    def observe(self, document):
        seen = []
        self.kept.append(document.subscribe_root(lambda event: seen.append(None)))
        return seen

    def export(self, document):
        return document.export(self.native.ExportMode.Updates(self.native.VersionVector()))

    def state(self, document):
        return document.export(self.native.ExportMode.StateOnly(None))

    def file(self, document):
        return document.export(self.native.ExportMode.Snapshot())

    def apply(self, document, update):
        document.import_(update)

    def apply_at_once(self, document, updates):
        document.import_batch(updates)

    def walk(self, document):
        return len(document.get_map("m").get_deep_value())

    def get(self, document, key):
        return document.get_map("m").get(key).value


def timed(work, clock=time.thread_time_ns):
    """How long this thread computed: waiting for a core that somebody else has does not count."""
    gc.collect()
    gc.disable()
    begin = clock()
    work()
    end = clock()
    gc.enable()
    return end - begin


def median(sample, count=SAMPLES):
    """Of fewer samples where they take long: some peers need a minute for one."""
    values, begin = [], time.monotonic()
    while len(values) < count and (not values or time.monotonic() - begin < 10):
        values.append(sample())
    return statistics.median(values)


GLUE_CALLS = {"yrs": 4, "loro": 2}


def glue(peer, operations, calls=None, is_observed=True):
    """Nanoseconds of all `operations` that are Python's: as many calls as each makes of a native function that does
    nothing, the loop around them, and, where that is observed, a callback written in Python that keeps what it is given."""
    document, kept = peer.document(1), []
    empty = document.guid if peer.name == "yrs" else document.is_detached
    calls, keep = range(calls or GLUE_CALLS[peer.name]), lambda update: kept.append(update)

    def work():
        for operation in operations:
            for _ in calls:
                empty()
            if is_observed:
                keep(operation)

    return median(lambda: timed(work))


def less(value, own):
    """A figure without what is Python's, which is printed beside."""
    return max(0, value - own), own


def less_glue(work):
    """The work's figures, each in nanoseconds an operation, without what is Python's."""

    def case(peer):
        own = glue(peer, list(workload(ALL))) / ALL
        return {name: less(value, own) for name, value in work(peer).items()}

    return case


def captured(peer):
    document = peer.document(1)
    updates = peer.capture(document)
    sets = list(workload(ALL))
    return timed(lambda: peer.set_each(document, sets)), updates


def set_captured(peer):
    return {"document-set": median(lambda: captured(peer)[0]) / ALL}


def message_observed(peer):
    updates = captured(peer)[1]

    def sample():
        document = peer.document(2)
        seen = peer.observe(document)

        def work():
            apply = peer.apply
            for update in updates:
                apply(document, update)

        duration = timed(work)
        assert len(seen) >= ALL * 0.99, len(seen)
        return duration

    return {"document-message": median(sample) / len(updates)}


def change_bytes(peer):
    updates = captured(peer)[1]
    return {"document-change-bytes": sum(map(len, updates)) / len(updates)}


def batch(peer):
    document = peer.document(1)
    peer.set_at_once(document, list(workload(ALL)))
    update = peer.export(document)

    def sample():
        other = peer.document(2)
        return timed(lambda: peer.apply(other, update))

    return {"document-batch-100k": median(sample) / 1e6}


def batch_of_changes(peer):
    document = peer.document(1)
    peer.set_each(document, list(workload(ALL)))
    update = peer.export(document)

    def sample():
        other = peer.document(2)
        return timed(lambda: peer.apply(other, update))

    return {"document-batch-100k-changes": median(sample) / 1e6}


def conflict(peer):
    updates = []
    for client in range(CLIENTS):
        document = peer.document(client + 1)
        captured = peer.capture(document)
        peer.set_at_once(document, [("v", client)])
        updates += captured

    def at_once():
        document = peer.document(5000)
        return timed(lambda: peer.apply_at_once(document, updates))

    def one_by_one():
        document = peer.document(5000)

        def work():
            for update in updates:
                peer.apply(document, update)

        return timed(work)

    return {"document-conflict-1540": median(at_once) / 1e6, "document-conflict-1540-stream": median(one_by_one) / 1e6}


def state_bytes(peer):
    document = peer.document(1)
    peer.set_each(document, list(workload(ALL)))
    return {"document-state-bytes-100k": len(peer.state(document))}


def keys(peer):
    document = peer.document(1)
    peer.set_at_once(document, many_keys())
    file = peer.file(document)
    opens, gets, sets, walks = [], [], [], []

    def opened():
        other = peer.document(2)
        opens.append(timed(lambda: peer.apply(other, file)))
        return other

    for _ in range(SAMPLES):
        other = opened()
        gets.append(timed(lambda: peer.get(other, "key777"), time.perf_counter_ns))
        assert peer.get(other, "key777") == 777
        other = opened()
        sets.append(timed(lambda: peer.set_each(other, [("key555", "round")]), time.perf_counter_ns))
        other = opened()
        walked = []
        walks.append(timed(lambda: walked.append(peer.walk(other)), time.perf_counter_ns))
        assert walked == [ALL]
    figures = {
        "open": statistics.median(opens) / 1e6,
        "first-get": statistics.median(gets) / 1e3,
        "first-set": statistics.median(sets) / 1e3,
        "walk": statistics.median(walks) / 1e6,
    }
    return {
        "document-keys-100k-file": len(file),
        **{prefix + name: value for name, value in figures.items() for prefix in ("keys-100k-", "document-keys-100k-")},
    }


def keys_written(peer):
    pairs = [("key%d" % i, "value%d" % i) for i in range(ALL)]

    def sample():
        document = peer.document(1)
        return timed(lambda: peer.set_at_once(document, pairs))

    # One call a key, and nothing is observed.
    return {"keys-100k-write": less(median(sample) / ALL, glue(peer, pairs, 1, is_observed=False) / ALL)}


def text(peer):
    edits, end = scripts.trace(os.environ["STARLING_TEXT_TRACE"])
    # Some need seconds for one sample.
    samples = min(SAMPLES, 3)
    written = []

    def local():
        document = peer.document(1)
        updates = peer.capture(document)
        duration = timed(lambda: peer.edit_each(document, edits))
        written[:] = document, updates
        return duration

    own = glue(peer, edits)
    found = {"document-text-local": less(median(local, samples) / 1e6, own / 1e6)}
    found["text-local"] = found["document-text-local"]
    document, updates = written
    assert peer.read_text(document) == end

    def messages():
        other = peer.document(2)
        seen = peer.observe(other)

        def work():
            apply = peer.apply
            for update in updates:
                apply(other, update)

        duration = timed(work)
        assert len(seen) >= len(updates) * 0.99 and peer.read_text(other) == end
        return duration

    # Of a message the calls are one, and the observer another.
    found["document-text-messages"] = less(median(messages, samples) / 1e6, glue(peer, updates, 1) / 1e6)

    def opened(data):
        def sample():
            read = []
            other = peer.document(2)

            def work():
                peer.apply(other, data)
                read.append(peer.read_text(other))

            duration = timed(work)
            assert read == [end]
            return duration

        return sample

    file, batch = peer.file(document), peer.export(document)
    found["document-text-load"] = median(opened(file)) / 1e6
    found["document-text-state"] = len(peer.state(document))
    found["document-text-file"] = len(file)

    def merged():
        other = peer.document(2)
        duration = timed(lambda: peer.apply(other, batch))
        assert peer.read_text(other) == end
        return duration

    found["document-text-batch"] = median(merged) / 1e6

    def loaded_and_edited():
        other = peer.document(2)

        def work():
            peer.apply(other, file)
            peer.edit_each(other, [(len(end) // 2, 0, "x")])

        return timed(work)

    found["text-load-edit"] = median(loaded_and_edited) / 1e6
    return found


def text_100(peer):
    """The paper typed a hundred times behind itself, a thousand edits in a transaction; then opened and edited."""
    # Yrs' wheel takes minutes for it.
    if peer.name != "loro":
        return {}
    edits, end = scripts.trace(os.environ["STARLING_TEXT_TRACE"])
    copies = 5 if QUICK else 100
    document = peer.document(1)

    def typed():
        insert, delete, commit = document.get_text("t").insert, document.get_text("t").delete, document.commit
        for copy in range(copies):
            begin = copy * len(end)
            for count, (position, deleted, inserted) in enumerate(edits, 1):
                if deleted:
                    delete(begin + position, deleted)
                if inserted:
                    insert(begin + position, inserted)
                if count % 1000 == 0:
                    commit()
            commit()

    time = timed(typed)
    own = copies * glue(peer, edits, 1, is_observed=False)
    file = peer.file(document)

    def first_edit():
        other = peer.document(2)
        peer.apply(other, file)
        return timed(lambda: peer.edit_each(other, [(copies * len(end) // 2, 0, "x")]))

    def opened():
        other = peer.document(2)
        return timed(lambda: peer.apply(other, file))

    return {
        "b4x100": less(time / 1e6, own / 1e6),
        "b4x100-open": median(opened) / 1e6,
        "b4x100-first-edit": median(first_edit) / 1e6,
    }


def play(peer, document, script):
    (peer.edit_each if script.kind == "text" else peer.insert_each)(document, script.edits)


def five(peer, name, time, update_bytes, document):
    """The figures of one case of crdt-benchmarks, but for the doing all taken of the resulting document."""
    states, parsed = [], []

    def encode():
        return timed(lambda: states.append(peer.state(document)))

    def parse():
        def work():
            other = peer.document(9)
            peer.apply(other, states[-1])
            parsed.append(peer.read(other))

        return timed(work)

    found = {
        name + "-time": time / 1e6,
        name + "-update-bytes": update_bytes,
        name + "-encode": median(encode) / 1e6,
        name + "-doc-bytes": len(states[-1]),
        name + "-parse": median(parse) / 1e6,
    }
    assert same(parsed[-1], peer.read(document)), name
    return found


def same(one, other):
    """Whether two readings are the same; maps are written as JSON in any order, and what is empty may be left out."""

    def plain(value):
        if isinstance(value, tuple):
            return [json.loads(part) if part[:1] in ("{", "[") else part for part in value]
        return {key: part for key, part in value.items() if part}

    return plain(one) == plain(other)


def one_user(name):
    script = scripts.ONE_USER[name](QUICK)

    def case(peer):
        results = []

        def sample():
            document, other = peer.document(1), peer.document(2)
            updates = peer.capture(document)

            def work():
                play(peer, document, script)
                for update in updates:
                    peer.apply(other, update)

            duration = timed(work)
            results[:] = other, updates
            assert same(peer.read(document), peer.read(other)), name
            return duration

        time = median(sample)
        return five(peer, name, time, sum(map(len, results[1])) / len(results[1]), results[0])

    return case


def two_users(name):
    first, plays = scripts.TWO_USERS[name](QUICK)

    def case(peer):
        beginner = peer.document(3)
        play(peer, beginner, first)
        begun = peer.export(beginner)
        results = []

        def sample():
            documents = [peer.document(1), peer.document(2)]
            for document in documents:
                peer.apply(document, begun)
            updates = [peer.capture(document) for document in documents]

            def work():
                for document, script in zip(documents, plays):
                    play(peer, document, script)
                mine, others = list(updates[0]), list(updates[1])
                # At once, which spares some of them a minute; Starling merges message by message.
                peer.apply_at_once(documents[0], others)
                peer.apply_at_once(documents[1], mine)
                results[:] = documents[0], mine + others

            duration = timed(work)
            assert same(peer.read(documents[0]), peer.read(documents[1])), name
            return duration

        time = median(sample)
        return five(peer, name, time, sum(map(len, results[1])) / len(results[1]), results[0])

    return case


def many_users(name):
    writes = scripts.MANY_USERS[name](QUICK)

    def case(peer):
        updates = []
        for client, (kind, value) in enumerate(writes):
            document = peer.document(client + 1)
            captured = peer.capture(document)
            if kind == "map":
                peer.set_at_once(document, [("v", value)])
            else:
                peer.insert_each(document, [(0, [value])])
            updates += captured
        assert len(updates) == len(writes)
        results = []

        def sample():
            document = peer.document(5000)

            results[:] = [document]
            # At once, as between two users.
            return timed(lambda: peer.apply_at_once(document, updates))

        time = median(sample)
        return five(peer, name, time, sum(map(len, updates)) / len(updates), results[0])

    return case


def figures(kind, names):
    """The five names of each case, all of them the same work."""
    return {
        "%s-%s" % (name, figure): work
        for name in names
        for work in [kind(name)]
        for figure in ("time", "update-bytes", "encode", "doc-bytes", "parse")
    }


def move(peer):
    if not hasattr(peer, "make_tree"):
        return {}
    parents, moves = scripts.tree((500 if QUICK else 10_000), (500 if QUICK else 10_000), 2)
    updates = []

    def written():
        document = peer.document(1)
        nodes = peer.make_tree(document, parents)
        found = peer.capture(document)
        duration = timed(lambda: peer.move_each(document, nodes, moves))
        updates[:] = found
        return duration

    def heard():
        first, document = peer.document(1), peer.document(2)
        peer.make_tree(first, parents)
        peer.apply(document, peer.export(first))
        peer.observe(document)

        def work():
            apply = peer.apply
            for update in updates:
                apply(document, update)

        return timed(work)

    return {"move": median(written) / len(moves), "move-observed": median(heard) / len(moves)}


def crossing(peer):
    if not hasattr(peer, "make_tree"):
        return {}
    size, count = (500 if QUICK else 10_000), (50 if QUICK else 1000) // 2

    def sample():
        first = peer.document(1)
        parents, _ = scripts.tree(size, 0, 3)
        nodes = peer.make_tree(first, parents)
        base, sides = peer.export(first), []
        for number, seed in ((2, 3), (3, 4)):
            document = peer.document(number)
            peer.apply(document, base)
            updates = peer.capture(document)
            peer.move_each(document, nodes, scripts.tree(size, count, seed, True)[1])
            sides.append((document, updates))

        def work():
            document, apply = sides[1][0], peer.apply
            for update in sides[0][1]:
                apply(document, update)

        return timed(work)

    return {"move-crossing": median(sample) / count}


def array_append(peer):
    # Yrs' wheel takes the first hundred thousand one by one, and all memory with them.
    if peer.name != "loro":
        return {}
    size, count = (5_000 if QUICK else 100_000), 100
    document = peer.document(1)
    peer.insert_each(document, [(0, list(range(size)))])
    place = size

    def sample():
        nonlocal place
        edits = [(place + offset, [offset]) for offset in range(count)]
        place += count
        # Each insertion is committed by itself, as `insert_each` does it.
        return timed(lambda: peer.insert_each(document, edits))

    return {"array-append": median(sample) / count / 1000}


CASES = {
    "array-append": array_append,
    "move": move,
    "move-observed": move,
    "move-crossing": crossing,
    "document-set": less_glue(set_captured),
    "document-message": less_glue(message_observed),
    "document-change-bytes": change_bytes,
    "document-batch-100k": batch,
    "document-batch-100k-changes": batch_of_changes,
    "document-conflict-1540": conflict,
    "document-conflict-1540-stream": conflict,
    "document-state-bytes-100k": state_bytes,
    "document-keys-100k-file": keys,
    "document-keys-100k-open": keys,
    "document-keys-100k-first-get": keys,
    "keys-100k-open": keys,
    "keys-100k-first-get": keys,
    "keys-100k-first-set": keys,
    "keys-100k-walk": keys,
    "keys-100k-write": keys_written,
    **figures(one_user, scripts.ONE_USER),
    **figures(two_users, scripts.TWO_USERS),
    **figures(many_users, scripts.MANY_USERS),
}
if "STARLING_TEXT_TRACE" in os.environ:
    for figure in ("local", "messages", "load", "state", "file", "batch"):
        CASES["document-text-" + figure] = text
    CASES["text-local"] = CASES["text-load-edit"] = text
    for figure in ("", "-open", "-first-edit"):
        CASES["b4x100" + figure] = text_100


def main():
    asked = [argument for argument in sys.argv[1:] if argument != "--quick"] or list(CASES)
    done = {}
    for kind in (Yrs, Loro):
        try:
            peer = kind()
        except ImportError:
            print("not installed, left out: " + kind.name, file=sys.stderr)
            continue
        for case in asked:
            work = CASES.get(case)
            if work is None:
                continue
            if (kind, work) not in done:
                done[kind, work] = work(peer)
            if case in done[kind, work]:
                value = done[kind, work][case]
                line = {"case": case, "peer": kind.name, "value": value}
                if isinstance(value, tuple):
                    line["value"], line["glue"] = value
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
