"""What a program holds of a document: maps, counters, sets, dictionaries, lists and texts (models.md).

A handle names a place. It reads what stands there now, and making one writes nothing.
"""
from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from .document import DICTIONARY, LIST, MAP, SET, TEXT, Object
from .reading import View, plain_key
from .values import Key, Scalar, Value, python_value, value_of
from .writing import Plain, Transaction

if TYPE_CHECKING:
    from .peer import Peer

Name = str | int | bool | bytes
"""What names a member or an entry, as `Keys of members and entries` of the page says."""


def key_of(name: Name) -> Key:
    if isinstance(name, str):
        return Key.named(name)
    return Key(2, name) if isinstance(name, bytes) else Key(1, int(name))


class Handle:
    """A place in a document: a slot, in which an object of one kind stands or may stand."""

    kind = MAP

    def __init__(self, peer: Peer, parent: int, key: Key | None = None) -> None:
        self._peer, self._parent, self._key = peer, parent, key

    @property
    def _view(self) -> View:
        return self._peer._replica.view

    def _found(self) -> Object | None:
        """The object that stands at the place now; None where none does."""
        document = self._peer._replica.document
        if self._key is None:
            return document.objects[self._parent]
        if self._parent not in document.objects:
            return None
        view = self._view
        found = view.visible(self._parent, self._key)
        if isinstance(found, Object):
            return found if found.kind == self.kind else None
        return next((each for each in document.derived_at(self._parent, self._key) if each.kind == self.kind), None)

    def _made(self, transaction: Transaction) -> Object:
        """The object, for a writer."""
        if self._key is None:
            return transaction.document.objects[self._parent]
        return transaction.container(self._parent, self._key, self.kind)


class Map(Handle):
    """A map: the root, a model, a struct. Its keys are the names of properties."""

    def _inner(self, name: str) -> tuple[int, Key]:
        """Where a property of the map stands. Defines the map, and writes nothing."""
        with self._peer._changed:
            if (found := self._found()) is None:
                transaction = self._peer._replica.begin(0)
                found = self._made(transaction)
            return found.id, Key.named(name)

    def map(self, name: str) -> Map:
        return Map(self._peer, *self._inner(name))

    def counter(self, name: str) -> Counter:
        return Counter(self._peer, *self._inner(name))

    def members(self, name: str) -> Members:
        """A set."""
        return Members(self._peer, *self._inner(name))

    def dictionary(self, name: str) -> Dictionary:
        return Dictionary(self._peer, *self._inner(name))

    def list(self, name: str) -> List:
        return List(self._peer, *self._inner(name))

    def text(self, name: str) -> Text:
        return Text(self._peer, *self._inner(name))

    def get(self, name: str, default: Any = None) -> Any:
        """What stands under a name, as plain Python values; `default` where nothing does."""
        with self._peer._changed:
            found = self._found()
            shown = None if found is None else self._view.visible(found.id, Key.named(name))
            return default if shown is None else self._view.plain(shown)

    def set(self, name: str, value: Plain) -> None:
        """Writes a scalar; or a dictionary or a list, in place of what is there."""
        self._peer.write(lambda transaction: transaction.put(self._made(transaction).id, Key.named(name), value))

    def remove(self, name: str) -> None:
        self._peer.write(lambda transaction: transaction.remove(self._made(transaction).id, Key.named(name)))

    def conflicts(self, name: str) -> builtins.list[Any]:
        """What others wrote at the same time as the visible value, the latest first. A write resolves the conflict."""
        with self._peer._changed:
            found = self._found()
            entries = [] if found is None else self._view.entries(found.id, Key.named(name))
            return [python_value(value) for _, value in entries[1:]]

    def keys(self) -> builtins.list[str]:
        with self._peer._changed:
            return [] if (found := self._found()) is None else [str(key) for key in self._view.keys(found)]

    def plain(self) -> dict[str, Any]:
        """The map and all in it, as plain Python values."""
        with self._peer._changed:
            shown: dict[str, Any] = {} if (found := self._found()) is None else self._view.plain(found)
            return shown

    def at(self, path: Sequence[str]) -> Any:
        """What stands at a path of names, and of places in lists; None where nothing does."""
        with self._peer._changed:
            at: Any = self._found()
            for name in path:
                if not isinstance(at, Object):
                    return None
                at = self._view.visible(at.id, self._step(at, name))
            return self._view.plain(at)

    def _step(self, at: Object, name: str) -> Key:
        keys = self._view.keys(at)
        if at.kind == LIST and name.isdigit() and int(name) < len(keys):
            return keys[int(name)]
        return next((key for key in keys if str(key) == name), Key.named(name))


class Counter(Handle):
    """A number to which several writers add at once."""

    @property
    def value(self) -> int:
        assert self._key is not None
        with self._peer._changed:
            shown = self._view.visible(self._parent, self._key)
            return shown if isinstance(shown, int) else 0

    def add(self, amount: int = 1) -> None:
        assert self._key is not None
        key = self._key
        self._peer.write(lambda transaction: transaction.add(self._parent, key, amount))


