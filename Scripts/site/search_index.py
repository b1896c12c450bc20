"""What the search reads: every section of every page, every rule, every row with a name and every declaration.

A script and no JSON, because a page from a disk may load scripts and may not fetch files.
"""

import json
import os
import re

from pages import plain
from template import HERE

GROUPS = {
    "guide": "Guide", "runbook": "Runbook", "lint": "Lint rule", "decision": "Decision", "spec": "Specification",
    "symbol": "API", "changes": "Changes", "interface": "HTTP interface", "source": "Source",
}  # fmt: skip
SECTION = re.compile(r'<h[1-4] id="([^"]*)">(.*?)</h[1-4]>', re.DOTALL)
# Named rows have entries of their own, and so have the codes of errors.
LEFT_OUT = re.compile(
    r'<details class="cited">.*?</details>|<a class="anchor".*?</a>|<tr [^>]*class="named"[^>]*>.*?</tr>', re.DOTALL
)
BREAK = re.compile(r"<br>|</(?:p|li|td|th|tr|pre|h\d|dt|dd)>")
LISTED = re.compile(r"(?:Settings|<code>flags</code>[^.:<]*):((?:[^<.]*<code>[^<]*</code>)+)")
LISTS = ("docs/spec/rules.html", "docs/errors.html", "all.html")
LONGEST_TEXT = 3000


def text_of(html):
    return " ".join(plain(BREAK.sub(r" \g<0>", LEFT_OUT.sub("", html))).split())


def sections(html):
    """The sections of a page: anchor, title, text and names. The part before the second heading has no anchor."""
    parts = SECTION.split(html)
    first = parts[0] + (parts[3] if len(parts) > 3 else "")
    yield "", "", text_of(first), names_listed(first)
    for anchor, title, body in zip(parts[4::3], parts[5::3], parts[6::3]):
        yield anchor, text_of(title), text_of(body), names_listed(body)


def names_listed(html):
    """The names that a paragraph lists: "Settings: `a`, `b`", "Its `flags` say why: `c`"."""
    return [plain(name) for found in LISTED.findall(html) for name in re.findall("<code>(.*?)</code>", found)]


def joined(names):
    return ["|".join(names)] if names else []


def aliases(targets):
    """What people write and no page says. Each target must be an entry."""
    with open(os.path.join(HERE, "aliases.json"), encoding="utf-8") as file:
        data = json.load(file)
    missing = sorted({target for found in data["pages"].values() for target in found} - targets)
    return {"pages": data["pages"], "words": data["words"]}, missing


def entries_of(pages, site):
    """The entries: page, title, anchor, text and, where it has any, the names that find it first."""
    numbers = {page.output: number for number, page in enumerate(pages)}
    # The page of an interface says more of a path than the row of a guide.
    described = {heading.text for page in pages if page.kind == "interface" for heading in page.headings}
    for number, page in enumerate(pages):
        if page.kind == "source":
            continue
        # Rules and declarations have entries of their own.
        is_divided = page.source.startswith("docs/spec/")
        if page.kind == "symbol" and page.group == "type":
            continue
        for anchor, title, text, listed in sections(page.html):
            if anchor and page.output in LISTS:
                # These sections repeat the titles of other pages.
                continue
            text = page.description if page.output in LISTS else text
            yield [number, title, anchor, (text[:300] if is_divided else text[:LONGEST_TEXT]), *joined(listed)]
        for row in page.rows:
            if row.title in described:
                yield [number, f"{row.title}: {page.title}", row.anchor, row.text[:LONGEST_TEXT]]
                continue
            # The script reads the names that the title has.
            others = [name for name in row.names if name not in row.title.split(", ")]
            yield [number, row.title, row.anchor, row.text[:LONGEST_TEXT], *joined(others)]
    for rule in site.rules.by_id.values():
        output, _, anchor = site.links.rule_target(rule.id).partition("#")
        title = f"{rule.id} {site.error_names.get(rule.id, '')}".strip()
        yield [numbers[output], title, anchor, rule.text, *joined(rule.names)]
    for title, target, text in site.symbols.search_entries:
        output, _, anchor = target.partition("#")
        yield [numbers[output], title, anchor, text]
    for page, title, text in site.searched:
        yield [numbers[page.output], title, "", text]


def index(pages, site):
    """The script: pages as [title, file, kind], entries as `entries_of` makes them, and the aliases."""
    pages = [*pages, *(page for page, _, _ in site.searched)]
    entries = list(entries_of(pages, site))
    targets = {f"{pages[entry[0]].output}#{entry[2]}".removesuffix("#") for entry in entries}
    found, missing = aliases(targets)
    if missing and site.symbols.pages:
        raise SystemExit("\n".join(f"site: aliases.json names '{target}', which is no entry" for target in missing))
    content = {
        "pages": [[page.title, page.output, GROUPS.get(page.kind, "Guide")] for page in pages],
        "entries": entries,
        "aliases": found,
    }
    return f"siteSearch.load({json.dumps(content, ensure_ascii=False, separators=(',', ':'))});\n"
