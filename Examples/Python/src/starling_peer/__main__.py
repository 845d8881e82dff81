"""The command line: `python -m starling_peer watch GROUP`."""
from __future__ import annotations

import argparse
import base64
import datetime
import json
import sys
from typing import Any, Callable, NoReturn

from . import __version__
from .endpoints import EndpointError
from .handles import Map
from .peer import Peer, open_peer
from .values import Value

USAGE, NOBODY_THERE, NOTHING_THERE = 64, 69, 1


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    common = Parser(add_help=False)
    common.add_argument("group", help="the name of the group")
    common.add_argument("--document", help="a document of the group; by default its main one")
    common.add_argument("--connect", action="append", default=[], metavar="ENDPOINT",
                        help="dial this endpoint, tcp://KEY@HOST:PORT, instead of the processes of this machine; repeatable")
    common.add_argument("--secret", metavar="FILE", help="this peer's secret key, for daemons that admit keys")
    common.add_argument("--sockets", metavar="DIRECTORY", help="where the groups of this machine lie")
    common.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="how long to wait for a peer (10)")
    result: argparse.ArgumentParser = Parser(
        prog="starling_peer", description="Reads, writes and watches a document that the processes of a group share.",
        epilog="A path names what stands in the document, from the root on: front-desk/title. Status: 0 done, "
               "1 nothing stands there, 64 wrong arguments, 69 no peer answered.")
    result.add_argument("--version", action="version", version=f"starling_peer {__version__}")
    commands = result.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str, *arguments: tuple[str, dict[str, Any]]) -> None:
        inner = commands.add_parser(name, help=about, description=about, parents=[common])
        for argument, options in arguments:
            inner.add_argument(argument, **options)

    path: tuple[str, dict[str, Any]] = ("path", {"help": "names, with '/' between them"})
    below: tuple[str, dict[str, Any]] = ("path", {"nargs": "?", "default": "", "help": "names, with '/' between them"})
    command("get", "Prints what stands at a path, as JSON.", below)
    command("watch", "Prints what stands at a path, now and whenever it differs, one line of JSON each.", below)
    command("set", "Writes a value, an object or an array.", path, ("json", {"help": "JSON, or a text where it is none"}))
    command("remove", "Removes what stands at a path.", path)
    command("add", "Adds to a counter.", path, ("amount", {"type": int, "help": "an integer; -2 after --"}))
    command("put", "Puts a member into a set.", path, ("member", {"help": "a name"}))
    command("take", "Takes a member out of a set.", path, ("member", {"help": "a name"}))
    command("text", "Makes a text say something, and writes the difference alone.", path, ("string", {"help": "the text"}))
    command("digest", "Prints the version vector and the digest, for comparison with another peer's.")
    return result


def run(arguments: argparse.Namespace) -> int:
    path = [part for part in getattr(arguments, "path", "").split("/") if part]
    if arguments.command not in ("get", "watch", "digest") and not path:
        raise EndpointError("The path is empty: name at least one property.")
    with open_peer(arguments.group, document=arguments.document, connect=arguments.connect, secret=arguments.secret,
                   sockets=arguments.sockets) as peer:
        if not peer.synchronize(arguments.timeout):
            return nobody(peer, arguments, "answered")
        if arguments.command == "watch":
            for shown in peer.watch(path):
                print(spelled(shown), flush=True)
            return 0
        if arguments.command == "get":
            shown = peer.plain(path)
            print(spelled(shown))
            return NOTHING_THERE if shown is None else 0
        if arguments.command == "digest":
            print_digest(peer)
            return 0
        write(peer, arguments, path)
        return 0 if peer.flush(arguments.timeout) else nobody(peer, arguments, "took what was written")


def write(peer: Peer, arguments: argparse.Namespace, path: list[str]) -> None:
    parent = peer.root
    for name in path[:-1]:
        parent = parent.map(name)
    name = path[-1]
    writes: dict[str, Callable[[Map], None]] = {
        "set": lambda at: at.set(name, value_in(arguments.json)),
        "remove": lambda at: at.remove(name),
        "add": lambda at: at.counter(name).add(arguments.amount),
        "put": lambda at: at.members(name).add(arguments.member),
        "take": lambda at: at.members(name).discard(arguments.member),
        "text": lambda at: at.text(name).replace(arguments.string),
    }
    writes[arguments.command](parent)


def value_in(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def spelled(shown: Any) -> str:
    return json.dumps(shown, ensure_ascii=False, default=other)


def other(value: Any) -> Any:
    """What JSON has no word for."""
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.sort if isinstance(value, Value) else str(value)


def print_digest(peer: Peer) -> None:
    for replica, counter in sorted(peer.version.items()):
        print(f"{replica:016x}:{counter}")
    print(f"digest {peer.digest:032x}")


def nobody(peer: Peer, arguments: argparse.Namespace, what: str) -> int:
    where = " or ".join(arguments.connect) or f"the group '{arguments.group}' on this machine"
    said = "".join(f"\n  it refused: {each}" for each in peer.refusals[-3:])
    print(f"starling_peer: No peer of {where} {what} within {arguments.timeout:g} s.{said}", file=sys.stderr)
    return NOBODY_THERE


def main() -> int:
    arguments = parser().parse_args()
    try:
        return run(arguments)
    except (EndpointError, OSError) as error:
        print(f"starling_peer: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
