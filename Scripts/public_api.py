#!/usr/bin/env python3
"""The declarations that programs see of Starling, beside those that are recorded. Scripts/api calls it.

    Scripts/public_api.py compare BUILD     compares those of the modules in BUILD with Documentation/API
    Scripts/public_api.py record BUILD      writes them there

A page of Documentation/API belongs to a product, and has one declaration a line, sorted. It shows what one import of the
product brings: its module, the modules that this one exports whole, and the types of others that it exports by name
(Exports.swift). Names that begin with an underscore are for the macros, and are left out.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORDED = ROOT / "Documentation/API"
# A module that both bring is on the page of the first.
PRODUCTS = ["Starling", "StarlingView"]

EXPORT = re.compile(r"^@_exported public import (?:(?:class|enum|func|protocol|struct|typealias|var) )?(\w+)(?:\.(\w+))?")
# Every type has them unless its declaration says otherwise.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def exports(module, sources):
    """What a module brings besides itself: modules whole, and names of others."""
    whole, named = set(), set()
    page = sources / module / "Exports.swift"
    for line in page.read_text(encoding="utf-8").splitlines() if page.exists() else []:
        match = EXPORT.match(line)
        if match and (sources / match[1]).is_dir():
            if match[2]:
                named.add((match[1], match[2]))
            else:
                whole.add(match[1])
    return whole, named


def visible(product, sources):
    """The modules that one import of the product brings whole, and the names that it brings of others."""
    modules, names, waiting = [], set(), [product]
    while waiting:
        module = waiting.pop(0)
        if module not in modules:
            modules.append(module)
            whole, named = exports(module, sources)
            names |= named
            waiting += sorted(whole)
    return modules, {(module, name) for module, name in names if module not in modules}


# MARK: Declarations

def text_of(fragments):
    return " ".join("".join(one["spelling"] for one in fragments).split())


def where(constraints):
    signs = {"conformance": ":", "superclass": ":", "sameType": "=="}
    listed = [f"{one['lhs']} {signs.get(one['kind'], one['kind'])} {one['rhs']}" for one in constraints or []]
    return f" where {', '.join(sorted(listed))}" if listed else ""


def declarations(graph, kept):
    """The lines of one symbol graph, of the symbols whose outermost name is `kept`."""
    lines = set()
    required = {one["source"] for one in graph["relationships"] if one["kind"].lower().endswith("requirementof")}
    names = {}
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        if not kept(path[0]) or any(part.startswith("_") for part in path):
            continue
        names[symbol["identifier"]["precise"]] = ".".join(path)
        line = text_of(symbol["declarationFragments"])
        if symbol["accessLevel"] == "open":
            line = f"open {line}"
        if len(path) > 1:
            kind = "protocol" if symbol["identifier"]["precise"] in required else "extension"
            condition = where(symbol.get("swiftExtension", {}).get("constraints"))
            line = f"{kind} {'.'.join(path[:-1])}{condition} {{ {line} }}"
        lines.add(line)
    for relation in graph["relationships"]:
        if relation["kind"] not in ("conformsTo", "inheritsFrom") or relation["source"] not in names:
            continue
        target = names.get(relation["target"]) or relation.get("targetFallback", "").split(".", 1)[-1]
        if target and not target.startswith("_") and target not in IMPLIED:
            lines.add(f"extension {names[relation['source']]}: {target}{where(relation.get('swiftConstraints'))}")
    return lines


def declared(product, graphs, sources, told=()):
    """The lines of a product, of the symbol graphs in a folder; not those of the modules that were `told` before."""
    lines = set()
    modules, names = visible(product, sources)
    for module in modules:
        if module not in told:
            for path in sorted(graphs.glob(f"{module}.symbols.json")) + sorted(graphs.glob(f"{module}@*.symbols.json")):
                lines |= declarations(json.loads(path.read_text(encoding="utf-8")), lambda _: True)
    for module in sorted({module for module, _ in names}):
        wanted = {name for owner, name in names if owner == module}
        graph = json.loads((graphs / f"{module}.symbols.json").read_text(encoding="utf-8"))
        # A function's name has its labels behind it.
        lines |= declarations(graph, lambda name: name.split("(")[0] in wanted)
    return lines


# MARK: Comparison

def key(line):
    """What a declaration is called, however it is declared."""
    place, _, inner = line.partition(" { ") if line.startswith(("extension ", "protocol ")) else ("", "", line)
    if not inner:
        return line
    name = re.search(r"\b(?:func|var|let|case|typealias|associatedtype|struct|class|enum|protocol|actor|macro)\s+"
                     r"([^\s(<:{]+)|\b(init|subscript)\b", inner)
    return place.split(" where ")[0], name[0] if name else inner


def differences(recorded, present):
    """What is gone, what is declared otherwise, and what is new."""
    gone, new, changed = sorted(recorded - present), sorted(present - recorded), []
    for line in list(gone):
        others = [one for one in new if key(one) == key(line)]
        if len(others) == 1 and sum(key(one) == key(line) for one in gone) == 1:
            changed.append((line, others[0]))
            gone.remove(line)
            new.remove(others[0])
    return gone, changed, new


def breaks(line, recorded):
    """Whether a new declaration asks something of programs: a requirement of their types, a case of their switches."""
    place, _, inner = line.partition(" { ")
    kind, _, name = place.partition(" ")
    if kind == "protocol" and inner:
        return any(re.match(rf"(?:@\w+ )*protocol {re.escape(name)}\b", one) for one in recorded)
    return inner.startswith(("case ", "indirect case ")) and any(one.startswith(place + " { case ") for one in recorded)


def read(page):
    lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    return {line for line in lines if line and not line.startswith("//")}


def report(page, recorded, present):
    """The lines to print about one page; none where it is up to date."""
    gone, changed, new = differences(recorded, present)
    lines = [f"  gone:     {line}" for line in gone]
    for before, after in changed:
        lines += [f"  changed:  {before}", f"  to:       {after}"]
    lines += [f"  new:      {line}" for line in new]
    if not lines:
        return []
    said = [f"{page}: the public API is not what is recorded."] + lines
    asked = [line for line in new if breaks(line, recorded)]
    if gone or changed:
        said.append("Programs that use what is gone or changed may no longer compile. Put it back, beside what takes its "
                    "place and deprecated.")
    if asked:
        said.append(f"Types that conform, and switches over all cases, may no longer compile: {asked[0]}"
                    + (" and others" if len(asked) > 1 else ""))
    if gone or changed or asked:
        said.append("If the break is wanted, say so in CHANGELOG.md, and record it: make api ARGS=--record")
    else:
        said.append("Nothing breaks. Record it, so that whoever reviews sees what is promised from now on: "
                    "make api ARGS=--record")
    return said


# MARK: Modules

def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def module_maps(build):
    """The C modules that the Swift modules import, each once."""
    folders = [path for path in sorted(build.glob("*.build")) if not path.name.endswith("-tool.build")]
    folders += sorted((ROOT / "Sources").glob("C*")) + sorted((ROOT / ".build/checkouts").glob("*/Sources/*"))
    folders += sorted((ROOT / ".build/checkouts").glob("*/*/include"))
    folders += sorted((ROOT / ".build/checkouts").glob("*/Sources/*/include"))
    seen = set()
    for folder in folders:
        page = folder / "module.modulemap"
        name = page.exists() and re.search(r"\bmodule\s+(\w+)", page.read_text(encoding="utf-8"))
        if name and name[1] not in seen:
            seen.add(name[1])
            yield page


def extract(modules, build, folder):
    """Writes the symbol graphs of built modules into a folder."""
    triple = json.loads(output("swift", "-print-target-info"))["target"]["unversionedTriple"]
    maps = [part for page in module_maps(build) for part in ("-Xcc", f"-fmodule-map-file={page}")]
    for module in modules:
        if not (build / "Modules" / f"{module}.swiftmodule").exists():
            sys.exit(f"{build} has no module {module}. Build first: swift build --build-tests")
        run = subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-target", triple, "-I", str(build / "Modules"), *maps,
             "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
             "-output-dir", str(folder)], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"swift symbolgraph-extract cannot describe {module}:\n{run.stdout}{run.stderr}")


def main(command, build):
    if sys.platform != "linux":
        print("The public API is recorded and compared on Linux: elsewhere Foundation's types have other names.")
        return 0
    sources, told, differing = ROOT / "Sources", [], []
    needed = sorted({module for product in PRODUCTS for module in visible(product, sources)[0]}
                    | {module for product in PRODUCTS for module, _ in visible(product, sources)[1]})
    with tempfile.TemporaryDirectory() as folder:
        extract(needed, pathlib.Path(build).absolute(), pathlib.Path(folder))
        pages = {}
        for product in PRODUCTS:
            pages[product] = declared(product, pathlib.Path(folder), sources, told)
            told += visible(product, sources)[0]
    compiler = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    for product, present in pages.items():
        page = RECORDED / f"{product}.txt"
        if command == "record":
            page.parent.mkdir(exist_ok=True)
            page.write_text(
                f"// What `import {product}` brings, one declaration a line: make api ARGS=--record\n"
                f"// Recorded with Swift {compiler}.\n" + "".join(f"{line}\n" for line in sorted(present)), encoding="utf-8")
        said = report(page.relative_to(ROOT), read(page), present)
        differing += said
        if not said:
            print(f"{page.relative_to(ROOT)}: {len(present):,} declarations, as recorded")
    if differing:
        print("\n".join(differing))
        print(f"This is Swift {compiler}; another version may spell a declaration otherwise than the one that recorded it.")
    return 1 if differing else 0


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("compare", "record"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
