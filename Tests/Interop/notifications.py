"""Holds the emulator's notifications against Apple's own server library for Python.

usage: notifications.py BINARY

Starts `BINARY emulator`, receives what it sends, verifies every payload with the library's SignedDataVerifier in strict
mode, and asks the notification endpoints with the library's client. Ends with 0 when everything agrees.
"""

import base64
import collections
import http.server
import json
import sys
import tempfile
import threading
import time
import urllib.error

import jwt
from appstoreserverlibrary.api_client import APIException, AppStoreServerAPIClient
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.NotificationTypeV2 import NotificationTypeV2
from appstoreserverlibrary.models.SendAttemptResult import SendAttemptResult
from appstoreserverlibrary.signed_data_verifier import (
    SignedDataVerifier,
    VerificationException,
    VerificationStatus as Status,
)

from emulator import Emulator

BUNDLE_ID = "com.example.shop"
APP_APPLE_ID = 1234567890
ENVIRONMENTS = {"production": Environment.PRODUCTION, "sandbox": Environment.SANDBOX}
DAY = 86_400

# What the library says to each damage. None: the library does not check it.
DAMAGES = {
    "not-three-parts": Status.VERIFICATION_FAILURE,
    "header-unreadable": Status.VERIFICATION_FAILURE,
    "algorithm-not-es256": Status.VERIFICATION_FAILURE,
    "chain-missing": Status.VERIFICATION_FAILURE,
    "chain-length": Status.INVALID_CHAIN_LENGTH,
    "payload-unreadable": Status.VERIFICATION_FAILURE,
    "certificate-unreadable": Status.INVALID_CERTIFICATE,
    "chain-untrusted": Status.VERIFICATION_FAILURE,
    "chain-untrusted-swapped": Status.VERIFICATION_FAILURE,
    "certificate-expired": Status.VERIFICATION_FAILURE,
    "certificate-not-yet-valid": Status.VERIFICATION_FAILURE,
    "intermediate-marker-missing": Status.VERIFICATION_FAILURE,
    "leaf-marker-missing": Status.VERIFICATION_FAILURE,
    "leaf-key-not-p256": Status.VERIFICATION_FAILURE,
    "signature-wrong": Status.VERIFICATION_FAILURE,
    "signature-wrong-der": Status.VERIFICATION_FAILURE,
    "payload-incomplete": None,
    "wrong-app": Status.INVALID_APP_IDENTIFIER,
    "wrong-environment": Status.INVALID_ENVIRONMENT,
}

checks = 0


def check(holds, claim):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"interop: failed: {claim}")


