"""The sidebar, as docs/README.md orders it, the path of a page, and the list of its sections."""

import posixpath
import re
from html import escape

LEAD = re.compile(r"^\*\*([^*]+?)\.?\*\*(.*)", re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")


class Navigation:
    """Groups of links. Each is a paragraph of docs/README.md that begins with its name, or the list of a section."""

    def __init__(self, text, resolve):
        self.groups = []
        heading = None
        for block in re.split(r"\n\s*\n", text):
            if title := re.match(r"## (.+)", block):
                heading = title[1]
            lead = LEAD.match(block.strip())
            name = lead[1] if lead else heading
            links = LINK.findall(lead[2] if lead else block if heading and block.lstrip().startswith("- ") else "")
            entries = [(label, resolve(href)) for label, href in links]
            entries = [(label[0].upper() + label[1:], target) for label, target in entries if target]
            if entries:
                self.groups.append((name, entries))

    def add(self, name, entries):
        self.groups.append((name, entries))

    def sidebar(self, page, siblings):
        """The groups, and below the page's own section the other pages of its folder."""
        parts = []
        folder = "api" if page.kind == "symbol" else posixpath.dirname(page.output)
        section = posixpath.join(folder, "index.html")
        shown = False
        for name, entries in self.groups:
            parts.append(f'<h2>{escape(name)}</h2>\n<ul>')
            for label, target in entries:
                below = ""
                if siblings and target == section and not shown:
                    shown = True
                    below = "\n<ul>" + "".join(self._entry(page, *entry) for entry in siblings) + "</ul>\n"
                parts.append(self._entry(page, label, target, below))
            parts.append("</ul>")
        return "\n".join(parts)

    @staticmethod
    def _entry(page, label, target, below=""):
        current = ' aria-current="page"' if target == page.output else ""
        return f'<li><a href="{escape(page.to(target))}"{current}>{escape(label)}</a>{below}</li>'


def breadcrumb(page, titles):
    """The folders above a page that have a page of their own."""
    steps = [("index.html", "Home")]
    folder = posixpath.dirname(page.output)
    parts = folder.split("/") if folder else []
    for depth in range(1, len(parts) + 1):
        index = "/".join(parts[:depth]) + "/index.html"
        if index in titles:
            steps.append((index, titles[index]))
    steps = [step for step in steps if step[0] != page.output]
    if not steps:
        return ""
    links = "".join(f'<li><a href="{escape(page.to(target))}">{escape(title)}</a></li>' for target, title in steps)
    return f'<nav class="path" aria-label="Path"><ol>{links}<li aria-current="page">{escape(page.title)}</li></ol></nav>'


def contents(page):
    """The sections of a page; nothing for fewer than two."""
    headings = [heading for heading in page.headings if heading.level in (2, 3)]
    if len(headings) < 2:
        return ""
    items = "".join(
        f'<li class="level-{heading.level}"><a href="#{escape(heading.anchor)}">{escape(heading.text)}</a></li>'
        for heading in headings
    )
    return (
        '<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary>'
        f"<ul>{items}</ul></details></nav>"
    )
