"""Pages of the OpenAPI descriptions: every path with its parameters, bodies and answers, and every schema."""

import json
from html import escape

from code import code_block
from pages import Heading, Page, files_below, read, slug

FOLDER = "docs/openapi"


def interface_sources(root):
    """The files of descriptions, and the pages that show them."""
    return {path: path.removesuffix(".json") + ".html" for path in files_below(root, FOLDER) if path.endswith(".json")}


def interface_page(root, source, markup):
    return Interface(source, json.loads(read(root, source)), markup).page


class Interface:
    def __init__(self, source, document, markup):
        self.document = document
        self.markup = markup
        self.page = Page("", source.removesuffix(".json") + ".html", document["info"]["title"], "interface")
        self.page.description = document["info"].get("summary", f"{self.page.title}: every path and every schema.")
        name = source.rsplit("/", 1)[-1]
        parts = [
            f"<h1>{escape(self.page.title)}</h1>\n",
            self.text(document["info"]["description"]),
            f'<p>This page shows the OpenAPI {escape(document["openapi"])} description <a href="{escape(name)}">{escape(name)}</a>.</p>\n',
        ]
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if isinstance(operation, dict) and "responses" in operation:
                    parts.append(self.operation(path, method, operation))
        parts.append(self.heading(2, "Schemas"))
        parts += [self.schema(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
        self.page.html = "".join(parts)

    def heading(self, level, text, anchor=None):
        heading = Heading(level, anchor or slug(text), text)
        self.page.headings.append(heading)
        return f'<h{level} id="{escape(heading.anchor)}">{escape(text)}</h{level}>\n'

    def text(self, markdown):
        return self.markup.fragment(self.page, markdown)

    def cell(self, markdown):
        html = self.text(markdown or "").strip()
        return html[3:-4] if html.startswith("<p>") and html.count("<p>") == 1 else html

    def table(self, label, head, rows):
        if not rows:
            return ""
        header = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
        return (
            f'<div class="table" tabindex="0" role="group" aria-label="{escape(label)}"><table>\n'
            f"<thead><tr>{header}</tr></thead>\n<tbody>\n{body}</tbody></table></div>\n"
        )

    def resolved(self, value):
        """The object that a reference names."""
        while "$ref" in value:
            found = self.document
            for part in value["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            value = found
        return value

    def operation(self, path, method, operation):
        title = f"{method.upper()} {path}"
        parts = [self.heading(2, title, slug(f"{method} {path.replace('/', '-').replace('{', '').replace('}', '')}"))]
        summary = operation.get("summary", "")
        parts.append(f"<p>{self.cell(summary)}{'' if summary.endswith('.') else '.'}</p>\n" if summary else "")
        if operation.get("deprecated"):
            parts.append('<p><span class="tag">deprecated</span></p>\n')
        if scopes := operation.get("x-scopes"):
            parts.append(f"<p>Scopes: {', '.join(f'<code>{escape(scope)}</code>' for scope in scopes)}</p>\n")
        parts.append(self.text(operation.get("description", "")))
        rows = []
        for parameter in map(self.resolved, operation.get("parameters", [])):
            need = "required" if parameter.get("required") else "optional"
            rows.append([
                f"<code>{escape(parameter['name'])}</code>", f"{parameter['in']}, {need}", self.type_of(parameter.get("schema", {})),
                self.cell(parameter.get("description") or self.resolved(parameter.get("schema", {})).get("description")),
            ])  # fmt: skip
        parts.append(self.table("Parameters", ["Parameter", "In", "Type", "Description"], rows))
        if "requestBody" in operation:
            parts.append("<p><strong>Body</strong></p>\n")
            parts.append(self.content(self.resolved(operation["requestBody"])))
        rows = []
        examples = []
        for status, response in operation["responses"].items():
            response = self.resolved(response)
            types = [self.type_of(media.get("schema", {})) for media in response.get("content", {}).values()]
            rows.append([f"<code>{escape(status)}</code>", self.cell(response.get("description")), "<br>".join(types)])
            if status.startswith("2"):
                examples.append(self.examples(response, f"Answer {status}"))
        parts.append(self.table("Answers", ["Status", "Meaning", "Body"], rows))
        return "".join([*parts, *examples])

    def content(self, body):
        parts = []
        for media, value in body.get("content", {}).items():
            parts.append(f"<p><code>{escape(media)}</code>: {self.type_of(value.get('schema', {}))}</p>\n")
        return "".join(parts) + self.examples(body, "Body")

    def examples(self, value, label):
        """The first example of a body."""
        for media in value.get("content", {}).values():
            found = [each["value"] for each in media.get("examples", {}).values() if "value" in each]
            found += [media["example"]] if "example" in media else []
            if found:
                text = found[0] if isinstance(found[0], str) else json.dumps(found[0], ensure_ascii=False, indent=2)
                return code_block(text, "" if isinstance(found[0], str) else "json", label)
        return ""

    def type_of(self, schema):
        """The type of a value in words, with a link on a named schema."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[-1]
            return f'<a href="#schema-{escape(name)}">{escape(name)}</a>'
        for key in ("oneOf", "anyOf", "allOf"):
            if key in schema:
                return (" and " if key == "allOf" else " or ").join(self.type_of(each) for each in schema[key])
        if "const" in schema:
            return f"<code>{escape(json.dumps(schema['const'], ensure_ascii=False))}</code>"
        if "enum" in schema and len(schema["enum"]) <= 12:
            return ", ".join(f"<code>{escape(str(each))}</code>" for each in schema["enum"])
        kinds = schema.get("type", "any")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        if "array" in kinds and "items" in schema:
            return f"list of {self.type_of(schema['items'])}"
        text = " or ".join(kinds)
        return escape(f"{text} ({schema['format']})" if "format" in schema else text)

    def schema(self, name, schema):
        parts = [self.heading(3, name, f"schema-{name}")]
        if description := schema.get("description"):
            parts.append(self.text(description))
        if "properties" not in schema:
            parts.append(f"<p>{self.type_of({key: value for key, value in schema.items() if key != '$ref'})}</p>\n")
        required = schema.get("required", [])
        rows = [
            [
                f"<code>{escape(member)}</code>", "required" if member in required else "optional", self.type_of(value),
                self.cell(value.get("description")),
            ]
            for member, value in schema.get("properties", {}).items()
        ]  # fmt: skip
        parts.append(self.table(f"Members of {name}", ["Member", "Need", "Type", "Description"], rows))
        return "".join(parts)
