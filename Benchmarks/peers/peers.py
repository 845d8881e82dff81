#!/usr/bin/env python3
"""Does the benchmarks' work with the systems that a user would pick instead.

usage: peers.py CASE...
prints one line a peer and case: {"case": "set-captured", "peer": "yrs", "value": 1920.5}

Units are those of the case (nanoseconds an operation, milliseconds, bytes). Every figure is the median of SAMPLES
samples. Calls go to the native modules as directly as the wheels allow; a trivial call costs 30 to 70 ns there, which
is part of the figure. A peer that is not installed is left out.
"""
import gc
import json
import statistics
import sys
import time

SAMPLES = 5
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

    def end(self, transaction):
        transaction.commit()
        transaction.drop()

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
        observed = self.map(document)
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


def median(sample):
    return statistics.median(sample() for _ in range(SAMPLES))


def captured(peer):
    document = peer.document(1)
    updates = peer.capture(document)
    sets = list(workload(ALL))
    return timed(lambda: peer.set_each(document, sets)), updates


def set_captured(peer):
    return {"set-captured": median(lambda: captured(peer)[0]) / ALL}


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

    return {"message-observed": median(sample) / len(updates)}


def change_bytes(peer):
    updates = captured(peer)[1]
    return {"change-bytes": sum(map(len, updates)) / len(updates)}


def batch(peer):
    document = peer.document(1)
    peer.set_at_once(document, list(workload(ALL)))
    update = peer.export(document)

    def sample():
        other = peer.document(2)
        return timed(lambda: peer.apply(other, update))

    return {"batch-100k": median(sample) / 1e6}


def batch_of_changes(peer):
    document = peer.document(1)
    peer.set_each(document, list(workload(ALL)))
    update = peer.export(document)

    def sample():
        other = peer.document(2)
        return timed(lambda: peer.apply(other, update))

    return {"batch-100k-changes": median(sample) / 1e6}


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

    return {"conflict-1540": median(at_once) / 1e6, "conflict-1540-stream": median(one_by_one) / 1e6}


def state_bytes(peer):
    document = peer.document(1)
    peer.set_each(document, list(workload(ALL)))
    return {"state-bytes-100k": len(peer.state(document))}


def keys(peer):
    document = peer.document(1)
    peer.set_at_once(document, many_keys())
    file = peer.file(document)
    opens, gets = [], []
    for _ in range(SAMPLES):
        other = peer.document(2)
        opens.append(timed(lambda: peer.apply(other, file)))
        gets.append(timed(lambda: peer.get(other, "key777"), time.perf_counter_ns))
        assert peer.get(other, "key777") == 777
    return {
        "keys-100k-file": len(file),
        "keys-100k-open": statistics.median(opens) / 1e6,
        "keys-100k-first-get": statistics.median(gets) / 1e3,
    }


CASES = {
    "set-captured": set_captured,
    "message-observed": message_observed,
    "change-bytes": change_bytes,
    "batch-100k": batch,
    "batch-100k-changes": batch_of_changes,
    "conflict-1540": conflict,
    "conflict-1540-stream": conflict,
    "state-bytes-100k": state_bytes,
    "keys-100k-file": keys,
    "keys-100k-open": keys,
    "keys-100k-first-get": keys,
}


def main():
    asked = sys.argv[1:] or list(CASES)
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
            print(json.dumps({"case": case, "peer": kind.name, "value": done[kind, work][case]}), flush=True)


if __name__ == "__main__":
    main()
