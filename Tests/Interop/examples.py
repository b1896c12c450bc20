"""Runs the programs of Examples against an emulator, and asks the emulator what they did.

usage: examples.py [--required] BINARY

Runs each program whose language is installed, and lists the others; with --required a missing one is a failure. What a
program prints is compared with the emulator's journal, tokens, accepted reports and notifications. Then each program
verifies genuine and tampered notifications. Ends with 0 when everything is as expected.
"""

import pathlib
import sys
import tempfile

from emulator import Emulator
from emulator_records import APP_APPLE_ID, BUNDLE_ID, Apple, Checks, Mismatch, deliveries, witness_of_reports
from programs import PROGRAMS, Program
from tampered import genuine, refused, verification

REFUSED_DELIVERY = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"


def other_emulator(binary, folder, environment):
    """The root of another emulator, and a notification that it signed years ago."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        options = ["--app", f"{BUNDLE_ID}={APP_APPLE_ID}", "--credentials", str(folder / "other-keys")]
        emulator = Emulator(binary, log, *options, "--now", "2022-01-01T00:00:00Z")
        try:
            root = folder / "other-root.cer"
            root.write_bytes(emulator.bytes("/root.cer"))
            # Without an address nothing would be signed. Nobody listens there, which ends the attempt at once.
            emulator.control("PUT", f"/apps/{BUNDLE_ID}", {"notificationURL": "http://127.0.0.1:9/"})
            emulator.control("POST", "/tokens", {"bundleId": BUNDLE_ID, "environment": environment})
            return root, Apple(emulator, folder / "other-keys", environment).notification()
        finally:
            emulator.stop()


def run_program(program, binary, environment):
    with tempfile.TemporaryDirectory() as name, tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        folder = pathlib.Path(name)
        options = ["--app", f"{BUNDLE_ID}={APP_APPLE_ID}", "--credentials", str(folder / "keys")]
        emulator = Emulator(binary, log, *options)
        try:
            apple = Apple(emulator, folder / "keys", environment)
            found = program.run(apple.settings())
            Checks.equal(found.returncode, 0, "exit code", found)
            tampered = [(name, [REFUSED_DELIVERY]) for name in ("signature-wrong", "body-unreadable")]
            Checks.equal(deliveries(apple), [(None, ["SUCCESS"]), *tampered], "the deliveries")
            witness_of_reports(apple, found.stdout)

            # With another root nothing that this emulator signs is genuine: the program must not end as if it were.
            other_root, old_payload = other_emulator(binary, folder, environment)
            emulator.control("POST", "/reset")
            found = program.run(apple.settings(ROOT_CERTIFICATE=str(other_root)))
            Checks.equal(found.returncode, 1, "exit code with another root", found)
            Checks.equal(deliveries(apple)[-1], (None, [REFUSED_DELIVERY]), "the delivery with another root")
            verification(program, apple, other_root, folder)
            # Certificates are judged at the signing date (NT-37): this leaf has expired since.
            expected = "EXTERNAL_PURCHASE_TOKEN UNREPORTED"
            genuine(program, apple, old_payload, expected, ROOT_CERTIFICATE=str(other_root))

            # The checks themselves: a program that believes everything does not pass them.
            credulous = Program("credulous", "true", [], [sys.executable, "-c", "print('genuine: everything')"])
            try:
                refused(credulous, apple, apple.notification("signature-wrong"), "signature-wrong", None)
            except Mismatch:
                return
            raise Mismatch("a program that believes everything passes")
        finally:
            emulator.stop()


def main(binary, required):
    ran, missing = [], []
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            version = program.version()
            if version is None:
                missing.append(program.name)
                continue
            before = Checks.count
            program.prepare(folder)
            for environment in ("sandbox", "production"):
                try:
                    run_program(program, binary, environment)
                except Mismatch as mismatch:
                    sys.exit(f"interop: Examples/{program.name}, {environment}: {mismatch}")
            ran.append(program.name)
            print(f"interop: Examples/{program.name}: {Checks.count - before} checks passed ({version})", flush=True)
    print(f"interop: programs run: {', '.join(ran)}; not installed: {', '.join(missing) or 'none'}")
    if required and missing:
        sys.exit("interop: INTEROP=required asks for all of them")


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--required"]
    if len(arguments) != 1:
        sys.exit(__doc__.strip().splitlines()[2])
    main(arguments[0], "--required" in sys.argv)
