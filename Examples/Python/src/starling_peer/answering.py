"""An answer to a want, and how much of it may be on its way (conversation.md, "Answers" and "Credit")."""
from __future__ import annotations

from typing import Iterator

from .values import Change
from .wire import writer

WINDOW = 4_194_304
PART_COST = 8192
CHANGES_A_BATCH = 256


class Answer:
    """The changes that one peer asked for. What it has not said to have taken is bounded."""

    def __init__(self, document: str, request: int, changes: list[Change]) -> None:
        self.document, self.request = document, request
        self.remaining = changes
        self.sent = self.taken = 0

    @property
    def is_done(self) -> bool:
        return not self.remaining

    def credit(self, request: int, taken: int) -> None:
        if request == self.request:
            self.taken = max(self.taken, taken)

    def parts(self) -> Iterator[bytes]:
        """The messages that may be sent now."""
        while self.remaining and self.sent - self.taken < WINDOW:
            part, self.remaining = self.remaining[:CHANGES_A_BATCH], self.remaining[CHANGES_A_BATCH:]
            content = writer.batch(part)
            self.sent += len(content) + PART_COST
            yield writer.changes(self.document, self.request, content)
