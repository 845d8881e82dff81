"""Dials peers over ZeroMQ and carries their messages (transport.md). All of it belongs to one thread."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable

import zmq
import zmq.utils.monitor

from .endpoints import Endpoint
from .wire import writer

SILENCE = 20.0
"""A peer that says nothing for so long, in seconds, is dialled again."""
HANDSHAKE = 5.0
REFUSED_AGAIN = 2.0


@dataclass
class Dialled:
    """The two sockets of one attempt to reach an endpoint."""

    endpoint: Endpoint
    number: int
    ask: zmq.Socket[bytes]
    publish: zmq.Socket[bytes]
    monitors: list[zmq.Socket[bytes]]
    began_at: float
    is_asking: bool = False
    is_publishing: bool = False
    is_open: bool = False
    is_lost: bool = False
    is_refused: bool = False
    heard_at: float = 0.0


class Link:
    """Keeps one connection to each endpoint that is wanted, and dials again what is lost."""

    def __init__(self, document: str, secret: bytes | None) -> None:
        self.context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.topic = writer.topic(document)
        self.keys = None if secret is None else (zmq.curve_public(z85(secret)), z85(secret))
        self.dialled: dict[Endpoint, Dialled] = {}
        self.again_at: dict[Endpoint, tuple[float, float]] = {}
        """When to dial an endpoint again, and how long the pause before that was."""
        self.next_number = 1
        self.opened: Callable[[int], None] = lambda _: None
        self.closed: Callable[[int], None] = lambda _: None
        self.message: Callable[[int, bytes], None] = lambda _, __: None
        self.frame: Callable[[int, bytes], None] = lambda _, __: None

    def want(self, endpoints: Iterable[Endpoint], now: float) -> None:
        """Dials what is wanted and hangs up on what is not."""
        wanted = set(endpoints)
        for endpoint in [each for each in self.dialled if each not in wanted]:
            self.drop(self.dialled.pop(endpoint))
        for endpoint in wanted - self.dialled.keys():
            if now >= self.again_at.get(endpoint, (0.0, 0.0))[0]:
                self.dialled[endpoint] = self.dial(endpoint, now)

    def dial(self, endpoint: Endpoint, now: float) -> Dialled:
        ask, publish = self.context.socket(zmq.DEALER), self.context.socket(zmq.SUB)
        monitors = []
        for socket in (ask, publish):
            socket.setsockopt(zmq.LINGER, 200)
            socket.setsockopt(zmq.IMMEDIATE, 1)
            socket.setsockopt(zmq.SNDHWM, 1024)
            socket.setsockopt(zmq.RCVHWM, 4096)
            socket.setsockopt(zmq.MAXMSGSIZE, 33_554_432)
            socket.setsockopt(zmq.HANDSHAKE_IVL, int(HANDSHAKE * 1000))
            socket.setsockopt(zmq.IPV6, 1 if "[" in endpoint.ask else 0)
            if endpoint.ask.startswith("tcp:"):
                for option, value in ((zmq.TCP_KEEPALIVE, 1), (zmq.TCP_KEEPALIVE_IDLE, 5), (zmq.TCP_KEEPALIVE_INTVL, 5),
                                      (zmq.TCP_KEEPALIVE_CNT, 3), (zmq.TCP_MAXRT, 5000)):
                    socket.setsockopt(option, value)
            if endpoint.key is not None:
                # Without keys of its own a peer that dials a key makes a fresh pair.
                socket.curve_publickey, socket.curve_secretkey = self.keys or zmq.curve_keypair()
                socket.curve_serverkey = z85(endpoint.key)
            monitors.append(socket.get_monitor_socket())
        publish.setsockopt(zmq.SUBSCRIBE, self.topic)
        ask.connect(endpoint.ask)
        publish.connect(endpoint.publish)
        number, self.next_number = self.next_number, self.next_number + 1
        return Dialled(endpoint, number, ask, publish, monitors, now, heard_at=now)

    def drop(self, dialled: Dialled) -> None:
        if dialled.is_open:
            self.closed(dialled.number)
        for socket in (dialled.ask, dialled.publish):
            socket.disable_monitor()
        for socket in (*dialled.monitors, dialled.ask, dialled.publish):
            socket.close()

    def send(self, number: int, message: bytes) -> None:
        """Drops what cannot be queued: the receiver notices the loss by the means of the conversation."""
        for dialled in self.dialled.values():
            if dialled.number == number and dialled.is_open:
                try:
                    dialled.ask.send(message, zmq.NOBLOCK)
                except zmq.Again:
                    pass

    def wait(self, patience: float) -> None:
        """Waits so many seconds for something to come."""
        poller = zmq.Poller()
        for dialled in self.dialled.values():
            for socket in (dialled.ask, dialled.publish, *dialled.monitors):
                poller.register(socket, zmq.POLLIN)
        if not self.dialled:
            poller.register(self.idle_socket(), zmq.POLLIN)
        poller.poll(int(patience * 1000))

    def turn(self, now: Callable[[], float]) -> None:
        """Hands on all that came, and dials again what was lost."""
        for endpoint, dialled in list(self.dialled.items()):
            self.take_events(dialled, now())
            self.take_messages(dialled, now())
            is_late = not dialled.is_open and now() - dialled.began_at > HANDSHAKE
            is_silent = dialled.is_open and now() - dialled.heard_at > SILENCE
            if dialled.is_lost or is_late or is_silent:
                pause = min(0.5, 2 * self.again_at.get(endpoint, (0.0, 0.01))[1])
                pause = REFUSED_AGAIN if dialled.is_refused else 0.02 if dialled.is_open else pause
                self.again_at[endpoint] = now() + pause, pause
                self.drop(self.dialled.pop(endpoint))

    def idle_socket(self) -> zmq.Socket[bytes]:
        """Nothing ever comes here: it is polled while there is nobody to hear."""
        if not hasattr(self, "_idle"):
            self._idle: zmq.Socket[bytes] = self.context.socket(zmq.PAIR)
        return self._idle

    def take_events(self, dialled: Dialled, now: float) -> None:
        for is_ask, monitor in zip((True, False), dialled.monitors):
            while monitor.poll(0):
                event: Any = zmq.utils.monitor.recv_monitor_message(monitor)["event"]
                if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                    dialled.is_asking = dialled.is_asking or is_ask
                    dialled.is_publishing = dialled.is_publishing or not is_ask
                elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH and not is_ask:
                    dialled.is_publishing = True  # what is published comes as `live`
                elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                    dialled.is_lost = dialled.is_refused = True
                elif event == zmq.EVENT_DISCONNECTED and (dialled.is_open or is_ask):
                    dialled.is_lost = True
        if dialled.is_asking and dialled.is_publishing and not dialled.is_open and not dialled.is_lost:
            dialled.is_open, dialled.heard_at = True, now
            self.opened(dialled.number)

    def take_messages(self, dialled: Dialled, now: float) -> None:
        for socket, handle in ((dialled.ask, self.message), (dialled.publish, self.frame)):
            while dialled.is_open:
                try:
                    parts = socket.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                dialled.heard_at = now
                if len(parts) == 1:
                    handle(dialled.number, parts[0])

    def close(self) -> None:
        for dialled in self.dialled.values():
            dialled.is_open = False
            self.drop(dialled)
        self.dialled.clear()
        if hasattr(self, "_idle"):
            self._idle.close()
        self.context.term()


def z85(key: bytes) -> bytes:
    from zmq.utils import z85 as spelling

    return bytes(spelling.encode(key))
