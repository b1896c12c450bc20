"""The Markdown pages of the repository, and where each file lies in the site.

A page lies where its source lies, with another suffix, so that a link between two pages stays the same link.
"""

import os
import posixpath
import re
from dataclasses import dataclass, field

# Markdown is a page of the site in these folders, at any depth, and in the root.
PAGE_FOLDERS = ["docs", "Examples", "Conformance", "Benchmarks", "Fuzz"]
# What these folders and files say of rules is listed beside the rules.
CITING_FOLDERS = ["Sources", "Tests", "Examples", "Plugins", "Benchmarks", "Conformance"]
SOURCE_SUFFIXES = (".swift", ".py", ".mjs", ".php", ".go", ".rb", ".js", ".html", ".sh", ".sql")
# Ids in these files are samples.
NO_CITATIONS = ("Tests/PackageStructureTests/Specification", "Tests/Site/")
LARGEST_SOURCE = 400_000


@dataclass
class Heading:
    level: int
    anchor: str
    text: str


@dataclass
class Page:
    source: str  # "docs/serve.md"; empty for a page without a file
    output: str  # "docs/serve.html"
    title: str = ""
    kind: str = "guide"
    html: str = ""
    headings: list = field(default_factory=list)
    description: str = ""
    group: str = ""  # of the result in the search
    rows: list = field(default_factory=list)  # that have entries of their own in the search

    def to(self, output):
        return relative(self.output, output)


def kind_of(source):
    for prefix, kind in [
        ("docs/spec/", "spec"), ("docs/lint/", "lint"), ("docs/decisions/", "decision"),
        ("docs/runbooks/", "runbook"), ("CHANGELOG", "changes"),
    ]:  # fmt: skip
        if source.startswith(prefix):
            return kind
    return "guide"


def output_of(source):
    """docs/README.md is docs/index.html, ARCHITECTURE.md architecture.html; another file has its name and .html."""
    folder, name = posixpath.split(source)
    if not name.endswith(".md"):
        return f"source/{source}.html"
    if name == "README.md":
        return posixpath.join(folder, "index.html")
    stem = name.removesuffix(".md")
    return posixpath.join(folder, f"{stem if folder else stem.lower()}.html")


def relative(origin, target):
    """A link from one file of the site to another, with its anchor."""
    path, mark, anchor = target.partition("#")
    if path == origin and anchor:
        return f"#{anchor}"
    return posixpath.relpath(path, posixpath.dirname(origin) or ".") + mark + anchor


def files_below(root, folder):
    found = []
    for path, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "Findings")
        found += [os.path.relpath(os.path.join(path, name), root).replace(os.sep, "/") for name in sorted(names)]
    return found


def markdown_sources(root):
    sources = sorted(name for name in os.listdir(root) if name.endswith(".md"))
    for folder in PAGE_FOLDERS:
        sources += [path for path in files_below(root, folder) if path.endswith(".md") and "/Fixtures/" not in path]
    return sources


def citing_sources(root):
    """The source files whose lines are read for citations."""
    found = []
    for folder in CITING_FOLDERS:
        found += [
            path
            for path in files_below(root, folder)
            if path.endswith(SOURCE_SUFFIXES)
            and "/Generated/" not in path
            and "/Fixtures/" not in path
            and not path.startswith(NO_CITATIONS)
        ]
    return found


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def slug(text):
    """The anchor that GitHub gives a heading."""
    kept = "".join(letter for letter in text.lower() if letter.isalnum() or letter in " -_")
    return kept.strip().replace(" ", "-")


def plain(html):
    """The text of a piece of HTML."""
    text = re.sub(r"<[^>]*>", "", html)
    for entity, letter in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#x27;", "'"), ("&#39;", "'"), ("&amp;", "&")]:
        text = text.replace(entity, letter)
    return text
