"""Plays the cases that leave a token as it is: player.py URL KEY.p8 KEY-ID ISSUER-ID BUNDLE-ID TOKEN [PAUSE]"""

# region player
import base64, json, pathlib, re, sys, time, urllib.error, urllib.request, uuid

import jwt

url, key, key_id, issuer, bundle, text, *pause = sys.argv[1:]
folder = pathlib.Path(__file__).parent
token = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
units = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, None: 0}


def filled(text, ids):
    """Replaces the placeholders of a text; `ids` has the ids of the case."""
    def number(match):
        base, distance, unit = match.groups()
        bases = {"created": token["tokenCreationDate"], "expires": token.get("tokenExpirationDate")}
        time_in_ms = bases.get(base, time.time() * 1_000) + int(distance or 0) * units[unit]
        return str(int(time_in_ms / 1_000 if base == "seconds" else time_in_ms))
    text = re.sub(r'"?\{\{(now|seconds|created|expires)(?:([+-]\d+)(ms|s|min|h|d))?\}\}"?', number, text)
    text = re.sub(r"\{\{(.)\*(\d+)\}\}", lambda match: match[1] * int(match[2]), text)
    return re.sub(r"\{\{([\w.-]+)\}\}", lambda match: ids.setdefault(match[1], str(uuid.uuid4())), text)


def repeated(items):
    """The line items, with `{"repeat": N, "item": …}` as N items."""
    for item in items:
        if isinstance(item, dict) and "repeat" in item:
            yield from (json.loads(json.dumps(item["item"]).replace("{{index}}", str(n))) for n in range(item["repeat"]))
        else:
            yield item


def ask(request, ids):
    """Sends a request and returns the answer in the form of `expected`."""
    body, now = request.get("body"), int(time.time())
    if "report" in request:
        report = dict(request["report"])
        if isinstance(report.get("lineItems"), list):
            report["lineItems"] = list(repeated(report["lineItems"]))
        body = json.dumps(report)
    if body is not None:
        body = filled(body, ids).ljust(request.get("padTo", 0)).encode()
    claims = {"iss": issuer, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": bundle}
    signed = jwt.encode(claims, pathlib.Path(key).read_text(), "ES256", {"kid": key_id})
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + signed} | request.get("headers", {})
    headers = {name: value for name, value in headers.items() if value is not None}
    message = urllib.request.Request(url + filled(request["path"], ids), body, headers, method=request["method"])
    try:
        answer = urllib.request.urlopen(message)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read().decode()
    if not text.startswith("{"):
        return {"status": answer.status, "text": text}
    value = json.loads(text.replace('"errorCode"', '"code"').replace('"errorMessage"', '"message"'))
    form = value if "errors" in value else {"error" if "code" in value else "json": value}
    return {"status": answer.status, **form}


kind, asked, different = token.get("tokenType", "plain"), 0, 0
for name in json.loads((folder / "suite.json").read_text())["files"]:
    for case in json.loads((folder / "cases" / name).read_text())["cases"]:
        ids = {"token": token["externalPurchaseId"]}
        needs_more = {"after", "expired"} & case.keys() or "authorization" in case["request"] or "{{byte." in str(case)
        if case["kind"] == "accepted" or needs_more or kind not in (case["tokens"] or [kind]):
            continue
        came, expected = ask(case["request"], ids), json.loads(filled(json.dumps(case["expected"]), ids))
        asked, different = asked + 1, different + (came != expected)
        if came != expected:
            print(f"{case['id']}: expected {expected}, came {came}")
        time.sleep(float(pause[0]) if pause else 1)
print(f"{asked} cases asked, {different} differ")
sys.exit(different > 0)
# endregion
