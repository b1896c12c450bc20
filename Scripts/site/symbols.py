"""Pages of the API, from the archives of `docc convert`: one for each module, article and type.

DocC makes a page of every member. Here members stand on the page of their type, so that a type is read at once.
"""

import json
import os
import re
from html import escape

from backlinks import linked_from
from citations import Citation
from content import Content
from pages import Heading, Page, plain

# Kinds of declarations that have a page of their own.
TYPES = {"struct", "enum", "class", "protocol", "actor", "module", "extension"}
LEFT_OUT_SECTIONS = {"Default Implementations"}


class SymbolPages:
    def __init__(self, archives, links):
        self.links = links
        self.nodes, self.modules = {}, []
        self.targets = {}  # by identifier of a node, and by precise identifier of a declaration
        self.pages, self.search_entries = [], []
        for name in sorted(os.listdir(archives)) if archives else []:
            if name.endswith(".doccarchive"):
                self._read(os.path.join(archives, name, "data", "documentation"))
        self._place()
        self._name_types()

    def _read(self, folder):
        for path, folders, names in sorted(os.walk(folder)):
            for name in sorted(names):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    node = json.load(file)
                self.nodes[node["identifier"]["url"]] = node

    def _place(self):
        """Gives each node its file, and each member an anchor in the file of its type."""
        taken = set()
        for identifier, node in sorted(self.nodes.items()):
            if self._has_page(node):
                output = output_of(node)
                if output in taken:
                    raise ValueError(f"two declarations have the page {output}")
                taken.add(output)
                self.targets[identifier] = output
        for identifier, node in sorted(self.nodes.items()):
            if identifier not in self.targets and (owner := self._owner(node)):
                anchor = anchor_of(node)
                while f"{owner}#{anchor}" in taken:
                    anchor += "-"
                taken.add(f"{owner}#{anchor}")
                self.targets[identifier] = f"{owner}#{anchor}"
        for identifier, node in self.nodes.items():
            if (precise := node["metadata"].get("externalID")) and identifier in self.targets:
                self.targets[precise] = self.targets[identifier]

    def _name_types(self):
        """Tells the links which names mean a type. A name of two types means none."""
        names = {}
        for identifier, node in self.nodes.items():
            if node["kind"] == "symbol" and self._has_page(node):
                names.setdefault(node["metadata"]["title"], []).append(self.targets[identifier])
        self.links.declarations = {name: found[0] for name, found in names.items() if len(found) == 1}

    @staticmethod
    def _has_page(node):
        metadata = node["metadata"]
        if node["kind"] == "article":
            # A collection that DocC makes lists inherited members.
            return metadata.get("role") != "collectionGroup" or not is_generated(node)
        kind = metadata.get("symbolKind", "")
        ancestors = node["hierarchy"]["paths"][0] if node["hierarchy"]["paths"] else []
        return kind in TYPES or kind.startswith("extended") or len(ancestors) == 1

    def _owner(self, node):
        for ancestor in reversed(node["hierarchy"]["paths"][0] if node["hierarchy"]["paths"] else []):
            if ancestor in self.targets:
                return self.targets[ancestor]
        return None

    def target_of(self, identifier):
        return self.targets.get(identifier)

    def render(self):
        for identifier, node in sorted(self.nodes.items(), key=lambda entry: self.targets.get(entry[0], "")):
            if self._has_page(node):
                page = Page("", self.targets[identifier], node["metadata"]["title"], "symbol", group="type")
                if node["kind"] == "article":
                    page.group = "article"
                self.pages.append(page)
                if node["metadata"].get("symbolKind") == "module":
                    self.modules.append((page, node))
                self._render_page(page, node, identifier)
        if self.modules:
            self.pages.insert(0, self._overview())

    def _content(self, page, node, name, target):
        def note(text, is_code):
            names = self.links.rules.ids(text)
            if is_code and text in self.links.rules.by_id:
                names.append(text)
            for rule in names:
                self.links.rules.cite(rule, Citation("symbol", target, name))

        return Content(page, node.get("references", {}), self.links, self.target_of, note)

    def _render_page(self, page, node, identifier):
        content = self._content(page, node, page.title, page.output)
        module = node["metadata"]["modules"][0]["name"] if node["metadata"].get("modules") else ""
        eyebrow = node["metadata"].get("roleHeading") or "Article"
        suffix = f" in {module}" if module and module != page.title else ""
        abstract = content.inline(node.get("abstract"))
        page.description = plain(abstract) or page.title
        title = escape(page.title)
        parts = [
            f'<p class="eyebrow">{escape(eyebrow + suffix)}</p>\n',
            f"<h1>{f'<code>{title}</code>' if node['kind'] == 'symbol' else title}</h1>\n",
            f"<p>{abstract}</p>\n" if abstract else "",
            self._sections(page, node, content, "Overview"),
        ]
        for section in node.get("topicSections", []):
            if section.get("title") not in LEFT_OUT_SECTIONS:
                parts.append(self._topic(page, node, section))
        for section in node.get("relationshipsSections", []):
            names = [self._relation(page, node, name) for name in section["identifiers"]]
            parts.append(f"<h2>{escape(section['title'])}</h2>\n<p>{', '.join(names)}</p>\n")
        parts.append(linked_from(page, list(self.links.mentions.get(page.output, {}).values())))
        page.html = "".join(parts)
        page.headings = [
            Heading(int(level), anchor, plain(text))
            for level, anchor, text in re.findall(r'<h([23]) id="([^"]+)">(.*?)</h\1>', page.html)
        ]
        if node["kind"] == "symbol":
            self.search_entries.append((page.title, page.output, f"{page.description} {module}"))

    def _sections(self, page, node, content, overview=None):
        """Declaration, parameters and discussion."""
        parts = []
        for section in node.get("primaryContentSections", []):
            if section["kind"] == "declarations":
                parts += [content.declaration(declaration["tokens"]) for declaration in section["declarations"]]
            elif section["kind"] == "parameters":
                rows = (
                    f"<dt><code>{escape(parameter['name'])}</code></dt><dd>{content.blocks(parameter['content'])}</dd>"
                    for parameter in section["parameters"]
                )
                parts.append(f'<dl class="parameters">{"".join(rows)}</dl>\n')
            elif section["kind"] == "content":
                blocks = section["content"]
                # DocC's headings "Overview", "Discussion", "Return Value" would repeat for every member.
                if blocks and blocks[0]["type"] == "heading" and (not overview or blocks[0]["text"] == overview):
                    if blocks[0]["text"] == "Return Value":
                        parts.append("<p><strong>Returns</strong></p>\n")
                    blocks = blocks[1:]
                parts.append(content.blocks(blocks))
        return "".join(parts)

    def _topic(self, page, node, section):
        parts = [f'<h2 id="{escape(section["anchor"])}">{escape(section.get("title", "Topics"))}</h2>\n']
        links = []
        for identifier in section["identifiers"]:
            member = self.nodes.get(identifier)
            target = self.targets.get(identifier, "")
            if member and target.startswith(f"{page.output}#"):
                parts.append(self._member(page, member, target))
            elif member and target:
                # The page of another declaration notes what its abstract cites.
                content = Content(page, node["references"], self.links, self.target_of, lambda text, is_code: None)
                abstract = content.inline(member.get("abstract"))
                label = escape(member["metadata"]["title"], quote=False)
                label = f"<code>{label}</code>" if member["kind"] == "symbol" else label
                text = f"<p>{abstract}</p>" if abstract else ""
                links.append(f'<li><a href="{escape(page.to(target))}">{label}</a>{text}</li>')
        if links:
            parts.insert(1, f'<ul class="symbols">{"".join(links)}</ul>\n')
        return "".join(parts) if len(parts) > 1 else ""

    def _member(self, page, node, target):
        anchor = target.partition("#")[2]
        title = node["metadata"]["title"].removeprefix(f"{page.title}.")
        name = f"{page.title}.{title}"
        content = self._content(page, node, name, target)
        abstract = content.inline(node.get("abstract"))
        self.search_entries.append((name, target, plain(abstract)))
        return (
            f'<section class="member">\n<h3 id="{escape(anchor)}">{escape(title, quote=False)}</h3>\n'
            + (f"<p>{abstract}</p>\n" if abstract else "")
            + self._sections(page, node, content)
            + "</section>\n"
        )

    def _relation(self, page, node, identifier):
        title = escape(node["references"].get(identifier, {}).get("title", identifier), quote=False)
        target = self.targets.get(identifier)
        return f'<a href="{escape(page.to(target))}"><code>{title}</code></a>' if target else f"<code>{title}</code>"

    def _overview(self):
        page = Page("", "api/index.html", "API of the products", "symbol", group="article")
        page.description = "The public declarations of the libraries, from their documentation comments."
        rows = "".join(
            f'<tr><td><a href="{escape(page.to(module.output))}"><code>{escape(module.title)}</code></a></td>'
            f"<td>{escape(module.description)}</td></tr>"
            for module, _ in self.modules
        )
        page.html = (
            f"<h1>{page.title}</h1>\n<p>{page.description}</p>\n"
            '<div class="table" tabindex="0" role="group" aria-label="Libraries"><table>'
            f"<thead><tr><th>Library</th><th>Contains</th></tr></thead><tbody>{rows}</tbody></table></div>\n"
        )
        return page

    def siblings(self, page):
        """The modules, or the module of a page with its other pages."""
        module = "/".join(page.output.split("/")[:2])
        modules = [(other.title, other.output) for other, _ in self.modules]
        if module == "api/index.html":
            return modules
        return [
            (other.title, other.output)
            for other in sorted(self.pages, key=lambda page: not page.output.endswith("index.html"))
            if other.output.startswith(f"{module}/") and other.output.count("/") <= 2
        ]


def is_generated(node):
    return node["metadata"].get("title", "").endswith("Implementations")


def output_of(node):
    """/documentation/module/type/member is api/module/type/member.html."""
    parts = [safe(part) for part in node["variants"][0]["paths"][0].split("/")[2:]]
    return f"api/{parts[0]}/index.html" if len(parts) == 1 else f"api/{'/'.join(parts)}.html"


def anchor_of(node):
    return safe(node["variants"][0]["paths"][0].rsplit("/", 1)[-1])


def safe(name):
    """A name that is a file on every system and needs no escapes in a link."""
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-") or "operator"
