"""Where peers are: endpoints, keys, and the directory of sockets of a group (transport.md)."""
from __future__ import annotations

import base64
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

GROUP = re.compile(r"[A-Za-z0-9._-]{1,64}")
TCP = re.compile(r"tcp://(?:([A-Za-z0-9_-]{43})@)?(\[[0-9a-fA-F:.]+\]|[^\[\]@:/]+):(\d{1,5})")


class EndpointError(ValueError):
    """An endpoint, a group or a key that is none, or a directory that is not safe; the text says what to do."""


@dataclass(frozen=True)
class Endpoint:
    """The two sockets of a peer that can be dialled, and the key that it must prove."""

    text: str
    ask: str
    publish: str
    key: bytes | None

    @staticmethod
    def parse(text: str) -> Endpoint:
        if text.startswith("ipc:///"):
            path = text.removeprefix("ipc://")
            if path.endswith("/") or len(path.encode()) > 103:
                raise EndpointError(f"'{text}' is no endpoint: its path ends with a slash, or is longer than 103 bytes.")
            return Endpoint(text, f"ipc://{path}.ask", f"ipc://{path}.pub", None)
        if (match := TCP.fullmatch(text)) is None or not 1 <= int(match[3]) <= 65534:
            raise EndpointError(
                f"'{text}' is no endpoint. Write tcp://KEY@HOST:PORT, tcp://127.0.0.1:PORT, or ipc:///PATH.")
        host = "127.0.0.1" if match[2] == "localhost" else match[2]
        if match[1] is None and not (host.startswith("127.") or host == "[::1]"):
            raise EndpointError(
                f"'{text}' names no key, and lies beyond this machine: write tcp://KEY@{host}:{match[3]}, with the key "
                "that the daemon prints when it starts.")
        return Endpoint(
            text, f"tcp://{host}:{match[3]}", f"tcp://{host}:{int(match[3]) + 1}",
            None if match[1] is None else key_bytes(match[1]))


def key_bytes(text: str) -> bytes:
    """A CURVE key from its 43 characters of base64url."""
    try:
        key = base64.urlsafe_b64decode(text.strip() + "=")
    except ValueError:
        key = b""
    if len(key) != 32:
        raise EndpointError("A key has 43 characters: letters, digits, '-' and '_'. 'starling keys new' makes a pair.")
    return key


def key_text(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def directory_of_groups() -> Path:
    """Where groups lie; `STARLING_SOCKETS` names another place, as for the daemon."""
    if (given := os.environ.get("STARLING_SOCKETS")):
        return Path(given)
    runtime = Path(os.environ.get("XDG_RUNTIME_DIR") or "-")
    if runtime.is_absolute() and os.access(runtime, os.W_OK):
        return runtime / "starling"
    return Path(f"/tmp/starling-{os.getuid()}")


def peers_in(directory: Path) -> list[Endpoint]:
    """The endpoints to dial: the daemon of a group's directory alone, if it is there; otherwise every process.

    Raises EndpointError where somebody else could have put the sockets there.
    """
    try:
        names = {path.stem for path in directory.iterdir() if path.suffix == ".ask"}
        check_directory(directory)
    except FileNotFoundError:
        return []
    both = sorted(name for name in names if (directory / f"{name}.pub").exists())
    chosen = ["daemon"] if "daemon" in both else both
    return [Endpoint.parse(f"ipc://{directory / name}") for name in chosen if is_safe(directory, name)]


def check_directory(directory: Path) -> None:
    here = directory.lstat()
    if stat.S_ISLNK(here.st_mode) or here.st_uid != os.getuid() or here.st_mode & 0o077:
        raise EndpointError(
            f"'{directory}' is a link, belongs to another user, or is open to others. Remove it, or name another place "
            "with STARLING_SOCKETS.")
    above = directory.parent.stat()
    if above.st_uid not in (os.getuid(), 0) or above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX:
        raise EndpointError(f"Others may write to '{directory.parent}'. Take that permission away.")


def is_safe(directory: Path, name: str) -> bool:
    try:
        found = [(directory / f"{name}.{suffix}").lstat() for suffix in ("ask", "pub")]
    except FileNotFoundError:
        return False
    return all(stat.S_ISSOCK(each.st_mode) and each.st_uid in (os.getuid(), 0) and not each.st_mode & 0o022 for each in found)


def check_group(group: str) -> None:
    if GROUP.fullmatch(group) is None or set(group) == {"."}:
        raise EndpointError(f"'{group}' is no group: 1 to 64 letters, digits, '.', '_' or '-', and not dots alone.")
