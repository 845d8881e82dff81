#!/usr/bin/env python3
"""Draws the report of a run of the benchmarks: one page of HTML that needs no other file.

  Scripts/bench_report.py .build/bench/figures.jsonl .build/bench/report.html

Reads what `Scripts/bench --format json` prints, one object a line. A case that was measured beside other systems gets a
row of bars, each the ratio of two figures of one run, on a scale that is the same for all cases: a bar to the right says
that Starling does better, one to the left that the other does. Cases of growth get their times by size, and all others a
table.
"""
import datetime
import html
import json
import math
import os
import platform
import subprocess
import sys

# What a line names that is no other system is a detail of the case.
SYSTEMS = {
    "loro": "Loro", "yrs": "Yrs", "yjs": "Yjs", "observable": "@Observable", "sqlite": "SQLite", "libzmq": "libzmq",
    "zeromq": "libzmq", "redis": "Redis", "nats": "NATS",
}
UNITS = {"ns": "ns", "us": "µs", "ms": "ms", "B": "bytes", "evaluations": "evaluations", "1/s": "a second"}
MORE_IS_BETTER = {"1/s"}
# The scale of ratios: from a hundredth to a hundredfold.
DECADES = 2
GROUPS = [
    ("model-", "Models, as an application sees them"), ("array-", "Models, as an application sees them"),
    ("tracked-", "Readers"), ("write-notify", "Readers"), ("observers", "Readers"), ("rows-", "Readers"),
    ("diamond", "Readers"), ("derived", "Readers"), ("equal-writes", "Readers"),
    ("fan-out", "Between processes"), ("curve", "Between processes"), ("relay", "Between processes"),
    ("durable-", "On disk"), ("open-", "On disk"), ("rest", "Doing nothing"),
    ("b1", "One user (crdt-benchmarks B1)"), ("b2", "Two users at once (crdt-benchmarks B2)"),
    ("b3", "Many users at once (crdt-benchmarks B3)"), ("b4", "A recorded text (crdt-benchmarks B4)"),
    ("text-", "Texts"), ("keys-", "A hundred thousand keys"), ("document-", "Bare documents"),
    ("move", "Moving between parents"),
]


def read_figures(lines):
    """The figures of a run; a line that is none is an error that names it."""
    figures = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            figure = json.loads(line)
            figure["case"], figure["unit"], float(figure["starling"])
        except (ValueError, KeyError, TypeError) as error:
            raise SystemExit(f"Line {number} is no figure ({error}): {line.strip()[:80]}")
        figures.append(figure)
    return figures


def others(figure):
    """What the other systems read, by their names."""
    return {SYSTEMS[key]: value for key, value in figure.items() if key in SYSTEMS and value}


def advantage(figure, value):
    """How many times better Starling does than another; less than one where it does worse."""
    own = figure["starling"]
    if own <= 0 or value <= 0:
        return None
    return own / value if figure["unit"] in MORE_IS_BETTER else value / own


def shortened(value):
    """Three digits that count."""
    if value >= 100_000:
        return f"{value:,.0f}"
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spoken(ratio):
    return f"{shortened(ratio)}×" if ratio >= 0.01 else f"1/{shortened(1 / ratio)}×"


def group(name):
    return next((title for start, title in GROUPS if name.startswith(start)), "Others")


def ratio_bar(name, ratio):
    """One system's bar: right of the middle where Starling does better."""
    width, height, middle = 460, 18, 230
    length = max(-1.0, min(1.0, math.log10(ratio) / DECADES)) * (middle - 10)
    x, kind = (middle, "ahead") if length >= 0 else (middle + length, "behind")
    clipped = " and more" if abs(math.log10(ratio)) > DECADES else ""
    ticks = "".join(
        f'<line class="{"tick" if step else "middle"}" x1="{middle + step * (middle - 10) / DECADES:.1f}" x2="{middle + step * (middle - 10) / DECADES:.1f}"'
        f' y1="0" y2="{height}"/>' for step in range(-DECADES, DECADES + 1))
    return (
        f'<svg class="bar" viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(name)}: {spoken(ratio)}">'
        f'{ticks}<rect class="{kind}" x="{x:.1f}" y="3" width="{max(1.5, abs(length)):.1f}" height="12" rx="2"/>'
        f'<title>{html.escape(name)}: {spoken(ratio)}{clipped}</title></svg>')


