#!/usr/bin/env python3
"""Holds single operations to what they may cost; the standard library and valgrind are enough.

usage: thresholds.py FOLDER [--update]

Has the benchmarks in FOLDER (built for release) do each work of CountedWork.swift and CountedModels.swift once under
Callgrind and compares the instructions and allocations of one operation with those in thresholds.json. More than a
tenth above fails, by name. Counts do not depend on how busy the machine is, and hashing is made deterministic, so a
second run reads the same to a thousandth or so. They do depend on the processor's kind, so each kind has its own
figures.

--update writes down what was read: after a change that made something cheaper, or dearer for a reason that the commit
names.
"""
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

MARGIN = 1.10
FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "thresholds.json")
CORE_WORKS = ("document-set", "document-message", "batch-set", "text-insert-captured", "text-message", "list-insert")
CORE_WORKS += ("list-state-read", "list-state-written", "text-state-written", "keys-walked")
CORE_WORKS += ("engine-write", "engine-write-batch", "engine-receive", "engine-receive-turn", "engine-receive-batch")
CORE_WORKS += ("log-commit", "log-commit-64")
MODEL_WORKS = ("model-set", "model-set-100", "models-set", "models-set-100", "model-remote", "model-text")
PROGRAMS = {"StarlingBenchmarks": CORE_WORKS, "StarlingModelBenchmarks": MODEL_WORKS}
ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"}


def named_only(program, folder):
    """A copy without what a debugger reads: valgrind gives up on some of what this compiler writes, and names do."""
    if not shutil.which("strip"):
        return program
    copy = os.path.join(folder, os.path.basename(program))
    subprocess.run(["strip", "-g", "-o", copy, program], check=True)
    return copy


def count(program, work):
    """Instructions and allocations of one operation."""
    with tempfile.TemporaryDirectory() as folder:
        program = named_only(program, folder)
        out = os.path.join(folder, "callgrind.out")
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-before=*starling_counted_*", "--compress-strings=no"]
            + ["--callgrind-out-file=" + out, program, "--counted", work],
            env=dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1"),
            capture_output=True,
            text=True,
        )
        if run.returncode:
            raise SystemExit(f"{work} did not run: {run.stderr[-2000:]}")
        # One file for what came before the work, one for the work, and one for the rest. Counting for as long as the
        # work lasts would not do: Callgrind counts calls always, and only their instructions when it is told to.
        if not os.path.exists(out + ".2"):
            raise SystemExit(f"{work}: nothing was counted; is there still a function starling_counted_end?")
        instructions, allocations = read(out + ".2")
    operations = int(run.stdout)
    return {
        "instructions": round(instructions / operations),
        "allocations": round(allocations / operations, 2),
    }


def read(path):
    instructions = allocations = 0
    with open(path, errors="replace") as file:
        called = None
        for line in file:
            if line.startswith("cfn="):
                # "malloc'2" is malloc within malloc.
                called = re.sub(r"[@'].*", "", line[4:].strip())
            elif line.startswith("calls=") and called in ALLOCATORS:
                allocations += int(line[6:].split()[0])
            elif line.startswith(("totals:", "summary:")):
                instructions = int(line.split()[1])
    return instructions, allocations


def main():
    options = sys.argv[2:]
    if len(sys.argv) < 2 or any(option != "--update" for option in options):
        raise SystemExit(__doc__)
    if not shutil.which("valgrind"):
        raise SystemExit("The check counts with valgrind, which is not here (apt-get install valgrind).")
    with open(FILE) as file:
        all_limits = json.load(file)
    limits = all_limits.setdefault(platform.machine(), {})
    if not limits and not options:
        raise SystemExit(f"{FILE} has no figures for {platform.machine()} yet; --update writes them.")
    failed = []
    for program, work in [(program, work) for program, works in PROGRAMS.items() for work in works]:
        found = count(os.path.join(sys.argv[1], program), work)
        limit = limits.get(work)
        words = []
        for unit, value in found.items():
            if limit is None:
                words.append(f"{value} {unit}")
                continue
            words.append(f"{value} {unit} (written down: {limit[unit]})")
            if value > limit[unit] * MARGIN and not options:
                failed.append(f"{work}: {value} {unit} where {limit[unit]} were written down")
        if limit is None and not options:
            failed.append(f"{work}: nothing is written down")
        print(work.ljust(24) + ", ".join(words), flush=True)
        if options:
            limits[work] = found
    if options:
        with open(FILE, "w") as file:
            json.dump(all_limits, file, indent=2)
            file.write("\n")
    for failure in failed:
        print("ABOVE  " + failure)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
