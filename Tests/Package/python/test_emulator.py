"""What the page of the Python package promises beyond its own tests, asked of the installed package."""

import os
import signal
import subprocess
import sys
import time
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

import pytest

import external_purchase
from external_purchase import Emulator, EmulatorError

BUNDLE_ID, APP_APPLE_ID = "com.example.shop", 1234567890


def nothing_sold(token):
    return {"requestIdentifier": str(uuid.uuid4()), "externalPurchaseId": token.external_purchase_id, "status": "NO_LINE_ITEM"}


def emulators():
    """The processes that run the package's program."""
    found = set()
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if words[0].decode() == os.fspath(external_purchase.program()):
                found.add(int(entry))
    return found


def gone(processes):
    for _ in range(600):
        if not emulators() & processes:
            return True
        time.sleep(0.05)
    return False


def test_the_fixture_is_of_the_test_alone(external_purchase_emulator, tmp_path):
    assert external_purchase_emulator.requests() == []
    with urllib.request.urlopen(external_purchase_emulator.url + "/emulator/v1/health") as answer:
        assert answer.status == 200


def test_it_ends_with_its_block_also_after_an_error():
    before = emulators()
    with pytest.raises(KeyError), Emulator() as apple:
        url, mine = apple.url, emulators() - before
        assert len(mine) == 1
        raise KeyError
    assert not emulators() & mine
    with pytest.raises(OSError):
        urllib.request.urlopen(url + "/emulator/v1/health")
    with pytest.raises(EmulatorError, match="does not run"):
        apple.url


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_it_ends_with_the_process(end):
    before = emulators()
    code = "import time\nfrom external_purchase import Emulator\napple = Emulator().start()\nprint(apple.url, flush=True)\ntime.sleep(600)"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout.readline().startswith("http://127.0.0.1:")
    mine = emulators() - before
    assert len(mine) == 1
    parent.send_signal(end)
    parent.wait()
    assert gone(mine)


def test_a_wrong_setting_is_refused_with_its_reason():
    with pytest.raises(EmulatorError, match="no.such"), Emulator(settings={"no.such": "1"}):
        pass


def test_a_wrong_control_request_is_refused_with_its_status(external_purchase_emulator):
    with pytest.raises(EmulatorError) as refusal:
        external_purchase_emulator.set({"no.such": "1"})
    assert refusal.value.status == 422


def test_the_clock(external_purchase_emulator):
    apple = external_purchase_emulator
    apple.now = datetime(2026, 11, 1, tzinfo=timezone.utc)
    assert apple.now == datetime(2026, 11, 1, tzinfo=timezone.utc)
    assert apple.advance(timedelta(days=1)) == datetime(2026, 11, 2, tzinfo=timezone.utc)
    assert apple.advance(1) == datetime(2026, 11, 2, 0, 0, 1, tzinfo=timezone.utc)
    assert apple.now_ms == 1_793_577_601_000
    with pytest.raises(ValueError, match="whole seconds"):
        apple.advance(timedelta(milliseconds=500))
    with pytest.raises(ValueError, match="time zone"):
        apple.now = datetime(2026, 11, 1)


def test_the_seed_repeats_keys_and_ids():
    found = set()
    for _ in range(2):
        with Emulator(seed=7) as apple:
            app = apple.register(BUNDLE_ID, APP_APPLE_ID)
            found.add((app.key_id, app.issuer_id, app.mint_token().external_purchase_id))
    assert len(found) == 1


@pytest.mark.parametrize("status", [500, 429])
def test_a_fault_hits_the_next_report_only(external_purchase_emulator, status):
    apple = external_purchase_emulator
    app = apple.register(BUNDLE_ID, APP_APPLE_ID)
    token = app.mint_token()
    apple.fault({"status": status})
    assert app.send(nothing_sold(token)).status == status
    assert app.send(nothing_sold(token)).accepted


def test_an_answer_that_is_lost_after_the_report_was_accepted(external_purchase_emulator):
    apple = external_purchase_emulator
    app = apple.register(BUNDLE_ID, APP_APPLE_ID)
    report = nothing_sold(app.mint_token())
    apple.fault({"dropAfterAccept": True})
    lost = app.send(report)
    assert (lost.accepted, lost.status) == (False, None)
    assert app.send(report).codes == [1]


def test_a_request_without_a_signature(external_purchase_emulator):
    def put(apple):
        token = apple.register(BUNDLE_ID, APP_APPLE_ID).mint_token()
        data = str(nothing_sold(token)).replace("'", '"').encode()
        request = urllib.request.Request(apple.url + "/externalPurchase/v1/reports", data=data, method="PUT")
        request.add_header("Content-Type", "application/json")
        try:
            return urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            return error.code

    assert put(external_purchase_emulator) == 401
    assert external_purchase_emulator.requests()[-1]["reason"]
    with Emulator(check_signatures=False) as apple:
        assert put(apple) == 200


def test_another_environment_and_type(external_purchase_emulator):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    token = app.mint_token(environment="production", token_type="SERVICES", created=external_purchase_emulator.now)
    assert token.decoded["environment"] == "production" and token.decoded["tokenType"] == "SERVICES"
    assert not token.external_purchase_id.startswith("SANDBOX")


def test_reset_keeps_the_app(external_purchase_emulator):
    apple = external_purchase_emulator
    app = apple.register(BUNDLE_ID, APP_APPLE_ID)
    app.mint_token()
    apple.reset()
    assert apple.tokens() == []
    assert app.send(nothing_sold(app.mint_token())).accepted


def test_a_proxy_of_the_environment_is_not_asked(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with Emulator() as apple:
        assert apple.register(BUNDLE_ID, APP_APPLE_ID).key_id


def test_the_commands():
    program = os.fspath(external_purchase.program())
    for command in ([program], [sys.executable, "-m", "external_purchase"], ["external-purchase"]):
        shown = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout
        assert shown.strip()
    assert subprocess.run(["external-purchase", "lint", "/nonexistent"], capture_output=True).returncode == 2
