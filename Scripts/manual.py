#!/usr/bin/env python3
"""Writes the manual page of a program from what it says of itself.

usage: manual.py PROGRAM DATE     prints PROGRAM's page, in section 1, for `man`

It asks the program (`--experimental-dump-help`), so the page says what --help says. Needs nothing but Python.
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

SEE_ALSO = ["starlingd", "starling", "sync-demo"]


def escaped(text: str) -> str:
    """Text as roff takes it: no line begins with a dot or an apostrophe, and '-' is a minus that can be copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs as such, and indented lines as they stand: they are examples."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if all(line.startswith("  ") for line in lines):
            yield ".PP\n.RS 4\n.nf\n" + escaped("\n".join(line[2:] for line in lines)) + "\n.fi\n.RE"
        else:
            yield ".PP\n" + escaped("\n".join(line.strip() for line in lines))


def spelled(argument: dict[str, Any]) -> str:
    """An option or argument as a person types it, in bold, with the name of its value."""
    value = f"\\fI{escaped(argument.get('valueName') or '')}\\fR"
    if argument["kind"] == "positional":
        return value
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    shown = ", ".join(f"\\fB{escaped(name)}\\fR" for name in sorted(names, key=lambda name: (name.startswith("--"), name)))
    return shown if argument["kind"] == "flag" else f"{shown} {value}"


def synopsis(name: str, command: dict[str, Any]) -> str:
    parts = [f"\\fB{escaped(name)}\\fR"]
    arguments = shown_arguments(command)
    if any(argument["kind"] != "positional" for argument in arguments):
        parts.append("[\\fIoptions\\fR]")
    for argument in arguments:
        if argument["kind"] == "positional":
            part = spelled(argument) + ("..." if argument.get("isRepeating") else "")
            parts.append(f"[{part}]" if argument["isOptional"] else part)
    if subcommands(command):
        parts.append("\\fIsubcommand\\fR")
    return " ".join(parts)


def shown_arguments(command: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in command.get("arguments", []) if each["shouldDisplay"]]


def subcommands(command: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in command.get("subcommands", []) if each["shouldDisplay"] and each["commandName"] != "help"]


def options(command: dict[str, Any], common: set[str]) -> Iterator[str]:
    for argument in shown_arguments(command):
        if argument.get("valueName") in common and argument["kind"] == "flag":
            continue
        about = argument.get("abstract") or ""
        if argument.get("allValues"):
            about += f" (values: {', '.join(argument['allValues'])})"
        if argument.get("defaultValue"):
            about += f" (default: {argument['defaultValue']})"
        yield f".TP\n{spelled(argument)}\n{escaped(about)}"


def page(program: Path, date: str) -> str:
    told = json.loads(subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True).stdout)
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    command, name = told["command"], told["command"]["commandName"]
    out = [
        f'.TH {name.upper()} 1 "{date}" "{name} {version}" "Starling"',
        f".SH NAME\n{escaped(name)} \\- {escaped(command['abstract'].rstrip('.'))}",
        f".SH SYNOPSIS\n{synopsis(name, command)}",
    ]
    if command.get("discussion"):
        out += [".SH DESCRIPTION", *paragraphs(command["discussion"])]
    out += [".SH OPTIONS", *options(command, set())]
    inner = list(subcommand_sections(name, command))
    if inner:
        out += [".SH COMMANDS", *inner]
    others = ", ".join(f"\\fB{escaped(each)}\\fR(1)" for each in SEE_ALSO if each != name)
    return "\n".join([*out, f".SH SEE ALSO\n{others}", ""])


def subcommand_sections(name: str, command: dict[str, Any]) -> Iterator[str]:
    for each in subcommands(command):
        full = f"{name} {each['commandName']}"
        yield f".SS {escaped(full)}\n{synopsis(full, each)}\n.PP\n{escaped(each.get('abstract') or '')}"
        yield from paragraphs(each["discussion"]) if each.get("discussion") else ()
        yield from options(each, {"help", "version"})
        yield from subcommand_sections(full, each)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    print(page(Path(sys.argv[1]).resolve(), sys.argv[2]), end="")