class Receiver:
    """The merchant's address: keeps the bodies and answers 200."""

    def __init__(self):
        bodies = self.bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(self.rfile.read(int(self.headers.get("Content-Length", 0))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/notifications"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self):
        """The bodies since the last call."""
        taken, self.bodies[:] = list(self.bodies), []
        return taken


class VirtualEmulator(Emulator):
    """An emulator whose clock stands still."""

    def __init__(self, binary, log):
        super().__init__(binary, log, "--now", "2026-10-01T00:00:00Z")

    def now(self):
        """The virtual time in UNIX ms."""
        text = self.control("GET", "/clock")["now"]
        # Whole seconds are all that this script sets.
        return int(time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone) * 1000

    def settle(self):
        """Waits until everything that is due was sent."""
        self.control("POST", "/clock/advance", {"seconds": 1})

    def token(self, environment, **fields):
        return self.control("POST", "/tokens", {"bundleId": BUNDLE_ID, "environment": environment, **fields})[
            "decoded"
        ]["externalPurchaseId"]


class Client(AppStoreServerAPIClient):
    """The library's client with the emulator's address; its tokens are the library's own, which have no `iat` (SA-15).

    One address serves both environments, so the environment travels in the query (NT-71).
    """

    def __init__(self, emulator, app, bundle_id, environment):
        super().__init__(
            app["privateKey"].encode(), app["keyId"], app["issuerId"], bundle_id, ENVIRONMENTS[environment]
        )
        self._base_url = emulator.base
        self._name = environment

    def _execute_request(self, method, url, params, headers, json, data):
        return super()._execute_request(method, url, {**params, "environment": self._name}, headers, json, data)


def signed_payload(body):
    return json.loads(body)["signedPayload"]


def refusal(verifier, payload):
    """The library's verdict; None when it takes the payload."""
    try:
        verifier.verify_and_decode_notification(payload)
    except VerificationException as error:
        return error.status
    return None


def api_error(call, *arguments):
    """Status and code of the error that a call draws; None when it succeeds."""
    try:
        call(*arguments)
    except APIException as error:
        return (error.http_status_code, error.raw_api_error)
    return None


def delivered(emulator, receiver, verifiers):
    """Everything that falls due in two years verifies, in both environments."""
    tokens = {
        "production": [emulator.token("production"), emulator.token("production", tokenType="SERVICES")],
        "sandbox": [emulator.token("sandbox"), emulator.token("sandbox", tokenType="ACQUISITION")],
    }
    emulator.control("POST", "/clock/advance", {"seconds": 730 * DAY})
    found = collections.Counter()
    for body in receiver.take():
        unverified = jwt.decode(signed_payload(body), options={"verify_signature": False})
        token_id = unverified["externalPurchaseToken"]["externalPurchaseId"]
        environment = "sandbox" if token_id.startswith("SANDBOX") else "production"
        payload = verifiers[environment].verify_and_decode_notification(signed_payload(body))
        check(payload.notificationType == NotificationTypeV2.EXTERNAL_PURCHASE_TOKEN, "the type is known")
        check(payload.externalPurchaseToken.bundleId == BUNDLE_ID, "the bundle id stands in the token")
        check(payload.externalPurchaseToken.appAppleId == APP_APPLE_ID, "the app id stands in the token")
        check(token_id in tokens[environment], "the notification is about a minted token")
        check(payload.version == "2.0", "the version is 2.0")
        other = "production" if environment == "sandbox" else "sandbox"
        check(
            refusal(verifiers[other], signed_payload(body)) == Status.INVALID_ENVIRONMENT,
            "the verifier of the other environment refuses it",
        )
        found[environment, payload.rawSubtype] += 1
    expected = {
        ("production", "CREATED"): 1,
        ("production", "ACTIVE_TOKEN_REMINDER"): 12,
        ("production", "UNREPORTED"): 2,
        ("sandbox", "CREATED"): 1,
        ("sandbox", "UNREPORTED"): 2,
    }
    check(found == expected, f"the notifications of two years are {expected}, not {dict(found)}")


def damaged(emulator, receiver, verifiers):
    """Every damage that the library can see is refused."""
    for environment, verifier in verifiers.items():
        token = emulator.token(environment, tokenType="SERVICES")
        emulator.settle()
        receiver.take()
        for name, expected in DAMAGES.items():
            emulator.control(
                "POST", "/notifications", {"externalPurchaseId": token, "subtype": "CREATED", "damage": name}
            )
            (body,) = receiver.take()
            found = refusal(verifier, signed_payload(body))
            check(found == expected, f"{environment}: {name} draws {expected!r}, not {found!r}")
        emulator.control(
            "POST", "/notifications", {"externalPurchaseId": token, "subtype": "CREATED", "damage": "body-unreadable"}
        )
        (body,) = receiver.take()
        try:
            signed_payload(body)
            check(False, "body-unreadable has no signedPayload to read")
        except (ValueError, KeyError, TypeError):
            check(True, "body-unreadable")
    known = json.dumps(sorted([*DAMAGES, "body-unreadable"]))
    try:
        emulator.control("POST", "/notifications", {"externalPurchaseId": token, "subtype": "CREATED", "damage": "?"})
    except urllib.error.HTTPError as error:
        names = json.loads(error.read())["message"].split("one of ")[1].split(", ")
        check(json.dumps(sorted(names)) == known, f"this script knows every damage of {names}")


def tampered(emulator, receiver, verifiers):
    """Another character anywhere makes the library refuse a payload that it took."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    token = emulator.token("production")
    emulator.settle()
    receiver.take()
    emulator.control("POST", "/notifications", {"externalPurchaseId": token, "subtype": "UNREPORTED"})
    (body,) = receiver.take()
    payload = signed_payload(body)
    check(refusal(verifiers["production"], payload) is None, "the payload verifies before it is changed")
    for position in range(0, len(payload), 5):
        if payload[position] == ".":
            continue
        # The highest bit of a digit always counts, the lowest of the last one do not.
        other = alphabet[alphabet.index(payload[position]) ^ 32]
        changed = payload[:position] + other + payload[position + 1 :]
        check(refusal(verifiers["production"], changed) is not None, f"a change at {position} is refused")


def endpoints(emulator, receiver, verifiers, app):
    """The library's client understands test, status, history and their errors."""
    for environment, verifier in verifiers.items():
        client = Client(emulator, app, BUNDLE_ID, environment)
        emulator.settle()
        receiver.take()
        test_token = client.request_test_notification().testNotificationToken
        for _ in range(200):
            if api_error(client.get_test_notification_status, test_token) is None:
                break
            time.sleep(0.05)
        status = client.get_test_notification_status(test_token)
        check([item.sendAttemptResult for item in status.sendAttempts] == [SendAttemptResult.SUCCESS], "delivered")
        (body,) = receiver.take()
        check(signed_payload(body) == status.signedPayload, "the status shows the payload that was sent")
        payload = verifier.verify_and_decode_notification(status.signedPayload)
        check(payload.notificationType == NotificationTypeV2.TEST, "the type is TEST")
        check(payload.data.bundleId == BUNDLE_ID, "the data name the app")
        check(payload.data.environment == ENVIRONMENTS[environment], "the data name the environment")
        check(payload.rawSubtype is None and payload.externalPurchaseToken is None, "TEST has data only")

        made = {emulator.token(environment, tokenType="SERVICES") for _ in range(45)}
        emulator.settle()
        now = emulator.now()
        question = NotificationHistoryRequest(
            startDate=now - 1_000,
            endDate=now + DAY * 1_000,
            notificationType=NotificationTypeV2.EXTERNAL_PURCHASE_TOKEN,
        )
        seen, pages, page_token = set(), 0, None
        while True:
            page = client.get_notification_history(page_token, question)
            pages += 1
            for item in page.notificationHistory:
                payload = verifier.verify_and_decode_notification(item.signedPayload)
                if payload.rawSubtype == "CREATED":
                    seen.add(payload.externalPurchaseToken.externalPurchaseId)
                check(1 <= len(item.sendAttempts) <= 6, "one to six attempts")
            page_token = page.paginationToken
            if not page.hasMore:
                break
        check(pages >= 3 and made <= seen, f"45 notifications fill three pages ({pages} pages, {len(seen)} seen)")

        def ask(token=None, **fields):
            fields = {"startDate": now - 1_000, "endDate": now, **fields}
            return api_error(client.get_notification_history, token, NotificationHistoryRequest(**fields))

        check(ask() is None, "the plain question is answered")
        check(ask(startDate=None) == (400, 4000015), "no start date is 4000015")
        check(ask(endDate=now // 1000) == (400, 4000016), "seconds as end date are 4000016")
        check(ask(endDate=now - 1_000) == (400, 4000013), "an end at the start is 4000013")
        check(ask(startDate=now - 181 * DAY * 1_000) == (400, 4000012), "181 days ago is 4000012")
        check(ask("nobody issued this") == (400, 4000014), "a made-up page token is 4000014")
        check(ask(transactionId="1") == (404, 4040010), "an unknown transaction is 4040010")
        both = ask(transactionId="1", notificationType=NotificationTypeV2.TEST)
        check(both == (400, 4000019), "transaction and type are 4000019")
        check(ask(notificationType=NotificationTypeV2.REFUND) == (400, 4000018), "a foreign type is 4000018")
        status_of = client.get_test_notification_status
        check(api_error(status_of, "made-up") == (400, 4000020), "a made-up test token is 4000020")
        unknown = "00000000-0000-4000-8000-000000000000_1795176000000"
        check(api_error(status_of, unknown) == (404, 4040008), "an unknown test token is 4040008")
        silent = Client(emulator, emulator.control("PUT", "/apps/com.example.silent", {"appAppleId": 2}),
                        "com.example.silent", environment)
        check(api_error(silent.request_test_notification) == (404, 4040007), "no address is 4040007")
        stranger = Client(emulator, {**app, "keyId": "0000000000"}, BUNDLE_ID, environment)
        check(api_error(stranger.request_test_notification) == (401, None), "an unknown key is 401")
        other_key = emulator.control("PUT", "/apps/org.elsewhere.app", {"appAppleId": 3, "issuerId": "elsewhere"})
        forger = Client(emulator, {**app, "privateKey": other_key["privateKey"]}, BUNDLE_ID, environment)
        check(api_error(forger.request_test_notification) == (401, None), "another key under a known id is 401")
        check(api_error(forger.get_notification_history, None, question) == (401, None), "and for history")


def issue_time(emulator, app):
    """The library's token has no `iat`; the emulator takes it unless its setting asks for one (SA-15)."""
    client = Client(emulator, app, BUNDLE_ID, "sandbox")
    claims = jwt.decode(client._generate_token(), options={"verify_signature": False})
    check("iat" not in claims, "the library signs without iat")
    for value, expected in [("on", (401, None)), ("off", None)]:
        emulator.control("PUT", "/settings", {"auth.requireIssuedAt": value})
        found = api_error(client.request_test_notification)
        check(found == expected, f"auth.requireIssuedAt={value} draws {expected}, not {found}")


def main(binary):
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        receiver = Receiver()
        emulator = VirtualEmulator(binary, log)
        try:
            app = emulator.control(
                "PUT", f"/apps/{BUNDLE_ID}", {"appAppleId": APP_APPLE_ID, "notificationURL": receiver.address}
            )
            root = emulator.bytes("/root.cer")
            pem = emulator.bytes("/root.pem").decode()
            check(base64.b64decode("".join(pem.strip().splitlines()[1:-1])) == root, "root.pem holds root.cer")
            verifiers = {
                name: SignedDataVerifier([root], False, environment, BUNDLE_ID, APP_APPLE_ID)
                for name, environment in ENVIRONMENTS.items()
            }
            delivered(emulator, receiver, verifiers)
            damaged(emulator, receiver, verifiers)
            tampered(emulator, receiver, verifiers)
            endpoints(emulator, receiver, verifiers, app)
            issue_time(emulator, app)
        finally:
            emulator.stop()
    print(f"interop: {checks} checks passed")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[2])
    main(sys.argv[1])
