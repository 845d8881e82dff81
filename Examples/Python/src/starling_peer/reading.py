"""What readers see of a document (merge.md, "What is visible" and "Moving between parents")."""
from __future__ import annotations

from functools import cached_property
from typing import Any

from .document import LIST, SET, TEXT, Document, Object, Slot, signed
from .values import ROOT, Dot, Key, Value, python_value
from .wire.notation import assigned_id

Place = tuple[int, Key, Dot]
"""An entry: its object, key and dot."""


class View:
    """One generation of a document as readers see it. Make another one after a change."""

    def __init__(self, document: Document) -> None:
        self.document = document

    @cached_property
    def places(self) -> dict[int, dict[Dot, tuple[Place, int, Dot | None]]]:
        """Of each assigned object, by dot: the entries that put it somewhere, each with its stamp and where it came from."""
        found: dict[int, dict[Dot, tuple[Place, int, Dot | None]]] = {}
        for object in self.document.objects.values():
            for key, slot in object.slots.items():
                for dot, (stamp, value) in slot.entries.items():
                    for id in objects_of(value, dot):
                        came_from = moved[2] if (moved := value.moved) is not None else None
                        found.setdefault(id, {})[dot] = (object.id, key, dot), stamp, came_from
        return found

    @cached_property
    def standing(self) -> set[int]:
        """The objects that can be reached from the root, through hidden places too."""
        found: set[int] = set()
        pending = [ROOT]
        while pending:
            id = pending.pop()
            if id in found or id not in self.document.objects:
                continue
            found.add(id)
            object = self.document.objects[id]
            for key, derived in self.document.derived.get(id, {}).items():
                if key.sort != 3 or key.name in object.sequence.candidates:
                    pending += derived
            for slot in object.slots.values():
                for dot, (_, value) in slot.entries.items():
                    pending += objects_of(value, dot)
        return found

    # Objects that moved

    @cached_property
    def effective(self) -> dict[int, Place]:
        """The place of each object that stands at which readers see it: its first, unless that makes a circle."""
        effective: dict[int, Place] = {}
        ranked: dict[int, list[Place]] = {}
        for id in self.standing & self.places.keys():
            places = {dot: entry for dot, entry in self.places[id].items() if entry[0][0] in self.standing}
            left = {came_from for _, _, came_from in places.values()}
            order = sorted(places, key=lambda dot: (dot not in left, places[dot][1], dot), reverse=True)
            ranked[id] = [places[dot][0] for dot in order]
        rooted: set[int] = set()
        while len(rooted) < len(ranked):
            before = len(rooted)
            for id in ranked:
                self.follow_first(id, ranked, rooted, effective)
            if len(rooted) > before:
                continue
            others = ranked.keys() - rooted
            circles = [id for id in others if self.is_on_circle(id, ranked, rooted)]
            for candidates in (circles, list(others)):
                open_places = [(self.places[id][place[2]][1], place[2], id, place) for id in candidates
                               for place in ranked[id] if self.container(place[0]) in rooted | {ROOT}]
                if open_places:
                    best = max(open_places, key=lambda each: (not self.is_left(each[2], each[1]), each[0], each[1]))
                    effective[best[2]] = best[3]
                    rooted.add(best[2])
                    break
            else:
                break
        return effective

    def is_left(self, id: int, dot: Dot) -> bool:
        return any(came_from == dot for place, _, came_from in self.places[id].values() if place[0] in self.standing)

    def container(self, id: int) -> int:
        """The assigned object, or the root, in which an object stands with what it is derived from."""
        while (above := self.document.objects[id].derived_from) is not None:
            id = above[0]
        return id

    def follow_first(self, id: int, ranked: dict[int, list[Place]], rooted: set[int], effective: dict[int, Place]) -> None:
        chain: list[int] = []
        while id != ROOT and id not in rooted and id not in chain and id in ranked:
            chain.append(id)
            id = self.container(ranked[id][0][0])
        if id == ROOT or id in rooted:
            for each in chain:
                effective[each] = ranked[each][0]
            rooted.update(chain)

    def is_on_circle(self, id: int, ranked: dict[int, list[Place]], rooted: set[int]) -> bool:
        at, seen = id, set[int]()
        while at in ranked and at not in rooted and at not in seen:
            seen.add(at)
            at = self.container(ranked[at][0][0])
            if at == id:
                return True
        return False

    def is_hidden(self, object: int, key: Key, dot: Dot, value: Value) -> bool:
        if not self.document.has_moved:
            return False
        return any(self.effective.get(id) != (object, key, dot) for id in objects_of(value, dot))

    # Slots

    def entries(self, object: int, key: Key) -> list[tuple[Dot, Value]]:
        """The visible entry of a slot, then its conflicts."""
        slot = self.document.objects[object].slots.get(key, Slot())
        shown = [(stamp, dot, value) for dot, (stamp, value) in slot.entries.items()
                 if not self.is_hidden(object, key, dot, value)]
        return [(dot, value) for _, dot, value in sorted(shown, key=lambda each: each[:2], reverse=True)]

    def counter(self, object: int, key: Key) -> int | None:
        """The sum of a slot's shares; None where there are none."""
        shares = self.document.objects[object].slots.get(key, Slot()).shares
        return signed(sum(share.total for share in shares.values())) if shares else None

    def visible(self, object: int, key: Key) -> Object | Value | int | None:
        """An object, a value, the sum of a counter, or None where the slot is absent."""
        entries, slot = self.entries(object, key), self.document.objects[object].slots.get(key, Slot())
        share = max(((share.stamp, (replica, share.last)) for replica, share in slot.shares.items()), default=None)
        if entries:
            dot, value = entries[0]
            if share is None or (slot.entries[dot][0], dot) > share:
                return self.meant(object, key, dot, value)
        if share is not None:
            return self.counter(object, key)
        return next((each for each in self.document.derived_at(object, key) if self.document.holds_something(each)), None)

    def meant(self, object: int, key: Key, dot: Dot, value: Value) -> Object | Value:
        """What a value stands for: the object that it makes, moves or declares present, or itself."""
        for id in objects_of(value, dot):
            return self.document.objects[id]
        if value.sort == "derived":
            for each in self.document.derived_at(object, key):
                if each.kind == value.content:
                    return each
        return value

    def keys(self, object: Object) -> list[Key]:
        """The keys whose slots are not absent, in their order; of a list, the elements as they stand."""
        if object.kind == LIST:
            items = object.sequence.items
            elements = [Key(3, items[dot].element) for dot in object.sequence.visible()]
            return [key for key in elements if self.visible(object.id, key) is not None]
        keys = {key for key in {*object.slots, *self.document.derived.get(object.id, {})} if key.sort != 3}
        return sorted(key for key in keys if self.visible(object.id, key) is not None)

    def plain(self, what: Object | Value | int | None) -> Any:
        """As Python values: dict, set as a sorted list, list, str, int, or what `python_value` makes of a value."""
        if isinstance(what, Value):
            if what.sort == "derived":
                return {SET: [], LIST: [], TEXT: ""}.get(what.content, {})
            return python_value(what)
        if not isinstance(what, Object):
            return what
        if what.kind == TEXT:
            return what.sequence.text()
        keys = self.keys(what)
        if what.kind == SET:
            return [plain_key(key) for key in keys]
        if what.kind == LIST:
            return [self.plain(self.visible(what.id, key)) for key in keys]
        return {str(key): self.plain(self.visible(what.id, key)) for key in keys}


def objects_of(value: Value, dot: Dot) -> list[int]:
    """The assigned object that a value makes or moves, if any."""
    if value.sort == "object":
        return [assigned_id(dot)]
    return [] if (moved := value.moved) is None else [assigned_id(moved[1])]


def plain_key(key: Key) -> Any:
    return key.name.decode() if key.sort == 0 else key.name
