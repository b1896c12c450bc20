# Reads Scripts/lint-rules.txt, then every rule's file; writes the Swift texts and the pages.
# Plain awk, so that it runs with mawk, gawk and the awk of macOS.

function refuse(reason) {
    print "run: " reason | "cat 1>&2"
    refused = 1
}

function quoted(line) {
    sub(/^[^"]*"/, "", line)
    sub(/".*$/, "", line)
    return line
}

# Keeps the rule whose file ends here.
function finish() {
    if (file == "") return
    if (id == "" || severity == "" || text == "") {
        refuse(file ": a rule needs an id, a severity and a documentation comment above its type")
    } else if (!(id in listed)) {
        refuse(file ": add " id " to Scripts/lint-rules.txt, in the group it belongs to")
    } else if (summary !~ /\.$/) {
        refuse(file ": the first line of the comment must be one sentence")
    } else if (text !~ /\nBreaks it:\n\n```/ || text !~ /\nRight:\n\n```/ || text !~ /\nFollows: [^\n]+ \((documented|house)\)\.\n$/) {
        refuse(file ": the comment needs \"Breaks it:\" and \"Right:\", each with a fenced block, and ends with \"Follows: CF-1 (house).\"")
    } else if (text ~ /"""##/) {
        refuse(file ": the comment may not contain \"\"\"##")
    } else {
        severities[id] = severity
        fixables[id] = fixable
        summaries[id] = summary
        texts[id] = text
        files[id] = file
    }
}

FNR == 1 {
    if (NR > 1) finish()
    file = NR == 1 ? "" : FILENAME
    id = severity = summary = text = comment = ""
    fixable = 0
}

file == "" && /^# / { group = substr($0, 3); next }
file == "" && NF { order[++count] = $0; groups[count] = group; listed[$0] = 1; next }
file == "" { next }

/^\/\/\// { comment = comment substr($0, 5) "\n"; next }
text == "" && comment != "" && /^(public )?(struct|enum) / {
    text = comment
    summary = substr(comment, 1, index(comment, "\n") - 1)
}
/^    static let id = "/ { id = quoted($0) }
/^    static let severity = Severity\./ { severity = $0; sub(/.*Severity\./, "", severity) }
/^    static let isFixable = true/ { fixable = 1 }
{ comment = "" }

END {
    finish()
    if (refused) exit 1

    print "// Generated from Sources/App/ConfigurationLint/Rules by `./run tables`. Do not edit." > swift
    print "// swift-format-ignore-file" > swift
    print "extension RuleDocs {" > swift
    print "    static let all: [Entry] = [" > swift
    readme = pages "/README.md"
    print "<!-- Generated from Sources/App/ConfigurationLint/Rules by `./run tables`. Do not edit. -->" > readme
    print "# The rules of the linter\n" > readme
    print "An **error** cannot work or breaks a documented rule; the runtime ignores the entry. A **warning** is likely" > readme
    print "wrong, or risky because nothing is documented. A **note** informs. `external-purchase lint --fix` repairs what" > readme
    print "the column \"fix\" says, where the repair cannot alter the meaning. \"Documented\" rules repeat Apple's documents," > readme
    print "\"house\" rules are this project's reading; [rules.md](../rules.md) explains the numbers." > readme
    group = ""
    for (number = 1; number <= count; number++) {
        id = order[number]
        if (!(id in texts)) continue
        repair = fixables[id] ? "repaired by `lint --fix` where only one repair is possible" : "to be repaired by hand"
        body = "Severity: " severities[id] "; " repair ".\n\n" texts[id]

        print "        Entry(id: \"" id "\", summary: ##\"" summaries[id] "\"##, explanation: ##\"\"\"" > swift
        printf "%s", body > swift
        print "\"\"\"##)," > swift

        page = pages "/" id ".md"
        print "<!-- Generated from " files[id] " by `./run tables`. Do not edit. -->" > page
        print "# " id "\n" > page
        printf "%s", body > page
        close(page)

        if (groups[number] != group) {
            group = groups[number]
            print "\n## " group "\n\n| rule | severity | fix | finds |\n|---|---|---|---|" > readme
        }
        cell = summaries[id]
        gsub(/\|/, "\\|", cell)
        print "| [`" id "`](" id ".md) | " severities[id] " | " (fixables[id] ? "yes" : "no") " | " cell " |" > readme
    }
    print "    ]\n}" > swift
}
