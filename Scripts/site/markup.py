"""Markdown to HTML: headings with anchors, links within the site, and links on the ids of rules."""

import posixpath
import re
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

from code import code_block
from pages import Heading, plain, slug

ANCHOR_TAG = re.compile(r'<a id="([^"]+)">')
EXTERNAL = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Markup:
    """Renders pages. `links` answers where a file, a rule or a name lies; it hears which section cites a rule."""

    def __init__(self, links):
        self.links = links
        self.parser = MarkdownIt("commonmark", {"html": True}).enable("table")
        rules = self.parser.renderer.rules
        rules["fence"] = lambda tokens, index, *_: code_block(tokens[index].content, tokens[index].info.strip())
        rules["code_block"] = lambda tokens, index, *_: code_block(tokens[index].content, "")
        rules["table_open"] = lambda *_: '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
        rules["table_close"] = lambda *_: "</table></div>\n"

    def render(self, page, text, after_rules=None):
        """Sets title, headings and HTML of a page. `after_rules(ids)` is what follows the text of these rules."""
        tokens = self.parser.parse(text)
        page.headings = []
        section = ""
        used = {}
        terms = set()
        output, pending = [], []
        in_heading = False
        for index, token in enumerate(tokens):
            if token.level == 0 and pending and after_rules:
                anchored = token.type == "paragraph_open" and ANCHOR_TAG.search(tokens[index + 1].content)
                if token.type == "heading_open" or anchored or token.type == "table_open":
                    output.append(html_block(after_rules(pending)))
                    pending = []
            if token.type == "heading_open":
                in_heading = True
                heading = Heading(int(token.tag[1]), "", "")
            elif token.type == "heading_close":
                in_heading = False
            elif token.type == "th_open" and not tokens[index + 1].content:
                # An empty cell heads nothing.
                token.tag = tokens[index + 2].tag = "td"
            if token.type == "inline":
                pending += ANCHOR_TAG.findall(token.content)
                token.children = self._inline(page, token.children, section, terms, in_heading)
                if in_heading:
                    heading.text = plain(self.parser.renderer.render(token.children, self.parser.options, {})).strip()
                    name = slug(heading.text)
                    used[name] = used.get(name, -1) + 1
                    heading.anchor = name if not used[name] else f"{name}-{used[name]}"
                    section = heading.anchor if heading.level > 1 else ""
                    page.headings.append(heading)
                    output[-1].attrSet("id", heading.anchor)
                    if heading.level > 1:
                        token.children.append(html_inline(
                            f' <a class="anchor" href="#{heading.anchor}" aria-label="Link to this section">#</a>'
                        ))  # fmt: skip
            output.append(token)
        if pending and after_rules:
            output.append(html_block(after_rules(pending)))
        page.html = self.parser.renderer.render(output, self.parser.options, {})
        page.description = first_sentence(output, self.parser)

    def fragment(self, page, text, section=""):
        """The HTML of a text without headings."""
        tokens = self.parser.parse(text)
        for token in tokens:
            if token.type == "inline":
                token.children = self._inline(page, token.children, section, set(), False)
        return self.parser.renderer.render(tokens, self.parser.options, {})

    def _inline(self, page, children, section, terms, in_heading):
        """The content of a paragraph, with links on rules outside of links and headings."""
        result, ends = [], []
        defined = None
        for token in children:
            if token.type == "html_inline" and (anchor := ANCHOR_TAG.match(token.content)):
                defined = anchor[1]
                result.append(html_inline(f'<span id="{escape(defined)}" class="rule-anchor"></span>'))
            elif token.type == "html_inline" and token.content == "</a>":
                continue
            elif token.type == "link_open":
                start, end = self._link(page, token)
                result.append(start)
                ends.append(end)
            elif token.type == "link_close":
                result.append(ends.pop() or token)
            elif token.type in ("text", "code_inline"):
                is_code = token.type == "code_inline"
                self.links.note(page, section, token.content, is_code)
                if ends or in_heading:
                    # In the site a page has a title and no file.
                    token.content = self.links.title_of(page, token.content) if ends and not is_code else token.content
                    result.append(token)
                elif is_code:
                    label = f"<code>{escape(token.content, quote=False)}</code>"
                    link = self.links.code_link(page, token.content, label, defined)
                    result.append(html_inline(link) if link else token)
                else:
                    result += self._text(page, token.content, terms, defined)
            else:
                result.append(token)
        return result

    def _link(self, page, token):
        """The start of a link, and its end where that is another than that of a link."""
        target = self.links.resolve(page, token.attrGet("href"))
        if target is None:
            # A folder or a file without a page: its name stands as text.
            return html_inline('<span class="file">'), html_inline("</span>")
        token.attrSet("href", target)
        if EXTERNAL.match(target):
            token.attrSet("rel", "external")
        return token, None

    def _text(self, page, text, terms, defined):
        result, end = [], 0
        for start, stop, name in self.links.rules.spans(text):
            result += self._terms(page, text[end:start], terms)
            result.append(html_inline(self.links.rule_link(page, name, text[start:stop], name == defined)))
            end = stop
        return result + self._terms(page, text[end:], terms)

    def _terms(self, page, text, terms):
        """Text with its first words of the glossary linked."""
        result, end = [], 0
        for start, stop, link in self.links.terms(page, text, terms):
            result += [text_token(text[end:start]), html_inline(link)]
            end = stop
        return result + [text_token(text[end:])] if end < len(text) else result


def text_token(text):
    return Token("text", "", 0, content=text)


def html_inline(html):
    return Token("html_inline", "", 0, content=html)


def html_block(html):
    return Token("html_block", "", 0, content=html)


def first_sentence(tokens, parser):
    """What a result of the search and the head of the page say: the text of the first paragraph, cut."""
    for index, token in enumerate(tokens):
        if token.type == "paragraph_open" and token.level == 0:
            text = plain(parser.renderer.render(tokens[index + 1].children, parser.options, {}))
            text = " ".join(text.split())
            return text if len(text) <= 200 else text[:197].rsplit(" ", 1)[0] + " …"
    return ""


def resolve_path(source, link):
    """The file that a relative link of a page names, from the root of the repository."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    return "" if path == "." else path
