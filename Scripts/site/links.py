"""Where links lead: to pages, files, rules, lint rules, words of the glossary."""

import os
import posixpath
import re
from html import escape
from urllib.parse import unquote

from citations import Citation
from markup import EXTERNAL, resolve_path
from pages import output_of, relative

CATALOGUE = re.compile(r"Sources/\w+/(\w+)/\w+\.docc/([\w-]+)\.md")
# A file that a page names in code.
PATH = re.compile(r"(?:Sources|Tests|Data|Examples|Scripts|Packaging|Benchmarks|Conformance|docs)/[\w./+-]+\.\w+")
# Kinds of pages in which words of the glossary are linked: those that people read from top to bottom.
KINDS_WITH_TERMS = {"guide", "runbook"}
# Single words of the glossary that have another meaning in everyday language stay plain.
LINKED_WORDS = {"chargeback", "entitlement", "storefront", "emulator", "ledger", "outbox", "pre-flight"}


class Links:
    def __init__(self, root, rules, pages):
        self.root = root
        self.rules = rules
        self.pages = {page.source: page for page in pages}
        self.linked_files = {}  # files without a page of their own that a page links to
        self.interfaces = {}  # pages of OpenAPI descriptions by their files
        self.declarations = {}  # files of types by their names, of names that one type has
        self.mentions = {}  # pages by the file of a type
        self.term_pattern = None
        self.definitions = {}

    def resolve(self, page, href):
        """The link as it stands in the site, or None where there is nothing to link to."""
        if EXTERNAL.match(href):
            return href
        path, _, anchor = href.partition("#")
        if not path:
            return href
        source = resolve_path(page.source, unquote(path))
        target = self.output_of_file(source)
        if target is None:
            return None
        return relative(page.output, f"{target}#{anchor}" if anchor else target)

    def output_of_file(self, source):
        """The file of the site that shows a file of the repository."""
        if source in self.pages:
            return self.pages[source].output
        if source in self.interfaces:
            return self.interfaces[source]
        if match := CATALOGUE.fullmatch(source):
            module, article = match[1].lower(), match[2]
            return f"api/{module}/{'index' if article.lower() == module else article.lower()}.html"
        place = os.path.join(self.root, source)
        if os.path.isdir(place):
            index = posixpath.join(source, "README.md")
            return self.pages[index].output if index in self.pages else None
        if not os.path.isfile(place):
            return None
        self.linked_files[source] = True
        return output_of(source)

    def title_of(self, page, label):
        """The title of the page that the label of a link names by its file, else the label."""
        if not re.fullmatch(r"[\w./-]+\.md", label):
            return label
        for source in (resolve_path(page.source, label), label):
            if source in self.pages:
                return self.pages[source].title or label
        return label

    def rule_target(self, name):
        """The anchor of a rule; a lint rule also has a page, to which its name leads from elsewhere."""
        return f"{output_of(self.rules.by_id[name].source)}#{name}"

    def rule_link(self, page, name, label, is_definition=False):
        rule = self.rules.by_id[name]
        href = escape(relative(page.output, self.rule_target(name)))
        if is_definition:
            return f'<a class="rule" href="{href}">{escape(label, quote=False)}</a>'
        title = escape(f"{name}: {rule.summary}")
        return f'<a class="rule" href="{href}" title="{title}">{escape(label, quote=False)}</a>'

    def code_link(self, page, content, label, defined):
        """The link of a word in code: an id of a rule, or the name of a lint rule or diagnostic."""
        if content not in self.rules.by_id:
            return self._declaration_link(page, content, label)
        lint = f"docs/lint/{content}.md"
        target = self.rule_target(content)
        if lint in self.pages and page.source != lint:
            target = self.pages[lint].output
        elif content == defined:
            target = f"{page.output}#{content}"
        summary = escape(self.rules.by_id[content].summary)
        title = "" if content == defined else f' title="{summary}"'
        return f'<a class="rule" href="{escape(relative(page.output, target))}"{title}>{label}</a>'

    def _declaration_link(self, page, content, label):
        """The link of the name of a documented type, or of the path of a file."""
        if PATH.fullmatch(content) and (file := self.output_of_file(content)):
            return f'<a class="file" href="{escape(relative(page.output, file))}">{label}</a>'
        target = self.declarations.get(content)
        if not target or target == page.output:
            return None
        if page.kind != "symbol":
            self.mentions.setdefault(target, {})[page.output] = page
        return f'<a class="type" href="{escape(relative(page.output, target))}">{label}</a>'

    def note(self, page, section, text, is_code):
        """Remembers which rules a section of a page cites."""
        names = self.rules.ids(text)
        if is_code and text in self.rules.by_id:
            names.append(text)
        for name in names:
            # A rule that cites another rule of its chapter is seen beside it.
            if page.source == self.rules.by_id[name].source:
                continue
            heading = next((each.text for each in page.headings if each.anchor == section), "")
            title = page.title if not heading or heading == page.title else f"{page.title}: {heading}"
            url = f"{page.output}#{section}" if section else page.output
            self.rules.cite(name, Citation(page.kind, url, title))

    def read_glossary(self, text):
        """Takes the words from the rows of the glossary."""
        for line in text.split("\n"):
            cells = re.split(r"(?<!\\)\|", line)
            if len(cells) < 4 or cells[1].strip() in ("term", "") or set(cells[1].strip()) == {"-"}:
                continue
            word = cells[1].strip()
            if re.fullmatch(r"[\w][\w -]*", word) and (" " in word or "-" in word or word in LINKED_WORDS):
                definition = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cells[2])
                self.definitions[word] = re.sub(r"[*`]", "", re.sub(r" *\([^()]*\) *$", "", definition.strip()))
        words = sorted(self.definitions, key=len, reverse=True)
        self.term_pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, words))})(?:s|es)?(?![\w-])", re.IGNORECASE)

    def terms(self, page, text, seen):
        """The words of the glossary that appear for the first time on a page."""
        if not self.term_pattern or page.kind not in KINDS_WITH_TERMS or page.source == "docs/glossary.md":
            return
        for match in self.term_pattern.finditer(text):
            word = next(word for word in self.definitions if word.lower() == match[1].lower())
            if word in seen:
                continue
            seen.add(word)
            href = escape(relative(page.output, f"docs/glossary.html#{term_anchor(word)}"))
            title = escape(self.definitions[word])
            label = escape(match.group(), quote=False)
            yield match.start(), match.end(), f'<a class="term" href="{href}" title="{title}">{label}</a>'


def term_anchor(word):
    return "term-" + re.sub(r"[^a-z0-9]+", "-", word.lower()).strip("-")
