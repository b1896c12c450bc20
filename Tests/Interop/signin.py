"""The dashboard's sign-in at an OpenID Connect provider that is not ours (oidc-provider-mock of PyPI).

    python Tests/Interop/signin.py .build/debug/external-purchase
"""

import http.cookiejar
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

CONFIGURATION = """
apps:
  - bundleId: com.example.shop
    appAppleId: 1234567890
    key: {file: key.p8, keyId: 2X9R4HXF34, issuerId: 57246542-96fe-1a63-e053-0824d011072a}
    baseURL: {sandbox: http://127.0.0.1:9}
signIn:
  oidc:
    issuer: ISSUER
    clientId: external-purchase
    clientSecretFile: oidc.secret
    roles: {accounting: finance, platform: admin}
"""


def check(what, holds, detail=""):
    if not holds:
        sys.exit(f"interop: the sign-in at a provider: {what}: {detail}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(address):
    deadline = time.monotonic() + 30
    while True:
        try:
            return urllib.request.urlopen(address, timeout=5).read()
        except OSError:
            check(f"{address} answers", time.monotonic() < deadline)
            time.sleep(0.05)


class Browser:
    """Follows redirects with cookies, and posts forms."""

    def __init__(self):
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def open(self, address, fields=None):
        """Returns the status, the address after redirects, and the page."""
        data = urllib.parse.urlencode(fields).encode() if fields else None
        try:
            with self.opener.open(address, data, timeout=30) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.url, answer.read().decode()

    def sign_in(self, base, subject):
        """Goes from the sign-in page to the provider, agrees there, and comes back."""
        status, _, page = self.open(f"{base}/sign-in?next=/sales")
        link = re.search(r'href="(/sign-in/provider[^"]*)"', page)
        check("the page has a link to the provider", status == 200 and link, page)
        status, there, page = self.open(base + link[1].replace("&amp;", "&"))
        check("the provider asks", status == 200 and "Authorize Client" in page, page)
        return self.open(there, {"sub": subject})


def run(binary, folder):
    port = free_port()
    issuer = f"http://127.0.0.1:{port}"
    # A provider of Flask says in its addresses what the client asked for.
    users = [
        {"sub": "kim", "preferred_username": "kim.k", "groups": ["staff", "accounting"]},
        {"sub": "lee", "preferred_username": "lee.l", "groups": ["staff"]},
        {"sub": "sam"},
    ]
    options = [part for user in users for part in ("--user-claims", json.dumps(user))]
    key = ec.generate_private_key(ec.SECP256R1())
    (folder / "key.p8").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    (folder / "oidc.secret").write_text("a secret that nobody guesses\n")
    (folder / "serve.yaml").write_text(CONFIGURATION.replace("ISSUER", issuer))
    for name in ("key.p8", "oidc.secret"):
        (folder / name).chmod(0o600)
    log = folder / "serve.log"
    processes = []
    try:
        provider = pathlib.Path(sys.executable).parent / "oidc-provider-mock"
        with open(folder / "provider.log", "w") as output:
            processes.append(
                subprocess.Popen([provider, "--port", str(port), *options], stdout=output, stderr=output)
            )
        with open(log, "w") as output:
            processes.append(
                subprocess.Popen(
                    [binary, "serve", "--config", folder / "serve.yaml", "--port", "0", "--database",
                     f"sqlite:{folder / 'ledger.sqlite'}", "--set", "log.format=json"],
                    stdout=output,
                    stderr=output,
                )
            )
        wait_for(f"{issuer}/.well-known/openid-configuration")
        deadline = time.monotonic() + 30
        while not (found := re.search(r"listening on (http://\S+)", log.read_text())):
            check("the server starts", time.monotonic() < deadline and processes[1].poll() is None, log.read_text())
            time.sleep(0.05)
        base = found[1]

        status, address, page = Browser().open(f"{base}/sales")
        check("pages are closed without a user", address == f"{base}/sign-in?next=%2Fsales", address)

        kim = Browser()
        status, address, page = kim.sign_in(base, "kim")
        check("a group with a role signs in", status == 200 and address == f"{base}/sales", f"{address} {page}")
        check("the page has name and role", "<bdi>kim.k (oidc kim)</bdi>, finance" in page, page)
        status, _, page = kim.open(f"{base}/keys")
        check("the role holds", status == 403 and "yours is finance" in page, page)

        for subject in ("lee", "sam"):
            browser = Browser()
            status, address, page = browser.sign_in(base, subject)
            check("without a group with a role nobody signs in", status == 403, f"{status} {address}")
            check("the page says why", "none of your groups has a role here" in page, page)
        reasons = re.findall(r'"reason":"([^"]+)"', log.read_text())
        check("the log has the reasons", reasons == ["group-missing"] * 2, log.read_text())

        denied = Browser()
        _, _, page = denied.open(f"{base}/sign-in")
        status, there, _ = denied.open(f"{base}/sign-in/provider")
        status, _, page = denied.open(there, {"action": "deny"})
        check("who says no is not signed in", status == 403, page)

        processes[0].terminate()
        processes[0].wait(timeout=30)
        status, _, page = Browser().open(f"{base}/sign-in")
        check("without the provider the page still asks for a password", 'name="password"' in page, page)
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()
                process.wait(timeout=30)


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(sys.argv[1], pathlib.Path(folder))
    print("sign-in: a provider of PyPI's signs users in by their groups, and refuses the others")


if __name__ == "__main__":
    main()
