"""Reports a sale and its refund as Apple's External Purchase Server API asks, and verifies a signed notification.

It needs `pip install app-store-server-library`, which brings PyJWT and requests. ../README.md has the settings.
"""

import base64
import json
import os
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import jwt
import requests
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

# In production: https://api.storekit.apple.com, and https://api.storekit-sandbox.apple.com for sandbox tokens.
BASE_URL = os.environ.get("EMULATOR_URL", "http://127.0.0.1:8801")
CREDENTIALS = Path(os.environ.get("CREDENTIALS", "keys"))
ENVIRONMENT = os.environ.get("APPLE_ENVIRONMENT", "sandbox")
# In production: "Apple Root CA - G3" from https://www.apple.com/certificateauthority/, as a file.
ROOT_CERTIFICATE = os.environ.get("ROOT_CERTIFICATE", BASE_URL + "/emulator/v1/root.cer")
MAXIMUM_BODY = 256 * 1024


class Failure(Exception):
    """Something did not come out as expected."""


class Refusal(Exception):
    """A notification is not genuine; the message is the reason."""


def expect(condition, message):
    if not condition:
        raise Failure(message)


# region report
def bearer_token(app, key):
    """Signs a token for one request; `key` is the text of the .p8 file."""
    now = int(time.time())
    claims = {
        "iss": app["issuerId"],
        "iat": now,
        "exp": now + 300,
        "aud": "appstoreconnect-v1",
        "bid": app["bundleId"],
    }
    return jwt.encode(claims, key, algorithm="ES256", headers={"kid": app["keyId"]})


def send_report(app, key, report):
    """Sends a report and returns Apple's errors; an empty list means that the report is accepted.

    After a timeout the outcome is unknown: GET /externalPurchase/v1/reports/{requestIdentifier} tells it. Only if Apple
    does not have the report, send the same bytes again.
    """
    answer = requests.put(
        BASE_URL + "/externalPurchase/v1/reports",
        data=json.dumps(report),
        headers={"Authorization": "Bearer " + bearer_token(app, key), "Content-Type": "application/json"},
        timeout=30,
    )
    if answer.status_code == 200:
        return []
    if answer.status_code == 400 and answer.content:
        return answer.json()["errors"]
    raise Failure(f"PUT /externalPurchase/v1/reports: {answer.status_code} {answer.text or 'malformed body'}")
# endregion


def control(method, path, body):
    """Calls a control path of the emulator, which Apple does not have."""
    answer = requests.request(method, BASE_URL + "/emulator/v1" + path, json=body, timeout=30)
    expect(answer.ok, f"{method} /emulator/v1{path}: {answer.status_code} {answer.text}")
    return answer.json()


def decode_token(token):
    """A token is the Base64URL text of a JSON object. It is not signed."""
    return json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))


def milliunits(cents):
    """Amounts are integers of 1/1000 of the currency's unit: a cent is 10 of them, a yen, which has no cents, 1000."""
    return cents * 10


def line_item(event_type, *, net, tax, remaining, **members):
    return {
        "lineItemId": str(uuid.uuid4()),
        "creationDate": time.time_ns() // 1_000_000,
        "eventType": event_type,
        "amountTaxExclusive": milliunits(net),
        "taxAmount": milliunits(tax),
        "amountTaxInclusive": milliunits(net + tax),
        "netAmountTaxExclusive": milliunits(remaining),
        "pricingCurrency": "EUR",
        "reportingCurrency": "EUR",
        "taxCountry": "NLD",
        **members,
    }


def report_of(token, item):
    """Store the report before it is sent, so that nothing sends the same sale under another identifier."""
    return {
        "requestIdentifier": str(uuid.uuid4()),
        "externalPurchaseId": token["externalPurchaseId"],
        "status": "LINE_ITEM",
        "lineItems": [item],
    }


def send(name, app, key, report):
    """Sends a report, prints the outcome and returns the errors."""
    errors = send_report(app, key, report)
    print(f"{name} {report['lineItems'][0]['lineItemId']}: {'refused' if errors else 'accepted'}")
    for error in errors:
        print(f"  code {error['errorCode']}, field {error.get('fieldName', '-')}: {error['errorMessage']}")
    return errors


