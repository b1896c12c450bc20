"""Verifies the same notifications with Apple's library for Python and with this package, and compares the rates.

usage: verification.py EXTERNAL_PURCHASE EMULATOR_BENCHMARKS

Needs what Tests/Interop/requirements.txt names. The notifications are signed by the emulator; neither side asks a responder
whether a certificate was revoked.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Tests" / "Interop"))

from appstoreserverlibrary.models.Environment import Environment  # noqa: E402
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier  # noqa: E402
from notifications import APP_APPLE_ID, BUNDLE_ID, Receiver, VirtualEmulator, signed_payload  # noqa: E402

COUNT = 300


def main(program, benchmarks):
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        receiver = Receiver()
        emulator = VirtualEmulator(program, log)
        try:
            emulator.control("PUT", f"/apps/{BUNDLE_ID}", {"appAppleId": APP_APPLE_ID, "notificationURL": receiver.address})
            root = emulator.bytes("/root.cer")
            for _ in range(COUNT):
                emulator.token("production", tokenType="SERVICES")
            emulator.settle()
            payloads = [signed_payload(body) for body in receiver.take()][:COUNT]
        finally:
            emulator.process.terminate()
            emulator.process.wait()
        if len(payloads) < COUNT:
            sys.exit(f"the emulator sent {len(payloads)} notifications instead of {COUNT}")
        pathlib.Path(folder, "root.cer").write_bytes(root)
        pathlib.Path(folder, "payloads").write_text("\n".join(payloads))
        # In turns, so that a machine that slows down slows both.
        ours, theirs = [], []
        for _ in range(5):
            verifier = SignedDataVerifier([root], False, Environment.PRODUCTION, BUNDLE_ID, APP_APPLE_ID)
            begin = time.perf_counter()
            for payload in payloads:
                verifier.verify_and_decode_notification(payload)
            theirs.append(COUNT / (time.perf_counter() - begin))
            shown = subprocess.run([benchmarks, f"verify={folder}"], capture_output=True, text=True, check=True)
            ours.append(float(shown.stdout.split("VERIFIED ")[1]))
    value, limit = statistics.median(ours), statistics.median(theirs)
    result = {
        "benchmark": "notifications", "title": "verified notifications of one app", "value": value, "limit": limit,
        "unit": "1/s", "limitTitle": "Apple's library for Python, chains of certificates kept by both", "ratio": value / limit,
        "atLeast": 5,
    }  # fmt: skip
    print("RESULT " + json.dumps(result))


main(*sys.argv[1:])