class Members(Handle):
    """A set. A member is there where its slot is; writers put `true` in it."""

    kind = SET

    def add(self, member: Name) -> None:
        self._peer.write(
            lambda transaction: transaction.assign(self._made(transaction).id, key_of(member), Value("bool", True)))

    def discard(self, member: Name) -> None:
        self._peer.write(lambda transaction: transaction.remove(self._made(transaction).id, key_of(member)))

    def __contains__(self, member: Name) -> bool:
        with self._peer._changed:
            found = self._found()
            return found is not None and self._view.visible(found.id, key_of(member)) is not None

    def __iter__(self) -> Iterator[Any]:
        with self._peer._changed:
            found = self._found()
            return iter([] if found is None else [plain_key(key) for key in self._view.keys(found)])

    def __len__(self) -> int:
        return len(list(iter(self)))


class Dictionary(Handle):
    """A dictionary whose entries merge one by one."""

    kind = DICTIONARY

    def __getitem__(self, name: Name) -> Any:
        with self._peer._changed:
            found = self._found()
            shown = None if found is None else self._view.visible(found.id, key_of(name))
            if shown is None:
                raise KeyError(name)
            return self._view.plain(shown)

    def __setitem__(self, name: Name, value: Plain) -> None:
        self._peer.write(lambda transaction: transaction.put(self._made(transaction).id, key_of(name), value))

    def __delitem__(self, name: Name) -> None:
        self._peer.write(lambda transaction: transaction.remove(self._made(transaction).id, key_of(name)))

    def __contains__(self, name: Name) -> bool:
        with self._peer._changed:
            found = self._found()
            return found is not None and self._view.visible(found.id, key_of(name)) is not None

    def items(self) -> list[tuple[Any, Any]]:
        with self._peer._changed:
            if (found := self._found()) is None:
                return []
            view = self._view
            return [(plain_key(key), view.plain(view.visible(found.id, key))) for key in view.keys(found)]

    def __iter__(self) -> Iterator[Any]:
        return iter([name for name, _ in self.items()])

    def __len__(self) -> int:
        return len(self.items())


class List(Handle):
    """A list whose elements keep their identity, whoever inserts beside them."""

    kind = LIST

    def plain(self) -> list[Any]:
        with self._peer._changed:
            shown: list[Any] = [] if (found := self._found()) is None else self._view.plain(found)
            return shown

    def __len__(self) -> int:
        return len(self.plain())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.plain())

    def __getitem__(self, place: int) -> Any:
        return self.plain()[place]

    def insert(self, place: int, value: Plain) -> None:
        """Inserts an element; a dictionary or a list becomes an object of its own."""
        self._peer.write(lambda transaction: transaction.insert_plain(self._made(transaction), place, [value]))

    def append(self, value: Plain) -> None:
        self._peer.write(lambda transaction: transaction.insert_plain(self._made(transaction), len(self), [value]))

    def __setitem__(self, place: int, value: Scalar) -> None:
        def body(transaction: Transaction) -> None:
            object = self._made(transaction)
            transaction.assign(object.id, self._view.keys(object)[place], value_of(value))

        self._peer.write(body)

    def __delitem__(self, place: int) -> None:
        def body(transaction: Transaction) -> None:
            object = self._made(transaction)
            transaction.remove(object.id, self._view.keys(object)[place])

        self._peer.write(body)


class Text(Handle):
    """A text that several people write at once. Places count Unicode scalars, as `str` does."""

    kind = TEXT

    def __str__(self) -> str:
        with self._peer._changed:
            return "" if (found := self._found()) is None else found.sequence.text()

    def __len__(self) -> int:
        return len(str(self))

    def insert(self, place: int, text: str) -> None:
        self._peer.write(lambda transaction: transaction.insert(self._made(transaction), place, text))

    def delete(self, place: int, count: int) -> None:
        self._peer.write(lambda transaction: transaction.remove_text(self._made(transaction), place, count))

    def replace(self, text: str) -> None:
        """Writes the difference to another text, so that what others write beside it stays."""
        def body(transaction: Transaction) -> None:
            object = self._made(transaction)
            shown = object.sequence.text()
            same = 0
            while same < min(len(shown), len(text)) and shown[same] == text[same]:
                same += 1
            tail = 0
            while tail < min(len(shown), len(text)) - same and shown[-1 - tail] == text[-1 - tail]:
                tail += 1
            transaction.remove_text(object, same, len(shown) - tail - same)
            transaction.insert(object, same, text[same:len(text) - tail])

        self._peer.write(body)

    def runs(self) -> list[tuple[str, dict[str, Any]]]:
        """The text as runs, each with its marks: `[("Hello ", {}), ("world", {"bold": True})]`."""
        with self._peer._changed:
            found = self._found()
            runs = [] if found is None else found.sequence.properties()
            return [(text, {name: python_value(value) for name, value in marks.items()}) for text, marks in runs]
