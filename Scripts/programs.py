"""The daemon and the operator's command, for the scripts that try them."""

import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def add_option(parser):
    parser.add_argument("--products", type=pathlib.Path, help="where the programs are, built already")


def ready(products, names=("starlingd", "starling")):
    """Where the programs are: in the folder that was given, or in the build's, once they are built as users run them."""
    if products:
        return products.resolve()
    print(f"Building {', '.join(names)} ...", file=sys.stderr)
    for product in names:
        subprocess.run(
            ["swift", "build", "-c", "release", "--package-path", root, "--product", product], check=True, stdout=sys.stderr)
    return root / ".build" / "release"


def megabytes(process):
    """The memory that a process has resident."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def byte_count(folder):
    """What the files of a folder take."""
    return sum(path.stat().st_size for path in folder.iterdir() if path.is_file())


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0
