"""Uses the documentation site as a reader does, in headless Chromium, from the disk.

    python3 Tests/Browser/site.py .build/site [--chromium /usr/bin/chromium] [--screenshots FOLDER]

Looks at pages of every kind in light and dark, wide and narrow, with and without JavaScript: axe finds nothing, nothing
is wider than the window, nothing is fetched from elsewhere. Then the search, the theme, the menu and the copy button.
Needs what Tests/Browser/requirements.txt names. Ends with 0 when every step held, else with 1 and the step that did not.
"""

import argparse
import json
import os
import re
import sys
import traceback

import axe_playwright_python
from playwright.sync_api import expect, sync_playwright

AXE = os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js")
QUERIES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Site", "queries.json")
# One page of every kind; a page that the site does not have is an error.
PAGES = [
    "index.html", "docs/index.html", "docs/report-from-back-end.html", "docs/serve.html", "docs/glossary.html",
    "docs/errors.html", "docs/spec/rules.html", "docs/spec/02-storekit-api.html", "docs/spec/05-report-rules.html",
    "docs/lint/index.html", "docs/lint/link-url-changed.html", "docs/decisions/0058-stripe-events.html",
    "docs/runbooks/overdue.html", "api/index.html", "api/storekitsimulator/index.html",
    "api/storekitsimulator/storekitsession.html", "api/storekitsimulator/why-is-canopen-false.html",
    "source/Sources/AppStore/ReportValidation/ReportValidator.swift.html", "all.html",
]  # fmt: skip
MODES = [
    ("light", {"color_scheme": "light", "viewport": {"width": 1440, "height": 1000}}),
    ("dark", {"color_scheme": "dark", "viewport": {"width": 1440, "height": 1000}}),
    ("narrow", {"color_scheme": "light", "viewport": {"width": 390, "height": 844}}),
    ("no-script", {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}, "java_script_enabled": False}),
]


class Reader:
    def __init__(self, browser, folder, screenshots):
        self.browser = browser
        self.folder = os.path.abspath(folder)
        self.screenshots = screenshots
        self.wrong = []

    def address(self, path):
        return f"file://{self.folder}/{path}"

    def page(self, settings):
        page = self.browser.new_context(**settings).new_page()
        page.set_default_timeout(120_000)
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda line: line.type == "error" and self.wrong.append(f"{page.url}: {line.text}"))
        page.on("request", lambda request: self.wrong.append(f"{page.url} loads {request.url}")
                if not request.url.startswith(("file:", "data:")) else None)  # fmt: skip
        return page

    def save(self, page, name):
        if self.screenshots:
            page.screenshot(path=os.path.join(self.screenshots, f"{name}.png"))


def every_page(reader):
    faults = []
    for mode, settings in MODES:
        page = reader.page(settings)
        for path in PAGES:
            assert os.path.isfile(os.path.join(reader.folder, path)), f"the site has no {path}"
            page.goto(reader.address(path))
            expect(page.locator("article h1").first).to_be_visible()
            reader.save(page, f"{path.removesuffix('.html').replace('/', '-')}-{mode}")
            width = page.locator("body").evaluate("(body) => document.documentElement.scrollWidth - innerWidth")
            if width > 0:
                faults.append(f"{path} is {width} px wider than the window ({mode})")
            if mode == "no-script":
                expect(page.locator("a.all-pages")).to_be_visible()
                expect(page.locator("#search")).to_be_hidden()
                continue
            page.evaluate(open(AXE, encoding="utf-8").read())
            # What depends on neither colours nor width is found once.
            options = {"resultTypes": ["violations"], "preload": False}
            if mode == "dark":
                options["runOnly"] = ["color-contrast"]
            elif mode == "narrow":
                options["rules"] = {"color-contrast": {"enabled": False}}
            found = page.evaluate("(options) => axe.run(options)", options)["violations"]
            faults += [f"{path} ({mode}): {each['id']}: {each['nodes'][0]['html'][:160]}" for each in found]
        page.context.close()
    assert not faults, "\n".join(faults)


def search(reader):
    page = reader.page({"viewport": {"width": 1440, "height": 1000}})
    page.goto(reader.address("docs/spec/05-report-rules.html"))
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.keyboard.type("link-url-changed")
    expect(page.locator("#results li").first).to_contain_text("link-url-changed")
    reader.save(page, "search")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#results li").nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/lint/link-url-changed.html")

    with open(QUERIES, encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        page.locator("#search").fill(case["query"])
        if case["first"] is None:
            expect(page.locator("#search-status")).to_contain_text("Nothing found")
            expect(page.locator("#results")).to_be_hidden()
        else:
            expect(page.locator("#results li").first).to_have_attribute("data-url", case["first"])
    page.keyboard.press("Escape")
    expect(page.locator("#results")).to_be_hidden()
    page.context.close()


def theme(reader):
    """The choice of the reader holds on the next page, and against the system."""
    page = reader.page({"color_scheme": "light", "viewport": {"width": 1440, "height": 1000}})
    page.goto(reader.address("index.html"))
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.locator("#theme").click()
    page.locator("#theme").click()
    expect(page.locator("#theme")).to_contain_text("Dark")
    dark = page.evaluate(background)
    assert dark != light, "the theme changes nothing"
    page.goto(reader.address("docs/index.html"))
    assert page.evaluate(background) == dark, "the next page forgot the theme"
    page.context.close()


def menu(reader):
    page = reader.page({"viewport": {"width": 390, "height": 844}})
    page.goto(reader.address("docs/serve.html"))
    page.locator("a.menu").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sidebar a").first).to_be_in_viewport()
    reader.save(page, "menu-narrow")
    page.keyboard.press("Escape")
    expect(page.locator("a.menu")).to_be_focused()
    assert page.locator("a.menu").get_attribute("aria-expanded") == "false"
    page.context.close()


def code_is_copied(reader):
    page = reader.page({"permissions": ["clipboard-read", "clipboard-write"]})
    page.goto(reader.address("index.html"))
    block = page.locator(".code").nth(1)
    block.hover()
    block.locator("button.copy").click()
    # From a disk some browsers refuse the clipboard; the button says so.
    expect(block.locator("button.copy")).to_have_text(re.compile("Copied|Not copied"))
    page.context.close()


def links_lead_both_ways(reader):
    """From a rule to a page that cites it, and from there back to the rule."""
    page = reader.page({"viewport": {"width": 1440, "height": 1000}})
    page.goto(reader.address("docs/spec/05-report-rules.html#RR-60"))
    block = page.locator("#RR-60").locator("xpath=ancestor::p/following-sibling::details[1]")
    block.locator("summary").click()
    block.get_by_role("link", name=re.compile("^Glossary")).first.click()
    page.wait_for_url("**/docs/glossary.html**")
    page.get_by_role("link", name="RR-60", exact=True).first.click()
    page.wait_for_url("**/docs/spec/05-report-rules.html#RR-60")
    page.context.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--screenshots")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    # A machine that does other work draws slowly.
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=options.chromium, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        reader = Reader(browser, options.folder, options.screenshots)
        for step in (every_page, search, theme, menu, code_is_copied, links_lead_both_ways):
            try:
                step(reader)
            except Exception:
                traceback.print_exc()
                print(f"site in a browser: the step '{step.__name__}' failed")
                sys.exit(1)
        browser.close()
    if reader.wrong:
        print("\n".join(reader.wrong))
        sys.exit(1)
    print(f"site in a browser: {len(PAGES)} pages in {len(MODES)} ways, search, theme, menu, code, links")


main()
