"""A peer for programs: opens a group's document, reads it, writes to it, watches it."""
from __future__ import annotations

import contextlib
import secrets
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from .conversation import Conversation
from .digest import digest
from .endpoints import Endpoint, check_group, directory_of_groups, key_bytes, peers_in
from .handles import Map
from .link import Link
from .replica import Replica
from .values import ROOT
from .writing import Transaction

AGENT = "starling-peer (Python) 0.2.0"
__all__ = ["Peer", "open_peer"]


def open_peer(group: str, *, document: str | None = None, connect: Sequence[str] = (), secret: str | Path | None = None,
              sockets: str | Path | None = None) -> Peer:
    """A peer of a group. Close it, or use it in a `with` statement.

    It dials the endpoints in `connect`; without any, the group's daemon or processes on this machine, which it finds
    through the directory of sockets (`sockets`, by default the one of every program of Starling).

    - document: the name of the document; by default the group's main one.
    - secret: the file with this peer's secret key, for daemons that admit keys; `starling keys new` makes one.

    Raises EndpointError for a group, endpoint or key that is none.
    """
    check_group(group)
    directory = Path(sockets or directory_of_groups()) / group
    key = None if secret is None else key_bytes(Path(secret).read_text(encoding="utf-8"))
    return Peer(document or group, [Endpoint.parse(each) for each in connect], directory, key)


class Peer:
    """One document, kept equal to those of the group by a thread of its own.

    Any thread may call any method; each waits for the others. What it holds is in memory, and ends with the program.
    """

    def __init__(self, document: str, endpoints: list[Endpoint], directory: Path, secret: bytes | None) -> None:
        self.name = document
        self._endpoints, self._directory = endpoints, directory
        self._replica = Replica(secrets.randbits(64))
        self._conversation = Conversation(document, self._replica, AGENT, secrets.randbits, time.monotonic())
        self._changed = threading.Condition(threading.RLock())
        self._transaction: Transaction | None = None
        self._ends = False
        self._fault: BaseException | None = None
        self._looked_at = -1.0
        self._wanted: list[Endpoint] = []
        self._link = Link(document, secret)
        self._link.opened = lambda number: self._conversation.opened(number, time.monotonic())
        self._link.closed = self._conversation.closed
        self._link.message = lambda number, data: self._conversation.received(number, data, time.monotonic())
        self._link.frame = lambda number, data: self._conversation.frame(number, data, time.monotonic())
        self._thread = threading.Thread(target=self._run, name="starling-peer", daemon=True)
        self._thread.start()

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading

    @property
    def root(self) -> Map:
        """The root of the document."""
        return Map(self, ROOT)

    def model(self, name: str) -> Map:
        """The model that Swift programs open by this name."""
        return self.root.map(name)

    def plain(self, path: Sequence[str] = ()) -> Any:
        """What stands at a path, as dictionaries, lists, texts and scalars; None where nothing does."""
        return self.root.at(path)

    @property
    def version(self) -> dict[int, int]:
        """The version vector: of each replica, how many of its operations are merged."""
        with self._changed:
            return dict(self._replica.document.version)

    @property
    def digest(self) -> int:
        """A number of 128 bits that is equal for replicas of equal versions. It takes time: some 20 µs for each entry."""
        with self._changed:
            return digest(self._replica.document)

    @property
    def refusals(self) -> list[str]:
        """What peers refused, in their words, the latest last."""
        with self._changed:
            return list(self._conversation.refusals)

    # Writing

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written within is one change, which others merge as a whole.

        Writes are made as they are called: where the block raises, what it wrote before is sent.
        """
        with self._changed:
            if self._transaction is not None:
                yield
                return
            self._transaction = self._replica.begin(int(time.time() * 1000))
            try:
                yield
            finally:
                transaction, self._transaction = self._transaction, None
                change = self._replica.finish(transaction)
                if change is not None:
                    self._conversation.publish(change)
                    self._changed.notify_all()

    def write(self, body: Callable[[Transaction], None]) -> None:
        """Runs `body` with the present transaction, or one of its own. For the handles, and for what they lack."""
        with self.transaction():
            assert self._transaction is not None
            body(self._transaction)

    # Waiting

    def synchronize(self, timeout: float = 10.0) -> bool:
        """Waits until some peer has answered with all that it has; False where none did in so many seconds."""
        return self._wait(lambda: self._conversation.is_caught_up and self._has_id(), timeout)

    def flush(self, timeout: float = 10.0) -> bool:
        """Waits until some peer holds all that was written here; False where none did in so many seconds."""
        return self._wait(lambda: self._conversation.is_held_elsewhere, timeout)

    def watch(self, path: Sequence[str] = (), timeout: float | None = None) -> Iterator[Any]:
        """What stands at a path, now and whenever it differs. Ends after so many seconds without a difference."""
        shown, generation = object(), -1
        while True:
            def differs() -> bool:
                return self._replica.document.generation != generation

            if not self._wait(differs, timeout):
                return
            with self._changed:
                generation, plain = self._replica.document.generation, self.plain(path)
            if plain != shown:
                shown = plain
                yield plain

    def close(self) -> None:
        """Gives back what was leased, says goodbye, and ends the thread."""
        with self._changed:
            if self._ends:
                return
            self._ends = True
            self._conversation.leave(time.monotonic())
        self._thread.join()

    def _has_id(self) -> bool:
        lease = self._conversation.lease
        return lease.is_settled or lease.granter is None

    def _wait(self, holds: Callable[[], bool], timeout: float | None) -> bool:
        with self._changed:
            done = self._changed.wait_for(lambda: holds() or self._fault is not None, timeout)
            if self._fault is not None:
                raise RuntimeError(f"The peer of '{self.name}' stopped: {self._fault}") from self._fault
            return done

    # The thread

    def _run(self) -> None:
        try:
            while True:
                self._turn()
                with self._changed:
                    if self._ends and self._conversation.may_leave(time.monotonic()):
                        self._conversation.say_goodbye()
                        self._carry_out()
                        return
        except BaseException as fault:  # handed to whoever waits
            with self._changed:
                self._fault = fault
                self._changed.notify_all()
        finally:
            self._link.close()

    def _turn(self) -> None:
        # Sockets are safe in this thread alone, so it looks often whether another one wrote something.
        patience = 0.0 if self._conversation.sends else 0.01
        with self._changed:
            now = time.monotonic()
            if now - self._looked_at >= 1.0:
                self._looked_at = now
                self._wanted = self._endpoints or peers_in(self._directory)
            self._link.want(self._wanted, now)
        self._link.wait(patience)
        with self._changed:
            before = self._state()
            self._link.turn(time.monotonic)
            self._conversation.tick(time.monotonic())
            self._carry_out()
            if self._state() != before:
                self._changed.notify_all()

    def _state(self) -> tuple[object, ...]:
        talk = self._conversation
        return (self._replica.document.generation, talk.is_caught_up, talk.is_held_elsewhere, talk.lease.state, len(talk.refusals))

    def _carry_out(self) -> None:
        for number, message in self._conversation.take_sends():
            self._link.send(number, message)
