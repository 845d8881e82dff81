"""The daemon is killed over and over under four clients (Scripts/crash)."""

import hashlib
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import programs
import progress
from ledger import lines

sys.path.append(str(programs.root / "Protocol" / "reference"))
import decode  # noqa: E402

GROUP = "crash"
CLIENTS = 4
WRITTEN = re.compile(r'"(\d+)-(\d+) 0 x')
TROUBLE = ("equivocat", "unequal states", "contradict")


class Daemon:
    def __init__(self, products, folder):
        self.log = folder / "log"
        self.sockets = folder / "sockets"
        self.products = products
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [products / "starlingd", "--group", GROUP, "--directory", folder / "store", "--sockets", self.sockets]
            + ["--log-level", "warning"],
            stdout=subprocess.PIPE, stderr=open(self.log, "a", encoding="utf-8"), text=True)

    def serves(self):
        """Seconds until it did; None where it ended."""
        if not self.process.stdout.readline().startswith("starlingd serves"):
            return None
        return time.monotonic() - self.began

    def kill(self):
        self.process.kill()
        self.process.wait()


class Client:
    """'crash-writer --client', which notes what is on the daemon's disk; another one goes on after a killed one."""

    def __init__(self, number, products, folder):
        self.number, self.products, self.folder = number, products, folder
        self.journal = folder / f"client-{number}"
        self.acknowledged, self.written, self.failures, self.ids = set(), 0, [], []
        self.place = 0
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(
            [self.products / "crash-writer", "--client", self.folder / "sockets", self.journal]
            + ["--number", str(self.number), "--after", str(self.written)],
            stderr=open(self.folder / "clients-log", "a", encoding="utf-8"))

    def read(self):
        """What it has noted since."""
        if self.journal.exists():
            with open(self.journal, "rb") as journal:
                journal.seek(self.place)
                data = journal.read()
            self.place += data.rfind(b"\n") + 1
            for line in lines(data):
                if "try" in line:
                    self.written = line["try"][1]
                elif "done" in line:
                    self.acknowledged.add(line["done"][1])
                elif "opened" in line:
                    self.ids.append(line["opened"])
                elif "refused" in line:
                    self.failures.append(f"client {self.number}: {line['refused']}")
        code = self.process.poll()
        if code is not None and code != -signal.SIGKILL:
            self.failures.append(f"client {self.number} ended with {code}")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Records:
    """What the store's file holds, by another reader than the one that wrote it."""

    def __init__(self, store, scratch):
        self.store, self.scratch = store, scratch
        self.last = 0
        self.found = [set() for _ in range(CLIENTS)]
        self.contents = {}
        self.faults = []

    def read(self):
        """A copy, for whoever opens the file alters it."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        for name in ("starling.sqlite", "starling.sqlite-wal"):
            if (self.store / name).exists():
                shutil.copyfile(self.store / name, self.scratch / name)
        with sqlite3.connect(self.scratch / "starling.sqlite") as database:
            rows = database.execute("SELECT id, bytes FROM record WHERE id > ? ORDER BY id", [self.last]).fetchall()
        database.close()
        for number, data in rows:
            self.last = number
            for change in decode.batch(data):
                text = json.dumps(change, sort_keys=True)
                for client, written in WRITTEN.findall(text):
                    self.found[int(client)].add(int(written))
                self.note(change["replica"], int(change["firstCounter"]), text)

    def note(self, replica, counter, text):
        """A dot is the name of one content for ever."""
        content = hashlib.sha1(text.encode()).digest()
        if self.contents.setdefault((replica, counter), content) != content:
            self.faults.append(f"dot {replica}:{counter} has two contents")


def run(products, folder, kills, dice):
    """Prints the figures and returns what did not hold."""
    failures, starts, early, clients_killed = [], [], 0, 0
    store = folder / "store"
    records = Records(store, folder / "copy")
    daemon = Daemon(products, folder)
    if daemon.serves() is None:
        return [f"daemon: it did not begin: {daemon.log.read_text()}"]
    clients = [Client(number, products, folder) for number in range(CLIENTS)]
    print(f"daemon: {'kills':>6}{'acknowledged':>14}{'start ms: p50':>15}{'p99':>7}{'max':>7}{'store MB':>10}")
    try:
        for number in progress.steps("Killing the daemon", range(1, kills + 1)):
            if number > 1 and dice.random() < 0.15:
                time.sleep(dice.random() * programs.percentile(starts, 0.5))
                early += 1
            else:
                took = daemon.serves() if number > 1 else 0
                if took is None:
                    failures.append(f"kill {number}: it did not begin: {daemon.log.read_text()[-2000:]}")
                    break
                if number > 1:
                    starts.append(took)
                # Most lives are long enough for clients to come back and write.
                wait_for(clients, 10 if dice.random() < 0.8 else 0)
                time.sleep(dice.random() * 0.3)
            if dice.random() < 0.1:
                client = dice.choice(clients)
                client.kill()
                clients_killed += 1
            daemon.kill()
            # What was acknowledged last is still on its way here; no daemon is there that a client could send it to again.
            time.sleep(0.05)
            records.read()
            for client in clients:
                client.read()
                lost = sorted(client.acknowledged - records.found[client.number])
                if lost:
                    failures.append(
                        f"kill {number}: of client {client.number} {len(lost)} are lost, the first {lost[0]} of "
                        f"{client.written}")
                failures += client.failures
                if client.process.poll() is not None:
                    client.begin()
            failures += records.faults
            if number % max(1, kills // 10) == 0 or failures:
                row = [programs.percentile(starts, share) * 1000 for share in (0.5, 0.99, 1)]
                progress.say(
                    f"        {number:6}{count(clients):14}{row[0]:15.0f}{row[1]:7.0f}{row[2]:7.0f}"
                    f"{programs.byte_count(store) / 1e6:10.2f}")
            if failures:
                break
            daemon = Daemon(products, folder)
        if not failures:
            failures += last(products, folder, daemon, clients)
    finally:
        daemon.kill()
        for client in clients:
            client.kill()
    failures += [f"the daemon's log says '{word}'" for word in TROUBLE if word in daemon.log.read_text()]
    progress.say(
        f"daemon: {kills} kills, {early} of them while it opened its store, and {clients_killed} of clients; "
        f"{count(clients)} writes acknowledged, {'NOT ALL HELD' if failures else '0 lost'}; {len(records.contents)} changes "
        f"under {len({replica for replica, _ in records.contents})} replica ids, none under the dot of another")
    return [f"daemon: {failure}" for failure in failures]


def count(clients):
    return sum(len(client.acknowledged) for client in clients)


def wait_for(clients, patience):
    """Until something more was acknowledged."""
    before, end = count(clients), time.monotonic() + patience
    while time.monotonic() < end and count(clients) == before:
        time.sleep(0.01)
        for client in clients:
            client.read()


def last(products, folder, daemon, clients):
    """The clients end; a replica that comes then reads what the daemon holds."""
    if daemon.serves() is None:
        return [f"it did not begin: {daemon.log.read_text()[-2000:]}"]
    wait_for(clients, 10)
    for client in clients:
        client.kill()
        client.read()
    done = subprocess.run(
        [products / "starling", "dump", GROUP, "--json", "--sockets", daemon.sockets, "--timeout", "60"],
        capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return [f"starling dump: {done.stderr.strip()}"]
    held, failures = json.loads(done.stdout)["ledger"], []
    for client in clients:
        for slot in range(64):
            acknowledged = max((each for each in client.acknowledged if each % 64 == slot), default=0)
            value = int(held["entries"].get(f"{client.number}-{slot}", "0-0 ").split(" ")[0].split("-")[1])
            if not acknowledged <= value <= client.written:
                failures.append(f"entry {client.number}-{slot} is {value}; {acknowledged} was acknowledged")
        receipts = [int(each.split("-")[1]) for each in held["receipts"] if each.startswith(f"{client.number}-")]
        kept = {each for each in client.acknowledged if each % 8 == 0}
        if len(set(receipts)) < len(receipts) or kept - set(receipts):
            failures.append(f"the list lacks {len(kept - set(receipts))} of client {client.number}, or has one twice")
    total = sum(client.written for client in clients)
    if not count(clients) <= held["writeCount"] <= total:
        failures.append(f"the sum is {held['writeCount']} after {count(clients)} acknowledged of {total}")
    return failures
