"""What the page of the Python package promises beyond its own tests, asked of the installed package."""

import decimal
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone

import pytest

import external_purchase
from external_purchase import Emulator, EmulatorError, NotificationRefused

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


def gone(processes, folder=None):
    for _ in range(600):
        if not emulators() & processes and not (folder and os.path.exists(folder)):
            return True
        time.sleep(0.05)
    return False


def guard_of(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def started(code):
    """Runs Python code that prints the path of a key file of its emulator; returns the process, the emulators and the folder."""
    before = emulators()
    head = f"import os, sys, time\nfrom external_purchase import Emulator\napple = Emulator().start()\napp = apple.register({BUNDLE_ID!r}, 1)\n"
    parent = subprocess.Popen([sys.executable, "-c", head + code], stdout=subprocess.PIPE, text=True)
    key = pathlib.Path(parent.stdout.readline().strip())
    assert key.is_file() and key.stat().st_mode & 0o077 == 0
    mine = emulators() - before
    assert len(mine) == 1
    return parent, mine, key.parent


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
@pytest.mark.parametrize("fork", [False, True])
def test_it_ends_with_the_process_and_leaves_no_folder(end, fork, tmp_path):
    # The child lives on after its parent.
    child = tmp_path / "child"
    code = f"""
if {fork} and os.fork() == 0:
    open({str(child)!r}, "w").write(str(os.getpid()))
    time.sleep(600)
while {fork} and not os.path.exists({str(child)!r}): time.sleep(0.01)
print(app.key_file, flush=True)
time.sleep(600)"""
    parent, mine, folder = started(code)
    parent.send_signal(end)
    parent.wait()
    try:
        assert gone(mine, folder)
    finally:
        if fork:
            os.kill(int(child.read_text()), signal.SIGKILL)


def test_a_forked_child_uses_the_emulator_of_its_parent_and_does_not_end_it():
    with Emulator() as apple:
        app = apple.register(BUNDLE_ID, APP_APPLE_ID)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                accepted = app.send(nothing_sold(app.mint_token())).accepted
                apple.stop()
                status = 0 if accepted else 2
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert app.key_file.exists() and len(apple.requests()) == 1


def test_it_ends_although_its_pipe_is_held_elsewhere(monkeypatch, tmp_path):
    # The program is asked to end, not killed: a shell around it notes the request.
    noted, around = tmp_path / "noted", tmp_path / "around"
    around.write_text(f"#!/bin/sh\ntrap 'touch {noted}; kill $!' TERM\n'{external_purchase.program()}' \"$@\" &\nwait\nwait\n")
    around.chmod(0o755)
    monkeypatch.setenv("EXTERNAL_PURCHASE", str(around))
    apple = Emulator().start()
    # As the fork of a library in C holds it: every descriptor has a second holder.
    held = [os.open(f"/proc/self/fd/{name}", os.O_WRONLY | os.O_NONBLOCK) for name in pipes()]
    try:
        assert held
        apple.stop()
    finally:
        for descriptor in held:
            os.close(descriptor)
    assert noted.exists()


def pipes():
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            is_written = os.stat(f"/proc/self/fd/{name}").st_mode & 0o170000 == 0o010000 and writes(name)
        except OSError:
            continue
        if is_written:
            found.append(name)
    return found


def writes(name):
    with open(f"/proc/self/fdinfo/{name}") as file:
        flags = next(int(line.split()[1], 8) for line in file if line.startswith("flags:"))
    return flags & os.O_ACCMODE == os.O_WRONLY


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_it_ends_although_its_guard_was_ended(end):
    before = emulators()
    apple = Emulator().start()
    folder = apple.register(BUNDLE_ID, APP_APPLE_ID).key_file.parent
    mine = emulators() - before
    os.kill(guard_of(*mine), end)
    if end == signal.SIGTERM:
        assert gone(mine, folder)
    apple.stop()
    assert gone(mine, folder)


def test_the_program_is_gone(external_purchase_emulator):
    apple = external_purchase_emulator
    app = apple.register(BUNDLE_ID, APP_APPLE_ID)
    with urllib.request.urlopen(apple.url + "/emulator/v1/health"):
        mine = [process for process in emulators() if process_listens(process, apple.url)]
    os.kill(mine[0], signal.SIGKILL)
    assert gone(set(mine))
    with pytest.raises(EmulatorError, match="no answer"):
        app.mint_token()


def process_listens(process, url):
    port = f":{int(url.rpartition(':')[2]):04X}"
    with open(f"/proc/{process}/net/tcp") as file:
        sockets = {line.split()[9] for line in file if line.split()[1].endswith(port) and line.split()[3] == "0A"}
    links = []
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            links.append(os.readlink(f"/proc/{process}/fd/{name}"))
        except OSError:
            pass
    return any(f"socket:[{inode}]" in links for inode in sockets)


@pytest.mark.parametrize("kind", ["absent", "not executable", "not a program"])
def test_a_program_that_does_not_run(kind, monkeypatch, tmp_path):
    path = tmp_path / "program"
    if kind != "absent":
        path.write_text("no program\n")
        path.chmod(0o755 if kind == "not a program" else 0o644)
    monkeypatch.setenv("EXTERNAL_PURCHASE", str(path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with pytest.raises(EmulatorError, match="did not start"):
        Emulator(start_timeout=10).start()
    shown = subprocess.run([sys.executable, "-m", "external_purchase", "--version"], capture_output=True, text=True)
    assert shown.returncode != 0 and "Traceback" not in shown.stderr
    assert not list(tmp_path.glob("external-purchase-*"))


@pytest.mark.parametrize("bundle_id", ["my app!", "de.größe", "a/b", "a.b?x=1", "a.b#c", "50%2f", "größe & x=y", "a+b", "🎁"])
def test_an_id_of_any_characters_is_named_whole(external_purchase_emulator, bundle_id):
    apple = external_purchase_emulator
    for call in (lambda: apple.register(bundle_id, 1), lambda: apple.tokens(bundle_id)):
        with pytest.raises(EmulatorError) as refusal:
            call()
        answer = json.loads(str(refusal.value).partition(" 422 ")[2])
        assert refusal.value.status == 422 and bundle_id in answer["message"]
    assert apple.call("GET", "/apps") == []


MALFORMED = {
    "a float": ({"amountTaxExclusive": 42.01}, "42010"),
    "a text": ({"amountTaxExclusive": "42010"}, "amountTaxExclusive"),
    "an unknown word": ({"eventType": "SOLD"}, "eventType"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_report_is_refused_with_its_reason(external_purchase_emulator, case):
    members, expected = MALFORMED[case]
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    report = {**nothing_sold(app.mint_token()), "status": "LINE_ITEM", "lineItems": [members]}
    app.send({})
    answer = app.send(report)
    assert (answer.accepted, answer.status, answer.errors) == (False, 400, [])
    assert answer.reason and expected in answer.message
    assert "accepted before" not in answer.message


@pytest.mark.parametrize("status", [400, 401])
def test_the_refusal_of_a_fault_says_so(external_purchase_emulator, status):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    external_purchase_emulator.fault({"status": status})
    answer = app.send(nothing_sold(app.mint_token()))
    assert answer.status == status and "fault" in answer.message and answer.reason is None


def test_answers_and_tokens_have_a_hash(external_purchase_emulator):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    token = app.mint_token()
    assert token in {token}
    assert len({app.send(nothing_sold(token)), app.send({}), app.send({})}) == 2


UNWRITABLE = [decimal.Decimal("1"), uuid.uuid4(), math.nan, b"text"]


@pytest.mark.parametrize("value", UNWRITABLE, ids=repr)
def test_what_json_cannot_have_is_refused(external_purchase_emulator, value):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    with pytest.raises(EmulatorError, match="JSON"):
        app.send({**nothing_sold(app.mint_token()), "lineItems": [value]})


@pytest.mark.parametrize("member", ["created", "expires"])
def test_a_moment_without_a_zone_is_refused(external_purchase_emulator, member):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    with pytest.raises(ValueError, match="time zone"):
        app.mint_token(**{member: datetime(2026, 11, 1)})


def test_an_accepted_report_is_returned(external_purchase_emulator):
    apple = external_purchase_emulator
    app = apple.register(BUNDLE_ID, APP_APPLE_ID)
    report = nothing_sold(app.mint_token())
    with pytest.raises(EmulatorError, match="no report was accepted"):
        app.get(report["requestIdentifier"])
    apple.fault({"dropAfterAccept": True})
    assert app.send(report).status is None
    assert app.get(report["requestIdentifier"]) == report
    with pytest.raises(EmulatorError, match="not a UUID"):
        app.get("--help")


def test_a_notification_needs_an_address(external_purchase_emulator):
    app = external_purchase_emulator.register(BUNDLE_ID, APP_APPLE_ID)
    with pytest.raises(EmulatorError, match="notification_url"):
        app.notify(app.mint_token())


def test_a_notification_of_another_environment(external_purchase_emulator):
    apple = external_purchase_emulator
    with apple.inbox() as inbox:
        app = apple.register(BUNDLE_ID, APP_APPLE_ID, inbox.url)
        token = app.mint_token(environment="sandbox")
        app.notify(token)
        genuine = inbox.next()
        app.notify(token, damage="wrong-environment")
        other = inbox.next()
        for body in (genuine, genuine.decode(), json.loads(genuine), json.loads(genuine)["signedPayload"]):
            assert apple.verify(body, app, environment="sandbox")["subtype"] == "UNREPORTED"
        for body, environment in ((genuine, "production"), (other, "sandbox")):
            with pytest.raises(NotificationRefused) as refusal:
                apple.verify(body, app, environment=environment)
            assert refusal.value.reason == "wrong-environment"
    with Emulator(environment="sandbox") as apple, apple.inbox() as inbox:
        app = apple.register(BUNDLE_ID, APP_APPLE_ID, inbox.url)
        app.notify(app.mint_token(), damage="wrong-environment")
        with pytest.raises(NotificationRefused, match="wrong-environment"):
            apple.verify(inbox.next(), app)


def test_the_first_use_by_many_threads_at_once():
    # Each emulator has the first use of its files once.
    for _ in range(8):
        with Emulator() as apple, apple.inbox() as inbox, ThreadPoolExecutor(8) as pool:
            app = apple.register(BUNDLE_ID, APP_APPLE_ID, inbox.url)
            token = app.mint_token()
            app.notify(token)
            body = inbox.next()
            assert list(pool.map(lambda _: apple.verify(body, app)["subtype"], range(8))) == ["UNREPORTED"] * 8
            assert set(pool.map(lambda _: app.key_file.read_text(), range(8))) == {app.private_key}


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