def report_sale_and_refund(app, key, token):
    # EUR 9.99, of it 1.73 tax.
    sale = line_item(
        "BUY", net=826, tax=173, remaining=826,
        productType="ONE_TIME_BUY", productIdentifier="com.example.shop.gems", quantity=1,
    )
    expect(not send("sale", app, key, report_of(token, sale)), "the sale was refused")

    # EUR 3.00 go back. Amounts of refunds have no minus sign; the net amount is what is left of the sale.
    refund = report_of(
        token, line_item("REFUND", net=248, tax=52, remaining=826, referenceLineItemId=sale["lineItemId"])
    )
    errors = send("refund", app, key, refund)
    found = [(error["errorCode"], error.get("fieldName")) for error in errors]
    expect(found == [(12, "netAmountTaxExclusive")], f"the refund with the net amount of the sale drew {found}")
    # A refused report leaves nothing behind, so the corrected one has the same identifiers.
    refund["lineItems"][0]["netAmountTaxExclusive"] = milliunits(826 - 248)
    expect(not send("refund", app, key, refund), "the refund was refused")


# region notification
def verifier(app, root):
    """Checks chain, signature, app and environment. Online checks ask Apple whether a certificate was revoked."""
    environment = Environment.PRODUCTION if ENVIRONMENT == "production" else Environment.SANDBOX
    return SignedDataVerifier([root], False, environment, app["bundleId"], app["appAppleId"])


def verify(verifier, signed_payload):
    """Returns the payload of a genuine notification; raises Refusal."""
    try:
        payload = verifier.verify_and_decode_notification(signed_payload)
    except VerificationException as error:
        raise Refusal(error.status.name) from error
    # The library does not require the identity by which a repeated notification is recognised.
    if not payload.notificationUUID:
        raise Refusal("payload-incomplete")
    return payload
# endregion


def read_signed_payload(body):
    try:
        signed_payload = json.loads(body)["signedPayload"]
    except (ValueError, KeyError, TypeError, RecursionError):
        signed_payload = None
    if not isinstance(signed_payload, str):
        raise Refusal("body-unreadable")
    return signed_payload


def notification_server(verifier):
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            status = 400
            try:
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length) if 0 < length <= MAXIMUM_BODY else b""
                payload = verify(verifier, read_signed_payload(body))
                print(f"notification {payload.notificationUUID}: {payload.rawSubtype} is genuine")
                # Answer 200 only after the notification is stored: Apple then does not send it again.
                status = 200
            except (Refusal, ValueError) as error:
                print(f"notification refused: {error}")
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def receive_notifications(app, token, verifier):
    server = notification_server(verifier)
    control("PUT", "/apps/" + app["bundleId"], {"notificationURL": f"http://127.0.0.1:{server.server_port}/"})
    order = {"externalPurchaseId": token["externalPurchaseId"], "subtype": "UNREPORTED"}
    for damage in (None, "signature-wrong", "body-unreadable"):
        record = control("POST", "/notifications", {**order, "damage": damage} if damage else order)
        result = record["sendAttempts"][-1]["sendAttemptResult"]
        expected = "UNSUCCESSFUL_HTTP_RESPONSE_CODE" if damage else "SUCCESS"
        expect(result == expected, f"the notification ({damage or 'as signed'}) ended with {result}, not {expected}")


def main():
    expect(ENVIRONMENT in ("sandbox", "production"), f"APPLE_ENVIRONMENT={ENVIRONMENT}: sandbox or production is right")
    file = CREDENTIALS / "credentials.json"
    expect(file.exists(), f"{file} does not exist; `emulator --credentials` writes it")
    app = json.loads(file.read_text())["apps"][0]
    key = (CREDENTIALS / app["keyFile"]).read_text()
    if ROOT_CERTIFICATE.startswith("http"):
        root = requests.get(ROOT_CERTIFICATE, timeout=30).content
    else:
        root = Path(ROOT_CERTIFICATE).read_bytes()
    checks = verifier(app, root)

    if signed_payload := os.environ.get("SIGNED_PAYLOAD"):
        payload = verify(checks, signed_payload)
        print(f"genuine: {payload.rawNotificationType} {payload.rawSubtype or ''}".strip())
        return
    token = decode_token(
        control("POST", "/tokens", {"bundleId": app["bundleId"], "environment": ENVIRONMENT})["token"]
    )
    print("token", token["externalPurchaseId"])
    report_sale_and_refund(app, key, token)
    receive_notifications(app, token, checks)


if __name__ == "__main__":
    try:
        main()
    except Refusal as error:
        sys.exit(f"refused: {error}")
    except (Failure, OSError, ValueError, KeyError) as error:
        sys.exit(f"error: {error}")
