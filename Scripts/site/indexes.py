"""Pages without a file: every rule, every error code, every page."""

import json
from html import escape

from pages import Heading, Page, output_of, read, slug
from rows import Row

TABLE = '<div class="table" tabindex="0" role="group" aria-label="{}"><table>\n'


def heading(page, text):
    page.headings.append(Heading(2, slug(text), text))
    return f'<h2 id="{slug(text)}">{escape(text)}</h2>\n'


def rule_index(rules, links, titles):
    """Every rule with its chapter, its tags and the number of places that cite it."""
    page = Page("", "docs/spec/rules.html", "Index of rules", "spec", group="Specification")
    page.description = "Every rule of the specification under its number, with its chapter, its tags and its citations."
    parts = [f"<h1>{page.title}</h1>\n<p>{page.description}</p>\n"]
    chapters = {}
    for rule in rules.by_id.values():
        chapters.setdefault(rule.source, []).append(rule)
    for source, found in chapters.items():
        parts.append(heading(page, titles[source]))
        parts.append(TABLE.format(escape(titles[source])))
        parts.append("<thead><tr><th>Rule</th><th>Says</th><th>Tags</th><th>Cited</th></tr></thead>\n<tbody>\n")
        for rule in found:
            link = f'<a class="rule" href="{escape(page.to(links.rule_target(rule.id)))}">{escape(rule.id)}</a>'
            tags = " ".join(f'<span class="tag">{escape(tag)}</span>' for tag in rule.tags)
            count = len(rules.citations(rule.id)) or ""
            parts.append(f"<tr><td>{link}</td><td>{escape(rule.summary)}</td><td>{tags}</td><td>{count}</td></tr>\n")
        parts.append("</tbody></table></div>\n")
    page.html = "".join(parts)
    return page


def error_index(root, rules, links):
    """The error codes of the report endpoint, from Data/errors.json."""
    page = Page("", "docs/errors.html", "Error codes", "guide", group="Reference")
    page.description = "The error objects of the report endpoint: code, name, message, fields, and the rule that decides."
    data = json.loads(read(root, "Data/errors.json"))
    parts = [f"<h1>{page.title}</h1>\n<p>{page.description}</p>\n<p>{escape(data['source'])}.</p>\n"]
    parts.append(TABLE.format("Error codes"))
    parts.append("<thead><tr><th>Code</th><th>Name and message</th><th>Since</th><th>Fields</th></tr></thead>\n<tbody>\n")
    names = {}
    for error in data["errors"]:
        name = f"E{error['code']}"
        rule_links = [
            f'<a class="rule" href="{escape(page.to(links.rule_target(each)))}">{each}</a>'
            for each in (name, f"{name}r")
            if each in rules.by_id
        ]
        fields = " ".join(f"<code>{escape(field)}</code>" for field in error["fieldNames"]) or "none"
        message = escape(error["message"])
        if error["messageStatus"] != "published":
            message += ' <span class="tag">text not published</span>'
        parts.append(
            f'<tr id="code-{error["code"]}" class="named"><td>{" ".join(rule_links) or name}</td>'
            f'<td><strong>{escape(error["name"])}</strong><br>{message}</td>'
            f'<td>{escape(error["since"])}</td><td>{fields}</td></tr>\n'
        )
        names[name] = error["name"]
        title = f"{name} {error['name']} (error {error['code']})"
        text = f"{error['message']} {' '.join(error['fieldNames'])}".strip()
        words = (str(error["code"]), name, f"error {error['code']}", f"code {error['code']}", error["name"])
        page.rows.append(Row(f"code-{error['code']}", title, text, words))
    page.html = "".join(parts) + "</tbody></table></div>\n"
    return page, names


def page_index(pages, groups):
    """Every page by its section, for readers without JavaScript."""
    page = Page("", "all.html", "All pages", "guide", group="Reference")
    page.description = "Every page of this site by its section."
    parts = [f"<h1>{page.title}</h1>\n<p>{page.description}</p>\n"]
    for title, selects in groups:
        found = [other for other in pages if selects(other)]
        if not found:
            continue
        parts.append(heading(page, title) + '<ul class="columns">')
        for other in found:
            parts.append(f'<li><a href="{escape(page.to(other.output))}">{escape(other.title)}</a></li>')
        parts.append("</ul>\n")
    page.html = "".join(parts)
    return page


def lint_reference(page, links):
    """The row of the specification, below the title of the page of a lint rule."""
    name = page.source.rsplit("/", 1)[-1].removesuffix(".md")
    if name not in links.rules.by_id:
        return
    target = escape(page.to(links.rule_target(name)))
    row = f'<p class="reference">In the specification: <a href="{target}">the row of this rule</a></p>\n'
    page.html = page.html.replace("</h1>\n", "</h1>\n" + row, 1)


def anchor_terms(page, definitions, anchor_of):
    """An anchor for each row of the glossary that other pages link to."""
    for word in definitions:
        page.html = page.html.replace(f"<td>{word}</td>", f'<td id="{anchor_of(word)}">{word}</td>', 1)

