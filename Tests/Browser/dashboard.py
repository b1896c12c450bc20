"""Uses the dashboard of the merchant's server as a person does, in headless Chromium.

    python3 Tests/Browser/dashboard.py .build/debug/external-purchase [--chromium /usr/bin/chromium]
                                       [--screenshots FOLDER]

Starts an emulator and a server, and gives them a token, sales, an accepted report, events of Stripe and review items.
Needs what Tests/Browser/requirements.txt names. Ends with 0 when every step held, else with 1 and the step that did not.
"""

import argparse
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

import axe_playwright_python
from playwright.sync_api import expect, sync_playwright

BUNDLE = "com.example.shop"
SECRET = "whsec_0123456789abcdef0123456789abcdef"
USER, PASSWORD = "maria", "correct horse battery"
AXE = os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js")
HOSTILE = '"><img src=x onerror=alert(1)>'


def call(method, url, body=None, headers={}):
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def wait(what, condition):
    """Waits until a condition holds, at most 20 seconds."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {what}")


def sale(identifier, product="gems.100", inclusive="9.99", **more):
    amount = {"currency": "EUR", "inclusive": inclusive, "taxRate": "21"}
    amount.update(more.pop("amount", {"taxCountry": "NLD"}))
    return {
        "saleId": identifier, "bundleId": BUNDLE, "type": "purchase", "productId": product, "quantity": 1,
        "occurredAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "amount": amount, **more,
    }  # fmt: skip


def session(identifier, intent, items=True):
    """A completed Checkout session; Stripe leaves its line items out."""
    created = int(time.time())
    item = {
        "id": "li_1", "object": "item", "quantity": 1, "amount_total": 999, "amount_subtotal": 999, "amount_tax": 173,
        "amount_discount": 0, "currency": "eur",
        "price": {"id": "price_1", "object": "price", "product": "prod_1", "lookup_key": "gems.100"},
    }  # fmt: skip
    content = {
        "id": f"cs_{intent}", "object": "checkout.session", "mode": "payment", "payment_status": "paid",
        "payment_intent": intent, "currency": "eur", "created": created - 60, "amount_total": 999,
        "amount_subtotal": 999, "total_details": {"amount_tax": 173, "amount_discount": 0, "amount_shipping": 0},
        "automatic_tax": {"enabled": True, "status": "complete"}, "metadata": {"external_purchase_customer": "anna"},
        "customer_details": {"address": {"country": "NL"}},
    }  # fmt: skip
    if items:
        content["line_items"] = {"object": "list", "has_more": False, "data": [item]}
    return event(identifier, "checkout.session.completed", content, created)


def event(identifier, kind, content, created=None):
    return {
        "id": identifier, "object": "event", "api_version": "2025-03-31.basil", "created": created or int(time.time()),
        "livemode": False, "type": kind, "data": {"object": content},
    }  # fmt: skip


class Sides:
    """An emulator of Apple's side and the merchant's server, with a user and what the pages show."""

    def __init__(self, program, folder):
        self.program, self.folder, self.processes = program, folder, []
        self.log = open(os.path.join(folder, "log"), "w")
        self.database = f"sqlite:{folder}/ledger.sqlite"

    def prepare(self):
        folder = self.folder
        apple = self.start("emulator", "--port", "0", "--app", f"{BUNDLE}=1234567890", "--credentials", folder)
        app = json.load(open(os.path.join(folder, "credentials.json")))["apps"][0]
        secret = os.path.join(folder, "stripe.secret")
        with open(os.open(secret, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(SECRET)
        config = os.path.join(folder, "serve.json")
        with open(config, "w") as file:
            key = {name: app[name] for name in ["keyId", "issuerId"]}
            entry = {
                "bundleId": BUNDLE, "appAppleId": 1234567890, "key": {"file": app["keyFile"], **key},
                "baseURL": {"sandbox": apple}, "programmes": ["eea-link"],
            }  # fmt: skip
            stripe = {"bundleId": BUNDLE, "signingSecretFile": secret}
            # Nothing listens at the discard port.
            hook = {"name": "erp", "url": "http://127.0.0.1:9/hook", "secretFile": secret, "allowPrivate": True}
            # The sign-in page offers the provider; nobody signs in there.
            oidc = {
                "issuer": "http://127.0.0.1:9", "clientId": "shop", "clientSecretFile": secret, "roles": {"platform": "admin"},
            }  # fmt: skip
            json.dump({
                "apps": [entry], "stripe": [stripe], "webhooks": [hook], "signIn": {"oidc": oidc},
                "settings": {"send.delay": "0s"},
            }, file)  # fmt: skip
        self.base = self.start("serve", "--config", config, "--port", "0", "--database", self.database)

        # Without keys and users the server answers loopback names: the data comes first, the user last.
        _, minted = call("POST", apple + "/emulator/v1/tokens", {"bundleId": BUNDLE})
        self.token = minted["decoded"]["externalPurchaseId"]
        status, token = self.api("POST", "/v1/tokens", {"token": minted["token"], "customerId": "anna"})
        assert status == 201, token
        checkout = {"checkoutId": token["checkoutId"]}
        for order in [
            sale("order-1", **checkout), sale("order-3", "gems.900", "49.90", **checkout),
            sale("order-2", "gems.500", "19.99", amount={}, **checkout), sale(HOSTILE, HOSTILE, amount={}, customerId=HOSTILE),
        ]:  # fmt: skip
            status, answer = self.api("POST", "/v1/sales", order)
            assert status == 201, answer
        self.report = wait("the accepted reports", self.accepted_report)
        for delivered in [
            session("evt_1held", "pi_1", items=False), session("evt_2applied", "pi_2"),
            event("evt_3refund", "refund.created", {
                "id": "re_1", "object": "refund", "amount": 999, "currency": "eur", "status": "pending",
                "charge": "ch_9", "payment_intent": "pi_9", "created": int(time.time()),
            }),
            event("evt_4other", HOSTILE, {"id": HOSTILE, "object": "thing"}),
        ]:  # fmt: skip
            self.deliver(delivered)
        # The shop entered the payment of an event by hand, with another price.
        status, answer = self.api("POST", "/v1/sales", sale("pi_5", inclusive="8.99"))
        assert status == 201, answer
        self.deliver(session("evt_5conflict", "pi_5"))
        wait("an event that was tried", self.tried_delivery)
        self.command("users", "set-password", USER, "--database", self.database, input=PASSWORD)
        self.secret = self.command("keys", "create", "--scope", "admin", "--name", "test", "--database", self.database)
        wait("the sign-in", lambda: self.api("GET", "/v1/sales")[0] == 401)

    def accepted_report(self):
        _, answer = self.api("GET", "/v1/reports?state=accepted")
        return answer["reports"] and answer["reports"][0]["requestIdentifier"]

    def tried_delivery(self):
        _, answer = self.api("GET", "/v1/deliveries")
        self.delivery = next((one["id"] for one in answer["deliveries"] if one["attempts"]), None)
        return self.delivery

    def start(self, *arguments):
        process = subprocess.Popen([self.program, *arguments], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.processes.append(process)
        line = process.stdout.readline()
        assert line.startswith("listening on "), f"{arguments[0]} did not start, see {self.folder}/log"
        return line.split()[-1]

    def command(self, *arguments, input=None):
        done = subprocess.run([self.program, *arguments], input=input, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def api(self, method, path, body=None, key=None):
        return call(method, self.base + path, body, {"Authorization": f"Bearer {key}"} if key else {})

    def deliver(self, content):
        body, now = json.dumps(content).encode(), int(time.time())
        signature = hmac.new(SECRET.encode(), f"{now}.".encode() + body, hashlib.sha256).hexdigest()
        headers = {"Stripe-Signature": f"t={now},v1={signature}"}
        status, answer = call("POST", self.base + "/v1/webhooks/stripe", body, headers)
        assert status == 200, answer

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()


class Run:
    def __init__(self, browser, sides, screenshots):
        self.browser, self.sides, self.screenshots = browser, sides, screenshots
        self.state = None
        self.correction_path, self.key_path = "/corrections", "/keys"

    def shot(self, page, name, whole=True):
        if self.screenshots:
            page.screenshot(path=os.path.join(self.screenshots, name + ".png"), full_page=whole)

    def page(self, signed_in=True, **options):
        """A page that may ask nothing but the server, and whose errors count."""
        context = self.browser.new_context(storage_state=self.state if signed_in else None, **options)
        context.set_default_timeout(30_000)
        page = context.new_page()
        self.problems, self.asked = [], []
        page.on("console", lambda line: line.type in ["error", "warning"] and self.problems.append(line.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: self.problems.append(f"a dialog: {dialog.message}") or dialog.dismiss())
        page.on("request", lambda request: self.asked.append(request.url))
        return page

    def open(self, page, path):
        page.goto(self.sides.base + path)

    def end(self, page):
        outside = [url for url in self.asked if not url.startswith((self.sides.base, "data:"))]
        assert not outside, f"the page asked others: {outside}"
        # A violation of the content security policy is an error of the console too.
        assert not self.problems, f"the console says {self.problems}"
        page.context.close()

    def sign_in(self, page):
        page.get_by_label("Name").fill(USER)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()

    def enter(self):
        """Signs in for the steps that begin with a session."""
        page = self.page(signed_in=False)
        self.open(page, "/sign-in")
        self.sign_in(page)
        expect(page).to_have_url(self.sides.base + "/")
        self.state = page.context.storage_state()
        self.end(page)

    # The steps.

    def daily(self):
        """Sign in, the due list, a token's timeline, a held sale, a review item, the search, and out."""
        page = self.page(signed_in=False, viewport={"width": 1280, "height": 900})
        self.open(page, "/due")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        expect(page.locator("body")).not_to_contain_text("set-password")
        page.get_by_label("Name").fill(USER)
        page.get_by_label("Password").fill("wrong")
        # The browser logs the status of every refused request.
        with self.refusal(page, 401):
            page.get_by_role("button", name="Sign in").click()
            expect(page.get_by_role("alert")).to_have_text("Name or password is wrong.")
        self.sign_in(page)
        expect(page).to_have_url(self.sides.base + "/due")
        expect(page.locator("main")).to_contain_text("order-2")
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("heading", name="Due next")).to_be_visible()
        expect(page.locator("main")).to_contain_text("order-2")
        expect(page.locator(".who")).to_contain_text(USER)

        page.get_by_role("link", name="Tokens", exact=True).click()
        page.get_by_role("link", name=re.compile(r"oken of \d")).first.click()
        expect(page.locator(".ident")).to_contain_text(self.sides.token)
        timeline = page.locator(".timeline")
        for text in ["Apple created the token", "Purchase stored", "Report written", "Apple accepted the report"]:
            expect(timeline).to_contain_text(text)
        page.get_by_text("JSON sent").first.click()
        expect(page.locator(".timeline pre").first).to_contain_text("externalPurchaseId")

        page.get_by_role("link", name="Review").first.click()
        expect(page.locator("main")).to_contain_text("tax country")
        expect(page.locator("main")).not_to_contain_text("no-tax-country")
        page.get_by_role("link", name="Sale held: Purchase of gems.500, 19.99 EUR").first.click()
        expect(page.get_by_role("button", name="Release")).to_have_count(0)
        page.get_by_role("link", name=re.compile("^Runbook:")).click()
        expect(page.get_by_role("heading", name="Sale held")).to_be_visible()
        page.go_back()
        page.get_by_label("Reason").fill("entered twice")
        page.get_by_role("button", name="Close the item").click()
        expect(page.get_by_role("status")).to_have_text("The item is closed.")
        expect(page.locator("main")).to_contain_text(f"by {USER}")

        for query, path in [
            ("order-1", "/sales/order-1"), (f" {self.sides.token} ", f"/tokens/{self.sides.token}"),
            (self.sides.report, f"/reports/{self.sides.report}"), ("evt_1held", "/events/evt_1held"),
            ("ch_9", "/events/evt_3refund"),
        ]:  # fmt: skip
            page.get_by_role("searchbox").fill(query)
            page.get_by_role("searchbox").press("Enter")
            expect(page).to_have_url(self.sides.base + path)
        page.get_by_role("searchbox").fill("pi_2")
        page.get_by_role("button", name="Search").click()
        for text in ["Purchase of gems.100, 9.99 EUR", "pi_2", "evt_2applied"]:
            expect(page.locator("main table")).to_contain_text(text)

        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        self.end(page)

    def refusal(self, page, status):
        """Expects one refused request, which the browser logs."""
        run = self

        class Refusal:
            def __enter__(self):
                self.before = len(run.problems)

            def __exit__(self, kind, *_):
                if kind:
                    return
                new = run.problems[self.before :]
                assert len(new) == 1 and f"status of {status}" in new[0], new
                run.problems.pop()

        return Refusal()

    def correction(self):
        """A correction of an accepted sale: the difference, the confirmation, and Apple's answer."""
        page = self.page(viewport={"width": 1280, "height": 900})
        self.open(page, "/sales/order-1")
        page.get_by_label("Amount with tax").fill("8.99")
        page.get_by_label("Tax rate in per cent").fill("21")
        page.get_by_label("Reason").fill("wrong price")
        page.get_by_role("button", name="Show the difference").click()
        expect(page.get_by_role("status")).to_contain_text("Nothing is sent yet")
        difference = page.locator(".diff")
        # 9.99 and 8.99 without 21 per cent.
        for text in ["amountTaxExclusive", "8.256", "7.43", "Apple would accept it"]:
            expect(difference).to_contain_text(text)
        self.shot(page, "light-correction")
        page.get_by_role("button", name="Confirm and send").click()
        expect(page.get_by_role("status")).to_contain_text("The correction is confirmed")
        path = page.url.split("?")[0]

        def is_closed():
            page.goto(path)
            return page.locator("h1 ~ .chips").first.inner_text().strip() == "closed"

        wait("Apple's answer to the correction", is_closed)
        expect(difference).to_contain_text("Apple accepted it")
        expect(difference).not_to_contain_text("would")
        self.correction_path = path.removeprefix(self.sides.base)
        self.end(page)

    def several(self):
        """Several items of a kind are decided at once, with one reason, and each result is shown."""
        for number in range(3):
            status, answer = self.sides.api(
                "POST", "/v1/sales", sale(f"many-{number}", "gems.700", f"{number + 1}.50", amount={}, customerId="bob"),
                key=self.sides.secret,
            )  # fmt: skip
            assert status == 201, answer
        page = self.page(viewport={"width": 1280, "height": 900})
        self.open(page, "/review")
        group = page.locator("form").filter(has_text="gems.700")
        group.get_by_role("checkbox", name="Sale held: Purchase of gems.700, 1.50 EUR").check()
        group.get_by_role("checkbox", name="Sale held: Purchase of gems.700, 2.50 EUR").check()
        group.get_by_label("Reason").fill("only a trial")
        self.shot(page, "light-review-ticked")
        group.get_by_role("button", name="Close the item").click()
        expect(page.get_by_role("heading", name="2 items decided, 0 not")).to_be_visible()
        for amount in ["1.50 EUR", "2.50 EUR"]:
            expect(page.locator("main table")).to_contain_text(amount)
        self.shot(page, "light-review-results")
        # Nothing ticked: refused, and the browser logs the status.
        self.open(page, "/review")
        page.get_by_role("button", name="Tick all").first.click()
        boxes = page.locator("form").filter(has=page.locator("[data-tick]")).first.get_by_role("checkbox")
        assert all(box.is_checked() for box in boxes.all())
        page.get_by_role("button", name="Tick none").first.click()
        assert not any(box.is_checked() for box in boxes.all())
        self.end(page)

    def keys(self):
        """A key is created, copied, used, and revoked after a question."""
        page = self.page(viewport={"width": 1280, "height": 900}, permissions=["clipboard-read", "clipboard-write"])
        self.open(page, "/keys")
        page.get_by_label("Scope").select_option("read")
        page.get_by_label("Name").fill("month export")
        page.get_by_label("Ends").fill("yesterday")
        with self.refusal(page, 422):
            page.get_by_role("button", name="Create the key").click()
            expect(page.locator("main")).to_contain_text("is not a day such as")
        page.go_back()
        page.get_by_label("Scope").select_option("read")
        page.get_by_label("Name").fill("month export")
        page.get_by_label("Ends").fill("2999-01-01")
        page.get_by_role("button", name="Create the key").click()
        key = page.locator(".secret code").inner_text()
        assert re.fullmatch("epk_read_[0-9a-f]{64}", key), key
        self.shot(page, "light-new-key")
        page.get_by_role("button", name="Copy the key").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == key
        wait("the key", lambda: self.sides.api("GET", "/v1/sales", key=key)[0] == 200)
        self.key_path = page.url.split("?")[0].removeprefix(self.sides.base)
        page.reload()
        expect(page.locator(".secret")).to_have_count(0)
        page.get_by_role("link", name="Revoke the key…").click()
        expect(page.locator("main")).to_contain_text("cannot be undone")
        self.shot(page, "light-revoke")
        assert self.sides.api("GET", "/v1/sales", key=key)[0] == 200
        page.get_by_role("button", name="Revoke the key").click()
        expect(page.locator("main")).to_contain_text(f"by {USER}")
        wait("the revocation", lambda: self.sides.api("GET", "/v1/sales", key=key)[0] == 401)
        self.open(page, "/audit?kind=key-created")
        expect(page.locator("main table")).to_contain_text("Key created")
        self.end(page)

    def events(self):
        """A held event says why; once the cause is repaired it is applied again, and leads to its sale."""
        page = self.page(viewport={"width": 1280, "height": 900})
        self.open(page, "/review")
        page.get_by_role("link", name="Held payment events").click()
        table = page.locator("main table")
        expect(table).to_contain_text("apiKeyFile")
        expect(table).not_to_contain_text("evt_2applied")
        page.get_by_label("State").select_option("applied")
        page.get_by_role("button", name="Filter").click()
        expect(table).to_contain_text("evt_2applied")
        expect(table).not_to_contain_text("evt_1held")

        # Nothing changed: it stays held, and says the same.
        self.open(page, "/events/evt_1held")
        self.shot(page, "light-event-held")
        page.get_by_role("button", name="Apply again").click()
        expect(page.get_by_role("status")).to_contain_text("applied again")
        expect(page.locator("main")).to_contain_text("apiKeyFile")

        # The sale that was entered by hand gets what Stripe says.
        self.open(page, "/events/evt_5conflict")
        expect(page.locator("h1 ~ .chips").first).to_have_text("held")
        status, applied = self.sides.api("GET", "/v1/sales/pi_2", key=self.sides.secret)
        assert status == 200, applied
        by_stripe = {name: applied["sale"][name] for name in ["type", "productId", "quantity", "environment", "customerId"]}
        _, stored = self.sides.api("GET", "/v1/events/evt_5conflict", key=self.sides.secret)
        amended = {
            **by_stripe, "saleId": "pi_5", "bundleId": BUNDLE, "occurredAt": stored["createdAt"],
            "amount": {"currency": "EUR", "inclusive": "9.99", "tax": "1.73", "taxCountry": "NLD"},
            "amends": True, "reason": "as Stripe says",
        }  # fmt: skip
        status, answer = self.sides.api("POST", "/v1/sales", amended, key=self.sides.secret)
        assert status == 200, answer
        page.get_by_role("button", name="Apply again").click()
        expect(page.locator("h1 ~ .chips").first).to_have_text("applied")
        page.locator("td", has_text="pi_5").locator("a").first.click()
        expect(page).to_have_url(self.sides.base + "/sales/pi_5")
        self.end(page)

    def keyboard(self):
        """Without a mouse, in the dark: sign in, find a sale, create a key and revoke it."""
        page = self.page(signed_in=False, viewport={"width": 1280, "height": 900}, color_scheme="dark")
        self.open(page, "/keys")

        def reach(selector):
            for _ in range(80):
                page.keyboard.press("Tab")
                if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                    ring = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    assert ring != "none", f"nothing shows that {selector} has the focus"
                    return
            raise AssertionError(f"Tab does not reach {selector}")

        reach("input[name=name]")
        page.keyboard.type(USER)
        reach("input[name=password]")
        page.keyboard.type(PASSWORD)
        page.keyboard.press("Enter")
        expect(page).to_have_url(self.sides.base + "/keys")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("/")
        expect(page.get_by_role("searchbox")).to_be_focused()
        page.keyboard.type("order-1")
        page.keyboard.press("Enter")
        expect(page).to_have_url(self.sides.base + "/sales/order-1")
        reach("nav a[href='/keys']")
        page.keyboard.press("Enter")
        expect(page).to_have_url(self.sides.base + "/keys")
        reach("select[name=scope]")
        page.keyboard.type("intake")
        reach("main input[name=name]")
        page.keyboard.type("by keyboard")
        page.keyboard.press("Enter")
        expect(page.locator(".secret code")).to_contain_text("epk_intake_")
        self.shot(page, "dark-new-key")
        reach("main a.danger")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/revoke$"))
        reach("main form button")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("The key is revoked")
        reach(".who button")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        self.end(page)

    def without_script(self):
        """Without JavaScript: sign in, create a key, and no button that does nothing."""
        page = self.page(signed_in=False, viewport={"width": 375, "height": 812}, java_script_enabled=False)
        self.open(page, "/keys")
        self.sign_in(page)
        page.get_by_role("button", name="Create the key").click()
        expect(page.locator(".secret code")).to_contain_text("epk_read_")
        expect(page.get_by_role("button", name="Copy")).to_have_count(0)
        self.end(page)

    def pages(self):
        """The paths of all pages, with records that have them."""
        month = time.strftime("%Y-%m", time.gmtime())
        status, sales = self.sides.api("GET", "/v1/sales", key=self.sides.secret)
        assert status == 200, sales
        return {
            "home": "/", "due": "/due", "review": "/review", "review-item": "/review/2", "tokens": "/tokens",
            "token": f"/tokens/{self.sides.token}", "sales": "/sales", "sale": "/sales/order-1",
            "sale-held": "/sales/order-2", "reports": "/reports", "report": f"/reports/{self.sides.report}",
            "notifications": "/notifications", "events": "/events", "event": "/events/evt_1held",
            "event-applied": "/events/evt_2applied", "corrections": "/corrections", "correction": self.correction_path,
            "exports": "/exports", "export": f"/exports/{month}", "invoices": "/invoices",
            "deliveries": "/deliveries", "delivery": f"/deliveries/{self.sides.delivery}", "audit": "/audit",
            "audit-entry": "/audit/1", "runbooks": "/runbooks", "runbook": "/runbooks/sale-held",
            "review-closed": "/review/1", "keys": "/keys", "key": self.key_path, "settings": "/settings",
            "search": "/search?q=pi_2", "search-empty": "/search", "unknown": "/sales/none",
        }  # fmt: skip

    def everywhere(self):
        """Every page, light and wide, dark and narrow: nothing scrolls sideways, and axe finds nothing serious."""
        with open(AXE, encoding="utf-8") as file:
            axe = file.read()
        found = []
        for name, options in [
            ("light", {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}),
            ("narrow-dark", {"viewport": {"width": 375, "height": 812}, "color_scheme": "dark", "has_touch": True}),
        ]:
            # Only axe needs the bypass; the other steps run under the policy.
            page = self.page(bypass_csp=True, **options)
            for place, path in self.pages().items():
                self.open(page, path)
                self.judge(page, axe, f"{name}-{place}", options, found)
                if place == "unknown":
                    self.problems = [text for text in self.problems if "status of 404" not in text]
            self.end(page)
            page = self.page(signed_in=False, bypass_csp=True, **options)
            self.open(page, "/sign-in")
            self.judge(page, axe, f"{name}-sign-in", options, found)
            self.end(page)
        # The other two combinations, for the width alone.
        page = self.page(viewport={"width": 320, "height": 640}, color_scheme="light")
        for place, path in self.pages().items():
            self.open(page, path)
            self.measure(page, f"320-{place}", 320, found)
        self.problems.clear()
        self.end(page)
        assert not found, "\n".join(found)

    def judge(self, page, axe, name, options, found):
        self.shot(page, name)
        self.measure(page, name, options["viewport"]["width"], found)
        assert page.locator("img").count() == 0, f"{name}: a text became an element"
        page.evaluate(axe)
        result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for violation in result["violations"]:
            if violation["impact"] in ["serious", "critical"]:
                nodes = "; ".join(node["html"][:200] for node in violation["nodes"][:3])
                found.append(f"{name}: {violation['id']}: {violation['help']}: {nodes}")

    def measure(self, page, name, width, found):
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            culprit = page.evaluate(
                """(width) => [...document.querySelectorAll("main *, header *, nav *")]
                     .find((element) => element.getBoundingClientRect().right > width + 1
                       && !element.closest(".table, .visually-hidden"))?.outerHTML.slice(0, 200)""",
                width,
            )
            found.append(f"{name}: the page is {wide} px wide, at {culprit}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    failed = False
    with tempfile.TemporaryDirectory(prefix="external-purchase-dashboard-") as folder:
        sides = Sides(os.path.abspath(options.program), folder)
        try:
            sides.prepare()
            expect.set_options(timeout=20_000)
            with sync_playwright() as playwright:
                arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
                browser = playwright.chromium.launch(executable_path=options.chromium, args=arguments)
                run = Run(browser, sides, options.screenshots)
                run.enter()
                for step in [
                    run.daily, run.correction, run.several, run.keys, run.events, run.keyboard, run.without_script, run.everywhere,
                ]:  # fmt: skip
                    began = time.monotonic()
                    try:
                        step()
                        print(f"ok      {step.__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
                    except Exception:
                        failed = True
                        print(f"failed  {step.__doc__}\n{traceback.format_exc()}", flush=True)
                browser.close()
        finally:
            sides.stop()
    sys.exit(1 if failed else 0)


main()
