"""The files that cite rules, and those that pages link to, as pages with anchors of their lines."""

from html import escape

from citations import Citation
from code import code_block
from pages import LARGEST_SOURCE, Page, citing_sources, output_of, read

LANGUAGES = {
    "swift": "swift", "json": "json", "py": "python", "mjs": "js", "js": "js", "php": "php", "go": "go", "rb": "ruby",
    "yaml": "yaml", "yml": "yaml", "sh": "bash", "plist": "xml", "entitlements": "xml", "html": "html", "css": "css",
    "Dockerfile": "docker",
}  # fmt: skip


def read_citations(root, rules):
    """Notes what each line of the sources cites, and answers the lines of each citing file."""
    citing = {}
    for path in citing_sources(root):
        text = read(root, path)
        if len(text) > LARGEST_SOURCE:
            continue
        kind = "test" if "Tests/" in path else "source"
        for number, line in enumerate(text.split("\n"), 1):
            names = rules.ids(line) + rules.names(line)
            for name in names:
                url = f"{output_of(path)}#L{number}"
                rules.cite(name, Citation(kind, url, f"{path}:{number}"))
            if names:
                citing.setdefault(path, []).append(number)
    return citing


def source_page(root, path, cited_lines, links):
    """A page that shows a file. Lines that cite rules have an anchor, and links to the rules."""
    page = Page("", output_of(path), title=path.rsplit("/", 1)[-1], kind="source")
    text = read(root, path)
    head = f"<h1>{escape(page.title)}</h1>\n<p class=\"file-path\"><code>{escape(path)}</code></p>\n"
    if not cited_lines:
        suffix = page.title.rsplit(".", 1)[-1]
        page.html = head + code_block(text, LANGUAGES.get(suffix, ""), page.title)
        return page
    wanted = set(cited_lines)
    body = []
    # Quotation marks are escaped too: a tool that reads links must find none in `href="…"` of a string.
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        if number in wanted:
            body.append(f'<span id="L{number}" class="cites">{linked(page, line, links)}</span>')
        else:
            body.append(escape(line))
    page.html = (
        f'{head}<div class="code source"><pre tabindex="0" role="group" aria-label="{escape(page.title)}"><code>'
        + "\n".join(body)
        + "\n</code></pre></div>\n"
    )
    return page


def linked(page, line, links):
    """A line with links on ids and names of rules."""
    spans = list(links.rules.spans(line))
    taken = {position for start, end, _ in spans for position in range(start, end)}
    for name in links.rules.names(line):
        start = line.find(name)
        if start not in taken:
            spans.append((start, start + len(name), name))
    parts, end = [], 0
    for start, stop, name in sorted(spans):
        if start < end:
            continue
        parts += [escape(line[end:start]), links.rule_link(page, name, line[start:stop])]
        end = stop
    return "".join(parts) + escape(line[end:])