def growth_chart(figure):
    """The times by size as a line: flat is a cost that does not grow."""
    sizes, times = figure["sizes"], figure["times"]
    width, height, margin = 220, 60, 8
    top = max(max(times) * 1.15, 1)
    step = (width - 2 * margin) / max(1, len(sizes) - 1)
    points = [
        (margin + place * step, height - margin - time / top * (height - 2 * margin)) for place, time in enumerate(times)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{size:,} items: {shortened(time)} ns</title></circle>'
        for (x, y), size, time in zip(points, sizes, times))
    base = height - margin
    return (
        f'<svg class="growth" viewBox="0 0 {width} {height}" role="img" aria-label="Time by size">'
        f'<line class="tick" x1="{margin}" x2="{width - margin}" y1="{base}" y2="{base}"/>'
        f'<polyline points="{line}"/>{dots}</svg>')


STYLE = """
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #5b6570; --back: #fff; --line: #d9dee3; --ahead: #2f8f5b;
  --behind: #c4602a; --accent: #2b6cb0; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --quiet: #9aa5b1; --back: #14181d; --line: #2e353d;
  --ahead: #4fbf82; --behind: #e08a55; --accent: #7fb2e6; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
h1 { margin-bottom: .2rem; } h2 { margin: 2.2rem 0 .6rem; font-size: 1.15rem; }
p, dl { color: var(--quiet); } dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; }
dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .85rem; }
td, th { padding: .25rem .6rem .25rem 0; vertical-align: middle; } tr.case td { border-top: 1px solid var(--line); }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; } th.number { text-align: right; }
table.ratios { table-layout: fixed; min-width: 46rem; } .ratios th:nth-child(1) { width: 13rem; }
.ratios th:nth-child(2) { width: 7.5rem; } .ratios th:nth-child(3) { width: 6.5rem; } .ratios th:nth-child(4) { width: 5rem; }
.ratios th:nth-child(5) { width: 4rem; } td.bars { padding-right: 0; } code { font: .9em ui-monospace, monospace; }
svg.bar { width: 100%; height: 18px; display: block; } svg.growth { width: 220px; height: 60px; display: block; }
.ahead { fill: var(--ahead); } .behind { fill: var(--behind); } .tick { stroke: var(--line); } .middle { stroke: var(--quiet); }
polyline { fill: none; stroke: var(--accent); stroke-width: 2; } circle { fill: var(--accent); }
.scale { display: flex; justify-content: space-between; color: var(--quiet); font-size: .78rem; }
.better { color: var(--ahead); } .worse { color: var(--behind); } .wide { overflow-x: auto; }
"""


def ratio_rows(figure):
    rows = []
    beside = sorted(others(figure).items(), key=lambda pair: pair[1])
    for place, (name, value) in enumerate(beside):
        ratio = advantage(figure, value)
        if ratio is None:
            continue
        first = place == 0
        kind = "better" if ratio >= 1 else "worse"
        head = (
            f'<td rowspan="{len(beside)}"><code>{html.escape(figure["case"])}</code></td>'
            f'<td class="number" rowspan="{len(beside)}">{shortened(figure["starling"])} {UNITS.get(figure["unit"], figure["unit"])}</td>'
        ) if first else ""
        rows.append(
            f'<tr{" class=case" if first else ""}>{head}<td>{html.escape(name)}</td>'
            f'<td class="number">{shortened(value)}</td><td class="number {kind}">{spoken(ratio)}</td>'
            f'<td class="bars">{ratio_bar(name, ratio)}</td></tr>')
    return "".join(rows)


