#!/usr/bin/env python3
"""The pages of this repository as a DocC catalog, and their links. Scripts/docs calls it.

    Scripts/docs_pages.py check                      every link of every page leads to a file, and to a heading in it
    Scripts/docs_pages.py modules                    the modules that the reference describes
    Scripts/docs_pages.py trim SYMBOLS               leaves of symbol graphs what programs that import a product can see
    Scripts/docs_pages.py catalog DIR SYMBOLS        writes the catalog; SYMBOLS has the symbol graphs, or nothing
    Scripts/docs_pages.py rendered ARCHIVE           every page of the catalog was rendered

Pages are Markdown that a Git host shows as it is. In the catalog a link to another page becomes a link of DocC; one to
a file that is no page becomes an address below $SOURCE_URL, or text where that is not set. A README.md that lists pages
becomes a page whose topics they are.
"""

import json
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {".build", ".git", ".swiftpm", "__pycache__", "node_modules"}
HOME = "Documentation/README.md"

# Public modules, what an application imports first.
MODULES = [
    "Starling", "StarlingModel", "StarlingBinding", "StarlingView", "StarlingReplica", "StarlingSimulator",
    "StarlingEngine", "StarlingSQLite", "StarlingZeroMQ", "StarlingNATS", "StarlingGraph", "StarlingSession",
    "StarlingWire", "StarlingCore", "StarlingExposition",
]

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]*(?:\([^()]*\)[^()\s]*)*)\)")
CODE = re.compile(r"(`+)(?:(?!\1).)+\1")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*$")


def pages():
    """Every page of the tree, by its path from the root."""
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in SKIPPED)
        found += [pathlib.Path(folder, name).relative_to(ROOT).as_posix() for name in files if name.endswith(".md")]
    return sorted(found)


def lines_of(page):
    """Each line with its number, and whether it stands in a block of code."""
    fence = None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark.group(1) if fence is None else None
            yield number, line, True
        else:
            yield number, line, fence is not None


def plain(heading):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")


def git_anchor(heading):
    """The anchor that Git hosts give a heading."""
    kept = "".join(c for c in plain(heading).lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def docc_anchor(heading):
    """The anchor that DocC gives a heading: dashes for blanks, no punctuation."""
    dashed = re.sub(r"[\s–—-]+", "-", plain(heading).strip())
    return "".join(c for c in dashed if c == "-" or c.isalnum() or c in "+<=>|$^~")


def headings(page):
    """The headings of a page by their anchor on a Git host."""
    found = {}
    for _, line, is_code in lines_of(page):
        match = None if is_code else HEADING.match(line)
        if match:
            anchor, count = git_anchor(match.group(2)), 0
            while anchor + (f"-{count}" if count else "") in found:
                count += 1
            found[anchor + (f"-{count}" if count else "")] = match.group(2)
    return found


def links(line):
    """The links of a line outside code."""
    masked = CODE.sub(lambda m: "\0" * len(m.group(0)), line)
    for match in LINK.finditer(masked):
        yield match.start(), match.end(), match.group(1), line[match.start(2):match.end(2)], match.group(3)


def target_of(page, link):
    """The path from the root and the anchor that a relative link of a page names."""
    path, _, anchor = link.partition("#")
    if not path:
        return page, anchor
    return os.path.normpath((pathlib.PurePosixPath(page).parent / path).as_posix()), anchor


def as_page(path):
    """The page that shows a path: itself, or the README of a folder."""
    if path.endswith(".md"):
        return path
    readme = (path + "/README.md").removeprefix("./")
    return readme if (ROOT / readme).is_file() else None


# Checking


def check():
    faults, links_count = [], 0
    known = pages()
    anchors = {page: headings(page) for page in known}
    linked = {}
    for page in known:
        for number, line, is_code in lines_of(page):
            if is_code:
                continue
            for _, _, _, _, link in links(line):
                links_count += 1
                if re.match(r"[a-z][a-z0-9+.-]*:", link):
                    continue
                path, anchor = target_of(page, link)
                where = f"{page}:{number}: "
                if path.startswith("..") or not (ROOT / path).exists():
                    faults.append(f"{where}{link} leads to nothing")
                    continue
                shown = as_page(path)
                linked.setdefault(page, set()).add(shown)
                if anchor and shown is None:
                    faults.append(f"{where}{link} names a heading of no page")
                elif anchor and anchor not in anchors[shown]:
                    faults.append(f"{where}{link}: {shown} has no such heading")
    faults += [f"{page}: two headings or one with “ - ” or “&” have an anchor that DocC cannot link: {heading}"
               for page in known for heading in anchors[page].values() if "--" in docc_anchor(heading)]
    near = set(linked.get(HOME, set()))
    for page in sorted(near):
        near |= linked.get(page, set())
    for page in known:
        if page.startswith(("Documentation/", "Protocol/")) and page not in near and page != HOME:
            faults.append(f"{page}: two clicks from {HOME} do not reach it")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(known)} pages, {links_count} links, {len(faults)} of them wrong")
    return not faults


# The catalog


