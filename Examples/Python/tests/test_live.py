"""With a running daemon and the command `starling`. STARLING_PRODUCTS names the folder in which both are."""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PRODUCTS = os.environ.get("STARLING_PRODUCTS")
SOURCES = Path(__file__).resolve().parents[1] / "src"

try:
    import zmq  # noqa: F401

    from starling_peer import EndpointError, open_peer
    HAS_ZMQ = True
except ImportError:
    HAS_ZMQ = False


def free_port():
    """A port, the next one free too."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


@unittest.skipUnless(PRODUCTS and HAS_ZMQ, "it needs STARLING_PRODUCTS and pyzmq")
class LiveTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sp", dir="/tmp"))
        self.sockets = self.folder / "s"
        self.sockets.mkdir(mode=0o700)
        self.daemons = []
        self.addCleanup(self.clean)

    def clean(self):
        for daemon in self.daemons:
            daemon.terminate()
            daemon.wait(20)
            daemon.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def daemon(self, *arguments):
        command = [Path(PRODUCTS) / "starlingd", "--group", "library", "--directory", self.folder / "store",
                   "--log-level", "error", *arguments]
        if "--no-sockets" not in arguments:
            command += ["--sockets", self.sockets]
        daemon = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.daemons.append(daemon)
        line = daemon.stdout.readline()
        while line and "serves" not in line:
            line = daemon.stdout.readline()
        self.assertIn("serves 'library'", line)
        return daemon

    def starling(self, *arguments, check=True):
        command = [str(Path(PRODUCTS) / "starling"), *arguments]
        if arguments[0] != "keys":
            command += ["--sockets", str(self.sockets)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def digest_of_daemon(self):
        return self.starling("status", "library").split("digest ")[1].split()[0]

    def open(self, **options):
        peer = open_peer("library", sockets=self.sockets, **options)
        self.addCleanup(peer.close)
        self.assertTrue(peer.synchronize(20), peer.refusals)
        return peer

    def assert_equal_to_daemon(self, peer):
        """Equal versions come in their own time; equal digests must come with them."""
        end = time.monotonic() + 20
        while (ours := f"{peer.digest:032x}") != (theirs := self.digest_of_daemon()) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(ours, theirs, peer.refusals)
        self.assertEqual(peer.refusals, [])


class APeer(LiveTest):
    def test_writes_what_swift_programs_read(self):
        self.daemon()
        with self.open() as peer:
            desk = peer.model("front-desk")
            desk.set("title", "Dune")
            desk.set("rating", 4.5)
            desk.counter("copies").add(3)
            desk.counter("copies").add(-1)
            desk.members("tags").add("classic")
            desk.members("tags").add("gone")
            desk.members("tags").discard("gone")
            desk.dictionary("shelves")["A"] = 7
            desk.list("chapters").append({"title": "One"})
            desk.list("chapters").insert(0, "Preface")
            desk.text("notes").insert(0, "Hello wörld")
            desk.text("notes").replace("Hello world")
            self.assertTrue(peer.flush())
            expected = {
                "title": "Dune", "rating": 4.5, "copies": 2, "tags": ["classic"], "shelves": {"A": 7},
                "chapters": ["Preface", {"title": "One"}], "notes": "Hello world",
            }
            self.assertEqual(json.loads(self.starling("get", "library", "front-desk")), expected)
            self.assertEqual(desk.plain(), expected)
            self.assert_equal_to_daemon(peer)

    def test_reads_and_watches_what_swift_programs_write(self):
        self.daemon()
        (self.folder / "desk.json").write_text('{"desk": {"title": "Dune"}}')
        self.starling("load", "library", str(self.folder / "desk.json"))
        with self.open() as peer:
            shown = peer.watch(["desk", "title"], timeout=20)
            self.assertEqual(next(shown), "Dune")
            self.starling("set", "library", "desk/title", "--string", "Dune Messiah")
            self.assertEqual(next(shown), "Dune Messiah")
            self.starling("set", "library", "desk/copies", "12", "--as", "counter")
            self.starling("set", "library", "desk/tags", '["novel"]', "--as", "set")
            self.starling("set", "library", "desk/notes", "--string", "a text", "--as", "text")
            self.assert_equal_to_daemon(peer)
            self.assertEqual(str(peer.model("desk").text("notes")), "a text")
            self.assertEqual(peer.model("desk").counter("copies").value, 12)

    def test_sees_conflicts_and_resolves_them(self):
        self.daemon()
        with self.open() as one, self.open() as two:
            with one.transaction(), two.transaction():
                one.root.set("color", "red")
                two.root.set("color", "blue")
            self.assertTrue(one.flush() and two.flush())
            self.assert_equal_to_daemon(one)
            self.assert_equal_to_daemon(two)
            self.assertEqual({one.root.get("color"), *one.root.conflicts("color")}, {"red", "blue"})
            one.root.set("color", "green")
            self.assert_equal_to_daemon(one)
            self.assertEqual(one.root.conflicts("color"), [])

    def test_agrees_in_each_round_of_drawn_writes(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        dice = random.Random(seed)
        self.daemon("--history", "state")
        peers = [self.open(), self.open()]
        for _ in range(6):
            for peer in peers:
                for _ in range(10):
                    self.draw(peer, dice)
            name = dice.choice("abc")
            self.starling("set", "library", f"{name}/s", json.dumps(dice.choice([1, [1, 2], {"k": "v"}, "x"])), check=False)
            for peer in peers:
                self.assertTrue(peer.flush(20))
            for peer in peers:
                self.assert_equal_to_daemon(peer)
        # A newcomer gets a state, for the daemon keeps no history, and then what follows it.
        newcomer = self.open()
        self.assert_equal_to_daemon(newcomer)
        self.draw(peers[0], dice)
        self.assert_equal_to_daemon(newcomer)

    def draw(self, peer, dice):
        desk = peer.model(dice.choice("abc"))
        match dice.randrange(8):
            case 0: desk.set("s", dice.randrange(5))
            case 1: desk.counter("n").add(dice.randrange(-2, 4))
            case 2: desk.members("t").add(dice.choice("xyz"))
            case 3: desk.members("t").discard(dice.choice("xyz"))
            case 4: desk.remove(dice.choice(["s", "n", "t", "l", "d"]))
            case 5: desk.list("l").insert(dice.randint(0, len(desk.list("l"))), dice.choice([1, {"a": 1}, "e"]))
            case 6: desk.text("d").insert(dice.randint(0, len(desk.text("d"))), dice.choice(["ab", "ü", "🪶"]))
            case 7:
                if len(desk.text("d")):
                    desk.text("d").delete(0, 1)

    def test_goes_on_after_the_daemon_was_restarted(self):
        daemon = self.daemon()
        with self.open() as peer:
            peer.root.set("a", 1)
            self.assertTrue(peer.flush())
            daemon.kill()
            daemon.wait()
            daemon.stdout.close()
            self.daemons.remove(daemon)
            peer.root.set("b", 2)
            self.daemon()
            self.assertTrue(peer.flush(30))
            self.assert_equal_to_daemon(peer)

    def test_leaves_one_entry_in_the_version_however_often_it_runs(self):
        self.daemon()
        for number in range(3):
            with self.open() as peer:
                peer.root.set("n", number)
                self.assertTrue(peer.flush())
        self.assertIn("by 1 writer", self.starling("status", "library"))

    def test_takes_and_gives_more_than_a_window(self):
        self.daemon()
        with self.open() as peer:
            for number in range(1200):
                peer.root.set(f"k{number}", "x" * 6000)
            self.assertTrue(peer.flush(60))
            with self.open() as other:
                self.assertEqual(len(other.root.keys()), 1200)
                self.assertEqual(other.digest, peer.digest)

    def test_finds_nobody_and_says_so(self):
        peer = open_peer("library", sockets=self.sockets)
        self.addCleanup(peer.close)
        self.assertFalse(peer.synchronize(0.3))
        with self.assertRaises(EndpointError):
            open_peer("no group")


class APeerWithKeys(LiveTest):
    def test_reads_and_writes_over_tcp_as_its_role_says(self):
        keys, mine = self.folder / "keys", self.folder / "mine"
        server_key, client_key = (
            next(word for word in self.starling("keys", "new", "--directory", str(each)).split() if len(word) == 43)
            for each in (keys, mine))
        port = free_port()
        daemon_arguments = ("--listen", f"tcp://127.0.0.1:{port}", "--keys", str(keys))
        endpoint = f"tcp://{server_key}@127.0.0.1:{port}"
        self.starling("keys", "authorize", client_key, "--name", "python", "--directory", str(keys))
        self.daemon(*daemon_arguments)
        with self.open(connect=[endpoint], secret=mine / "secret") as peer:
            peer.model("desk").set("title", "Dune")
            self.assertTrue(peer.flush(), peer.refusals)
            self.assertEqual(json.loads(self.starling("get", "library", "desk")), {"title": "Dune"})
            self.assert_equal_to_daemon(peer)
        stranger = open_peer("library", connect=[endpoint])
        self.addCleanup(stranger.close)
        self.assertFalse(stranger.synchronize(1.0), "a key that nobody admitted was admitted")


class TheCommand(LiveTest):
    def command(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
        return subprocess.run([sys.executable, "-m", "starling_peer", arguments[0], "library", *arguments[1:],
                               "--sockets", str(self.sockets)], capture_output=True, text=True, timeout=60, env=environment)

    def test_writes_and_prints(self):
        self.daemon()
        for arguments in (("set", "desk/title", '"Dune"'), ("add", "desk/copies", "3"), ("put", "desk/tags", "classic"),
                          ("text", "desk/notes", "hello")):
            done = self.command(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.command("get", "desk")
        self.assertEqual(json.loads(done.stdout), {"title": "Dune", "copies": 3, "tags": ["classic"], "notes": "hello"})
        self.assertEqual(self.command("get", "nowhere").returncode, 1)
        self.assertIn(self.digest_of_daemon(), self.command("digest").stdout)

    def test_says_where_it_looked(self):
        done = self.command("get", "--timeout", "0.3")
        self.assertEqual(done.returncode, 69)
        self.assertIn("No peer of the group 'library' on this machine answered", done.stderr)


del LiveTest  # it is a base, and no test of its own

if __name__ == "__main__":
    unittest.main()
