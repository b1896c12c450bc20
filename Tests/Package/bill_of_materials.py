"""Validates a CycloneDX file against the schema of its version, and that its parts name each other.

usage: bill_of_materials.py FILE
"""

import json
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = open(sys.argv[1]).read()
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
if error:
    sys.exit(f"{sys.argv[1]}: {error}")
bill = json.loads(text)
references = [component["bom-ref"] for component in bill["components"]]
references += [inner["bom-ref"] for component in bill["components"] for inner in component.get("components", [])]
known = {*references, bill["metadata"]["component"]["bom-ref"]}
named = {entry["ref"] for entry in bill["dependencies"]} | {to for entry in bill["dependencies"] for to in entry.get("dependsOn", [])}
if len(set(references)) != len(references) or not named <= known:
    sys.exit(f"{sys.argv[1]}: references that occur twice or lead nowhere: {sorted(named - known)}")
for name in ("swift-nio", "swift-crypto", "GRDB.swift", "hummingbird", "swift-runtime", "libsqlite3-0", "libc6"):
    if not any(component["name"] == name and component["version"] for component in bill["components"]):
        sys.exit(f"{sys.argv[1]}: {name} is missing, or has no version")
print(f"{sys.argv[1]}: valid, {len(references)} components")
