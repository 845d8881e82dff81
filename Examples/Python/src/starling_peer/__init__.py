"""A peer of Starling in Python: reads, writes and watches a document that Swift programs share.

It is written from the pages of the protocol alone, and uses Python's standard library and pyzmq.

    with starling_peer.open_peer("library") as peer:
        peer.synchronize()
        desk = peer.model("front-desk")
        desk.set("title", "Dune")
        desk.counter("copies").add(1)
        desk.members("tags").add("classic")
        for title in peer.watch(["front-desk", "title"]):
            print(title)
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .endpoints import EndpointError
from .handles import Counter, Dictionary, List, Map, Members, Text
from .values import Scalar, Value

if TYPE_CHECKING:
    from .peer import Peer, open_peer

__version__ = "0.2.0"
__all__ = [
    "Counter", "Dictionary", "EndpointError", "List", "Map", "Members", "Peer", "Scalar", "Text", "Value", "open_peer",
]


def __getattr__(name: str) -> Any:
    """The peer is imported when it is asked for: a program that only reads bytes (`starling_peer.wire`) needs no ZeroMQ."""
    if name in ("Peer", "open_peer"):
        from . import peer

        return getattr(peer, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
