"""A replica of one document: the document, the changes that wait, and those that others may still ask for."""
from __future__ import annotations

from .document import Document, MergeError
from .reading import View
from .values import Change
from .writing import Transaction

WAITING_MAX = 10_000


class Replica:
    """Merges what comes, in whatever order, and keeps what was written here until the program ends."""

    def __init__(self, id: int) -> None:
        self.id = id
        self.document = Document()
        self.own: list[Change] = []
        """What was written here, under whatever id; all of it, for nobody else promises to keep it."""
        self.last_stamp = 0
        self.needs_state = False
        """Whether something was anchored on what is collected here: only a state has it."""
        self.waiting: dict[tuple[int, int], Change] = {}
        self.since_state: list[Change] = []
        """What merged since the last state, in this order."""

    @property
    def view(self) -> View:
        return View(self.document)

    def begin(self, milliseconds: int) -> Transaction:
        return Transaction(self.document, self.id, milliseconds, self.last_stamp)

    def finish(self, transaction: Transaction) -> Change | None:
        change = transaction.finish()
        if change is not None:
            self.last_stamp = change.stamp
            self.own.append(change)
            self.since_state.append(change)
            self.merge_waiting()
        return change

    def merge(self, changes: list[Change]) -> bool:
        """Merges what may merge, and holds back what lacks others. Whether anything differs now."""
        before = self.document.generation
        for change in changes:
            if self.document.covers((change.replica, change.last_counter)):
                continue
            if len(self.waiting) < WAITING_MAX or not self.document.lacks(change):
                self.waiting[change.replica, change.first_counter] = change
        self.merge_waiting()
        return self.document.generation != before

    def merge_waiting(self) -> None:
        while ready := [place for place, change in self.waiting.items() if not self.document.lacks(change)]:
            for place in ready:
                change = self.waiting.pop(place)
                try:
                    if self.document.merge(change):
                        self.since_state.append(change)
                except MergeError as error:
                    if "was collected" not in str(error):
                        raise
                    self.needs_state = True

    def lacks(self) -> bool:
        return bool(self.waiting)

    def merge_state(self, document: Document) -> bool:
        """Takes a state in place of all, and merges again what it does not cover. Whether that was possible.

        A state that lacks what came here with an earlier one is left alone: a later one has it.
        """
        kept = [change for change in self.since_state if not document.covers((change.replica, change.last_counter))]
        promised = dict(document.version)
        for change in kept:
            promised[change.replica] = max(promised.get(change.replica, 0), change.last_counter)
        if any(counter > promised.get(replica, 0) for replica, counter in self.document.version.items()):
            return False
        for change in kept:
            document.merge(change)
        document.generation = self.document.generation + 1
        self.document, self.since_state, self.needs_state = document, kept, False
        self.merge_waiting()
        return True

    def answer(self, version: dict[int, int]) -> list[Change]:
        """What was written here and a version lacks."""
        return [change for change in self.own if change.last_counter > version.get(change.replica, 0)]

    def claim(self) -> dict[int, int]:
        """The version of what is kept for others: what was written here."""
        claimed: dict[int, int] = {}
        for change in self.own:
            claimed[change.replica] = max(claimed.get(change.replica, 0), change.last_counter)
        return claimed
