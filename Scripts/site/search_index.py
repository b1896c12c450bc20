"""What the search reads: every section of every page, every rule and every declaration, as one script.

A script and no JSON, because a page from a disk may load scripts and may not fetch files.
"""

import json
import re

from pages import plain

GROUPS = {
    "guide": "Guide", "runbook": "Runbook", "lint": "Lint rule", "decision": "Decision", "spec": "Specification",
    "symbol": "API", "changes": "Changes", "interface": "HTTP interface",
}  # fmt: skip
SECTION = re.compile(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', re.DOTALL)
LEFT_OUT = re.compile(r'<details class="cited">.*?</details>|<a class="anchor".*?</a>', re.DOTALL)
BREAK = re.compile(r"<br>|</(?:p|li|td|th|tr|pre|h\d|dt|dd)>")
LISTS = ("docs/spec/rules.html", "all.html")
LONGEST_TEXT = 3000


def text_of(html):
    return " ".join(plain(BREAK.sub(r" \g<0>", LEFT_OUT.sub("", html))).split())


def sections(html):
    """The sections of a page: anchor, title and text. The part before the second heading has no anchor."""
    parts = SECTION.split(html)
    yield "", "", text_of(parts[0] + (parts[3] if len(parts) > 3 else ""))
    for anchor, title, body in zip(parts[4::3], parts[5::3], parts[6::3]):
        yield anchor, text_of(title), text_of(body)


def index(pages, rules, links, symbols, error_names):
    """The script: pages as [title, file, kind], entries as [page, title, anchor, text]."""
    numbers = {page.output: number for number, page in enumerate(pages)}
    entries = []
    for number, page in enumerate(pages):
        # Rules and declarations have entries of their own.
        is_divided = page.source.startswith("docs/spec/")
        if page.kind == "symbol" and page.group == "type":
            continue
        for anchor, title, text in sections(page.html):
            if anchor and page.output in LISTS:
                # These sections repeat the titles of other pages.
                continue
            text = page.description if page.output in LISTS else text
            entries.append([number, title, anchor, (text[:300] if is_divided else text[:LONGEST_TEXT])])
    for rule in rules.by_id.values():
        output, _, anchor = links.rule_target(rule.id).partition("#")
        name, message = error_names.get(rule.id, ("", ""))
        entries.append([numbers[output], f"{rule.id} {name}".strip(), anchor, f"{message} {rule.text}".strip()])
    for title, target, text in symbols:
        output, _, anchor = target.partition("#")
        entries.append([numbers[output], title, anchor, text])
    content = {
        "pages": [[page.title, page.output, GROUPS.get(page.kind, "Guide")] for page in pages],
        "entries": entries,
    }
    return f"siteSearch.load({json.dumps(content, ensure_ascii=False, separators=(',', ':'))});\n"
