# Sourced by ./run: what users read about the lint rules, made from the rules' own files.

# embed_rules SWIFT PAGES writes the texts that the linter carries into the one folder and a page per rule into the
# other. Scripts/lint-rules.txt orders and groups the rules; each rule's file has its id, severity and comment.
embed_rules() {
    local swift=$1 pages=$2 written
    written=$(mktemp -d)
    awk -v swift="$written/RuleTexts.swift" -v pages="$written" -f Scripts/rule-pages.awk \
        Scripts/lint-rules.txt Sources/App/ConfigurationLint/Rules/*.swift \
        || { rm -r "$written"; return 1; }
    mkdir -p "$swift" "$pages"
    rm -f "$pages"/*.md
    mv "$written/RuleTexts.swift" "$swift"
    mv "$written"/*.md "$pages"
    rm -r "$written"
}
