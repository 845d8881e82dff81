"""What is said and when, without sockets and with a clock that the test holds."""
import unittest

from starling_peer import wire
from starling_peer.conversation import Conversation
from starling_peer.document import Document
from starling_peer.replica import Replica
from starling_peer.values import ROOT, Key, change_from, value_of
from starling_peer.wire import lines, writer


class Daemon:
    """The other end: says what a test wants it to say, and keeps what it hears."""

    def __init__(self, leases=False):
        self.now = 100.0
        self.numbers = iter(range(1000, 2000))
        self.replica = Replica(7)
        self.talk = Conversation("library", self.replica, "test", lambda _: next(self.numbers), self.now)
        self.flags = 2 | (8 if leases else 0)
        self.heard = []
        self.talk.opened(1, self.now)
        self.listen()

    def listen(self):
        self.heard += [wire.message(message) for _, message in self.talk.take_sends()]

    def pass_time(self, seconds):
        end = self.now + seconds
        while self.now < end:
            self.now += 0.05
            self.talk.tick(self.now)
            self.listen()

    def say(self, message):
        self.talk.received(1, message, self.now)
        self.listen()

    def greet(self):
        self.say(b"\1Star\1\1" + writer.u64(5) + writer.u64(6) + bytes([self.flags]) + writer.text("daemon") + b"\0")

    def of_kind(self, kind):
        return [each for each in self.heard if each["message"] == kind]

    def resume(self, version=None, stream=3, sequence=0, tables=None):
        request = self.of_kind("want")[-1]["request"]
        tables = tables or writer.StreamWriter().tables()
        self.say(writer.resume("library", request, version or {}, stream, sequence, tables))


def written(replica_id, *names):
    """Changes of another writer, one for each name."""
    replica, changes = Replica(replica_id), []
    for name in names:
        transaction = replica.begin(1000)
        transaction.assign(ROOT, Key.named(name), value_of(name))
        changes.append(replica.finish(transaction))
    return changes


