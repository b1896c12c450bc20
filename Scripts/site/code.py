"""Code blocks: coloured when the site is made, so that the pages need no script for it."""

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

ALIASES = {"sh": "bash", "xcconfig": "ini", "objective-c": "objc", "shell": "bash"}
_formatter = HtmlFormatter(nowrap=True)


def code_block(text, language, label="Code"):
    """A block that the keyboard can scroll, and that a script gives a button to copy it."""
    language = (language or "").split(" ")[0].lower()
    try:
        lexer = get_lexer_by_name(ALIASES.get(language, language), stripnl=False) if language else None
    except ClassNotFound:
        lexer = None
    body = highlight(text, lexer, _formatter) if lexer else escape(text)
    name = f"{label}, {language}" if language and language != "text" else label
    return f'<div class="code"><pre tabindex="0" role="group" aria-label="{escape(name)}"><code>{body.rstrip()}\n</code></pre></div>\n'
