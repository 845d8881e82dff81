"""The rules of Documentation/StateSemantics.md, and how the tests that bear their numbers ended."""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
row_line = re.compile(r"^\| (\d+) \| (.*?) \| ([FVA])( T)? \| (.*?) ?\|$")
# "... Test "row 59: is tracked" with 2 test cases passed after 0.1 seconds." and the like, wherever it begins: tests
# that print at once write into each other's lines.
verdict_line = re.compile(r'\S Test "(rows? [^"]*)"(?: with \d+ test cases?)? (passed|failed|skipped)\b')
rows_of_name = re.compile(r"^rows? ([\d, and]+): ")


def read_rows(page):
    rows = {}
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = row_line.match(line)
        if match:
            row = int(match[1])
            if row in rows:
                sys.exit(f"{page.name}:{number}: row {row} is there twice.")
            rows[row] = (match[2], match[3], bool(match[4]))
    missing = sorted(set(range(1, max(rows, default=0) + 1)) - set(rows))
    if missing:
        sys.exit(f"{page.name} leaves out {listed(missing)}.")
    return rows


def read_tests(logs):
    """The rows of each test, and how it ended; of two runs of one name the worse stands."""
    worse = ["passed", "skipped", "failed"]
    tests = {}
    for log in logs:
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            match = verdict_line.search(line)
            if match:
                tests[match[1]] = max(tests.get(match[1], "passed"), match[2], key=worse.index)
    by_row = {}
    for name, end in tests.items():
        numbers = rows_of_name.match(name)
        for number in re.findall(r"\d+", numbers[1]) if numbers else []:
            by_row.setdefault(int(number), []).append((name, end))
    return by_row


def listed(numbers):
    """1, 2, 3, 7 as "1-3, 7"."""
    runs = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def counted(numbers, one, many):
    return f"{len(numbers)} {one if len(numbers) == 1 else many}"
