"""Where a rule is cited, as it stands below the rule."""

from html import escape

KINDS = [
    ("guide", "Guides"), ("runbook", "Runbooks"), ("lint", "Lint rules"), ("decision", "Decisions"),
    ("spec", "Specification"), ("symbol", "API"), ("changes", "Changes"), ("source", "Sources"), ("test", "Tests"),
]  # fmt: skip


def cited_in(page, rules, names):
    """A closed block for the rules of a paragraph or a table; nothing when no place cites them."""
    cited = [name for name in names if rules.citations(name)]
    if not cited:
        return ""
    count = sum(len(rules.citations(name)) for name in cited)
    subject = cited[0] if len(cited) == 1 else f"{cited[0]} to {cited[-1]}"
    places = "1 place cites" if count == 1 else f"{count} places cite"
    parts = [f'<details class="cited"><summary>{places} {escape(subject)}</summary>\n']
    for name in cited:
        if len(cited) > 1:
            parts.append(f'<p class="cited-rule"><a href="#{escape(name)}">{escape(name)}</a></p>\n')
        parts.append(citation_list(page, rules.citations(name)))
    return "".join(parts) + "</details>\n"


def citation_list(page, citations):
    parts = ["<dl>"]
    for kind, title in KINDS:
        found = [citation for citation in citations if citation.kind == kind]
        if found:
            parts.append(f"<dt>{title}</dt><dd>{(lines if kind in ('source', 'test') else places)(page, found)}</dd>")
    return "".join(parts) + "</dl>\n"


def places(page, citations):
    links = (f'<a href="{escape(page.to(each.url))}">{escape(each.title)}</a>' for each in citations)
    return "<ul>" + "".join(f"<li>{link}</li>" for link in links) + "</ul>"


def lines(page, citations):
    """A file with the numbers of its lines."""
    files = {}
    for each in citations:
        path, _, number = each.title.rpartition(":")
        files.setdefault(path, []).append((int(number), each.url))
    parts = []
    for path, found in sorted(files.items()):
        numbers = ", ".join(f'<a href="{escape(page.to(url))}">{number}</a>' for number, url in sorted(found))
        parts.append(f'<li><code title="{escape(path)}">{escape(path.rsplit("/", 1)[-1])}</code> {numbers}</li>')
    return '<ul class="files">' + "".join(parts) + "</ul>"


def linked_from(page, pages):
    """The pages that lead to a page, below it."""
    if not pages:
        return ""
    links = "".join(f'<li><a href="{escape(page.to(other.output))}">{escape(other.title)}</a></li>' for other in pages)
    return f'<details class="cited"><summary>Pages that link here</summary><ul>{links}</ul></details>\n'
