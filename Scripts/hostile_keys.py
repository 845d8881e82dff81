"""Attacks by keys that were let in and have gone hostile, on three daemons that know each other; for hostile-clients."""

import json
import os
import random
import re
import signal
import statistics
import subprocess
import threading
import time
import urllib.request

import peer
import programs

GROUP = "siege"
# An honest write during an attack takes at most so many times as long as the slowest before, and so much more.
SLOWER, SECONDS_MORE = 5, 1.0
# A daemon grows by at most so many megabytes over one attack, and over all of them.
MEGABYTES_EACH, MEGABYTES_ALL = 192, 384
# A daemon's log grows by at most so many lines over one attack.
LINES_EACH = 400


class KeyedDaemon:
    def __init__(self, products, folder, others, *options):
        self.folder = folder
        self.sockets = folder / "sockets"
        command = [products / "starlingd", "--group", GROUP, "--directory", folder / "data", "--sockets", self.sockets]
        command += ["--keys", folder / "keys", "--listen", "tcp://127.0.0.1:0", "--audit", folder / "audit"]
        for other in others:
            command += ["--connect", other.endpoint]
        self.log = open(folder / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [*map(str, command), *options], stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"tcp://\S*?127\.0\.0\.1:\d+", line)
        if not found:
            raise SystemExit(f"starlingd did not begin: {line}{(folder / 'log').read_text()}")
        self.endpoint = found[0]
        self.metrics = (re.search(r"http://\S+", line) or [None])[0]

    @property
    def megabytes(self):
        return programs.megabytes(self.process)

    def said(self):
        return (self.folder / "log").read_bytes()

    def standing(self):
        self.process.send_signal(signal.SIGUSR1)
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


