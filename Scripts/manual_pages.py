"""Writes a manual page for each command: external-purchase.1, external-purchase-emulator.1, …

usage: PROGRAM --experimental-dump-help | manual_pages.py --version VERSION --output FOLDER

The texts are those of --help. SOURCE_DATE_EPOCH is the date of the pages.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import sys

# Options of every command, which come last.
COMMON = {"quiet", "verbose", "version", "help"}
EXIT_CODES = [
    ("0", "Done."),
    ("1", "The check found errors, or the other side refused."),
    ("2", "Wrong usage, or input that cannot be read."),
    ("3", "The other side failed or could not be reached."),
]


def roff(text):
    """Text without meaning for the formatter. A hyphen stays one, so that options can be copied and searched."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def paragraphs(text):
    """A discussion: paragraphs, of which one with indented lines is shown as it is."""
    parts = []
    for part in text.strip("\n").split("\n\n"):
        is_shown = any(line.startswith(" ") for line in part.split("\n"))
        parts.append(".nf\n" + roff(part) + "\n.fi" if is_shown else roff(part))
    return "\n.PP\n".join(parts)


def shown(entries):
    return [entry for entry in entries if entry.get("shouldDisplay", True)]


def spelling(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def term(argument):
    if argument["kind"] == "positional":
        return rf"\fI{roff(argument['valueName'])}\fR"
    names = ", ".join(rf"\fB{roff(spelling(name))}\fR" for name in argument["names"])
    return names if argument["kind"] == "flag" else rf"{names} \fI{roff(argument['valueName'])}\fR"


def synopsis(argument):
    if argument["kind"] == "positional":
        text = term(argument)
    else:
        text = rf"\fB{roff(spelling(argument['preferredName']))}\fR"
        if argument["kind"] == "option":
            text += rf" \fI{roff(argument['valueName'])}\fR"
    if argument["isRepeating"]:
        text += " .\\|.\\|."
    # The mark at the end says that no sentence ends there.
    return (f"[{text}]" if argument["isOptional"] else text) + r"\&"


def description(argument):
    text = argument.get("abstract", "")
    details = []
    if argument.get("allValues"):
        details.append("one of " + ", ".join(argument["allValues"]))
    if "defaultValue" in argument:
        details.append(f"default: {argument['defaultValue']}")
    return roff(text + (f" ({'; '.join(details)})" if details else ""))


def list_of(title, entries):
    if entries:
        yield f".SH {title}"
        for name, text in entries:
            yield f".TP\n{name}\n{text}"


def page(command, path, version, date):
    name = "-".join(path)
    arguments = shown(command.get("arguments", []))
    # The command `help` has no page: it prints what the pages say.
    commands = [inner for inner in shown(command.get("subcommands", [])) if inner["commandName"] != "help"]
    positional = [argument for argument in arguments if argument["kind"] == "positional"]
    options = [argument for argument in arguments if argument["kind"] != "positional"]
    options.sort(key=lambda argument: argument["preferredName"]["name"] in COMMON)
    lines = [
        f'.TH "{roff(name.upper())}" 1 "{date}" "external\\-purchase {roff(version)}" ""',
        ".SH NAME",
        rf"{roff(name)} \- {roff(command.get('abstract', '').rstrip('.'))}",
        ".SH SYNOPSIS",
        ".nh",
        rf"\fB{roff(' '.join(path))}\fR",
    ]
    if commands:
        default = command.get("defaultSubcommand")
        lines.append(r"[\fIcommand\fR]" if default else r"\fIcommand\fR")
    own = [argument for argument in options if argument["preferredName"]["name"] not in COMMON]
    lines += [synopsis(argument) for argument in sorted(own, key=lambda argument: argument["isOptional"]) + positional]
    lines.append(".hy")
    if command.get("discussion"):
        lines += [".SH DESCRIPTION", paragraphs(command["discussion"])]
    entries = []
    for inner in commands:
        note = " This is the default." if inner["commandName"] == command.get("defaultSubcommand") else ""
        title = rf"\fB{roff('-'.join([*path, inner['commandName']]))}\fR(1)"
        entries.append((title, roff(inner.get("abstract", "") + note)))
    lines += list_of("COMMANDS", entries)
    lines += list_of("ARGUMENTS", [(term(argument), description(argument)) for argument in positional])
    lines += list_of("OPTIONS", [(term(argument), description(argument)) for argument in options])
    if len(path) == 1:
        lines += list_of("EXIT STATUS", [(rf"\fB{code}\fR", roff(text)) for code, text in EXIT_CODES])
    else:
        lines += [".SH SEE ALSO", rf"\fB{roff('-'.join(path[:-1]))}\fR(1)"]
    return "\n".join(line for line in lines if line) + "\n"


def write(command, path, options, date):
    (options.output / f"{'-'.join(path)}.1").write_text(page(command, path, options.version, date))
    for inner in shown(command.get("subcommands", [])):
        if inner["commandName"] != "help":
            write(inner, [*path, inner["commandName"]], options, date)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    tree = json.load(sys.stdin)
    if tree.get("serializationVersion") != 0:
        sys.exit(f"manual pages: the help has format {tree.get('serializationVersion')!r}, this script reads 0")
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    options.output.mkdir(parents=True, exist_ok=True)
    write(tree["command"], [tree["command"]["commandName"]], options, moment.strftime("%Y-%m-%d"))


if __name__ == "__main__":
    main()