class AConversation(unittest.TestCase):
    def test_begins_with_a_hello_that_wants_a_reply_and_says_it_again(self):
        daemon = Daemon()
        self.assertTrue(daemon.of_kind("hello")[0]["wantsReply"])
        self.assertEqual(daemon.of_kind("hello")[0]["endpoints"], [])
        daemon.pass_time(1.5)
        self.assertEqual(len(daemon.of_kind("hello")), 2)

    def test_asks_a_relay_at_once_and_follows_it(self):
        daemon = Daemon()
        daemon.greet()
        daemon.pass_time(0.1)
        self.assertEqual(daemon.of_kind("want")[0]["version"], [])
        stream = writer.StreamWriter()
        changes = written(9, "a", "b")
        daemon.resume()
        for sequence, change in enumerate(changes):
            daemon.talk.frame(1, writer.frame("library", 3, sequence, stream.change(change)), daemon.now)
        self.assertEqual(daemon.replica.document.version, {9: 2})
        self.assertTrue(daemon.talk.is_caught_up)
        daemon.pass_time(0.1)
        self.assertEqual(daemon.of_kind("acknowledge")[-1]["version"], ["0000000000000009:2"])

    def test_asks_again_after_a_gap_and_takes_what_it_kept(self):
        daemon = Daemon()
        daemon.greet()
        daemon.pass_time(0.1)
        daemon.resume()
        stream = writer.StreamWriter()
        first, second, third = written(9, "a", "b", "c")
        lost, tables = stream.change(first), stream.tables()
        self.assertTrue(lost)
        kept = [stream.change(second), stream.change(third)]
        for sequence, payload in enumerate(kept, start=1):
            daemon.talk.frame(1, writer.frame("library", 3, sequence, payload), daemon.now)
        self.assertEqual(daemon.replica.document.version, {})
        daemon.pass_time(0.1)
        self.assertEqual(len(daemon.of_kind("want")), 2)
        daemon.say(writer.changes("library", daemon.of_kind("want")[-1]["request"], writer.batch([first])))
        daemon.resume({9: 1}, sequence=1, tables=tables)
        self.assertEqual(daemon.replica.document.version, {9: 3})

    def test_answers_a_want_with_what_was_written_here_within_the_window(self):
        daemon = Daemon()
        daemon.greet()
        for number in range(3000):
            transaction = daemon.replica.begin(1000)
            transaction.assign(ROOT, Key.named(f"k{number}"), value_of("x" * 3000))
            daemon.talk.publish(daemon.replica.finish(transaction))
        daemon.say(writer.want("library", 1, {}, False))
        daemon.pass_time(0.1)
        sent = sum(len(each["batch"]) // 2 + 8192 for each in daemon.of_kind("changes"))
        self.assertEqual(daemon.of_kind("resume"), [])
        self.assertTrue(4_194_304 <= sent < 4_194_304 + 2_000_000)
        while not daemon.of_kind("resume"):
            daemon.say(writer.credit("library", 1, sum(len(each["batch"]) // 2 + 8192 for each in daemon.of_kind("changes"))))
            daemon.pass_time(0.1)
        changes = [each for message in daemon.of_kind("changes") for each in wire.batch(bytes.fromhex(message["batch"]))]
        self.assertEqual([change_from(each) for each in changes], daemon.replica.own)
        self.assertEqual(daemon.of_kind("resume")[0]["version"], ["0000000000000007:3000"])

    def test_says_hello_again_where_messages_were_lost(self):
        daemon = Daemon()
        daemon.greet()
        hellos = len(daemon.of_kind("hello"))
        for number in (9, 10):
            daemon.say(writer.heartbeat(number))
        self.assertEqual(len(daemon.of_kind("hello")), hellos + 1)

    def test_refuses_what_it_cannot_read_and_goes_on(self):
        daemon = Daemon()
        daemon.greet()
        daemon.say(b"\2\0")
        self.assertEqual(daemon.of_kind("refuse")[0]["code"], 2)
        daemon.say(b"\xff\x01 a kind of later versions")
        self.assertEqual(len(daemon.of_kind("refuse")), 1)

    def test_hangs_on_to_nothing_of_a_program_without_a_version_in_common(self):
        daemon = Daemon()
        daemon.say(b"\1Star\x08\x09" + writer.u64(5) + writer.u64(6) + b"\2" + writer.text("later") + b"\0")
        self.assertEqual(daemon.of_kind("refuse")[0]["code"], 1)
        daemon.pass_time(3)
        self.assertEqual(daemon.of_kind("want"), [])

    def test_ignores_itself(self):
        daemon = Daemon()
        own = daemon.of_kind("hello")[0]
        daemon.say(writer.hello(int(own["store"], 16), int(own["epoch"], 16), "test", True))
        daemon.pass_time(2)
        self.assertEqual(daemon.of_kind("have"), [])


class ALease(unittest.TestCase):
    def granted(self, counter=0):
        daemon = Daemon(leases=True)
        daemon.greet()
        self.assertEqual(daemon.of_kind("lease")[0]["asks"], "one")
        daemon.say(b"\x0d" + writer.text("library") + b"\0" + writer.u64(99) + writer.varint(4) + writer.varint(counter))
        return daemon

    def test_gives_the_id_once_all_that_was_written_under_it_is_here(self):
        daemon = self.granted(counter=2)
        self.assertEqual(daemon.replica.id, 7)
        daemon.pass_time(0.1)
        daemon.say(writer.changes("library", daemon.of_kind("want")[-1]["request"], writer.batch(written(99, "a", "b"))))
        self.assertEqual(daemon.replica.id, 99)

    def test_is_given_back_with_the_last_counter_and_waits_for_the_answer(self):
        daemon = self.granted()
        transaction = daemon.replica.begin(1000)
        transaction.assign(ROOT, Key.named("a"), value_of(1))
        daemon.talk.publish(daemon.replica.finish(transaction))
        daemon.talk.leave(daemon.now)
        daemon.listen()
        back = daemon.of_kind("lease")[-1]
        self.assertEqual((back["asks"], back["grant"]["counter"]), ("giveBack", "1"))
        self.assertFalse(daemon.talk.may_leave(daemon.now + 1.9))
        self.assertTrue(daemon.talk.may_leave(daemon.now + 2))

    def test_is_left_where_somebody_else_writes_under_it(self):
        daemon = self.granted()
        self.assertEqual(daemon.replica.id, 99)
        daemon.pass_time(0.1)
        daemon.say(writer.changes("library", daemon.of_kind("want")[-1]["request"], writer.batch(written(99, "a"))))
        self.assertNotEqual(daemon.replica.id, 99)


class AReplica(unittest.TestCase):
    def test_holds_back_what_lacks_others(self):
        replica = Replica(1)
        first, second = written(9, "a", "b")
        self.assertFalse(replica.merge([second]))
        self.assertTrue(replica.lacks())
        self.assertTrue(replica.merge([first]))
        self.assertEqual(replica.document.version, {9: 2})

    def test_takes_a_state_and_merges_again_what_that_does_not_cover(self):
        replica = Replica(1)
        first, second = written(9, "a", "b")
        replica.merge([first, second])
        state = Document()
        state.merge(first)
        self.assertTrue(replica.merge_state(state))
        self.assertEqual(replica.view.plain(replica.document.objects[ROOT]), {"a": "a", "b": "b"})

    def test_leaves_a_state_that_lacks_what_came_with_another(self):
        replica = Replica(1)
        whole, empty = Document(), Document()
        for change in written(9, "a", "b"):
            whole.merge(change)
        self.assertTrue(replica.merge_state(whole))
        self.assertFalse(replica.merge_state(empty))
        self.assertEqual(replica.document.version, {9: 2})

    def test_knows_the_checksum_of_nothing(self):
        self.assertEqual(lines.checksum(b""), 0)


if __name__ == "__main__":
    unittest.main()