def name_in_catalog(page):
    """What a page is called in the archive's addresses; no two may share one."""
    if page == HOME or page == "README.md":
        return "Guide"
    parts = list(pathlib.PurePosixPath(page).with_suffix("").parts)
    if parts[-1] == "README":
        parts.pop()
    if parts[0] == "Documentation":
        return parts[-1]
    return "-".join(part if part != part.upper() else part.capitalize() for part in parts)


def catalog(folder, symbols):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    shown = [page for page in pages() if page != "README.md"]
    names = {page: name_in_catalog(page) for page in shown}
    twice = [page for page in shown if sum(n.lower() == names[page].lower() for n in names.values()) > 1]
    assert not twice, f"These pages share a name in the catalog: {twice}"
    names["README.md"] = names[HOME]
    modules = [module for module in MODULES if (pathlib.Path(symbols) / f"{module}.symbols.json").exists()]
    for page in shown:
        (folder / f"{names[page]}.md").write_text(converted(page, names, modules, folder), encoding="utf-8")


def converted(page, names, modules, folder):
    """The page as an article of DocC."""
    before, groups, after = [], [], []
    is_list_of_pages = page.endswith("README.md") and page.startswith(("Documentation/", "Protocol/README"))
    heading = "Pages"
    for _, line, is_code in lines_of(page):
        if is_code:
            before.append(line)
            continue
        title = HEADING.match(line)
        topic = re.match(r"^- \[[^\]]*\]\(([^)#]*\.md)\)", line)
        if is_list_of_pages and title and len(title.group(1)) == 2:
            heading = plain(title.group(2))
            continue
        if is_list_of_pages and topic and as_page(target_of(page, topic.group(1))[0]) in names:
            name = names[as_page(target_of(page, topic.group(1))[0])]
            if not groups or groups[-1][0] != heading:
                groups.append((heading, []))
            groups[-1][1].append(f"- <doc:{name}>")
            continue
        if is_list_of_pages and line.startswith("  ") and groups:
            continue  # the rest of what a list says of a page, whose first paragraph says it here
        (after if groups and not is_list_of_pages else before).append(with_links(line, page, names, folder))
    text = "\n".join(before + after).rstrip() + "\n"
    if page == HOME:
        first, _, rest = text.partition("\n")
        text = f"{first}\n\n@Metadata {{\n  @TechnologyRoot\n}}\n{rest}"
    if page == "Documentation/Reference.md" and modules:
        groups.append(("Modules", [f"- <doc:/documentation/{module}>" for module in modules]))
    if groups:
        text += "\n## Topics\n" + "".join(f"\n### {title}\n\n" + "\n".join(items) + "\n" for title, items in groups)
    return text


def trim(symbols):
    """Leaves of the module that is no product the types that products hand on."""
    exported = set()
    for exports in sorted((ROOT / "Sources").glob("*/Exports.swift")):
        exported |= set(re.findall(r"\bStarlingSession\.(\w+)", exports.read_text(encoding="utf-8")))
    for path in pathlib.Path(symbols).glob("StarlingSession*.symbols.json"):
        graph = json.loads(path.read_text(encoding="utf-8"))
        graph["symbols"] = [one for one in graph["symbols"] if one["pathComponents"][0] in exported]
        kept = {one["identifier"]["precise"] for one in graph["symbols"]}
        graph["relationships"] = [one for one in graph["relationships"] if one["source"] in kept]
        path.write_text(json.dumps(graph), encoding="utf-8")


def with_links(line, page, names, folder):
    parts, place = [], 0
    for start, end, mark, text, link in links(line):
        parts += [line[place:start], link_in_catalog(mark, text, link, page, names, folder)]
        place = end
    return "".join(parts) + line[place:]


def link_in_catalog(mark, text, link, page, names, folder):
    if re.match(r"[a-z][a-z0-9+.-]*:", link):
        return f"{mark}[{text}]({link})"
    path, anchor = target_of(page, link)
    if mark:
        picture = path.replace("/", "-")
        shutil.copyfile(ROOT / path, folder / picture)
        return f"![{text}]({picture})"
    shown = as_page(path)
    if shown in names:
        place = f"#{docc_anchor(headings(shown)[anchor])}" if anchor else ""
        return f"[{text}](doc:{names[shown]}{place})"
    base = os.environ.get("SOURCE_URL", "").rstrip("/")
    return f"[{text}]({base}/{path})" if base else text


def rendered(archive):
    """Whether each page came out."""
    data = pathlib.Path(archive) / "data" / "documentation"
    names = {page: name_in_catalog(page).lower() for page in pages()}
    missing = [page for page, name in names.items()
               if not (data / ("guide.json" if name == "guide" else f"guide/{name}.json")).exists()]
    for page in missing:
        print(f"{page} was not rendered", file=sys.stderr)
    count = sum(1 for _ in data.rglob("*.json"))
    print(f"{count} pages in {archive}, {len(names) - 1} of them articles")
    return not missing


if __name__ == "__main__":
    command, arguments = (sys.argv[1:] or ["help"])[0], sys.argv[2:]
    if command == "check":
        sys.exit(0 if check() else 1)
    elif command == "modules":
        print("\n".join(MODULES))
    elif command == "trim":
        trim(*arguments)
    elif command == "catalog":
        catalog(*arguments)
    elif command == "rendered":
        sys.exit(0 if rendered(*arguments) else 1)
    else:
        print(__doc__)
        sys.exit(64)