class Siege:
    def __init__(self, products, folder, seed):
        self.products, self.folder, self.dice = products, folder, random.Random(seed)
        self.failures = []
        self.count = 0
        names = ["daemon1", "daemon2", "daemon3", "writer", "reader", "honest"]
        for name in names:
            (folder / name).mkdir()
        keys = {name: self.starling("keys", "new", "--directory", self.keys(name)).stdout.split()[-1] for name in names}
        self.public = keys
        for daemon in names[:3]:
            for name in names:
                if name != daemon:
                    role = "relays" if name.startswith("daemon") else "reads" if name == "reader" else "writes"
                    self.starling("keys", "authorize", keys[name], "--name", name, "--role", role,
                                  "--directory", self.keys(daemon))
        self.daemons = []
        for name in names[:3]:
            options = ["--max-megabytes-per-key", "64", "--metrics", "127.0.0.1:0"]
            self.daemons.append(KeyedDaemon(products, folder / name, self.daemons, *options))
        self.secrets = {name: (self.keys(name) / "secret").read_text().strip() for name in ("writer", "reader")}

    def keys(self, name):
        return self.folder / name / "keys"

    def starling(self, *arguments, timeout=120):
        return subprocess.run(
            [self.products / "starling", *map(str, arguments)], capture_output=True, text=True, timeout=timeout)

    def write(self):
        """By turns on the machine of the first daemon, and with a key at the second; how many seconds it took, by a clock of
        its own, as this process may be busy attacking."""
        self.count += 1
        where = (["--sockets", self.daemons[0].sockets] if self.count % 2 else
                 ["--sockets", self.folder / "nowhere", "--connect", self.daemons[1].endpoint, "--keys", self.keys("honest")])
        command = [self.products / "starling", "set", GROUP, "count", self.count, *where, "--timeout", "60"]
        clocked = 'begin=$EPOCHREALTIME; "$@" >/dev/null; status=$?; echo "$begin $EPOCHREALTIME"; exit $status'
        done = subprocess.run(
            ["bash", "-c", clocked, "-", *map(str, command)], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.failures.append(f"an honest write was not acknowledged: {' '.join(done.stderr.split())[:200]}")
        begin, end = map(float, done.stdout.split())
        return end - begin

    def peer(self, key, daemon=0, **more):
        return peer.Peer(self.daemons[daemon].endpoint, self.secrets[key], **more)

    def run(self, attacks):
        """Gives one operation two contents, then runs the attacks. Returns what did not hold."""
        try:
            return self.hold(attacks)
        finally:
            for daemon in self.daemons:
                if daemon.process.poll() is None:
                    daemon.process.kill()

    def hold(self, attacks):
        before = [self.write() for _ in range(10)]
        start = [daemon.megabytes for daemon in self.daemons]
        bound = SLOWER * max(before) + SECONDS_MORE
        print(f"\nThree daemons with keys. An honest write takes {statistics.median(before) * 1000:.0f} ms, at most"
              f" {max(before) * 1000:.0f}; during an attack it may take {bound * 1000:.0f}. A daemon may grow by"
              f" {MEGABYTES_EACH} MB over an attack and by {MEGABYTES_ALL} over all.")
        print(f"{'attack':30}{'by':8}{'daemons':>22}{'honest, worst':>16}   what it was told")
        # First: what it takes is refused once the writer has used up its budgets.
        for key in ("reader", "writer"):
            self.equivocate(key, bound)
        for name, attack in attacks:
            for key in ("reader", "writer"):
                self.attack(name, attack, key, bound)
        for daemon, megabytes in zip(self.daemons, start):
            if daemon.megabytes - megabytes > MEGABYTES_ALL:
                self.failures.append(f"a daemon grew from {megabytes:.0f} to {daemon.megabytes:.0f} MB over all")
        self.restart()
        for number, daemon in enumerate(self.daemons):
            done = self.starling("get", GROUP, "count", "--sockets", daemon.sockets, "--timeout", "60")
            if done.returncode != 0 or json.loads(done.stdout) != self.count:
                self.failures.append(f"daemon {number + 1} does not have what was written last: {done.stdout}{done.stderr}")
            if daemon.end() != 0:
                self.failures.append(f"daemon {number + 1} did not end well")
        return self.failures

    def attack(self, name, attack, key, bound):
        before = [daemon.megabytes for daemon in self.daemons]
        lines = [daemon.said().count(b"\n") for daemon in self.daemons]
        told, errors, peers = [], [], []

        def work():
            try:
                told.append(attack(self, key, peers))
            except Exception as error:  # It belongs to the table, whatever it is.
                errors.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        times = [self.write() for _ in range(4)]
        thread.join(timeout=300)
        times += [self.write() for _ in range(2)]
        for number, daemon in enumerate(self.daemons):
            if daemon.process.poll() is not None:
                raise SystemExit(f"{name}, {key}: daemon {number + 1} ended: {daemon.said()[-2000:].decode(errors='replace')}")
        after = [daemon.megabytes for daemon in self.daemons]
        for one in peers:
            one.hear(0.2)
        heard = [told for one in peers for told in one.refusals]
        for one in peers:
            one.close()
        if errors or thread.is_alive():
            self.failures.append(f"{name}, {key}: the attack itself failed: {errors}")
        if max(times) > bound:
            self.failures.append(f"{name}, {key}: an honest write took {max(times):.1f} s, more than {bound:.1f}")
        for number, daemon in enumerate(self.daemons):
            if after[number] - before[number] > MEGABYTES_EACH:
                self.failures.append(
                    f"{name}, {key}: daemon {number + 1} grew from {before[number]:.0f} to {after[number]:.0f} MB")
            said = daemon.said()
            grown = said.count(b"\n") - lines[number]
            if grown > LINES_EACH:
                self.failures.append(f"{name}, {key}: daemon {number + 1} logged {grown} lines")
            audit = (daemon.folder / "audit").read_bytes() if (daemon.folder / "audit").exists() else b""
            if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80\xae", said + audit):
                self.failures.append(f"{name}, {key}: control characters are in the log of daemon {number + 1}")
        words = told[0] if told and told[0] else None
        if words and not any(words in one for one in heard) and expects(name, key):
            self.failures.append(f"{name}, {key}: it was not told '{words}'")
        shown = next((one for one in heard if words and words in one), heard[-1] if heard else "nothing")
        sizes = " ".join(f"{one:.0f}" for one in after)
        print(f"{name:30}{key:8}{sizes + ' MB':>22}{max(times) * 1000:13.0f} ms   {printable(shown)[:150]}",
              flush=True)

    def equivocate(self, key, bound):
        """One key, one dot, two contents, said to two daemons at a time; again until one of the two was not first."""
        lines = [daemon.said().count(b"\n") for daemon in self.daemons]
        times, heard, outcome = [], [], "nobody took it"
        for _ in range(10):
            replica = self.dice.getrandbits(64)
            place = f"equivocal-{replica}"
            peers = [self.peer(key, daemon=number) for number in (0, 1)]
            requests = [one.be_asked(GROUP, [(replica, 1)], 5 if key == "writer" else 1) for one in peers]
            for number, (one, request) in enumerate(zip(peers, requests)):
                one.say(peer.changes(GROUP, request or 1, peer.batch([(replica, 1, place, number + 1)])))
            times.append(self.write())
            values = self.agreed(place)
            for one in peers:
                one.hear(0.2)
                heard += one.refusals
                one.close()
            if len(values) > 1:
                self.failures.append(f"equivocation, {key}: daemons hold {' and '.join(sorted(values))}")
            if any(self.is_suspended(key, daemon) for daemon in self.daemons):
                break
        outcome = f"all daemons hold {' and '.join(sorted(values))}"
        if key == "writer":
            outcome += self.expect_suspension(key)
        elif values != {"nothing"}:
            self.failures.append(f"equivocation, {key}: a reader's change was taken")
        if max(times) > bound:
            self.failures.append(f"equivocation, {key}: an honest write took {max(times):.1f} s, more than {bound:.1f}")
        for number, daemon in enumerate(self.daemons):
            if daemon.said().count(b"\n") - lines[number] > LINES_EACH:
                self.failures.append(f"equivocation, {key}: daemon {number + 1} logged too much")
        sizes = " ".join(f"{daemon.megabytes:.0f}" for daemon in self.daemons)
        print(f"{'one operation, two contents':30}{key:8}{sizes + ' MB':>22}{max(times) * 1000:13.0f} ms   "
              f"{outcome}; told: {heard[-1][:100] if heard else 'nothing'}", flush=True)

    def agreed(self, place):
        """What the daemons hold there, once they hold the same, or after a minute."""
        deadline = time.monotonic() + 60
        while True:
            values = set()
            for daemon in self.daemons:
                done = self.starling("get", GROUP, place, "--sockets", daemon.sockets)
                values.add(done.stdout.strip() or "nothing")
            if len(values) == 1 or time.monotonic() > deadline:
                return values
            time.sleep(0.5)

    def is_suspended(self, key, daemon):
        return "suspended:" in (daemon.folder / "keys" / "allowed" / key).read_text()

    def expect_suspension(self, key):
        """It is let in no more where both contents met, and is again once somebody says so."""
        count = sum(self.is_suspended(key, daemon) for daemon in self.daemons)
        if count == 0:
            self.failures.append(f"equivocation, {key}: no daemon suspended the key")
            return ", nobody noticed"
        suspended = next(number for number, daemon in enumerate(self.daemons) if self.is_suspended(key, daemon))
        time.sleep(1.5)
        again = self.peer(key, daemon=suspended)
        if 1 in again.kinds:
            self.failures.append(f"equivocation, {key}: a suspended key was let in")
        again.close()
        for daemon in self.daemons:
            self.starling("keys", "authorize", self.public[key], "--name", key, "--role", "writes",
                          "--directory", daemon.folder / "keys")
        time.sleep(1.5)
        again = self.peer(key, daemon=suspended)
        if 1 not in again.kinds:
            self.failures.append(f"equivocation, {key}: the key was authorized again, and is not let in")
        again.close()
        return f", {count} of 3 suspended the key"

    def restart(self):
        """What the attacks left behind does not keep a daemon from starting soon."""
        daemon = self.daemons[2]
        if daemon.end() != 0:
            self.failures.append("a daemon did not end well")
        begin = time.monotonic()
        self.daemons[2] = KeyedDaemon(self.products, daemon.folder, self.daemons[:2])
        seconds = time.monotonic() - begin
        write = self.write()
        print(f"{'a daemon that starts again':38}{seconds * 1000:8.0f} ms, and an honest write then {write * 1000:.0f} ms")
        if seconds > 10:
            self.failures.append(f"a daemon took {seconds:.1f} s to start again")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            done = self.starling("get", GROUP, "count", "--sockets", self.daemons[2].sockets)
            if done.returncode == 0 and json.loads(done.stdout) == self.count:
                return
            time.sleep(0.5)


def printable(text):
    return "".join(letter if letter.isprintable() and letter.isascii() else "?" for letter in text)


# MARK: Attacks: each opens peers, and gives the words that it should be told


def documents(siege, key, peers):
    one = siege.peer(key)
    peers.append(one)
    for number in range(3000):
        name = f"{key}-{siege.dice.getrandbits(40)}"
        one.say(peer.have(name, []) if number % 2 else peer.lease(name))
        one.hear()
    one.hear_until(lambda: one.refusals, 20)
    return "documents opened for a key"


def replica_ids(siege, key, peers):
    """First two thousand at once, then by and by as many as are granted; all write one and the same place."""
    one = siege.peer(key)
    peers.append(one)

    def fresh(count):
        return peer.batch([(siege.dice.getrandbits(64), 1, "crowded", 1) for _ in range(count)])

    one.answer(GROUP, [fresh(2000)] + [fresh(100) for _ in range(15)])
    one.hear_until(lambda: one.refusals, 20)
    return "replica ids that a key begins to write under"


def waiting(siege, key, peers):
    """128 MB of changes that stand on one that never comes."""
    one = siege.peer(key)
    peers.append(one)
    replica = siege.dice.getrandbits(64)
    value = b"x" * 65_536
    batches = [peer.batch([(replica, counter, "waiting", value) for counter in range(start, start + 100)])
               for start in range(2, 2002, 100)]
    one.answer(GROUP, batches)
    one.hear_until(lambda: one.refusals, 20)
    return "bytes of changes that wait for others"


claimed = None


def versions(siege, key, peers):
    """Ten acknowledgements and ten haves of a million entries each, every one of another store."""
    global claimed
    claimed = claimed or peer.version((siege.dice.getrandbits(64), 1) for _ in range(1_000_000))
    for _ in range(10):
        one = siege.peer(key)
        peers.append(one)
        one.say(peer.hello(one.store, flags=5, epoch=2))
        one.say(b"\x08" + peer.text(GROUP) + claimed)
        one.say(b"\x02" + peer.text(GROUP) + claimed + b"\0")
        one.hear_until(lambda: one.refusals, 20)
    return "replica ids in a version that are unknown here"


def leases(siege, key, peers):
    """Three thousand stores of one key, each asking for a lease."""
    for _ in range(40):
        one = siege.peer(key)
        peers.append(one)
        for number in range(75):
            one.say(peer.hello(siege.dice.getrandbits(64), epoch=siege.dice.getrandbits(60)))
            one.say(peer.lease(GROUP))
            one.hear()
    for one in peers:
        one.hear_until(lambda: len(one.refusals) > 1, 0.2)
    return "leased replica ids"


def notices(siege, key, peers):
    one = siege.peer(key)
    peers.append(one)
    epoch = siege.dice.getrandbits(60)
    one.say(peer.hello(one.store, epoch=epoch))
    for start in range(0, 60_000, 100):
        said = [(epoch, start + number, 3_600_000, f"field-{start + number}", "x" * 64) for number in range(1, 101)]
        one.say(peer.presence(GROUP, said))
        one.hear()
    one.hear_until(lambda: one.refusals, 20)
    return "bytes of presence"


ESCAPES = "\x1b[2J\x1b]0;owned\x07\u202e\r\n2026-11-22T00:00:00 error starlingd: all is lost\n"


def noise_for_people(siege, key, peers):
    """Names, programs and explanations that would draw on a terminal, thousands of them."""
    one = siege.peer(key, agent=ESCAPES)
    peers.append(one)
    for number in range(3000):
        one.say(peer.refuse(5, f"{number}{ESCAPES}" + "x" * (60_000 if number % 100 == 0 else 0)))
        one.say(peer.hello(siege.dice.getrandbits(64), agent=f"{ESCAPES}{number}", epoch=number + 10))
        one.say(peer.have(f"{ESCAPES}{number}", []))
        one.hear()
    one.hear(0.5)
    return None


def asks(siege, key, peers):
    """Asks for everything again and again, and takes nothing of it."""
    one = siege.peer(key)
    peers.append(one)
    for number in range(3000):
        one.say(peer.want(GROUP, number))
    return None


def silence(siege, key, peers):
    """Says that it is ahead, is asked, and never answers."""
    for _ in range(20):
        one = siege.peer(key)
        peers.append(one)
        one.say(peer.have(GROUP, [(siege.dice.getrandbits(64), 5)]))
    for one in peers:
        one.hear(0.2)
    return None


def metrics(siege, key, peers):
    """Nobody needs a key for this."""

    def ask():
        for _ in range(50):
            urllib.request.urlopen(siege.daemons[0].metrics, timeout=30).read()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return None


def bytes_a_day(siege, key, peers):
    one = siege.peer(key)
    peers.append(one)
    replica = siege.dice.getrandbits(64)
    value = b"y" * 1_000_000
    batches = [peer.batch([(replica, counter, "large", value)]) for counter in range(1, 81)]
    one.answer(GROUP, batches)
    one.hear_until(lambda: one.refusals, 30)
    return "bytes of changes that are kept"


# The last costs the key what it may have kept today.
ATTACKS = [
    ("documents named", documents), ("fresh replica ids", replica_ids), ("changes that wait", waiting),
    ("versions of a million entries", versions), ("leases", leases), ("presence", notices),
    ("escapes for a terminal", noise_for_people), ("asks, nothing taken", asks), ("asked, nothing answered", silence),
    ("/metrics without pause", metrics), ("large changes", bytes_a_day),
]


def expects(name, key):
    """Of a reader little is taken in the first place; it is told that, and not of a budget."""
    return key == "writer" or name in ("versions of a million entries", "presence")
