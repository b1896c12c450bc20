# Sourced by ./run: the generated sources, and what generates them. Tables, pages and documents are compiled in as text,
# because a binary is moved and a bundle of resources is not.

# The documents with samples, which are regions of programs.
sampled_documents=(
    docs/emulator.md docs/wrapper-bridge.md docs/react-native.md Conformance/README.md
    Sources/App/ExternalPurchaseKit/ExternalPurchaseKit.docc/sell-outside-the-app-store-in-an-afternoon.md
)

# Every generated file in a folder that also holds others.
generated_files=("${sampled_documents[@]}" docs/checklists.md docs/paths.md docs/bridge/bridge-v1.d.ts)

# generated_header SOURCE writes the lines with which a generated Swift file begins.
generated_header() {
    echo "// Generated from $1 by \`./run tables\`. Do not edit."
    echo "// swift-format-ignore-file"
}

# literal NAME FILE writes the text of a file, without its last line break, as a raw string literal.
literal() {
    if [ -n "$(tail -c 1 "$2")" ]; then
        say "$2: the last line has no line break"
        return 1
    fi
    if grep -qE $'"""##|\\\\##|\r' "$2"; then
        say "$2: a raw string literal cannot hold \"\"\"##, \\## or a carriage return"
        return 1
    fi
    echo "    static let $1 = ##\"\"\""
    cat "$2"
    echo '"""##'
}

# embed_tables FOLDER writes a file for each table of Data/.
embed_tables() {
    local folder=$1 name file
    mkdir -p "$folder"
    for name in countries currencies errors fiscalCalendar programmes regions; do
        file=$name.json
        [ $name = fiscalCalendar ] && file=fiscal-calendar.json
        {
            generated_header "Data/$file"
            echo "extension EmbeddedTables {"
            literal $name "Data/$file"
            echo "}"
        } >"$folder/EmbeddedTables+$name.swift"
    done
}

# embed_gemshop FOLDER writes the files of the app that the demo plays and the device page has as a sample.
embed_gemshop() {
    mkdir -p "$1"
    {
        generated_header Examples/GemShop
        echo "package enum GemShopFiles {"
        literal infoPlist Examples/GemShop/Info.plist | sed "s/^    static let/    package static let/"
        literal entitlements Examples/GemShop/GemShop.entitlements | sed "s/^    static let/    package static let/"
        echo "}"
    } >"$1/GemShopFiles.swift"
}

# embed_sales_profiles FOLDER writes the profiles of providers' files: stripe-balance.json is the one named stripe-balance.
embed_sales_profiles() {
    local LC_ALL=C file name constant names=
    mkdir -p "$1"
    {
        generated_header Data/sales-profiles
        echo "enum SalesProfileFiles {"
        for file in Data/sales-profiles/*.json; do
            name=$(basename "$file" .json)
            constant=$(sed -E 's/-([a-z])/\u\1/g' <<<"$name")
            literal "$constant" "$file"
            names="$names(\"$name\", $constant), "
        done
        echo "    static let all: [(name: String, json: String)] = [${names%, }]"
        echo "}"
    } >"$1/SalesProfileFiles.swift"
}

# embed_openapi DOCUMENT TYPE FOLDER writes the OpenAPI description that a server answers, as the text of a type.
embed_openapi() {
    mkdir -p "$3"
    {
        generated_header "$1"
        echo "enum $2 {"
        literal json "$1"
        echo "}"
    } >"$3/$2+Generated.swift"
}

# embed_endpoints FOLDER writes the endpoints of the merchant's server from its description; without python3 they stay as they are.
embed_endpoints() {
    mkdir -p "$1"
    if command -v python3 >/dev/null; then
        {
            generated_header docs/openapi/external-purchase-server.json
            python3 -B Scripts/endpoints.py docs/openapi/external-purchase-server.json
        } >"$1/Endpoint+Generated.swift"
    else
        say "the list of endpoints stays as it is: python3 is missing"
        cp Sources/Merchant/ReportingServer/Generated/Endpoint+Generated.swift "$1"
    fi
}

# embed_web WEB FOLDER writes the pages, style sheets and scripts of a target: device.html becomes WebFiles.deviceHTML.
embed_web() {
    local LC_ALL=C file name
    mkdir -p "$2"
    {
        generated_header "$1"
        echo "enum WebFiles {"
        for file in "$1"/*; do
            name=${file##*/}
            literal "${name%.*}$(tr a-z A-Z <<<"${name##*.}")" "$file"
        done
        echo "}"
    } >"$2/WebFiles.swift"
}

