"""A program that writes loses the power of its disk over and over (Scripts/crash)."""

import collections
import copy
import os
import shutil
import time

import power_loss
import programs
import progress
from ledger import Ledger, lines
from writer_kills import Life

CUTS = 4  # At how many of its calls each run loses power.


def run(products, folder, losses, dice, lies, keep):
    """Prints the figures and returns what did not hold."""
    library = power_loss.build(folder)
    store, image = folder / "store", folder / "image"
    journal, log = folder / "journal", folder / "calls"
    store.mkdir(mode=0o700)
    ledger = Ledger()
    counts, modes, cuts = collections.Counter(), collections.Counter(), 0
    title = "lying" if lies else "power"
    for number in progress.steps("Cutting the power", range(1, losses + 1)):
        log.unlink(missing_ok=True)
        disk = power_loss.Disk(store)
        told = ledger.begin() + (["--accept-damage"] if lies else []) + (["--history", "state"] if number % 2 else [])
        environment = os.environ | power_loss.environment(library, store, journal, log)
        # Some only open the store and close it in good order.
        is_closed = dice.random() < 0.25
        life = Life(products, store, journal, told + (["--once"] if is_closed else []), environment)
        if is_closed:
            life.process.wait(timeout=120)
        else:
            life.wait_for("held")
            time.sleep(dice.random() * 0.3)
            life.kill()
        calls = power_loss.calls(log)
        if not calls:
            ledger.fault("nothing was recorded")
            break
        for cut in range(CUTS):
            mode = dice.choice(power_loss.MODES)
            at = place(calls, dice)
            honoured = dice.randint(0, at) if lies else at
            left = copy.deepcopy(disk)
            left.run(calls[:at], honoured, journals=dice.random() < 0.5)
            left.lose_power(mode, dice)
            left.store(image)
            modes[mode] += 1
            cuts += 1
            after = copy.deepcopy(ledger) if cut < CUTS - 1 else ledger
            after.faults = ledger.faults
            after.take(lines(b"".join(call.data for call in calls[:at] if call.kind == power_loss.JOURNALLED)), not lies)
            before = len(ledger.faults)
            shutil.rmtree(store)
            shutil.copytree(image, store)
            outcome = look(products, store, folder / "look", after, lies)
            counts[outcome] += 1
            if len(ledger.faults) > before:
                ledger.faults[-1] += f" (loss {number}, mode {mode}, at call {at} of {len(calls)}, {honoured} honoured)"
                if keep:
                    shutil.copytree(image, keep / f"{title}-{number}-{cut}")
        # The next run goes on from the last image, as it was before anybody looked at it.
        shutil.rmtree(store)
        shutil.copytree(image, store)
        if "refused" in outcome:
            shutil.rmtree(store)
            store.mkdir(mode=0o700)
            fresh = Ledger()
            fresh.ids, fresh.faults, fresh.acknowledged, fresh.life = ledger.ids, ledger.faults, ledger.acknowledged, ledger.life
            ledger = fresh
        if number % max(1, losses // 5) == 0:
            progress.say(f"{title}:{number:6} runs,{cuts:6} losses of power,{ledger.acknowledged:8} acknowledged,"
                         f"{len(ledger.faults):4} faults,{programs.byte_count(store) / 1e6:8.2f} MB")
        if len(ledger.faults) >= 5:
            break
    progress.say(f"{title}: {cuts} losses of power in {losses} runs ("
                 + ", ".join(f"{modes[mode]} {mode}" for mode in power_loss.MODES) + "): "
                 + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    return [f"{title}: {fault}" for fault in ledger.faults]


def place(calls, dice):
    """Half of them anywhere; the others right behind a call that is rarer than a write."""
    rare = [index for index, call in enumerate(calls) if call.kind not in (power_loss.WRITTEN, power_loss.JOURNALLED)]
    if rare and dice.random() < 0.5:
        return min(len(calls), dice.choice(rare) + dice.randint(0, 2))
    return dice.randint(0, len(calls))


def look(products, store, journal, ledger, lies):
    """Opens what is left and tells the outcome."""
    held, refusal = ask(products, store, journal, [])
    if held is not None:
        return judge(ledger, held, lies, "opened")
    if not lies:
        ledger.fault(f"it did not open: {refusal}")
        return "refused"
    if not refusal or "Nothing was changed" not in refusal:
        ledger.fault(f"it does not say what is wrong: {refusal}")
    held, refusal = ask(products, store, journal, ["--accept-damage"])
    if held is None:
        return "refused as damaged"
    return judge(ledger, held, lies, "opened once the damage was accepted")


def judge(ledger, held, lies, outcome):
    reached = ledger.judge(held, must_hold=not lies)
    is_less = any(there < done for there, done in zip(reached, ledger.done))
    return outcome + (" at an earlier state" if is_less else "")


def ask(products, store, journal, more):
    life = Life(products, store, journal, ["--once", *more])
    code = life.process.wait(timeout=120)
    told = lines(journal.read_bytes()) if journal.exists() else []
    held = next((line["held"] for line in told if "held" in line), None)
    refusal = next((line["refused"] for line in told if "refused" in line), None)
    return held, refusal or (None if held is not None else f"ended with {code}: {journal.with_suffix('.log').read_text()[-400:]}")
