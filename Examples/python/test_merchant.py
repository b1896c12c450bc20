"""Tests merchant.py against an emulator of the test's own, by the fixture of the package `external-purchase` (Packaging/python)."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).parent / "merchant.py"


@pytest.mark.parametrize("environment", ["sandbox", "production"])
def test_a_sale_a_refused_refund_and_the_corrected_one(external_purchase_emulator, tmp_path, environment):
    apple = external_purchase_emulator
    app = apple.register("com.example.shop", 1234567890)
    members = {"bundleId": app.bundle_id, "appAppleId": app.app_apple_id, "keyId": app.key_id, "issuerId": app.issuer_id}
    (tmp_path / "credentials.json").write_text(json.dumps({"apps": [{**members, "keyFile": str(app.key_file)}]}))
    settings = {"EMULATOR_URL": apple.url, "CREDENTIALS": str(tmp_path), "APPLE_ENVIRONMENT": environment}

    ran = subprocess.run([sys.executable, PROGRAM], env={**os.environ, **settings}, capture_output=True, text=True)

    assert ran.returncode == 0, ran.stderr
    answers = [(row["status"], [error["errorCode"] for error in row["errors"]]) for row in apple.requests()]
    assert answers == [(200, []), (400, [12]), (200, [])]
