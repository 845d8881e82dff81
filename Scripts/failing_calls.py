"""The n-th call that changes a file of a store fails, or writes elsewhere, for every n of a small run (Scripts/crash)."""

import collections
import copy
import errno
import os
import shutil

import power_loss
import power_loss_runs
import progress
from ledger import Ledger, lines
from writer_kills import Life

WRITES = 5  # Of each of four writers.
SILENCE_MAX = 120
# What fails, and how many calls in a row: one, or all from there on.
FAULTS = {
    "no space once": (errno.ENOSPC, 1), "no space from there on": (errno.ENOSPC, 1 << 40),
    "input/output error once": (errno.EIO, 1), "input/output error from there on": (errno.EIO, 1 << 40),
    "written elsewhere": (0, 1),
}


def run(products, folder, step, keep):
    """Prints the figures and returns what did not hold; `step` takes each so manieth call alone."""
    library = power_loss.build(folder)
    first, ledger = folder / "first", Ledger()
    first.mkdir(mode=0o700)
    # What stands before the run that fails: a store that was closed in good order.
    number_max, _ = live(products, library, folder, first, ledger, None)
    faults, counts, acknowledged = [], collections.Counter(), 0
    for title, (code, count) in FAULTS.items():
        for number in progress.steps(f"calls: {title}", range(1, 1 << 20, step), number_max // step):
            store = folder / "store"
            shutil.rmtree(store, ignore_errors=True)
            shutil.copytree(first, store)
            after = copy.deepcopy(ledger)
            made, is_faulty = live(products, library, folder, store, after, (code, number, count))
            number_max = max(number_max, made)
            if number > made:
                break
            if not is_faulty:
                continue  # It is no write, and goes where it should.
            before = len(after.faults)
            outcome = power_loss_runs.look(products, store, folder / "look", after, lies=code == 0)
            ended = "refused" if after.refusal else "went on"
            counts[f"{title}: {ended}, {outcome}"] += 1
            acknowledged += after.acknowledged - ledger.acknowledged
            if len(after.faults) > before:
                faults.append(f"calls: {title}, call {number} of {made}: {after.faults[-1]}")
                if keep:
                    shutil.copytree(store, keep / f"calls-{title.replace(' ', '-')}-{number}", dirs_exist_ok=True)
    for outcome, count in sorted(counts.items()):
        progress.say(f"calls: {count:5} {outcome}")
    progress.say(
        f"calls: {sum(counts.values())} runs, each of up to {number_max} calls that change a file; every "
        f"{'' if step == 1 else f'{step}th '}call failed in turn; {acknowledged} writes acknowledged, "
        f"{len(faults)} runs did not hold what they must")
    return faults


def live(products, library, folder, store, ledger, fault):
    """One run of a few writes; how many calls it made that change a file, and whether any went wrong."""
    journal, log = folder / "journal", folder / "calls"
    log.unlink(missing_ok=True)
    environment = os.environ | power_loss.environment(library, store, journal, log, fault)
    life = Life(products, store, journal, ledger.begin() + ["--writes", str(WRITES)], environment)
    life.process.wait(timeout=SILENCE_MAX)
    ledger.take(lines(journal.read_bytes()) if journal.exists() else [], must_hold=not fault or fault[0] != 0)
    kinds = collections.Counter(call.kind for call in power_loss.calls(log))
    faulty = kinds[power_loss.FAULTY]
    # A write that goes elsewhere is recorded as a write too.
    made = kinds.total() - kinds[power_loss.JOURNALLED] - (faulty if fault and not fault[0] else 0)
    return made, faulty > 0
