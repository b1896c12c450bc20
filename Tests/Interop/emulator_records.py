"""What the emulator received and keeps of a program's run, compared with what was expected."""

import json
import pathlib
import re
import time
import urllib.error
import urllib.request
import uuid

import jwt

BUNDLE_ID = "com.example.shop"
APP_APPLE_ID = 1234567890


class Mismatch(Exception):
    """A program did not do what was expected."""


class Checks:
    count = 0

    @classmethod
    def equal(cls, found, expected, what, run=None):
        """Compares, and shows what a run of a program printed where it differs."""
        cls.count += 1
        if found != expected:
            printed = "".join(f"\n    {line}" for line in (run.stdout + run.stderr).splitlines()) if run else ""
            raise Mismatch(f"{what}: found {found!r}, expected {expected!r}{printed}")


class Apple:
    """The emulator's side of one run: Apple's paths with requests that this script signs itself, and the records."""

    def __init__(self, emulator, folder, environment):
        self.emulator = emulator
        self.environment = environment
        self.credentials = pathlib.Path(folder)
        self.app = json.loads((self.credentials / "credentials.json").read_text())["apps"][0]

    def call(self, method, path, body=None):
        """Status and body of a signed request."""
        now = int(time.time())
        claims = {"iss": self.app["issuerId"], "bid": BUNDLE_ID, "aud": "appstoreconnect-v1", "iat": now, "exp": now + 60}
        key = (self.credentials / self.app["keyFile"]).read_text()
        bearer = jwt.encode(claims, key, algorithm="ES256", headers={"kid": self.app["keyId"]})
        request = urllib.request.Request(self.emulator.base + path, method=method)
        request.add_header("Authorization", f"Bearer {bearer}")
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"null")

    def settings(self, **others):
        return {
            "EMULATOR_URL": self.emulator.base, "CREDENTIALS": str(self.credentials),
            "APPLE_ENVIRONMENT": self.environment, **others,
        }

    def notification(self, damage=None):
        """The text of a notification about the program's token; its address need not answer any more."""
        (token,) = self.emulator.control("GET", "/tokens")
        order = {"externalPurchaseId": token["decoded"]["externalPurchaseId"], "subtype": "UNREPORTED"}
        return self.emulator.control("POST", "/notifications", order | ({"damage": damage} if damage else {}))[
            "signedPayload"
        ]

    def test_notification(self):
        query = f"?environment={self.environment}"
        status, answer = self.call("POST", "/inApps/v1/notifications/test" + query)
        Checks.equal(status, 200, "the request for a test notification")
        for _ in range(200):
            path = f"/inApps/v1/notifications/test/{answer['testNotificationToken']}{query}"
            status, state = self.call("GET", path)
            if status == 200:
                return state["signedPayload"]
            time.sleep(0.05)
        raise Mismatch("the emulator sends no test notification")


def witness_of_reports(apple, printed):
    """What the emulator received and keeps of the sale and the refund, and that the program printed the same."""
    journal = apple.emulator.control("GET", "/requests")
    Checks.equal(
        [(entry["method"], entry["path"], entry["status"], entry["reason"], entry["bundleId"]) for entry in journal],
        [("PUT", "/externalPurchase/v1/reports", status, None, BUNDLE_ID) for status in (200, 400, 200)],
        "the journal",
    )
    refusals = [[(error["errorCode"], error.get("fieldName")) for error in entry["errors"]] for entry in journal]
    Checks.equal(refusals, [[], [(12, "netAmountTaxExclusive")], []], "the errors of the journal")

    # JSON without a point gives int; 8260.0 would give float, and 8260.0 == 8260.
    sale_report, refused_report, refund_report = (json.loads(entry["body"]) for entry in journal)
    (sale,), (refund,) = sale_report["lineItems"], refund_report["lineItems"]
    amounts = ("amountTaxExclusive", "taxAmount", "amountTaxInclusive", "netAmountTaxExclusive")
    for item, expected in ((sale, (8260, 1730, 9990, 8260)), (refund, (2480, 520, 3000, 5780))):
        found = tuple(item[name] for name in amounts)
        Checks.equal((found, {type(value) for value in found}), (expected, {int}), "the amounts in milliunits (SA-42)")
        Checks.equal(abs(time.time() * 1000 - item["creationDate"]) < 120_000, True, "the creation date is now")
    kinds = [(item["eventType"], item.get("productType"), item.get("referenceLineItemId")) for item in (sale, refund)]
    Checks.equal(
        kinds, [("BUY", "ONE_TIME_BUY", None), ("REFUND", None, sale["lineItemId"])], "the events of the line items"
    )
    (refused,) = refused_report["lineItems"]
    Checks.equal(refused, refund | {"netAmountTaxExclusive": 8260}, "the refused refund but for its net amount")
    ids = [report["requestIdentifier"] for report in (sale_report, refused_report, refund_report)]
    Checks.equal((ids[1], len(set(ids))), (ids[2], 2), "the corrected report has the refused one's identifier (SA-60)")
    Checks.equal(len({str(uuid.UUID(text)) for text in ids}), 2, "the identifiers are UUIDs")

    (token,) = apple.emulator.control("GET", "/tokens")
    Checks.equal(token["reportStatus"], "LINE_ITEM", "the status of the token")
    purchase = token["decoded"]["externalPurchaseId"]
    named = [report["externalPurchaseId"] for report in (sale_report, refund_report)]
    Checks.equal(named, [purchase, purchase], "the token of the reports")
    Checks.equal(purchase.startswith("SANDBOX"), apple.environment == "sandbox", "the environment of the token")
    for report in (sale_report, refund_report):
        kept = apple.call("GET", "/externalPurchase/v1/reports/" + report["requestIdentifier"])
        Checks.equal(kept, (200, {"report": report}), "the accepted report")

    lines = [line for line in printed.splitlines() if not line.startswith("notification")]
    Checks.equal(
        [re.sub(r": .*", "", line) if line.startswith("  code") else line for line in lines],
        [
            f"token {purchase}",
            f"sale {sale['lineItemId']}: accepted",
            f"refund {refund['lineItemId']}: refused",
            "  code 12, field netAmountTaxExclusive",
            f"refund {refund['lineItemId']}: accepted",
        ],
        "what the program printed",
    )

    # A refund of all that is left leaves nothing only if the history has exactly this sale and this refund.
    rest = refund | {
        "lineItemId": str(uuid.uuid4()), "creationDate": refund["creationDate"] + 1, "amountTaxExclusive": 5780,
        "taxAmount": 1210, "amountTaxInclusive": 6990, "netAmountTaxExclusive": 0,
    }
    probe = refund_report | {"requestIdentifier": str(uuid.uuid4()), "lineItems": [rest]}
    Checks.equal(apple.call("PUT", "/externalPurchase/v1/reports", probe)[0], 200, "a refund of the rest")


def deliveries(apple):
    """Damage and result of each notification, as the emulator recorded them."""
    return [
        (record["damage"], [attempt["sendAttemptResult"] for attempt in record["sendAttempts"]])
        for record in apple.emulator.control("GET", "/notifications")
    ]
