"""docs/paths.md: the paths and lists of the merchant's server, from its OpenAPI description."""

import json

HEAD = """\
# Paths and lists

For whoever calls the server: each path with its scopes and answers, the filters of each list, and how to make a client. This page is written by
`./run tables` from [openapi/external-purchase-server.json](openapi/external-purchase-server.json), which has parameters, bodies with their
limits, every status and examples.

## Paths

`admin` keys may call every path; the column lists the other [scopes](keys-and-users.md), or `admin` where there is none. A path that needs
a key also answers 401, 403 and 429. Every path with `GET` also accepts `HEAD`, and a method that a path does not have is 405 with `Allow`.
"""

CLIENTS = """\
The pages for people are those of the [dashboard](dashboard.md).

## Clients

`GET /openapi.json` answers the description, in OpenAPI 3.1. Any generator makes a client from it, and any viewer shows it:

```
curl -sO http://127.0.0.1:8800/openapi.json
npx @openapitools/openapi-generator-cli generate -i openapi.json -g typescript-fetch -o client     # or -g java, php, ruby, …
npx @redocly/cli build-docs openapi.json                                                           # one HTML page
```

For Swift, [swift-openapi-generator](https://github.com/apple/swift-openapi-generator) reads `openapi.json` at build time.
`./run openapi` sends what the document allows and forbids to a server and compares every answer
([schemathesis](https://schemathesis.io)).

## Lists

Lists come in pages: `limit` (100), and `after` with the `next` of the page before. All accept `from` and `until` (the
end excluded) and the parameters of this table; several have to hold together. Another name is 422 with the valid ones,
and so is another value of `bundleId` (the apps of the configuration), `environment`, `state`, `standing`, `flag`,
`programme` (of the catalog), `month`, and `kind`. Ids, `subtype`, and `kind` of events and notifications may be any text.
"""

END = """\
A sale that was moved to another token is found by that one. A sale without a token counts in the `environment` of the
token that it names, else in the one that it states, else in production. The customer or checkout of a report or notification is
that of its token. `externalPurchaseId` and `saleId` of a review item name its subject, those of an audit entry what the
entry names itself. `ledger due`, `ledger review` and `ledger audit` accept the same as `--filter state=overdue`,
also several times."""

PAGING = ("limit", "after", "from", "until")
GO_BY = "`from` and `until` go by "

document = json.load(open("docs/openapi/external-purchase-server.json", encoding="utf-8"))


def resolved(value):
    return document["components"]["parameters"][value["$ref"].split("/")[-1]] if "$ref" in value else value


def callers(method, operation):
    if operation.get("security") == []:
        return "signed" if method == "post" else "everybody"
    scopes = [scope for scope in operation["x-scopes"] if scope != "admin"] or ["admin"]
    return ", ".join(f"`{scope}`" for scope in scopes)


def path_row(path, method, operation):
    statuses = [status for status in operation["responses"] if status not in ("401", "403", "429")]
    cells = [f"`{method.upper()} {path}`", callers(method, operation), ", ".join(statuses), operation["summary"]]
    return "| " + " | ".join(cells) + " |"


def list_row(path, operation):
    names = [parameter["name"] for parameter in map(resolved, operation.get("parameters", []))]
    if not set(PAGING) <= set(names):
        return None
    parameters = ", ".join(f"`{name}`" for name in names if name not in PAGING)
    before, found, rows = operation.get("description", "").partition(GO_BY)
    if not found:
        raise SystemExit(f"paths: the description of GET {path} lacks '{GO_BY}…'")
    return f"| `{path}` | {parameters} | {rows.rstrip('.')} |"


operations = [
    (path, method, operation) for path, methods in document["paths"].items() for method, operation in methods.items()
]
print(HEAD)
print("| path | scope | answers | purpose |\n|---|---|---|---|")
for each in operations:
    print(path_row(*each))
print()
print(CLIENTS)
print("| list | parameters | `from` and `until` go by |\n|---|---|---|")
for path, method, operation in operations:
    if method == "get" and (row := list_row(path, operation)):
        print(row)
print()
print(END)
