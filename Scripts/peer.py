"""A peer that says whatever a script wants it to say (Protocol/wire-format.md), over libzmq with or without a key.

Needs Python's standard library and libzmq, which the daemon needs too.
"""

import base64
import ctypes
import ctypes.util
import pathlib
import random
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Examples" / "Python" / "src"))
from starling_peer.wire.writer import counted, live, refuse, svarint, varint  # noqa: E402

zmq = ctypes.CDLL(ctypes.util.find_library("zmq") or "libzmq.so.5", use_errno=True)
for name in ("zmq_ctx_new", "zmq_socket"):
    getattr(zmq, name).restype = ctypes.c_void_p
zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
zmq.zmq_setsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t]
zmq.zmq_connect.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
zmq.zmq_send.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zmq.zmq_recv.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
zmq.zmq_poll.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_long]
zmq.zmq_close.argtypes = [ctypes.c_void_p]
zmq.zmq_curve_public.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
zmq.zmq_z85_encode.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
context = ctypes.c_void_p(zmq.zmq_ctx_new())

DEALER, DONTWAIT, POLLIN = 5, 1, 1
LINGER, SNDHWM, RCVHWM, SNDTIMEO, RCVTIMEO = 17, 23, 24, 28, 27
CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY = 48, 49, 50


class PollItem(ctypes.Structure):
    _fields_ = [("socket", ctypes.c_void_p), ("fd", ctypes.c_int), ("events", ctypes.c_short), ("revents", ctypes.c_short)]


# MARK: Encoding


def text(string):
    return counted(string if isinstance(string, bytes) else string.encode())


def version(entries):
    entries = sorted(entries)
    return varint(len(entries)) + b"".join(struct.pack("<Q", replica) + varint(counter) for replica, counter in entries)


def hello(store, agent="stranger", endpoints=(), flags=4, epoch=1):
    return (varint(1) + b"Star" + varint(1) + varint(1) + struct.pack("<QQB", store, epoch, flags) + text(agent)
            + varint(len(endpoints)) + b"".join(map(text, endpoints)))


def have(document, entries):
    return varint(2) + text(document) + version(entries) + b"\0"


def want(document, request, entries=()):
    return varint(3) + text(document) + varint(request) + version(entries) + b"\0"


def changes(document, request, batch):
    return varint(4) + text(document) + varint(request) + counted(batch)


def resume(document, request, entries):
    tables = b"\1" + bytes(8) + bytes(3) + bytes(4)
    return (varint(6) + text(document) + varint(request) + version(entries) + struct.pack("<I", 7) + varint(0)
            + counted(tables))


def acknowledge(document, entries):
    return varint(8) + text(document) + version(entries)


def lease(document):
    return varint(12) + text(document) + b"\0"


def presence(document, notices, topic=0):
    """Notices are (origin, number, milliseconds, key, text)."""
    payload = text(document) + varint(len(notices))
    for origin, number, lifetime, key, value in notices:
        payload += struct.pack("<Q", origin) + varint(number) + varint(lifetime) + text(key) + b"\1\xa6" + text(value)
    return live(struct.pack("<II", topic, 0) + varint(0) + payload)


def batch(written, gap=0):
    """One change for each (replica, counter, key, integer below 64 or text of 64 bytes and more)."""
    out = bytearray(b"\1" + varint(len(written)))
    replicas, slots = {}, {}
    for replica, counter, key, value in written:
        number = replicas.setdefault(replica, [len(replicas), None])
        flags = 1 if number[1] is not None and number[1] + 1 == counter or number[1] is None and counter == 1 else 3
        out += bytes([flags]) + varint(number[0])
        if number[1] is None:
            out += struct.pack("<Q", replica)
        if flags & 2:
            out += svarint(counter - 1 - (number[1] or 0))
        number[1] = counter
        if key in slots:
            out += b"\0" + varint(slots[key])
        else:
            slots[key] = len(slots)
            out += b"\x40" + varint(0) + varint(0) + text(key)
        out += bytes([value]) if isinstance(value, int) else b"\xa6" + text(value)
    return bytes(out)


# MARK: Decoding, as far as scripts need it


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        self.place += count
        return self.data[self.place - count:self.place]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def counted(self):
        return self.take(self.varint())


# MARK: Peers


class Peer:
    """Connected to an endpoint, `tcp://KEY@host:port` or `tcp://host:port`; with a key where `secret` is one."""

    def __init__(self, endpoint, secret=None, store=None, agent="stranger", greets=True, endpoints=()):
        self.store = store or random.getrandbits(64)
        self.refusals, self.asked, self.kinds = [], [], {}
        self.socket = ctypes.c_void_p(zmq.zmq_socket(context, DEALER))
        for option, value in ((LINGER, 0), (SNDHWM, 1000), (RCVHWM, 100_000), (SNDTIMEO, 20_000), (RCVTIMEO, 100)):
            zmq.zmq_setsockopt(self.socket, option, struct.pack("i", value), 4)
        place = endpoint.removeprefix("tcp://")
        if secret:
            server, place = place.split("@")
            secret = decoded(secret)
            z85 = ctypes.create_string_buffer(41)
            zmq.zmq_z85_encode(z85, secret, 32)
            public = ctypes.create_string_buffer(41)
            zmq.zmq_curve_public(public, z85.value)
            zmq.zmq_setsockopt(self.socket, CURVE_SERVERKEY, decoded(server), 32)
            zmq.zmq_setsockopt(self.socket, CURVE_PUBLICKEY, public.value, 40)
            zmq.zmq_setsockopt(self.socket, CURVE_SECRETKEY, secret, 32)
        else:
            place = place.split("@")[-1]
        zmq.zmq_connect(self.socket, b"tcp://" + place.encode())
        self.buffer = ctypes.create_string_buffer(1 << 22)
        if greets:
            self.say(hello(self.store, agent, endpoints))
            self.hear_until(lambda: 1 in self.kinds, 10)

    def say(self, message):
        """False where the other side takes nothing for long."""
        return zmq.zmq_send(self.socket, message, len(message), 0) >= 0

    def hear(self, patience=0.0):
        """Takes what has come; waits so many seconds for the first of it."""
        item = PollItem(self.socket, 0, POLLIN, 0)
        if patience and zmq.zmq_poll(ctypes.byref(item), 1, int(patience * 1000)) <= 0:
            return
        while True:
            count = zmq.zmq_recv(self.socket, self.buffer, len(self.buffer), DONTWAIT)
            if count < 0:
                return
            self.take(self.buffer.raw[:min(count, len(self.buffer))])

    def take(self, message):
        reader = Reader(message)
        kind = reader.varint()
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if kind == 3:
            self.asked.append((reader.counted().decode(), reader.varint()))
        elif kind == 9:
            reader.varint()
            self.refusals.append(reader.counted().decode(errors="replace"))

    def hear_until(self, condition, patience):
        end = time.monotonic() + patience
        while not condition() and time.monotonic() < end:
            self.hear(0.05)
        return condition()

    def be_asked(self, document, entries, patience):
        """Says that it holds the entries, so that the other side asks for them.

        The number to answer under; None where nobody asks."""
        self.say(have(document, entries))
        self.hear_until(lambda: any(name == document for name, _ in self.asked), patience)
        return next((number for name, number in reversed(self.asked) if name == document), None)

    def answer(self, document, batches):
        """Says that it is ahead, and answers with the batches. False where nobody asks."""
        request = self.be_asked(document, [(random.getrandbits(64), 1)], 15)
        return request is not None and all(self.say(changes(document, request, each)) for each in batches)

    def close(self):
        zmq.zmq_close(self.socket)


def decoded(key):
    return base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