def sections(figures):
    """The figures that were measured beside others, by group in the order in which they came."""
    found = {}
    for figure in figures:
        if others(figure):
            found.setdefault(group(figure["case"]), []).append(figure)
    return found


def page(figures, about):
    parts = ["<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"]
    parts.append(f"<title>Starling, measured</title><style>{STYLE}</style><h1>Starling, measured</h1>")
    parts.append(
        "<p>Each bar is the ratio of two figures of one run: "
        "<span class=better>to the right Starling does better</span>, <span class=worse>to the left the other does</span>. "
        "The scale is the same for all, a tenfold a mark.</p><dl>")
    parts += [f"<dt>{html.escape(key)}</dt><dd>{html.escape(value)}</dd>" for key, value in about.items()]
    parts.append("</dl>")
    for title, members in sections(figures).items():
        scale = "".join(f"<span>{mark}</span>" for mark in ["1/100", "1/10", "same", "10×", "100×"])
        parts.append(
            f"<h2>{html.escape(title)}</h2><div class=wide><table class=ratios><tr><th>Case<th class=number>Starling<th>Beside"
            f"<th class=number>its figure<th class=number>ratio<th><div class=scale>{scale}</div></tr>"
            + "".join(ratio_rows(figure) for figure in members) + "</table></div>")
    growing = [figure for figure in figures if "sizes" in figure and "times" in figure]
    if growing:
        rows = "".join(
            f'<tr class=case><td><code>{html.escape(figure["case"])}</code></td><td>{growth_chart(figure)}</td>'
            f'<td class=number>{shortened(figure["times"][0])} → {shortened(figure["times"][-1])} ns</td>'
            f'<td class="number {"worse" if figure.get("grows") else "better"}">×{shortened(figure["times"][-1] / figure["times"][0])}</td></tr>'
            for figure in growing if figure["times"] and figure["times"][0])
        parts.append(
            "<h2>Growth: an operation at 1, 2, 4 and 8 times the size</h2><p>A flat line is a cost that does not grow with "
            "what is there.</p><div class=wide><table><tr><th>Case<th>time by size<th class=number>first → last"
            f"<th class=number>ratio</tr>{rows}</table></div>")
    alone = [figure for figure in figures if not others(figure) and figure not in growing]
    if alone:
        rows = "".join(
            f'<tr class=case><td><code>{html.escape(figure["case"])}</code></td>'
            f'<td class=number>{shortened(figure["starling"])} {UNITS.get(figure["unit"], figure["unit"])}</td></tr>'
            for figure in alone)
        parts.append(
            "<h2>Measured alone</h2><div class=wide><table><tr><th>Case<th class=number>Starling</tr>"
            f"{rows}</table></div>")
    return "\n".join(parts) + "\n"


def said_by(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return said_by("sysctl", "-n", "machdep.cpu.brand_string") or platform.processor() or platform.machine()


def about_this_machine(figures):
    names = sorted({name for figure in figures for name in others(figure)})
    changed = " (with changes that are not committed)" if said_by("git", "status", "--porcelain") else ""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return {
        "Machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()} {platform.machine()}",
        "Load at the end": f"{load} (over 1, 5 and 15 minutes)",
        "Commit": (said_by("git", "log", "-1", "--format=%h %s") or "unknown") + changed,
        "Date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "Beside it": ", ".join(names) or "nothing: install other systems with make bench-peers",
        "Cases": str(len(figures)),
    }


def main(arguments):
    if len(arguments) != 2:
        raise SystemExit(__doc__.strip())
    with open(arguments[0], encoding="utf-8") as file:
        figures = read_figures(file)
    if not figures:
        raise SystemExit(f"{arguments[0]} holds no figure.")
    with open(arguments[1], "w", encoding="utf-8") as file:
        file.write(page(figures, about_this_machine(figures)))


if __name__ == "__main__":
    main(sys.argv[1:])
