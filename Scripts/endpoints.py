"""Endpoint+Generated.swift: method, path, callers, query parameters, summary and body members of each path, from OpenAPI."""

import json
import sys

document = json.load(open(sys.argv[1]))
schemas = document["components"]["schemas"]


def resolved(value):
    return document["components"]["parameters"][value["$ref"].split("/")[-1]] if "$ref" in value else value


def endpoint(path, method, operation):
    scopes = [scope for scope in operation.get("x-scopes", []) if scope != "admin"]
    if operation.get("security") == []:
        access = ".signed" if method == "post" else ".open"
    else:
        access = f".key([{', '.join('.' + scope for scope in scopes)}])"
    query = [parameter["name"] for parameter in map(resolved, operation.get("parameters", [])) if parameter["in"] == "query"]
    # Below /v1 an unknown parameter is refused, except where a provider or Apple writes the address.
    known = path.startswith("/v1/") and access != ".signed"
    parameters = f"[{', '.join(json.dumps(name) for name in query)}]" if known else "nil"
    route = path.replace("/{path}", "/**")
    return f'Endpoint(.{method}, "{route}", {access}, parameters: {parameters}, {json.dumps(operation["summary"])}),'


def bodies():
    """The object schemas that are the body of a request."""
    for methods in document["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            if operation.get("security") == []:
                continue
            for schema in content.get("oneOf", [content]):
                name = schema.get("$ref", "").split("/")[-1]
                if "properties" in schemas.get(name, {}):
                    yield name


print("import HTTPTypes\nimport Ledger\n")
print("extension Endpoint {")
print("    static let interface: [Endpoint] = [")
for path, methods in document["paths"].items():
    for method, operation in methods.items():
        print("        " + endpoint(path, method, operation))
print("    ]")
print("}")
print("/// The members of each request's body.")
print("enum RequestMembers {")
for name in sorted(set(bodies())):
    members = ", ".join(json.dumps(member) for member in schemas[name]["properties"])
    print(f"    static let {name[0].lower() + name[1:]} = [{members}]")
print("}")
