"""Fills Web/page.html."""

import os
import re
from html import escape

HERE = os.path.dirname(os.path.abspath(__file__))
PLACEHOLDER = re.compile(r"\{\{\{(\w+)\}\}\}|\{\{(\w+)\}\}")


class Template:
    def __init__(self):
        with open(os.path.join(HERE, "Web", "page.html"), encoding="utf-8") as file:
            self.text = file.read()

    def fill(self, values):
        """{{name}} is a text, which is escaped; {{{name}}} is HTML."""
        return PLACEHOLDER.sub(lambda match: values[match[1]] if match[1] else escape(values[match[2]]), self.text)
