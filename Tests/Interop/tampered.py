"""What a program of Examples makes of genuine, tampered and hostile notifications, one at a time by SIGNED_PAYLOAD."""

import base64
import json

from emulator_records import APP_APPLE_ID, Checks
from notifications import DAMAGES

# Two damages cause the failure of another one in another way.
REASONS = {"chain-untrusted-swapped": "chain-untrusted", "signature-wrong-der": "signature-wrong"}
# What depends on the environment; the other damages are judged alike in both.
PRODUCTION_DAMAGES = ["signature-wrong", "wrong-app", "wrong-environment"]


def genuine(program, apple, payload, expected, **settings):
    found = program.run(apple.settings(SIGNED_PAYLOAD=payload, **settings))
    Checks.equal((found.returncode, found.stdout.strip()), (0, f"genuine: {expected}"), "a genuine notification", found)


def refused(program, apple, payload, damage, reason, **settings):
    """The program ends with 1 and says why; with a reason, it says this one."""
    found = program.run(apple.settings(SIGNED_PAYLOAD=payload, **settings))
    Checks.equal(found.returncode, 1, f"exit code for {damage}", found)
    word, _, said = found.stderr.strip().partition(": ")
    words = (word, said if reason else None, found.stdout)
    Checks.equal(words, ("refused", reason, ""), f"the words for {damage}", found)


def expected_reason(program, damage):
    if not program.reasons_of_library:
        return REASONS.get(damage, damage)
    status = DAMAGES[damage]
    return status.name if status else damage


def hostile_payloads(header, body, signature):
    """Texts that anybody can send: JSON of other types than a genuine notification has, and damaged encoding."""

    def encoded(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    chain = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4)))["x5c"]
    yield from ("..", "a.b.c.d", f"\u00e9.{body}.x")
    yield from (f"{header}.{body}.{other}" for other in ("", "!", "A" * 86))
    for value in (None, 5, [], "text", {"alg": "ES256", "x5c": "text"}, {"alg": ["ES256"], "x5c": chain}):
        yield f"{encoded(value)}.{body}.{signature}"
    for certificates in ([1, 2, 3], [""] * 3, ["AAAA"] * 3, [chain[0]] * 3, [None, *chain[1:]], [{}, [], chain[2]]):
        yield f"{encoded({'alg': 'ES256', 'x5c': certificates})}.{body}.{signature}"
    for date in ({}, "text", -(2**70), 10**40, 1e300, True):
        yield f"{header}.{encoded({'signedDate': date})}.{signature}"


def verification(program, apple, other_root, folder):
    """What the program makes of genuine and tampered notifications."""
    payload = apple.notification()
    genuine(program, apple, payload, "EXTERNAL_PURCHASE_TOKEN UNREPORTED")
    genuine(program, apple, apple.test_notification(), "TEST")
    for damage in DAMAGES if apple.environment == "sandbox" else PRODUCTION_DAMAGES:
        refused(program, apple, apple.notification(damage), damage, expected_reason(program, damage))
    header, body, signature = payload.split(".")
    for hostile in hostile_payloads(header, body, signature):
        refused(program, apple, hostile, hostile[:100], None)
    for position in (len(body) // 2, len(body) // 3):
        other = "A" if body[position] != "A" else "B"
        changed = f"{header}.{body[:position]}{other}{body[position + 1:]}.{signature}"
        refused(program, apple, changed, "a changed payload", None)
    untrusted = expected_reason(program, "chain-untrusted")
    refused(program, apple, payload, "the root of another emulator", untrusted, ROOT_CERTIFICATE=str(other_root))
    if apple.environment == "production":
        # No damage has another appAppleId, so the program is told another one.
        other_app = {"apps": [apple.app | {"appAppleId": APP_APPLE_ID + 1}]}
        (folder / "other").mkdir()
        (folder / "other" / "credentials.json").write_text(json.dumps(other_app))
        key = (apple.credentials / apple.app["keyFile"]).read_bytes()
        (folder / "other" / apple.app["keyFile"]).write_bytes(key)
        wrong_app = expected_reason(program, "wrong-app")
        refused(program, apple, payload, "another app", wrong_app, CREDENTIALS=str(folder / "other"))
