"""Builds the documentation site.

    python3 Scripts/site/build.py --output FOLDER [--archives FOLDER] [--commit TEXT]

Reads the Markdown of the repository, the sources that cite rules, and the archives that `docc convert` wrote (one
folder MODULE.doccarchive each). Writes static files with relative links only. The same input gives the same bytes.
"""

import argparse
import os
import re
import shutil
import sys

import backlinks
import examples
import indexes
import rows
import search_index
from citations import Rules
from links import Links, term_anchor
from markup import Markup, resolve_path
from navigation import Navigation, breadcrumb, contents
from openapi import interface_page, interface_sources
from pages import Page, kind_of, markdown_sources, output_of, read
from sources import read_citations, source_page
from symbols import SymbolPages
from template import HERE, Template

ASSETS = ["site.css", "theme.js", "search.js", "site.js"]
# The sections of the page with all pages, and of the folders that list their other pages in the sidebar.
SECTIONS = [
    ("Guides", lambda page: page.kind == "guide" and page.output.startswith("docs/")),
    ("Runbooks", lambda page: page.kind == "runbook"),
    ("Lint rules", lambda page: page.kind == "lint"),
    ("Specification", lambda page: page.kind == "spec"),
    ("API", lambda page: page.kind == "symbol"),
    ("HTTP interfaces", lambda page: page.kind == "interface"),
    ("Decisions", lambda page: page.kind == "decision"),
    ("Examples and project", lambda page: page.kind in ("guide", "changes") and not page.output.startswith("docs/")),
]


class Site:
    def __init__(self, root, archives, commit):
        self.root = root
        self.commit = commit
        self.rules = Rules()
        self.pages = [Page(source, output_of(source), kind=kind_of(source)) for source in markdown_sources(root)]
        self.texts = {page.source: read(root, page.source) for page in self.pages}
        for page in self.pages:
            page.title = title_of(self.texts[page.source]) or page.source
            if page.kind == "spec":
                self.rules.read_chapter(self.texts[page.source], page.source)
        self.links = Links(root, self.rules, self.pages)
        self.links.read_glossary(self.texts["docs/glossary.md"])
        self.markup = Markup(self.links)
        self.links.interfaces = interface_sources(root)
        self.symbols = SymbolPages(archives, self.links)
        self.extra = []

    def render(self):
        """Renders every page. Chapters of the specification come last, because they show what the others cite."""
        for page in self.pages:
            self.markup.render(page, self.texts[page.source])
        self.symbols.render()
        citing = read_citations(self.root, self.rules)
        for page in self.pages:
            if page.kind == "spec":
                shown = lambda names, page=page: backlinks.cited_in(page, self.rules, names)
                self.markup.render(page, self.texts[page.source], shown)
            elif page.kind == "lint":
                indexes.lint_reference(page, self.links)
            elif page.source == "docs/glossary.md":
                indexes.anchor_terms(page, self.links.definitions, term_anchor)
            rows.anchor_rows(page, page.source == "docs/glossary.md")
        titles = {page.source: page.title for page in self.pages}
        errors, self.error_names = indexes.error_index(self.root, self.rules, self.links)
        interfaces = [interface_page(self.root, source, self.markup) for source in self.links.interfaces]
        self.extra = [*interfaces, indexes.rule_index(self.rules, self.links, titles), errors]
        published = self.add_files()
        files = sorted(set(citing) | set(self.links.linked_files) | set(published))
        shown = [*self.pages, *self.extra, *self.symbols.pages]
        self.extra.append(indexes.page_index(sorted(shown, key=lambda page: page.title.lower()), SECTIONS))
        self.sources = [source_page(self.root, path, citing.get(path), self.links) for path in files]
        self.searched = [
            (page, *published[path]) for path, page in zip(files, self.sources, strict=True) if path in published
        ]

    def add_files(self):
        """Lists the sources of the examples and the cases on their pages; title and text of each file in the search."""
        files, groups = examples.example_files(self.root), examples.case_groups(self.root)
        pages = [page for page in self.pages if page.source.startswith("Examples/")]
        for page in pages:
            examples.add_list(page, examples.files_of(page, [each.source for each in pages], files))
        labels = {path: title for path, (title, _) in groups.items()}
        found = {path: (os.path.basename(path), path) for path in files}
        for page in self.pages:
            if page.source == "Conformance/README.md":
                examples.add_list(page, list(groups), labels)
        return found | {path: (f"{title}: cases", " ".join(ids)) for path, (title, ids) in groups.items()}

    def navigation(self):
        index = next(page for page in self.pages if page.source == "docs/README.md")
        resolve = lambda href: self.links.output_of_file(self.file_of(index, href))
        navigation = Navigation(self.texts[index.source], resolve)
        name, entries = next(group for group in navigation.groups if group[0] == "Reference")
        entries += [("Index of rules", "docs/spec/rules.html"), ("Error codes", "docs/errors.html")]
        if self.symbols.pages:
            entries.append(("API of the products", "api/index.html"))
        entries.append(("All pages", "all.html"))
        return navigation

    @staticmethod
    def file_of(page, href):
        return resolve_path(page.source, href.partition("#")[0])

    def siblings(self, page):
        """The other pages of the folder of a page, where that folder is a section of its own."""
        folder = os.path.dirname(page.output)
        if page.kind == "symbol":
            return self.symbols.siblings(page)
        if page.kind not in ("runbook", "lint", "decision", "spec"):
            return []
        found = [other for other in self.pages if os.path.dirname(other.output) == folder]
        return [(other.title, other.output) for other in found if not other.output.endswith("index.html")]

    def write(self, output):
        template, navigation = Template(), self.navigation()
        shown = [*self.pages, *self.extra, *self.symbols.pages]
        titles = {page.output: page.title for page in shown}
        for page in [*shown, *self.sources]:
            values = {
                "title": page.title if page.output == "index.html" else f"{page.title} · External Purchase",
                "description": page.description or page.title,
                "root": page.to("index.html").removesuffix("index.html"),
                "sidebar": navigation.sidebar(page, self.siblings(page)),
                "path": breadcrumb(page, titles),
                "content": page.html,
                "contents": contents(page),
                "kind": page.kind,
                "commit": self.commit,
            }
            write(output, page.output, template.fill(values))
        for source in self.links.interfaces:
            write(output, source, read(self.root, source))
        for name in ASSETS:
            os.makedirs(os.path.join(output, "assets"), exist_ok=True)
            shutil.copyfile(os.path.join(HERE, "Web", name), os.path.join(output, "assets", name))
        index = search_index.index(shown, self)
        write(output, "assets/search-index.js", index)
        return len(shown), len(self.sources)


def title_of(text):
    """The heading of the first level, without marks."""
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return re.sub(r"[`*]", "", found[1]).strip() if found else ""


def write(folder, path, text):
    place = os.path.join(folder, path)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", required=True)
    parser.add_argument("--archives")
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    site = Site(os.getcwd(), options.archives, options.commit)
    if site.rules.repeated:
        sys.exit("\n".join(f"site: a second anchor of a rule: {place}" for place in site.rules.repeated))
    site.render()
    shutil.rmtree(options.output, ignore_errors=True)
    pages, sources = site.write(options.output)
    print(f"{pages} pages, {sources} files of sources")


if __name__ == "__main__":
    main()
