# Sourced by ./run: the OpenAPI description that the emulator serves.

# embed_openapi FOLDER writes the description as source. It is compiled in, as the tables are, because a binary is moved
# and a bundle of resources is not.
embed_openapi() {
    local target=$1
    mkdir -p "$target"
    {
        echo "// Generated from docs/openapi/apple-external-purchase.json by \`./run tables\`. Do not edit."
        echo "// swift-format-ignore-file"
        echo "enum AppleInterface {"
        echo "    static let openAPI = ##\"\"\""
        cat docs/openapi/apple-external-purchase.json
        echo '"""##'
        echo "}"
    } >"$target/AppleInterface.swift"
}
