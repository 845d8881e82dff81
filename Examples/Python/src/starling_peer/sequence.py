"""The items of a list or a text, in their order (merge.md, "Lists and texts")."""
from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from typing import Iterator

from .values import LEFT, ORIGIN, RIGHT, Dot, Mark, Value


@dataclass
class Item:
    """An item of the tree. A character of a text, a place at which an element of a list may stand, or a tombstone."""

    anchor: Dot
    side: int
    character: str | None = None
    """Of a text; None where the item is removed."""
    element: Dot | None = None
    """Of a list: the element whose candidate this is; None where the item is removed."""
    moved_at: int | None = None
    """Of a list: the stamp of the move that inserted the item; None where an insertion did."""

    @property
    def is_live(self) -> bool:
        return self.character is not None or self.element is not None


@dataclass
class Sequence:
    """Nothing is ever forgotten: a tombstone costs memory until the next state takes the place of all."""

    items: dict[Dot, Item] = field(default_factory=dict)
    marks: dict[Dot, Mark] = field(default_factory=dict)
    children: dict[tuple[Dot, int], list[Dot]] = field(default_factory=dict)
    """Ascending by dot; what stands on the right is read from the end."""
    candidates: dict[Dot, set[Dot]] = field(default_factory=dict)
    """Of each element that is in the list."""

    def insert(self, dot: Dot, item: Item) -> None:
        self.items[dot] = item
        bisect.insort(self.children.setdefault((item.anchor, item.side), []), dot)
        if item.element is not None:
            self.candidates.setdefault(item.element, set()).add(dot)

    def remove(self, dot: Dot) -> None:
        """Makes a tombstone of an item; of a list, of all items of the element."""
        if dot in self.candidates:
            for place in self.candidates.pop(dot):
                self.items[place].element = None
        if (item := self.items.get(dot)) is not None:
            item.character = None

    def take_candidate(self, dot: Dot) -> None:
        """Makes a tombstone of a candidate whose element stands elsewhere too."""
        item = self.items.get(dot)
        if item is not None and item.element is not None:
            self.candidates[item.element].discard(dot)
            item.element = None

    def walk(self) -> Iterator[Dot]:
        """All items in their order: what is anchored on the left of an item, the item, what is anchored on its right."""
        pending: list[tuple[Dot, bool]] = [(ORIGIN, False)]
        while pending:
            dot, is_opened = pending.pop()
            if is_opened:
                yield dot
                continue
            pending += [(child, False) for child in self.children.get((dot, RIGHT), ())]
            if dot != ORIGIN:
                pending.append((dot, True))
            pending += [(child, False) for child in reversed(self.children.get((dot, LEFT), ()))]

    def visible(self) -> list[Dot]:
        """The live characters; of a list, the place of each element that readers see."""
        shown = {max(places, key=self.rank_of_candidate) for places in self.candidates.values() if places}
        return [dot for dot in self.walk() if dot in shown or self.items[dot].character is not None]

    def rank_of_candidate(self, dot: Dot) -> tuple[int, Dot]:
        return self.items[dot].moved_at or 0, dot

    def text(self) -> str:
        return "".join(self.items[dot].character or "" for dot in self.visible())

    def place_of_insertion(self, before: Dot) -> tuple[Dot, int]:
        """The anchor and side of what is inserted behind a visible item, or the origin (merge.md, "Order")."""
        counting: set[Dot] = set()
        for dot in self.visible():
            while dot != ORIGIN and dot not in counting:
                counting.add(dot)
                dot = self.items[dot].anchor
        follows = before == ORIGIN
        for dot in self.walk():
            if follows and dot in counting:
                above = dot
                while above != ORIGIN:
                    item = self.items[above]
                    if item.anchor == before:
                        return (dot, LEFT) if item.side == RIGHT else (before, RIGHT)
                    above = item.anchor
                return before, RIGHT
            follows = follows or dot == before
        return before, RIGHT

    def properties(self) -> list[tuple[str, dict[str, Value]]]:
        """The text as runs, each with the values that marks give it; null values are left out."""
        order: dict[tuple[int, Dot], int] = {(RIGHT, ORIGIN): 0}
        visible: list[tuple[int, str]] = []
        for place, dot in enumerate(self.walk()):
            order[LEFT, dot], order[RIGHT, dot] = 2 * place + 1, 2 * place + 3
            if (character := self.items[dot].character) is not None:
                visible.append((2 * place + 2, character))
        order[LEFT, ORIGIN] = 2 * len(self.items) + 3
        runs: list[tuple[str, dict[str, Value]]] = []
        marks = sorted(self.marks.items(), key=lambda entry: (entry[1].rank, entry[0]))
        for place, character in visible:
            given = {str(mark.name): mark.value for _, mark in marks
                     if order.get(mark.start, 0) <= place < order.get(mark.end, 0)}
            given = {name: value for name, value in given.items() if value.sort != "null"}
            if runs and runs[-1][1] == given:
                runs[-1] = runs[-1][0] + character, given
            else:
                runs.append((character, given))
        return runs
