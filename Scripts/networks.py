"""Network namespaces for the scripts that try programs on networks of their own. Needs root and iproute2."""

import os
import pathlib
import re
import subprocess
import sys


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class Network:
    """Namespaces that belong to this process, by its number; whoever died without removing his is cleaned up after."""

    PREFIX = "starling-faults-"

    def __init__(self, count):
        self.remove_abandoned()
        self.names = []
        self.switch = self.namespace("switch")
        self.ip(self.switch, "link add bridge type bridge forward_delay 0")
        self.ip(self.switch, "link set bridge up")
        self.nodes = [self.join(number) for number in range(1, count + 1)]

    def namespace(self, name):
        name = f"{self.PREFIX}{os.getpid()}-{name}"
        self.names.append(name)
        run("ip", "netns", "add", name)
        self.ip(name, "link set lo up")
        return name

    def join(self, number):
        name = self.namespace(str(number))
        # Both ends are born in namespaces: the machine's own never sees them.
        self.ip(name, f"link add wire type veth peer name port{number} netns {self.switch}")
        self.ip(self.switch, f"link set port{number} master bridge up")
        self.ip(name, f"addr add {address(number)}/24 dev wire")
        self.ip(name, "link set wire up")
        return name

    @staticmethod
    def ip(name, words):
        run("ip", "-n", name, *words.split())

    @staticmethod
    def filter(name, incoming="", outgoing=""):
        """What is done to packets on the wire from now on: rules of nftables, none for all well."""
        run("ip", "netns", "exec", name, "nft", "-f", "-", input=f"""
            table inet starling_faults {{}}
            delete table inet starling_faults
            table inet starling_faults {{
              chain incoming {{ type filter hook input priority 0; {incoming} }}
              chain outgoing {{ type filter hook output priority 0; {outgoing} }}
            }}""")

    def remove(self):
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
        self.names = []

    @classmethod
    def remove_abandoned(cls):
        for line in run("ip", "netns", "list").splitlines():
            found = re.match(rf"({cls.PREFIX}(\d+)-\S+)", line)
            if found and not pathlib.Path(f"/proc/{found[2]}").exists():
                subprocess.run(["ip", "netns", "del", found[1]], capture_output=True)


def address(number):
    return f"10.77.0.{number}"
