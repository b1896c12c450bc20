"""Holds the merchant's server against its own description, with requests that schemathesis makes from it.

    contract.py EXTERNAL-PURCHASE

The description is valid OpenAPI 3.1, and `GET /openapi.json` answers the file of the repository. Then schemathesis sends
what the description allows and what it forbids: without keys, with a key of the scope `admin`, and with keys of the other
scopes. Every answer must have a status, a content type and a body that the description has. Every run sends the same
requests.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from openapi_spec_validator import validate

BUNDLE = "com.example.shop"
FOLDER = pathlib.Path(__file__).parent
FILE = FOLDER.parent.parent / "docs" / "openapi" / "external-purchase-server.json"
SCOPES = ["read", "sales", "intake", "publishable"]


def wait_for(process, prefix):
    line = process.stdout.readline()
    if not line.startswith(prefix):
        sys.exit(f"expected '{prefix}…', got '{line}'")
    return line[len(prefix):].strip()


class Sides:
    """An emulator and a server, in a folder that goes with them."""

    def __init__(self, program):
        self.program = program
        self.directory = tempfile.TemporaryDirectory(prefix="openapi-")
        folder = pathlib.Path(self.directory.name)
        self.database = f"sqlite:{folder / 'ledger.sqlite'}"
        self.log = open(folder / "log.txt", "w+")
        self.processes = []
        try:
            self.serve(folder)
        except BaseException:
            self.__exit__()
            raise

    def serve(self, folder):
        apple = wait_for(self.start("emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890", "--credentials", str(folder)),
                         "listening on ")
        credentials = json.loads((folder / "credentials.json").read_text())["apps"][0]
        (folder / "stripe.secret").write_text("whsec_" + "0123456789abcdef" * 2 + "\n")
        (folder / "stripe.secret").chmod(0o600)
        (folder / "serve.yaml").write_text(json.dumps({
            "apps": [{
                "bundleId": BUNDLE, "appAppleId": 1234567890, "programmes": ["eu-2026-10"],
                "key": {"file": credentials["keyFile"], "keyId": credentials["keyId"],
                        "issuerId": credentials["issuerId"]},
                "baseURL": {"sandbox": apple}, "links": {"nl": {"url": "https://shop.example.com/nl", "paths": "on"}},
            }],
            "stripe": [{"bundleId": BUNDLE, "signingSecretFile": "stripe.secret"}],
            # Requests with wrong keys belong to the check; a fast machine sends more of them than a guesser may.
            "settings": {"reporting.send": "off", "publishable.perMinute": "off", "keys.perMinute": "off",
                         "keys.wrongPerMinute": "1000000000", "landing.visitsPerMinute": "off"},
        }))
        self.base = wait_for(
            self.start("serve", "--config", str(folder / "serve.yaml"), "--port", "0", "--database", self.database, "--quiet"),
            "listening on ")

    def start(self, *arguments):
        process = subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=self.log, text=True,
                                   env={k: v for k, v in os.environ.items() if not k.startswith("EXTERNAL_PURCHASE_")})
        self.processes.append(process)
        return process

    def key(self, scope):
        made = subprocess.run([self.program, "keys", "create", "--scope", scope, "--database", self.database],
                              stdout=subprocess.PIPE, check=True, text=True)
        return next(word for word in made.stdout.split() if word.startswith("epk_"))

    def get(self, path):
        with urllib.request.urlopen(self.base + path) as answer:
            return answer.read()

    def post(self, path, body):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return answer.status

    def wait_for_keys(self):
        """Returns when the server has seen the first key, and answers nobody without one."""
        for _ in range(100):
            try:
                self.get("/v1/tokens")
            except urllib.error.HTTPError as error:
                if error.code == 401:
                    return
            time.sleep(0.1)
        sys.exit("the server did not see its keys")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(30)
        self.directory.cleanup()


def check(sides, name, *options, key=None):
    """Runs schemathesis; its output is shown where something is wrong."""
    command = [str(pathlib.Path(sys.executable).parent / "schemathesis"), "--config-file", str(FOLDER / "schemathesis.toml"),
               "run", f"{sides.base}/openapi.json", "--url", sides.base,
               "--no-color", "--generation-deterministic", *options]
    if key:
        command += ["--header", f"Authorization: Bearer {key}"]
    began = time.monotonic()
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=sides.directory.name)
    cases = re.search(r"^ *([0-9]+) generated", ran.stdout, re.MULTILINE)
    # Without a request there is no difference either.
    isRight = ran.returncode == 0 and cases is not None and int(cases[1]) > 0
    print(f"{name}: {cases[1] if cases else 'no'} requests in {time.monotonic() - began:.0f} s, "
          + ("answered as described" if isRight else "with differences"), flush=True)
    if not isRight:
        print(ran.stdout)
    return isRight


def main(program):
    document = json.loads(FILE.read_text())
    validate(document)
    with Sides(program) as sides:
        if sides.get("/openapi.json") != FILE.read_bytes():
            sys.exit("GET /openapi.json is not docs/openapi/external-purchase-server.json")
        # The records that the examples of the paths name.
        schemas = document["components"]["schemas"]
        sides.post("/v1/tokens", schemas["TokenRequest"]["examples"][0])
        for kind in ["Purchase", "Order", "SubscriptionCharge", "Refund"]:
            sides.post("/v1/sales", schemas[kind]["examples"][0])
        # Whether a sale is valid depends on more than its schema says: the apps, the records, its other members.
        options = ["--exclude-checks", "positive_data_acceptance,ignored_auth,missing_required_header"]
        isRight = check(sides, "without keys", *options, "--generation-with-security-parameters", "false",
                        "--phases", "examples,coverage,fuzzing", "-n", "8")
        keys = {scope: sides.key(scope) for scope in ["admin", *SCOPES]}
        sides.wait_for_keys()
        # With a key, members such as `by` are ignored, so that wrong ones are accepted.
        options = ["--exclude-checks", "positive_data_acceptance,negative_data_rejection"]
        isRight &= check(sides, "scope admin", *options, "--phases", "examples,fuzzing,stateful", "-n", "5",
                         key=keys["admin"])
        for scope in SCOPES:
            isRight &= check(sides, f"scope {scope}", *options, "--phases", "examples", key=keys[scope])
        if any(process.poll() is not None for process in sides.processes):
            sys.exit("a process ended")
        if not isRight:
            sides.log.seek(0)
            print(sides.log.read()[-4000:])
            sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
