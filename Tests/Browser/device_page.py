"""Uses the device page as a person does, and looks at the matrix, in headless Chromium.

    python3 Tests/Browser/device_page.py .build/debug/external-purchase [--chromium /usr/bin/chromium]
                                         [--screenshots FOLDER]

Starts an emulator and a small website, chooses an app's files, taps, continues, and looks at what arrives where.
Needs `pip install playwright`. Ends with 0 when every step held, else with 1 and the step that did not.
"""

import argparse
import base64
import http.server
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request

from playwright.sync_api import expect, sync_playwright

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GEMSHOP = os.path.join(ROOT, "Examples", "GemShop")

CUSTOM_LINKS = """<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>com.example.stickers</string>
<key>CFBundleName</key><string>Stickers</string>
<key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string><string>de</string></array>
</dict></plist>
"""
HOSTILE_NAME = "<img src=x onerror=alert(1)>"


class Website(http.server.BaseHTTPRequestHandler):
    visits = queue.Queue()

    def do_GET(self):
        self.visits.put((self.path, dict(self.headers)))
        body = b"<!DOCTYPE html><title>Shop</title><h1>Welcome to the shop</h1>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Run:
    def __init__(self, binary, browser, emulator, website, screenshots):
        self.binary = binary
        self.browser = browser
        self.emulator = emulator
        self.website = website
        self.screenshots = screenshots

    def control(self, method, path, body=None):
        request = urllib.request.Request(self.emulator + "/emulator/v1" + path, method=method)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, data) as answer:
            return json.load(answer)

    def shot(self, page, name, whole=False):
        if self.screenshots:
            page.wait_for_timeout(300)
            page.screenshot(path=os.path.join(self.screenshots, name + ".png"), full_page=whole)

    def page(self, **options):
        """A page that may ask nothing but the emulator, and whose errors count."""
        context = self.browser.new_context(**options)
        page = context.new_page()
        self.problems = []
        self.asked = []
        page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(self.emulator + "/")
        expect(page.locator("#live")).to_have_text("live")
        return page

    def choose(self, page, plist, entitlements):
        page.set_input_files("#entitlements", entitlements)
        page.set_input_files("#plist", plist)

    def end(self, page):
        outside = [url for url in self.asked if not url.startswith((self.emulator, "data:"))]
        assert not outside, f"the page asked others: {outside}"
        assert not self.problems, f"the console says {self.problems}"
        page.context.close()

    # The steps.

    def link(self):
        """Choose, tap, continue with a mouse; the token arrives at the website."""
        page = self.page(viewport={"width": 1440, "height": 960}, color_scheme="light")
        expect(page.locator("#app")).to_contain_text("No app yet")
        self.shot(page, "light-empty")
        page.locator("summary", has_text="More").click()
        page.fill("#website", self.website)
        page.locator("summary", has_text="More").click()
        self.choose(page, f"{GEMSHOP}/Info.plist", f"{GEMSHOP}/GemShop.entitlements")
        expect(page.locator("#app h3")).to_have_text("GemShop")
        self.shot(page, "light-app")

        page.get_by_role("button", name="Buy outside the App Store").click()
        expect(page.get_by_role("dialog")).to_contain_text("Simulated")
        expect(page.get_by_role("dialog")).to_contain_text("shop.gemshop.example")
        self.shot(page, "light-sheet")
        with page.context.expect_page() as opened:
            page.get_by_role("button", name="Continue").click()
        opened.value.wait_for_load_state()
        assert opened.value.evaluate("window.opener") is None, "the website reaches the page"
        opened.value.close()

        path, headers = Website.visits.get(timeout=10)
        address = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qsl(address.query)
        assert address.path == "/out/nl", path
        assert [name for name, _ in query] == ["externalPurchaseToken", "bundleId"], path
        assert query[1][1] == "com.example.gemshop", path
        assert "Referer" not in headers, headers
        text = query[0][1]
        token = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        assert token["bundleId"] == "com.example.gemshop", token
        known = [entry["token"] for entry in self.control("GET", "/tokens")]
        assert known == [text], "the emulator knows another token"

        row = page.locator(f'#tokens li[data-id="{token["externalPurchaseId"]}"]')
        expect(row).to_contain_text("not reported")
        self.shot(page, "light-opened")

        # The clock, and what happens on the way.
        before = page.locator("#now").get_attribute("datetime")
        page.get_by_role("button", name="+1 month").click()
        expect(page.locator("#mode")).to_have_text("virtual")
        expect(page.locator("#now")).not_to_have_attribute("datetime", before)
        expect(page.locator("#notifications")).to_contain_text("UNREPORTED")

        # A request to Apple's paths shows up by itself.
        try:
            urllib.request.urlopen(
                urllib.request.Request(self.emulator + "/externalPurchase/v1/reports", b"{}", method="PUT")
            )
        except urllib.error.HTTPError as error:
            assert error.code == 401
        expect(page.locator("#requests")).to_contain_text("401")
        page.locator("#answers summary").first.click()
        self.shot(page, "light-all", whole=True)
        self.end(page)

    def keyboard(self):
        """The whole way without a mouse, in the dark."""
        page = self.page(viewport={"width": 1280, "height": 900}, color_scheme="dark")
        self.choose(page, f"{GEMSHOP}/Info.plist", f"{GEMSHOP}/GemShop.entitlements")
        expect(page.locator("#app h3")).to_have_text("GemShop")
        page.locator("#website").evaluate("(field, value) => { field.value = value }", self.website)
        page.locator("body").click(position={"x": 2, "y": 2})
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "buy":
                break
        assert page.evaluate("document.activeElement.id") == "buy", "Tab does not reach the button"
        page.keyboard.press("Enter")
        expect(page.locator("#continue")).to_be_focused()
        self.shot(page, "dark-sheet")
        page.keyboard.press("Tab")
        expect(page.locator("#cancel")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.locator("#continue")).to_be_focused()
        count = len(self.control("GET", "/tokens"))
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator("#buy")).to_be_focused()
        assert len(self.control("GET", "/tokens")) == count, "a cancelled sheet made a token"
        page.keyboard.press("Enter")
        expect(page.locator("#continue")).to_be_focused()
        with page.context.expect_page() as opened:
            page.keyboard.press("Enter")
        opened.value.close()
        Website.visits.get(timeout=10)
        expect(page.locator("#back")).to_be_focused()
        self.shot(page, "dark-opened")
        self.shot(page, "dark-all", whole=True)
        self.end(page)

    def narrow(self):
        """Custom links on a phone's width: two periods, and why it is not offered elsewhere."""
        page = self.page(viewport={"width": 375, "height": 812}, has_touch=True, color_scheme="light")
        with tempfile.TemporaryDirectory() as folder:
            plist = os.path.join(folder, "Info.plist")
            with open(plist, "w") as file:
                file.write(CUSTOM_LINKS)
            self.choose(page, plist, f"{GEMSHOP}/GemShop.entitlements")
            expect(page.locator("#app h3")).to_have_text("Stickers")
            page.get_by_role("button", name="Buy outside the App Store").tap()
            self.shot(page, "narrow-sheet")
            page.get_by_role("button", name="Continue").tap()
            expect(page.locator(".token")).to_have_count(2)
            expect(page.locator("#handover")).to_contain_text("/v1/tokens")
            self.shot(page, "narrow-handed")
            page.get_by_role("button", name="Back to the app").tap()
            page.select_option("#storefront", "USA")
            expect(page.locator("#app")).to_contain_text("Not offered outside the App Store")
            self.shot(page, "narrow-all", whole=True)
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 375, f"the page is {width} px wide"

            # Names come from files of strangers. A browser does not tell that the same path was chosen again.
            plist = os.path.join(folder, "Hostile.plist")
            with open(plist, "w") as file:
                file.write(CUSTOM_LINKS.replace("Stickers", HOSTILE_NAME.replace("<", "&lt;").replace(">", "&gt;")))
            page.set_input_files("#plist", plist)
            expect(page.locator("#app h3")).to_have_text(HOSTILE_NAME)
            assert page.locator("#app img").count() == 0
            plist = os.path.join(folder, "Text.plist")
            with open(plist, "w") as file:
                file.write("no property list")
            self.problems.clear()
            page.set_input_files("#plist", plist)
            expect(page.locator("#problem")).to_contain_text("Info.plist")
            self.problems.clear()  # The browser logs the refusal, which was wanted.
        self.end(page)

    def labels(self):
        """Everything that takes an answer has a name, and headings go down step by step."""
        page = self.page(viewport={"width": 1280, "height": 900})
        self.choose(page, f"{GEMSHOP}/Info.plist", f"{GEMSHOP}/GemShop.entitlements")
        expect(page.locator("#app h3")).to_have_text("GemShop")
        nameless = page.evaluate(
            """[...document.querySelectorAll("button, a, select, input")].filter((field) =>
                 !field.textContent.trim() && !field.getAttribute("aria-label")
                 || field.matches("select, input") && !field.labels.length).map((field) => field.id || field.outerHTML)
                 .filter((id) => !document.getElementById(id)?.labels?.length)"""
        )
        assert not nameless, f"without a name: {nameless}"
        self.end(page)

    def matrix(self):
        """The matrix of storefronts fits a phone's width, and says why at a mark."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "matrix.html")
            subprocess.run([self.binary, "matrix", GEMSHOP, "--html", file, "--quiet"], check=True)
            context = self.browser.new_context(viewport={"width": 375, "height": 812})
            page = context.new_page()
            self.problems = []
            page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
            page.on("pageerror", lambda error: self.problems.append(str(error)))
            page.goto("file://" + file)
            page.fill("#search", "Netherlands")
            page.locator("tr[data-code=NLD] b.v0:visible").first.click()
            expect(page.locator("#why h2")).to_contain_text("Netherlands")
            self.shot(page, "narrow-matrix")
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 375, f"the page is {width} px wide"
            assert not self.problems, f"the console says {self.problems}"
            context.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)

    shop = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website)
    threading.Thread(target=shop.serve_forever, daemon=True).start()
    process = subprocess.Popen([options.binary, "emulator", "--port", "0"], stdout=subprocess.PIPE, text=True)
    failed = False
    try:
        emulator = process.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=options.chromium, args=arguments)
            run = Run(options.binary, browser, emulator, f"http://127.0.0.1:{shop.server_port}", options.screenshots)
            for step in [run.link, run.keyboard, run.narrow, run.labels, run.matrix]:
                try:
                    step()
                    print(f"ok      {step.__doc__}")
                except Exception as error:
                    failed = True
                    print(f"failed  {step.__doc__}\n{type(error).__name__}: {error}")
            browser.close()
    finally:
        process.terminate()
        process.wait()
    sys.exit(1 if failed else 0)


main()
