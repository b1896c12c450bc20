# Writes the TypeScript types of a JSON Schema: a type for each definition. `configure.request` becomes ConfigureRequest.
# Of JSON Schema it knows what docs/bridge/bridge-v1.schema.json uses; another keyword is an error, so that no type says
# less than its definition without notice.

function fail(reason) {
    print "bridge-types: " FILENAME ": " reason > "/dev/stderr"
    failed = 1
    exit 1
}

# MARK: JSON. Values are numbered; kind, members and text of each are in arrays.

function blank() { while (substr(json, at, 1) ~ /[ \t\n\r]/) at++ }

function expect(character) {
    blank()
    if (substr(json, at, 1) != character) fail("\"" character "\" is expected at byte " at)
    at++
}

function string(start) {
    expect("\"")
    start = at
    while (substr(json, at, 1) != "\"") at += substr(json, at, 1) == "\\" ? 2 : 1
    return substr(json, start, at++ - start)
}

function value(me, name, character) {
    me = ++values
    blank()
    character = substr(json, at, 1)
    if (character == "{" || character == "[") {
        kind[me] = character
        at++
        blank()
        if (substr(json, at, 1) ~ /[]}]/) { at++; return me }
        do {
            name = character == "{" ? string() : count[me] + 1
            if (character == "{") expect(":")
            names[me, ++count[me]] = name
            member[me, name] = value()
            blank()
        } while (substr(json, at++, 1) == ",")
        return me
    }
    if (character == "\"") {
        kind[me] = "\""
        text[me] = string()
        return me
    }
    kind[me] = "scalar"
    if (!match(substr(json, at), /^[a-z0-9.-]+/)) fail("a value is expected at byte " at)
    text[me] = substr(json, at, RLENGTH)
    at += RLENGTH
    return me
}

# MARK: Types

# typeName DEFINITION: availability.event → AvailabilityEvent.
function typeName(definition, parts, number, name, i) {
    number = split(definition, parts, ".")
    for (i = 1; i <= number; i++) name = name toupper(substr(parts[i], 1, 1)) substr(parts[i], 2)
    return name
}

function literal(of) { return kind[of] == "\"" ? "\"" text[of] "\"" : text[of] }

function simple(name) {
    if (name == "integer" || name == "number") return "number"
    if (name == "string" || name == "boolean" || name == "null") return name
    fail("the type \"" name "\" is not known")
}

function requires(of, name, list, i) {
    if (!((of, "required") in member)) return 0
    list = member[of, "required"]
    for (i = 1; i <= count[list]; i++) if (text[member[list, i]] == name) return 1
    return 0
}

function union(list, margin, i, result) {
    for (i = 1; i <= count[list]; i++) result = result (i > 1 ? " | " : "") type(member[list, i], margin)
    return result
}

function comment(of, margin) {
    return ((of, "description") in member) ? margin "/** " text[member[of, "description"]] " */\n" : ""
}

function object(of, margin, list, i, name, inner, result) {
    if ((of, "properties") in member) {
        list = member[of, "properties"]
        inner = margin "  "
        for (i = 1; i <= count[list]; i++) {
            name = names[list, i]
            result = result comment(member[list, name], inner) inner name (requires(of, name) ? "" : "?") ": " \
                type(member[list, name], inner) ";\n"
        }
        return result == "" ? "Record<string, never>" : "{\n" result margin "}"
    }
    if (!((of, "additionalProperties") in member)) fail("an object has neither properties nor additionalProperties")
    i = member[of, "additionalProperties"]
    return "Record<string, " (kind[i] == "scalar" ? "unknown" : type(i, margin)) ">"
}

function type(of, margin, i, list, name, result) {
    for (i = 1; i <= count[of]; i++) if (!(names[of, i] in keywords)) fail("the keyword \"" names[of, i] "\" is not known")
    if ((of, "$ref") in member) return typeName(substr(text[member[of, "$ref"]], 9))
    if ((of, "const") in member) return literal(member[of, "const"])
    if ((of, "enum") in member) {
        list = member[of, "enum"]
        for (i = 1; i <= count[list]; i++) result = result (i > 1 ? " | " : "") literal(member[list, i])
        return result
    }
    if ((of, "oneOf") in member) return union(member[of, "oneOf"], margin)
    if (!((of, "type") in member)) fail("a definition has no type")
    list = member[of, "type"]
    if (kind[list] == "[") {
        for (i = 1; i <= count[list]; i++) result = result (i > 1 ? " | " : "") simple(text[member[list, i]])
        return result
    }
    name = text[list]
    if (name == "object") return object(of, margin)
    if (name == "array") {
        result = type(member[of, "items"], margin)
        return result ~ /[|]/ && result !~ /^\{/ ? "(" result ")[]" : result "[]"
    }
    return simple(name)
}

{ json = json $0 "\n" }

END {
    if (failed) exit 1
    split("$ref const enum oneOf type properties additionalProperties required items description minLength maxLength " \
        "pattern minimum maximum maxItems uniqueItems maxProperties propertyNames", known, " ")
    for (i in known) keywords[known[i]] = 1
    at = 1
    root = value()
    print "// Generated from " FILENAME " by `./run tables`. Do not edit."
    print "//"
    print "// " text[member[root, "title"]] ". A host ignores members that it does not know, and"
    print "// treats an outcome or kind that is not in these types as failed."
    definitions = member[root, "$defs"]
    for (i = 1; i <= count[definitions]; i++) {
        name = names[definitions, i]
        one = member[definitions, name]
        printf "\n%sexport type %s = %s;\n", comment(one, ""), typeName(name), type(one, "")
        if (name ~ /\.request$/) requests[++requestCount] = substr(name, 1, length(name) - 8)
    }
    print "\n/** The parameters and the result of each method. */\nexport interface Methods {"
    for (i = 1; i <= requestCount; i++) {
        name = typeName(requests[i])
        print "  " requests[i] ": { parameters: " name "Request[\"parameters\"]; result: " name "Result };"
    }
    print "}"
}
