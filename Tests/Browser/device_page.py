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

    def sample(self):
        """Where no app is registered the phone has a sample, which says so and works at once."""
        page = self.page(viewport={"width": 1280, "height": 900})
        expect(page.locator("#app h3")).to_have_text("GemShop")
        expect(page.locator("#app #sample")).to_contain_text("Sample app")
        self.shot(page, "light-sample")
        page.get_by_role("button", name="Buy outside the App Store").click()
        expect(page.get_by_role("dialog")).to_contain_text("shop.gemshop.example")
        page.keyboard.press("Escape")
        page.select_option("#storefront", "JPN")
        expect(page.locator("#app")).to_contain_text("Japan")
        expect(page.locator("#app #sample")).to_be_visible()
        self.choose(page, f"{GEMSHOP}/Info.plist", f"{GEMSHOP}/GemShop.entitlements")
        expect(page.locator("#app #sample")).to_have_count(0)
        self.end(page)
        page = self.page(viewport={"width": 390, "height": 844}, color_scheme="dark")
        expect(page.locator("#app #sample")).to_be_visible()
        # Names of storefronts with a programme are not cut: the text fits between padding and arrow.
        cut = page.evaluate(
            """() => {
              const field = document.getElementById("storefront"), style = getComputedStyle(field);
              const pen = document.createElement("canvas").getContext("2d");
              pen.font = style.font;
              const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 20;
              return [...field.querySelectorAll("optgroup:first-child option")].map((one) => one.textContent)
                .filter((text) => pen.measureText(text).width > room);
            }"""
        )
        assert not cut, f"cut at 390 px: {cut}"
        page.locator("#setup").scroll_into_view_if_needed()
        self.shot(page, "narrow-sample-dark", whole=True)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"the page is {width} px wide"
        self.end(page)

    def link(self):
        """Choose, tap, continue with a mouse; the token arrives at the website."""
        page = self.page(viewport={"width": 1440, "height": 960}, color_scheme="light")
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
        # Another app is registered by now, so the sample waits for a click.
        expect(page.locator("#app")).to_contain_text("No app yet")
        self.shot(page, "light-empty")
        page.get_by_role("button", name="Use a sample app").click()
        expect(page.locator("#app #sample")).to_be_visible()
        self.choose(page, f"{GEMSHOP}/Info.plist", f"{GEMSHOP}/GemShop.entitlements")
        expect(page.locator("#app h3")).to_have_text("GemShop")
        expect(page.locator("#app #sample")).to_have_count(0)
        nameless = page.evaluate(
            """[...document.querySelectorAll("button, a, select, input")].filter((field) =>
                 !field.textContent.trim() && !field.getAttribute("aria-label")
                 || field.matches("select, input") && !field.labels.length).map((field) => field.id || field.outerHTML)
                 .filter((id) => !document.getElementById(id)?.labels?.length)"""
        )
        assert not nameless, f"without a name: {nameless}"
        self.end(page)

    def matrix_page(self, folder, **options):
        context = self.browser.new_context(**options)
        page = context.new_page()
        self.problems = []
        page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto("file://" + os.path.join(folder, "matrix.html"))
        return page

    def matrix(self):
        """The matrix of storefronts: colours as explain judges, spans, and a panel that closes and follows the filter."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "matrix.html")
            subprocess.run([self.binary, "matrix", GEMSHOP, "--html", file, "--quiet"], check=True)
            printed = subprocess.run(
                [self.binary, "matrix", GEMSHOP, "--format", "json"], check=True, capture_output=True
            ).stdout
            page = self.matrix_page(folder, viewport={"width": 1440, "height": 900})
            self.colours(page, json.loads(printed)["cells"])
            heads = [head.split("\n")[0].strip() for head in page.locator("thead th").all_inner_texts()]
            for span in ["iOS 15.4–17.3", "iOS 17.4", "iOS 18.2–26.1"]:
                assert span in heads, f"no column is called {span}: {heads}"
            assert heads[-1].endswith("and later"), heads

            panel, mark = page.locator("#why"), page.locator("tr[data-code=FRA] b.v0").first
            expect(panel).to_be_visible()
            self.shot(page, "light-matrix")
            page.locator("#close").click()
            expect(panel).to_be_hidden()
            mark.hover()
            expect(panel).to_be_hidden()
            mark.click()
            expect(panel).to_contain_text("France")
            page.keyboard.press("Escape")
            expect(panel).to_be_hidden()
            assert page.evaluate("document.activeElement.closest('tr')?.dataset.code") == "FRA", "the mark lost the focus"
            page.keyboard.press("ArrowRight")
            expect(panel).to_be_hidden()
            page.keyboard.press("Enter")
            expect(panel).to_contain_text("France")

            page.fill("#search", "Netherlands")
            expect(panel).to_contain_text("Netherlands")
            expect(panel).not_to_contain_text("France")
            page.locator("#apis label", has_text="canPresent").click()
            expect(panel.locator("h2")).to_contain_text("ExternalPurchase.canPresent")
            page.fill("#search", "no such country")
            expect(panel).to_be_hidden()
            page.fill("#search", "")
            expect(panel).to_be_visible()
            shown = page.locator("b.shown")
            expect(shown).to_have_count(1)
            expect(shown).to_be_visible()
            assert not self.problems, f"the console says {self.problems}"
            page.context.close()

            page = self.matrix_page(folder, viewport={"width": 1280, "height": 900}, color_scheme="dark")
            page.fill("#search", "Brazil")
            self.shot(page, "dark-matrix")
            page.context.close()

            page = self.matrix_page(folder, viewport={"width": 390, "height": 844}, has_touch=True)
            panel, mark = page.locator("#why"), page.locator("tr[data-code=NLD] b.v0:visible").first
            expect(panel).to_be_hidden()
            mark.tap()
            expect(panel.locator("h2")).to_contain_text("Netherlands")
            self.shot(page, "narrow-matrix")
            box, at = panel.bounding_box(), mark.bounding_box()
            assert box["height"] <= 844 * 0.42, f"the panel takes {box['height']} of 844 px"
            assert at["y"] + at["height"] <= box["y"], "the panel covers the mark"
            width = page.evaluate("document.documentElement.scrollWidth")
            assert width <= 390, f"the page is {width} px wide"
            page.locator("#close").tap()
            expect(panel).to_be_hidden()
            assert not self.problems, f"the console says {self.problems}"
            page.context.close()

    def colours(self, page, cells):
        """Each mark has the colour of the condition that `matrix --format json` names, which is that of `explain`."""
        colour = {None: 0, "C1": 3, "C2": 3, "C7": 3, "C3": 1, "C6": 1, "C4": 2, "C5": 2}
        data = json.loads(page.locator("#data").text_content())
        wrong = []
        for storefront, reasons in data["rows"].items():
            here = [cell for cell in cells if cell["storefront"] == storefront]
            assert len(here) == len(reasons)
            wrong += [
                (storefront, cell["os"], cell["api"], cell["failed"])
                for cell, reason in zip(here, reasons)
                if data["reasons"][reason][0] != colour[cell["failed"]]
            ]
        assert not wrong, f"{len(wrong)} marks have another colour than their condition, as {wrong[:3]}"
        for storefront in ["BRA", "ISL", "NOR"]:
            page.fill("#search", storefront)
            marks = page.locator(f"tr[data-code={storefront}] td b")
            classes = marks.evaluate_all("(all) => all.map((one) => Number(one.className.match(/ v(\\d)/)[1]))")
            expected = [colour[cell["failed"]] for cell in cells if cell["storefront"] == storefront]
            assert classes == expected, f"{storefront}: {classes}"
        page.fill("#search", "")


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
            for step in [run.sample, run.link, run.keyboard, run.narrow, run.labels, run.matrix]:
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
