"""Content of DocC's render nodes to HTML: https://github.com/swiftlang/swift-docc, RenderNode.spec.json."""

from html import escape

from code import code_block


class Content:
    """Renders the content of one page. `target_of(identifier)` is the file of a declaration or article, or None."""

    def __init__(self, page, references, links, target_of, note):
        self.page = page
        self.references = references
        self.links = links
        self.target_of = target_of
        self.note = note

    def inline(self, items):
        return "".join(self._inline(item) for item in items or [])

    def _inline(self, item):
        kind = item["type"]
        if kind == "text":
            return self._text(item["text"])
        if kind == "codeVoice":
            self.note(item["code"], True)
            label = f"<code>{escape(item['code'], quote=False)}</code>"
            return self.links.code_link(self.page, item["code"], label, None) or label
        if kind == "reference":
            return self._reference(item)
        if kind == "link":
            return f'<a href="{escape(item["destination"])}" rel="external">{escape(item["title"])}</a>'
        tags = {"emphasis": "em", "strong": "strong", "newTerm": "em", "inlineHead": "strong", "strikethrough": "s"}
        if tag := tags.get(kind):
            return f"<{tag}>{self.inline(item['inlineContent'])}</{tag}>"
        if kind in ("superscript", "subscript"):
            return f"<{kind[:3]}>{self.inline(item['inlineContent'])}</{kind[:3]}>"
        raise ValueError(f"DocC's inline content of type '{kind}' has no HTML here")

    def _text(self, text):
        self.note(text, False)
        parts, end = [], 0
        for start, stop, name in self.links.rules.spans(text):
            parts += [escape(text[end:start], quote=False), self.links.rule_link(self.page, name, text[start:stop])]
            end = stop
        return "".join(parts) + escape(text[end:], quote=False)

    def _reference(self, item):
        reference = self.references.get(item["identifier"], {})
        if "overridingTitle" in item:
            label = self.inline(item["overridingTitleInlineContent"])
        else:
            label = escape(reference.get("title", ""), quote=False)
            label = f"<code>{label}</code>" if reference.get("kind") == "symbol" else label
        if reference.get("type") == "link":
            label = self.inline(reference.get("titleInlineContent")) or label
            return f'<a href="{escape(reference["url"])}" rel="external">{label}</a>'
        target = self.target_of(item["identifier"]) if item.get("isActive", True) else None
        return f'<a href="{escape(self.page.to(target))}">{label}</a>' if target else label

    def blocks(self, items):
        return "".join(self._block(item) for item in items or [])

    def _block(self, item):
        kind = item["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(item['inlineContent'])}</p>\n"
        if kind == "codeListing":
            return code_block("\n".join(item["code"]), item.get("syntax") or "")
        if kind == "heading":
            level = min(max(item["level"], 2), 4)
            return f'<h{level} id="{escape(item["anchor"])}">{escape(item["text"])}</h{level}>\n'
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            return f"<{tag}>{''.join(f'<li>{self.tight(entry)}</li>' for entry in item['items'])}</{tag}>\n"
        if kind == "aside":
            name = escape(item.get("name") or item["style"].capitalize())
            return f'<div class="aside"><p><strong>{name}</strong></p>{self.blocks(item["content"])}</div>\n'
        if kind == "termList":
            rows = (
                f"<dt>{self.inline(entry['term']['inlineContent'])}</dt><dd>{self.blocks(entry['definition']['content'])}</dd>"
                for entry in item["items"]
            )
            return f"<dl>{''.join(rows)}</dl>\n"
        if kind == "table":
            return self._table(item)
        if kind == "thematicBreak":
            return "<hr>\n"
        if kind == "links":
            entries = [self._reference({"identifier": name}) for name in item["items"]]
            return f"<ul>{''.join(f'<li>{entry}</li>' for entry in entries)}</ul>\n"
        raise ValueError(f"DocC's content of type '{kind}' has no HTML here")

    def tight(self, entry):
        """An entry of a list; one of a single paragraph needs no paragraph."""
        content = entry["content"]
        if len(content) == 1 and content[0]["type"] == "paragraph":
            return self.inline(content[0]["inlineContent"])
        return self.blocks(content)

    def _table(self, item):
        rows = []
        for number, row in enumerate(item["rows"]):
            is_header = number == 0 and item.get("header") in ("row", "both")
            cells = [self.tight({"content": cell}) for cell in row]
            # An empty cell heads nothing.
            tags = ["th" if is_header and cell else "td" for cell in cells]
            rows.append("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for tag, cell in zip(tags, cells)) + "</tr>")
        return f'<div class="table" tabindex="0" role="group" aria-label="Table"><table>{"".join(rows)}</table></div>\n'

    def declaration(self, tokens):
        """A declaration; names of documented types lead to them, in other modules too."""
        parts = []
        for token in tokens:
            text = escape(token["text"], quote=False)
            target = self.target_of(token.get("identifier")) or self.target_of(token.get("preciseIdentifier"))
            css = {"keyword": "k", "attribute": "nd", "typeIdentifier": "nc", "identifier": "nf", "number": "mi",
                   "string": "s"}.get(token["kind"])  # fmt: skip
            if target and token["kind"] == "typeIdentifier":
                text = f'<a href="{escape(self.page.to(target))}">{text}</a>'
            parts.append(f'<span class="{css}">{text}</span>' if css else text)
        body = "".join(parts)
        return f'<div class="code declaration"><pre tabindex="0" role="group" aria-label="Declaration"><code>{body}\n</code></pre></div>\n'
