"""The wire format: readers, checked against every vector, and the writer of what this peer says.

A reader gives dictionaries as Protocol/vectors spells them, and raises `Refused` with a code and an offset.
"""
from .batch import batch
from .messages import message, presence, published
from .notation import Refused
from .snapshot import snapshot
from .stream import Stream

__all__ = ["Refused", "Stream", "batch", "message", "presence", "published", "snapshot"]
