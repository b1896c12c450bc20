"""Writes the wheel of Packaging/python, with the program in it: the same files give the same bytes.

usage: wheel.py --version VERSION --tree FOLDER --output FOLDER

The tree has bin, lib and share/doc, as ./run release makes it. The platform of the wheel is the oldest glibc that has the symbols
of the program and its libraries. SOURCE_DATE_EPOCH is the time of the files. Prints the wheel's name.
"""

import argparse
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import time
import tomllib
import zipfile

SOURCES = pathlib.Path("Packaging/python")


def python_version(version):
    """0.1.0~rc1 as Python writes it, 0.1.0rc1; other suffixes are no versions of a wheel."""
    return re.sub(r"~?(a|b|rc)\.?(\d+)$", r"\1\2", version)


def platform(files):
    """manylinux_2_NN_ARCH for the newest symbol of glibc that one of the files asks for."""
    newest = (2, 17)
    for file in files:
        symbols = subprocess.run(["objdump", "-T", file], check=True, capture_output=True, text=True).stdout
        found = [tuple(map(int, version.split(".")[:2])) for version in re.findall(r"\(?GLIBC_(2\.\d+)", symbols)]
        newest = max([newest, *found])
    return f"manylinux_{newest[0]}_{newest[1]}_{os.uname().machine}"


def metadata(project, version, licences):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in licences),
        *(f"Classifier: {name}" for name in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
        "",
        (SOURCES / project["readme"]).read_text(),
    ]
    return "\n".join(lines)


def entry_points(project):
    groups = {"console_scripts": project["scripts"], **project["entry-points"]}
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()) for group, entries in groups.items())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--tree", required=True, type=pathlib.Path)
    parser.add_argument("--output", required=True, type=pathlib.Path)
    options = parser.parse_args()
    project = tomllib.loads((SOURCES / "pyproject.toml").read_text())["project"]
    version = python_version(options.version)
    name = project["name"].replace("-", "_")
    documents = options.tree / "share/doc/external-purchase"
    programs = sorted(path for part in ("bin", "lib") for path in (options.tree / part).rglob("*") if path.is_file())
    tag = f"py3-none-{platform(programs)}"

    # Name in the wheel, content, mode.
    entries = [(f"{name}/{path.name}", path.read_bytes(), 0o644) for path in sorted((SOURCES / "src" / name).iterdir()) if path.is_file()]
    entries += [(f"{name}/program/{path.relative_to(options.tree)}", path.read_bytes(), path.stat().st_mode & 0o777) for path in programs]
    licences = {"LICENSE": pathlib.Path("LICENSE")}
    licences |= {path.name: path for path in sorted(documents.glob("*copyright"))}
    info = f"{name}-{version}.dist-info"
    entries += [(f"{info}/licenses/{key}", path.read_bytes(), 0o644) for key, path in licences.items()]
    entries += [
        (f"{info}/sboms/external-purchase.cdx.json", (documents / "external-purchase.cdx.json").read_bytes(), 0o644),
        (f"{info}/METADATA", metadata(project, version, licences).encode(), 0o644),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: external-purchase\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644),
        (f"{info}/entry_points.txt", entry_points(project).encode(), 0o644),
    ]
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for path, content, _ in entries
    )
    entries.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))

    wheel = options.output / f"{name}-{version}-{tag}.whl"
    moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content, mode in entries:
            entry = zipfile.ZipInfo(path, moment)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    print(wheel.name)


main()
