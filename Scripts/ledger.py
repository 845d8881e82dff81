"""What 'crash-writer' wrote, as its journals say, and whether what a store holds afterwards is what it may hold."""

import json

SLOTS = 64
EACH = 8  # Of so many writes one is appended to the list.


class Ledger:
    """Each writer makes its writes one after the other, numbered from 1 on, and begins one only when the former is on the
    disk. So what a store holds is told by one number for each writer: how far it got."""

    def __init__(self, writers=4):
        self.writers = range(writers)
        self.reached = [0] * writers  # What the store held when it was read last: it came from the disk, and stays there.
        self.done = [0] * writers  # What was acknowledged.
        self.tried = [0] * writers
        self.life = 0
        self.made_in = [{} for _ in self.writers]  # Of each writer's writes: in which life.
        self.ids = set()
        self.faults = []
        self.acknowledged = 0
        self.refusal = None

    def begin(self):
        """The next life; what the program is told of it."""
        self.life += 1
        self.refusal = None
        return ["--life", str(self.life)]

    def take(self, lines, must_hold=True):
        """Judges what the life found by what those before wrote, and notes what it wrote itself."""
        for line in lines:
            if "opened" in line:
                if line["opened"] in self.ids:
                    self.fault(f"it writes under the id {line['opened']} of an earlier one")
                self.ids.add(line["opened"])
            elif "held" in line:
                reached = self.judge(line["held"], must_hold)
                self.reached, self.done, self.tried = reached, reached[:], reached[:]
            elif "refused" in line:
                self.refusal = line["refused"]
            elif "try" in line:
                writer, number = line["try"]
                self.tried[writer] = number
                self.made_in[writer][number] = self.life
            else:
                writer, number = line["done"]
                self.done[writer] = number
                self.acknowledged += 1

    def judge(self, held, must_hold=True):
        """How far each writer got, by what is held."""
        found = len(self.faults)
        reached = [0] * len(self.writers)
        for value in held["entries"].values():
            writer, number = map(int, value.split(" ")[0].split("-"))
            reached[writer] = max(reached[writer], number)
        for writer in self.writers:
            if must_hold and reached[writer] < self.done[writer]:
                self.fault(f"writer {writer}: {self.done[writer]} acknowledged, {reached[writer]} there")
            if reached[writer] > self.tried[writer]:
                self.fault(f"writer {writer}: {reached[writer]} there, {self.tried[writer]} written")
        if len(self.faults) == found:
            entries = {}
            for writer in self.writers:
                for number in range(max(1, reached[writer] - SLOTS + 1), reached[writer] + 1):
                    entries[f"{writer}-{number % SLOTS}"] = self.content(writer, number)
            if entries != held["entries"]:
                wrong = [key for key in entries.keys() | held["entries"].keys() if entries.get(key) != held["entries"].get(key)]
                self.fault(f"{len(wrong)} entries are not as written last, as {wrong[0]}: {held['entries'].get(wrong[0])!r}")
            if held["writeCount"] != sum(reached):
                self.fault(f"the sum is {held['writeCount']} after {sum(reached)} writes")
            for writer in self.writers:
                receipts = [each for each in held["receipts"] if each.startswith(f"{writer}-")]
                if receipts != [f"{writer}-{number}" for number in range(EACH, reached[writer] + 1, EACH)]:
                    self.fault(f"the list of writer {writer} is not what it appended up to {reached[writer]}")
        return reached

    def content(self, writer, number):
        return f"{writer}-{number} {self.made_in[writer].get(number)} " + "x" * 100

    def fault(self, words):
        self.faults.append(f"life {self.life}: {words}")


def lines(data):
    """The whole lines of a journal; a loss of power may cut the last."""
    return [json.loads(line) for line in data[:data.rfind(b"\n") + 1].splitlines()]
