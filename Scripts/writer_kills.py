"""A program that writes to its own store is killed over and over (Scripts/crash)."""

import subprocess
import time

import programs
import progress
from ledger import Ledger, lines

SILENCE_MAX = 60


class Life:
    """One run of 'crash-writer'."""

    def __init__(self, products, store, journal, arguments, environment=None):
        journal.unlink(missing_ok=True)
        self.journal = journal
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [products / "crash-writer", store, journal, *arguments], env=environment,
            stderr=open(journal.with_suffix(".log"), "w", encoding="utf-8"))

    def wait_for(self, word):
        """Seconds from the start until the line is there; None where the program ended first."""
        while time.monotonic() - self.began < SILENCE_MAX:
            if self.journal.exists() and f'"{word}"'.encode() in self.journal.read_bytes()[:4096]:
                return time.monotonic() - self.began
            if self.process.poll() is not None:
                return None
            time.sleep(0.002)
        return None

    def kill(self):
        self.process.kill()
        self.process.wait()
        return lines(self.journal.read_bytes() if self.journal.exists() else b"")


def run(products, folder, kills, dice):
    """Prints the figures and returns what did not hold."""
    ledger, store = Ledger(), folder / "store"
    starts, early = [], 0
    print(f"writer: {'kills':>6}{'acknowledged':>14}{'start ms: p50':>15}{'p99':>7}{'max':>7}{'store MB':>10}")
    for number in progress.steps("Killing a writer", range(1, kills + 2)):
        life = Life(products, store, folder / "journal", ledger.begin())
        # The last one is left to say what it holds.
        if number <= kills and starts and dice.random() < 0.15:
            time.sleep(dice.random() * programs.percentile(starts, 0.5))
            early += 1
        else:
            took = life.wait_for("held")
            if took is None:
                ledger.fault("it did not begin within a minute")
            else:
                starts.append(took)
            time.sleep(dice.random() * 0.4)
        ledger.take(life.kill())
        if ledger.refusal:
            ledger.fault(ledger.refusal)
        if number % max(1, kills // 10) == 0 or number == kills + 1 or ledger.faults:
            row = [programs.percentile(starts, share) * 1000 for share in (0.5, 0.99, 1)]
            progress.say(
                f"        {min(number, kills):6}{ledger.acknowledged:14}{row[0]:15.0f}{row[1]:7.0f}{row[2]:7.0f}"
                f"{programs.byte_count(store) / 1e6:10.2f}")
        if ledger.faults:
            break
    progress.say(
        f"writer: {min(ledger.life, kills)} kills, {early} of them while the store opened; {ledger.acknowledged} writes "
        f"acknowledged, {'NOT ALL HELD' if ledger.faults else '0 lost'}; {len(ledger.ids)} replica ids, each new")
    return [f"writer: {fault}" for fault in ledger.faults]
