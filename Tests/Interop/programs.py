"""The programs of Examples: which language runs each, and how one is run."""

import os
import pathlib
import shutil
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Examples"


class Program:
    """A program of Examples.

    `reasons_of_library` is true where Apple's library verifies: its reasons are its own.
    """

    def __init__(self, name, interpreter, version, command, *, build=None, reasons_of_library=False):
        self.name = name
        self.interpreter = interpreter
        self.version_arguments = version
        self.command = command
        self.build = build
        self.reasons_of_library = reasons_of_library

    def version(self):
        """What the language calls itself; None where it is not installed."""
        if not shutil.which(self.interpreter):
            return None
        found = subprocess.run([self.interpreter, *self.version_arguments], capture_output=True, text=True, timeout=60)
        return found.stdout.strip().splitlines()[0] if found.returncode == 0 and found.stdout.strip() else None

    def prepare(self, folder):
        """Compiles the program into a folder where its language needs it."""
        if self.build:
            command = [part.format(folder=folder) for part in self.build]
            # Nothing is fetched: the program has no module to fetch.
            subprocess.run(
                command, cwd=EXAMPLES / self.name, check=True, timeout=600,
                env={**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod"},
            )
        self.command = [part.format(folder=folder, examples=EXAMPLES) for part in self.command]

    def run(self, settings):
        """Runs the program with these settings only."""
        names = ("EMULATOR_URL", "CREDENTIALS", "APPLE_ENVIRONMENT", "ROOT_CERTIFICATE", "SIGNED_PAYLOAD")
        rest = {name: value for name, value in os.environ.items() if name not in names}
        # A proxy of the machine would be asked for the emulator too.
        rest |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
        return subprocess.run(
            self.command, env={**rest, **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120
        )


PROGRAMS = [
    Program(
        "python", sys.executable, ["--version"], [sys.executable, "-B", "{examples}/python/merchant.py"],
        reasons_of_library=True,
    ),
    Program("node", "node", ["--version"], ["node", "{examples}/node/external-purchase.mjs"]),
    Program("php", "php", ["--version"], ["php", "{examples}/php/external-purchase.php"]),
    Program("go", "go", ["version"], ["{folder}/go-example"], build=["go", "build", "-o", "{folder}/go-example", "."]),
    Program("ruby", "ruby", ["--version"], ["ruby", "{examples}/ruby/external_purchase.rb"]),
]