# embed_runbooks FOLDER writes the runbooks that the dashboard shows: sale-held.md is the file named sale-held.
embed_runbooks() {
    local LC_ALL=C file name constant names=
    mkdir -p "$1"
    {
        generated_header docs/runbooks
        echo "enum RunbookFiles {"
        for file in docs/runbooks/*.md; do
            name=$(basename "$file" .md)
            constant=$(tr A-Z a-z <<<"$name" | sed -E 's/-([a-z])/\u\1/g')
            literal "$constant" "$file"
            names="$names(\"$name\", $constant), "
        done
        echo "    static let all = [${names%, }]"
        echo "}"
    } >"$1/RunbookFiles.swift"
}

# embed_conformance FOLDER writes the published cases; line-item.json of the suite's list becomes ConformanceFiles.lineItem.
embed_conformance() {
    local LC_ALL=C file name names=
    mkdir -p "$1"
    {
        generated_header Conformance
        echo "enum ConformanceFiles {"
        literal suite Conformance/suite.json
        for file in Conformance/cases/*.json; do
            name=$(basename "$file" .json | sed -E 's/^[0-9]+-//; s/-([a-z])/\u\1/g')
            literal "$name" "$file"
            names="$names(\"${file##*/}\", $name), "
        done
        echo "    static let cases = [${names%, }]"
        echo "}"
    } >"$1/ConformanceFiles.swift"
}

# embed_rules FOLDER PAGES writes the documentation that the linter carries into the one folder and a page per rule into
# the other. Scripts/lint-rules.txt orders and groups the rules; each rule's file has its id, severity and comment.
embed_rules() {
    mkdir -p "$1" "$2"
    awk -v swift="$1/RuleDocs+Generated.swift" -v pages="$2" -f Scripts/rule-pages.awk \
        Scripts/lint-rules.txt Sources/App/ConfigurationLint/Rules/*.swift
}

# embed_samples DOCUMENT FILE writes a document whose samples are regions of the programs that it names.
embed_samples() {
    mkdir -p "${2%/*}"
    awk -f Scripts/samples.awk "$1" >"$2"
}

# embed_bridge_types FOLDER writes the TypeScript types of the bridge's messages beside their schema.
embed_bridge_types() {
    mkdir -p "$1"
    awk -f Scripts/bridge-types.awk docs/bridge/bridge-v1.schema.json >"$1/bridge-v1.d.ts"
}

# embed_page PAGE FOLDER writes docs/PAGE.md into a folder, by Scripts/PAGE.py; without python3 the page stays as it is.
embed_page() {
    mkdir -p "$2"
    if command -v python3 >/dev/null; then
        python3 -B "Scripts/$1.py" >"$2/$1.md"
    else
        say "docs/$1.md stays as it is: python3 is missing"
        cp "docs/$1.md" "$2"
    fi
}

# generate ROOT writes every generated file below that folder, each where it lies in the repository.
generate() {
    local sources=$1/Sources document
    embed_tables "$sources/Core/ExternalPurchaseCore/Generated"
    embed_rules "$sources/App/ConfigurationLint/Generated" "$1/docs/lint"
    embed_conformance "$sources/AppStore/ReportConformance/Generated"
    embed_openapi docs/openapi/apple-external-purchase.json OpenAPIDocument "$sources/AppStore/AppStoreEmulator/Generated"
    embed_openapi docs/openapi/external-purchase-server.json ServerDescription "$sources/Merchant/ReportingServer/Generated"
    embed_endpoints "$sources/Merchant/ReportingServer/Generated"
    embed_web Sources/AppStore/AppStoreEmulator/Web "$sources/AppStore/AppStoreEmulator/Generated"
    embed_web Sources/Merchant/ReportingServer/Web "$sources/Merchant/ReportingServer/Generated"
    embed_runbooks "$sources/Merchant/ReportingServer/Generated"
    embed_gemshop "$sources/AppStore/AppStoreEmulator/Generated"
    embed_sales_profiles "$sources/CommandLine/ExternalPurchaseCommands/Generated"
    embed_web Sources/CommandLine/ExternalPurchaseCommands/Web "$sources/CommandLine/ExternalPurchaseCommands/Generated"
    embed_bridge_types "$1/docs/bridge"
    for document in "${sampled_documents[@]}"; do embed_samples "$document" "$1/$document"; done
    embed_page checklists "$1/docs"
    embed_page paths "$1/docs"
}

# generated_folders ROOT names the folders that hold generated files, in the repository or below that root.
generated_folders() {
    {
        find Sources -type d -name Generated
        (cd "$1" && find Sources -type d -name Generated)
        echo docs/lint
    } | sort -u
}

# check_generated FRESH generates below an empty folder and compares the result with the repository.
check_generated() {
    local folder same=yes
    generate "$1"
    for folder in $(generated_folders "$1") "${generated_files[@]}"; do
        diff -r "$1/$folder" "$folder" || same=no
    done
    [ $same = yes ] || { say "generated files differ from their sources; run ./run tables"; return 1; }
}

# write_generated FRESH generates below an empty folder and copies what differs: a file that stays as it is keeps its
# time, and the compiler does not compile its target again.
write_generated() {
    local folder file
    generate "$1"
    for folder in $(generated_folders "$1"); do
        [ -d "$1/$folder" ] || { rm -r "$folder"; continue; }
        mkdir -p "$folder"
        for file in "$folder"/*; do [ -e "$1/$file" ] || rm -f "$file"; done
        for file in "$1/$folder"/*; do
            cmp -s "$file" "$folder/${file##*/}" || cp "$file" "$folder/"
        done
    done
    for file in "${generated_files[@]}"; do cmp -s "$1/$file" "$file" || cp "$1/$file" "$file"; done
}
