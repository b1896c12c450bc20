"""Writes what a binary is made of, as CycloneDX 1.6, and the licences of it, as Debian's file `copyright`.

usage: bill_of_materials.py --product NAME --version VERSION --scratch FOLDER --binary FILE --output FILE --copyright FILE

Packages are those of Package.resolved from which at least one object file was linked; sources that such a package carries of
others are components inside it. The Swift runtime has the toolchain's version, and the libraries that the binary loads have
that of the Debian package they belong to on this machine. SOURCE_DATE_EPOCH is the time of the list.
"""

import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

# Sources of others inside packages: module, name, licence, where the version is, and its package URL.
CARRIED = [
    ("CNIOBoringSSL", "boringssl", "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT", "hash.txt", r"revision ([0-9a-f]{40})"),
    ("CCryptoBoringSSL", "boringssl", "Apache-2.0 AND BSD-3-Clause AND ISC AND MIT", "hash.txt", r"revision ([0-9a-f]{40})"),
    ("CNIOLLHTTP", "llhttp", "MIT", "include/c_nio_llhttp.h", r"LLHTTP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)"),
    ("CYaml", "libyaml", "MIT", None, None),
    ("CXKCP", "xkcp", "CC0-1.0", None, None),
]
PACKAGE_URLS = {
    "boringssl": "pkg:generic/boringssl@{}?vcs_url=git%2Bhttps://boringssl.googlesource.com/boringssl",
    "llhttp": "pkg:github/nodejs/llhttp@v{}",
}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def linked_modules(scratch, product):
    """The modules that were linked, each with the package of its sources; None is the product's own."""
    lists = list(scratch.glob(f"*/release/{product}.product/Objects.LinkFileList"))
    if len(lists) != 1:
        sys.exit(f"bill of materials: {scratch} has {len(lists)} lists of linked objects of {product}, needs 1")
    folders = {}
    for line in lists[0].read_text().splitlines():
        match = re.match(r"(.*/([^/]+)\.build)/", line.strip().strip("'\""))
        if match:
            # The list has the path at which the folder was built, which may be another name of it.
            folders[match[2]] = lists[0].parent.parent / f"{match[2]}.build"
    modules = {}
    for module, folder in folders.items():
        texts = [folder / "output-file-map.json", *sorted(folder.rglob("*.d"))[:1]]
        found = {name for text in texts if text.exists() for name in re.findall(rf"/checkouts/([^/ ]+)/Sources/{module}/", text.read_text())}
        found = found or {name for text in texts[:1] if text.exists() for name in re.findall(r"/checkouts/([^/ ]+)/", text.read_text())}
        if len(found) > 1:
            sys.exit(f"bill of materials: module {module} seems to be of {', '.join(sorted(found))}")
        modules[module] = found.pop() if found else None
    return modules


def licence(folder):
    """The SPDX id of the licence in a folder, and the text of licence and notices."""
    files = [path for path in sorted(folder.iterdir()) if re.match(r"(?i)(licen[cs]e|notices?|copying)(\.|$)", path.name) and path.is_file()]
    texts = [path.read_text(errors="replace").strip("\n") for path in files]
    head = re.sub(r"\s+", " ", texts[0]) if texts else ""
    if "Apache License Version 2.0" in head:
        name = "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in head else "Apache-2.0"
    elif "Permission is hereby granted, free of charge" in head:
        name = "MIT"
    else:
        sys.exit(f"bill of materials: the licence in {folder} is none that this script knows")
    return name, texts


def licences(expression):
    return [{"expression": expression}] if " " in expression else [{"license": {"id": expression}}]


def packages(scratch, modules):
    pins = json.loads(pathlib.Path("Package.resolved").read_text())["pins"]
    by_folder = {pin["location"].rstrip("/").split("/")[-1].removesuffix(".git").lower(): pin for pin in pins}
    components, texts = [], {}
    for name in sorted({package for package in modules.values() if package}, key=str.lower):
        pin = by_folder.get(name.lower())
        if pin is None:
            sys.exit(f"bill of materials: {name} is linked, and Package.resolved does not have it")
        checkout = scratch / "checkouts" / name
        spdx, texts[name] = licence(checkout)
        path = re.sub(r"^https://|\.git$", "", pin["location"])
        linked = sorted(module for module, package in modules.items() if package == name)
        version = pin["state"]["version"]
        component = {
            "type": "library",
            "bom-ref": f"pkg:swift/{path}@{version}",
            "name": path.split("/")[-1],
            "group": "/".join(path.split("/")[:-1]),
            "version": version,
            "scope": "required",
            "licenses": licences(spdx),
            "purl": f"pkg:swift/{path}@{version}",
            "externalReferences": [{"type": "vcs", "url": pin["location"]}],
            "properties": [
                {"name": "external-purchase:revision", "value": pin["state"]["revision"]},
                {"name": "external-purchase:modules", "value": " ".join(linked)},
            ],
        }
        carried = [inner for module in linked for inner in carried_components(checkout, module)]
        if carried:
            component["components"] = carried
        components.append(component)
    return components, texts


