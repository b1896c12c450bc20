"""The player of Conformance/README.md, in Python, against the emulator: every case is as expected.

It plays the cases with code of its own, so that they are data and not what one program makes of them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

from emulator import Emulator

PLAYER = pathlib.Path(__file__).resolve().parents[2] / "Conformance" / "player.py"
# The cases that a token permits without an accepted report, an expired token and a damaged JWT.
ASKED = {None: 113, "LINK_OUT": 113}


def main(binary):
    with tempfile.TemporaryDirectory() as folder:
        log = open(pathlib.Path(folder) / "emulator.log", "w+")
        emulator = Emulator(binary, log, "--app", "com.example.shop=1234567890", "--credentials", folder)
        try:
            app = json.loads((pathlib.Path(folder) / "credentials.json").read_text())["apps"][0]
            for kind, asked in ASKED.items():
                order = {"bundleId": app["bundleId"], "environment": "sandbox"} | ({"tokenType": kind} if kind else {})
                token = emulator.control("POST", "/tokens", order)["token"]
                result = subprocess.run(
                    [
                        sys.executable, "-B", PLAYER, emulator.base, str(pathlib.Path(folder) / app["keyFile"]),
                        app["keyId"], app["issuerId"], app["bundleId"], token, "0",
                    ],
                    capture_output=True, text=True, timeout=300,
                )
                if result.returncode or result.stdout != f"{asked} cases asked, 0 differ\n":
                    sys.exit(f"interop: {PLAYER.name} with a token {kind}: {result.stdout}{result.stderr}")
        finally:
            emulator.stop()
    print("interop: the player of Conformance/README.md finds every case as expected")


main(sys.argv[1])
