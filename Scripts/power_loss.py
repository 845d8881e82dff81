"""What a disk holds that lost power, by the record of what a program did to its files (power-loss.c).

    calls     write  write  sync  write  truncate  write  rename  sync of the directory  …
                             │                  ▲
    on the disk for certain ─┘                  └─ power is lost here: of what no sync came after, the disk holds nothing,
                                                   all, the first, any of the writes, or any of their sectors

A sector of 512 bytes is written or it is not. Names (files that are made, removed and renamed) are on the disk with the
next sync of the directory; a disk is drawn to be one of a journaling file system, where any sync brings along all that
was done to names and lengths before, or of one that promises no more than POSIX does.
"""

import pathlib
import shutil
import struct
import subprocess

CREATED, WRITTEN, TRUNCATED, SYNCED, DIRECTORY_SYNCED, UNLINKED, RENAMED, JOURNALLED, FAULTY = range(1, 10)
HEAD = struct.Struct("<4I3Q")
SECTOR = 512
MODES = ("drop", "first", "any", "tear", "all")


def build(folder):
    """The library that records, made from its source beside this file."""
    library = folder / "power-loss.so"
    source = pathlib.Path(__file__).resolve().parent / "power-loss.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return library


def environment(library, store, journal, log, fault=None):
    """`fault`: which of the calls that change a file go wrong, as (code, first, count)."""
    variables = {
        "LD_PRELOAD": str(library), "STARLING_POWER_STORE": str(store), "STARLING_POWER_JOURNAL": str(journal),
        "STARLING_POWER_LOG": str(log),
    }
    return variables | ({"STARLING_POWER_FAULT": "{} {} {}".format(*fault)} if fault else {})


class Call:
    __slots__ = ("kind", "inode", "offset", "path", "second", "data", "length")

    def __init__(self, kind, inode, offset, path, second, data):
        self.kind, self.inode, self.offset, self.path, self.second, self.data = kind, inode, offset, path, second, data
        self.length = len(data)


def calls(log):
    """The record, up to the last call that is whole."""
    data, place, found = pathlib.Path(log).read_bytes(), 0, []
    while place + HEAD.size <= len(data):
        kind, path_length, second_length, _, inode, offset, length = HEAD.unpack_from(data, place)
        end = place + HEAD.size + path_length + second_length + length
        if end > len(data):
            break
        place += HEAD.size
        path = data[place:place + path_length].decode()
        second = data[place + path_length:place + path_length + second_length].decode()
        found.append(Call(kind, inode, offset, name(path), name(second), data[end - length:end]))
        place = end
    return found


def name(path):
    return path.rsplit("/", 1)[-1]


class File:
    def __init__(self, data=b""):
        self.data = bytearray(data)

    def write(self, offset, data):
        if len(self.data) < offset:
            self.data.extend(bytes(offset - len(self.data)))
        self.data[offset:offset + len(data)] = data

    def truncate(self, length):
        if length < len(self.data):
            del self.data[length:]
        else:
            self.data.extend(bytes(length - len(self.data)))


class Disk:
    """Begins with the files of a folder, by the inodes that the program will find."""

    def __init__(self, folder):
        self.names, self.inodes = {}, {}
        for path in pathlib.Path(folder).iterdir():
            if not path.name.endswith("-shm"):
                self.names[path.name] = self.inodes[path.stat().st_ino] = File(path.read_bytes())
        self.unsynced = []  # (file, call) or, of names, (None, call)
        self.made = {}  # The file that a call made.

    def run(self, calls, honoured, journals):
        """Takes calls; `honoured` is how many of them come before the disk begins to lie."""
        for place, call in enumerate(calls):
            if call.kind == CREATED:
                self.inodes[call.inode] = self.made[id(call)] = File()
                self.unsynced.append((None, call))
            elif call.kind in (WRITTEN, TRUNCATED):
                self.unsynced.append((self.inodes[call.inode], call))
            elif call.kind in (UNLINKED, RENAMED):
                self.unsynced.append((None, call))
            elif call.kind == SYNCED and place < honoured:
                file = self.inodes[call.inode]
                self.sync(lambda of, call: of is file or journals and (of is None or call.kind == TRUNCATED))
            elif call.kind == DIRECTORY_SYNCED and place < honoured:
                self.sync(lambda of, call: of is None or journals and call.kind == TRUNCATED)

    def sync(self, is_covered):
        rest = []
        for file, call in self.unsynced:
            if is_covered(file, call):
                self.apply(file, call)
                # What was written behind the new end before never comes to the disk.
                if call.kind == TRUNCATED:
                    rest = [each for each in rest if each[0] is not file or each[1].offset < call.offset]
            else:
                rest.append((file, call))
        self.unsynced = rest

    def apply(self, file, call, part=None):
        if call.kind == WRITTEN:
            begin, end = part or (0, call.length)
            file.write(call.offset + begin, call.data[begin:end])
        elif call.kind == TRUNCATED:
            file.truncate(call.offset)
        elif call.kind == CREATED:
            self.names[call.path] = self.made[id(call)]
        elif call.kind == UNLINKED:
            self.names.pop(call.path, None)
        elif call.kind == RENAMED and call.path in self.names:
            self.names[call.second] = self.names.pop(call.path)

    def lose_power(self, mode, dice):
        """What was not synced comes to the disk or not."""
        chance = dice.choice((0.1, 0.5, 0.9))
        first = dice.randint(0, len(self.unsynced))
        # A journal keeps the order of what is done to names.
        last_name = dice.randint(0, sum(1 for file, _ in self.unsynced if file is None))
        name_count = 0
        for place, (file, call) in enumerate(self.unsynced):
            if file is None and mode in ("any", "tear"):
                name_count += 1
                comes = name_count <= last_name
            else:
                comes = {"drop": False, "first": place < first, "all": True}.get(mode, dice.random() < chance)
            if mode == "tear" and call.kind == WRITTEN:
                for begin, end in sectors(call):
                    if dice.random() < chance:
                        self.apply(file, call, (begin, end))
            elif comes:
                self.apply(file, call)
        self.unsynced = []

    def store(self, folder):
        """As the files of an empty folder."""
        folder = pathlib.Path(folder)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        for file_name, file in self.names.items():
            (folder / file_name).write_bytes(file.data)
            (folder / file_name).chmod(0o600)


def sectors(call):
    """Where a write is cut: at the ends of sectors of the disk."""
    begin = 0
    while begin < call.length:
        end = min(call.length, begin + SECTOR - (call.offset + begin) % SECTOR)
        yield begin, end
        begin = end
