# Writes a Markdown document anew with its samples: between `<!-- sample: FILE REGION -->` and `<!-- end of sample -->`
# come the lines of FILE between its comments `region REGION` and `endregion`, without the indentation of the first
# comment. Anything else is an error.

function fail(text) {
    print "samples: " FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

function fence(file) {
    if (file ~ /\.py$/) return "python"
    if (file ~ /\.mjs$/) return "js"
    if (file ~ /\.php$/) return "php"
    if (file ~ /\.go$/) return "go"
    if (file ~ /\.rb$/) return "ruby"
    if (file ~ /\.swift$/) return "swift"
    fail(file " has no known language")
}

function region(file, name, line, inside, blank, count, state, indentation) {
    print "```" fence(file)
    while ((state = (getline line < file)) > 0) {
        if (line ~ "^ *(#|//) region " name "$") { inside = 1; indentation = match(line, /[^ ]/) - 1; continue }
        if (!inside) continue
        if (line ~ /^ *(#|\/\/) endregion$/) { inside = 2; break }
        # Blank lines at the start and the end of a region are left out.
        if (line == "") { blank = blank "\n"; continue }
        if (count++) printf "%s", blank
        blank = ""
        if (substr(line, 1, indentation) ~ /[^ ]/) fail(file ": a line of the region " name " is indented less than it")
        print substr(line, indentation + 1)
    }
    if (state < 0) fail(file " cannot be read")
    close(file)
    if (inside != 2 || !count) fail(file " has no region " name " that ends with endregion")
    print "```"
}

/^<!-- sample: / {
    if (open) fail("the sample before has no end")
    if (NF != 5 || $5 != "-->") fail("a sample is <!-- sample: FILE REGION -->")
    print
    region($3, $4)
    open = 1
    next
}
/^<!-- end of sample -->$/ {
    if (!open) fail("there is no sample to end")
    open = 0
}
!open
END {
    if (!failed && open) fail("the last sample has no end")
    exit failed
}
