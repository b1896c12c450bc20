"""Checks a built site as a reader's browser sees it.

    python3 Scripts/site/check.py FOLDER

- Every link and every file that a page loads is in the folder, and every anchor is in its page.
- No link leads to an address of this machine, no page names its folder, and no page loads anything from elsewhere.
- Every page is reached from index.html.
- No id is given twice in a page, and every rule of the specification has one anchor in the site.
- Every page is valid HTML (html5lib).

Prints a line for each fault; ends with 0 when there is none, else with 1.
"""

import argparse
import multiprocessing
import os
import posixpath
import re
import sys
from html.parser import HTMLParser
from urllib.parse import unquote

import html5lib

ATTRIBUTES = {"a": "href", "link": "href", "script": "src", "img": "src", "form": "action", "source": "src"}
NAMING = ("for", "headers", "aria-controls", "aria-describedby", "aria-labelledby")
ID_OF_RULE = re.compile(r"(?:OV|CF|SK|TK|SA|RR|NT|OB|EX|EK)-\d{1,3}|[ECTDSR][1-9]\d{0,2}r?")


class PageReader(HTMLParser):
    """The ids of a page, and what it links to and loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loads, self.named = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if target := values.get(ATTRIBUTES.get(tag)):
            (self.links if tag == "a" else self.loads).append(target)
        for name in NAMING:
            self.named += (values.get(name) or "").split()


def read(folder, path):
    with open(os.path.join(folder, path), encoding="utf-8") as file:
        return file.read()


def html_faults(job):
    folder, path = job
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    parser.parse(read(folder, path))
    return [f"{path}:{line}: {html5lib.constants.E[code] % values}" for (line, _), code, values in parser.errors]


def files_of(folder):
    found = set()
    for path, _, names in os.walk(folder):
        found |= {os.path.relpath(os.path.join(path, name), folder).replace(os.sep, "/") for name in names}
    return found


def check(folder):
    files = files_of(folder)
    pages = {path: PageReader(read(folder, path)) for path in sorted(files) if path.endswith(".html")}
    here = os.getcwd() + os.sep
    faults = [f"{path}: names the folder {here} of this machine" for path in sorted(pages) if here in read(folder, path)]
    reached = {}
    for path, page in pages.items():
        faults += [f"{path}: the id '{name}' is given twice" for name in repeated(page.ids)]
        faults += [f"{path}: names the id '{name}', which no element has" for name in page.named if name not in page.ids]
        for target in page.loads:
            if not target.startswith("data:") and resolve(path, target)[0] not in files:
                faults.append(f"{path}: loads {target}, which the site does not have")
        for target in page.links:
            if re.match(r"(https?|mailto):", target):
                continue
            if target.startswith("/") or re.match(r"[a-z]+:", target):
                faults.append(f"{path}: {target} works on one host only")
                continue
            file, anchor = resolve(path, target)
            reached.setdefault(path, set()).add(file)
            if file not in files:
                faults.append(f"{path}: {target} leads to no file")
            elif anchor and (file not in pages or anchor not in pages[file].ids):
                faults.append(f"{path}: {target} leads to no anchor")
    faults += [f"{path}: no page leads here" for path in sorted(set(pages) - walk(reached))]
    return faults + rule_faults(pages), pages


def resolve(path, target):
    file, _, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(file))) if file else path
    return file, unquote(anchor)


def repeated(names):
    return sorted({name for name in names if names.count(name) > 1})


def walk(reached):
    found, waiting = set(), ["index.html"]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += reached.get(path, ())
    return found


def rule_faults(pages):
    """Rules have their anchors in the chapters; the same id elsewhere would be a second one."""
    places = {}
    for path, page in pages.items():
        for name in page.ids:
            if ID_OF_RULE.fullmatch(name):
                places.setdefault(name, []).append(path)
    return [f"{name}: has {len(found)} anchors: {', '.join(found)}" for name, found in places.items() if len(found) > 1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    options = parser.parse_args()
    faults, pages = check(options.folder)
    with multiprocessing.Pool() as pool:
        # Pages of sources come from one template and escaped text.
        jobs = [(options.folder, path) for path in pages if not path.startswith("source/")]
        for found in pool.imap(html_faults, jobs, chunksize=8):
            faults += found
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages checked", file=sys.stderr)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