def carried_components(checkout, module):
    for name, component, spdx, file, pattern in CARRIED:
        if name != module:
            continue
        entry = {"type": "library", "bom-ref": f"{module}/{component}", "name": component, "licenses": licences(spdx)}
        if file:
            text = (checkout / "Sources" / module / file).read_text()
            entry["version"] = ".".join(re.findall(pattern, text)[:3])
            entry["purl"] = PACKAGE_URLS[component].format(entry["version"])
        yield entry


def swift_runtime():
    text = output_of("swift", "--version")
    version = re.search(r"Swift version ([0-9.]+)", text)
    if not version:
        sys.exit(f"bill of materials: no version in the output of swift --version: {text!r}")
    return {
        "type": "library",
        "bom-ref": f"swift-runtime@{version[1]}",
        "group": "github.com/swiftlang",
        "name": "swift-runtime",
        "version": version[1],
        "scope": "required",
        "description": "Swift's standard library, Dispatch and Foundation with ICU, linked statically from the toolchain",
        "licenses": [{"expression": "Apache-2.0 WITH Swift-exception"}],
        "purl": f"pkg:swift/github.com/swiftlang/swift@{version[1]}",
        "cpe": f"cpe:2.3:a:apple:swift:{version[1]}:*:*:*:*:*:*:*",
    }


def debian_package(library):
    for path in (library, os.path.realpath(library), library.removeprefix("/usr"), os.path.realpath(library).removeprefix("/usr")):
        found = subprocess.run(["dpkg", "-S", path], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":")[0]
    sys.exit(f"bill of materials: {library} is of no Debian package")


def system_libraries(binary):
    needed = re.findall(r"NEEDED.*\[(.+)\]", output_of("readelf", "-d", str(binary)))
    paths = dict(re.findall(r"(\S+) => (/\S+)", output_of("ldd", str(binary))))
    found = {}
    for name in needed:
        # The loader itself, such as ld-linux-x86-64.so.2, is the C library's.
        if name in paths:
            found.setdefault(debian_package(paths[name]), []).append(name)
    components = []
    for package, names in sorted(found.items()):
        version, architecture, source = output_of(
            "dpkg-query", "-W", "-f", "${Version} ${Architecture} ${source:Package}", package
        ).split()
        purl = f"pkg:deb/debian/{package}@{version.replace('+', '%2B')}?arch={architecture}"
        components.append(
            {
                "type": "library",
                "bom-ref": purl,
                "name": package,
                "version": version,
                "scope": "required",
                "description": "loaded from the system; the version is that of the machine that built the package",
                "purl": purl,
                "properties": [
                    {"name": "external-purchase:source", "value": source},
                    {"name": "external-purchase:libraries", "value": " ".join(names)},
                ],
            }
        )
    return components


def copyright_file(product, own, texts, runtime):
    parts = [f"{product} is made of its own sources and of those below, which are linked into the binary.\n"]
    shared = {}
    for name, files in [(product, own), *sorted(texts.items(), key=lambda item: item[0].lower()), ("Swift runtime", runtime)]:
        parts.append(f"== {name}\n")
        for text in files:
            digest = hashlib.sha256(text.encode()).hexdigest()
            if digest in shared:
                parts.append(f"The same text as that of {shared[digest]} above.\n")
            else:
                shared[digest] = name
                parts.append(text + "\n")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--product", required=True)
    parser.add_argument("--version", required=True)
    for name in ("--scratch", "--binary", "--output", "--copyright"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)

    modules = linked_modules(options.scratch, options.product)
    components, texts = packages(options.scratch, modules)
    components += [swift_runtime(), *system_libraries(options.binary)]
    digest = hashlib.sha256(options.binary.read_bytes()).hexdigest()
    reference = f"pkg:generic/{options.product}@{options.version}"
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, reference + digest)}",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": reference,
                "name": options.product,
                "version": options.version,
                "licenses": licences("Apache-2.0"),
                "purl": reference,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "properties": [
                    {
                        "name": "external-purchase:modules",
                        "value": " ".join(sorted(module for module, package in modules.items() if package is None)),
                    }
                ],
            },
        },
        "components": components,
        "dependencies": [
            {"ref": reference, "dependsOn": [component["bom-ref"] for component in components]},
            *({"ref": component["bom-ref"]} for component in components),
        ],
    }
    options.output.write_text(json.dumps(bill, indent=2, ensure_ascii=False) + "\n")
    toolchain = pathlib.Path(os.path.realpath(output_of("which", "swift").strip())).parent.parent
    runtime = toolchain / "share/swift/LICENSE.txt"
    options.copyright.write_text(
        copyright_file(
            options.product,
            licence(pathlib.Path("."))[1],
            texts,
            [runtime.read_text().strip("\n")] if runtime.exists() else ["Apache License 2.0 with Runtime Library Exception."],
        )
    )


main()
