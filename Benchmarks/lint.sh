#!/bin/bash
# Measures the linter: one property list as a whole process against the toolchain's `plutil -lint`, and a folder of
# many property lists. Prints ratios and rates; see README.md for what they mean.
#
#   Benchmarks/lint.sh                  builds the linter in the release configuration first
#   LINTER=path Benchmarks/lint.sh      measures that program
#
# FILES (10000) is the number of property lists in the folder, RUNS (15) the number of pairs of processes.
set -euo pipefail
export LC_ALL=C

package=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
files=${FILES:-10000}
runs=${RUNS:-15}

fail() {
    echo "lint.sh: $1" >&2
    exit 2
}

plutil=${PLUTIL:-$(command -v plutil || true)}
[[ -n $plutil ]] || fail "no plutil in PATH; it comes with the Swift toolchain, or name one with PLUTIL"
# GNU's program; the shell's own word `time` counts no memory.
[[ -x /usr/bin/time ]] || fail "no /usr/bin/time; install the package time"

if [[ -z ${LINTER:-} ]]; then
    build=(--package-path "$package" -c release --product external-purchase-lint)
    swift build "${build[@]}" >&2
    LINTER=$(swift build "${build[@]}" --show-bin-path)/external-purchase-lint
fi
[[ -x $LINTER ]] || fail "$LINTER: no program"
# The linter looks for settings in the current folder, which must not be the package's.
LINTER=$(cd "$(dirname "$LINTER")" && pwd)/$(basename "$LINTER")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Writes App<n>/Info.plist of 1 to 4 KB for each n from 0. Of three in a row, the first has an http link, a region in
# upper case and a key that is misspelled.
plists() {
    local count=$1 folder=$2
    mkdir -p "$folder"
    (cd "$folder" && seq -f App%.0f 0 $((count - 1)) | xargs mkdir)
    awk -v count="$count" -v folder="$folder" 'BEGIN {
        for (number = 0; number < count; number++) {
            file = folder "/App" number "/Info.plist"
            wrong = number % 3 == 0
            print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" >file
            print "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\"" \
                " \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">" >file
            print "<plist version=\"1.0\">\n<dict>" >file
            print "\t<key>CFBundleIdentifier</key>\n\t<string>com.example.shop" number "</string>" >file
            print "\t<key>CFBundleShortVersionString</key>\n\t<string>1.0</string>" >file
            print "\t<key>MinimumOSVersion</key>\n\t<string>18.0</string>" >file
            print "\t<key>SKExternalPurchase</key>\n\t<array>\n\t\t<string>nl</string>" >file
            print "\t\t<string>" (wrong ? "SE" : "se") "</string>\n\t</array>" >file
            print "\t<key>SKExternalPurchaseLink</key>\n\t<dict>\n\t\t<key>nl</key>" >file
            print "\t\t<string>http" (wrong ? "" : "s") "://www.example-shop.com/pay/" number "</string>\n\t</dict>" >file
            print "\t<key>SKExternalPurchaseMultiLink</key>\n\t<dict>\n\t\t<key>nl</key>\n\t\t<array>" >file
            print "\t\t\t<string>https://www.example-shop.com/pay/" number "</string>\n\t\t</array>\n\t</dict>" >file
            if (wrong) print "\t<key>SKExternalPurchaseLinks</key>\n\t<true/>" >file
            print "\t<key>UISupportedInterfaceOrientations</key>\n\t<array>" >file
            entries = 5 + number * 7 % 62
            for (entry = 0; entry < entries; entry++) {
                printf "\t\t<string>UIInterfaceOrientation%05d</string>\n", entry >file
            }
            print "\t</array>\n</dict>\n</plist>" >file
            close(file)
        }
    }'
}

# Median of the numbers on standard input, one a line.
median() { sort -n | awk '{ value[NR] = $1 } END { print (value[int((NR + 1) / 2)] + value[int(NR / 2) + 1]) / 2 }'; }

# Wall seconds and peak KiB of a command; its exit code says what it found and does not matter here.
measure() { /usr/bin/time -q -f '%e %M' -o figures "$@" >output 2>&1 || true; }

# Wall time of one command in microseconds.
microseconds() {
    local start=${EPOCHREALTIME/./}
    "$@" >/dev/null 2>&1 || true
    echo $((${EPOCHREALTIME/./} - start))
}

echo "One property list as a whole process, $runs pairs in turns:"
plists 6 one
mv one/App5/Info.plist .
: >linter.times >plutil.times >ratios
for ((run = -1; run < runs; run++)); do
    ours=$(microseconds "$LINTER" lint Info.plist)
    theirs=$(microseconds "$plutil" -lint Info.plist)
    # The first pair brings both programs into the file cache.
    ((run >= 0)) || continue
    echo "$ours" >>linter.times
    echo "$theirs" >>plutil.times
    awk "BEGIN { print $ours / $theirs }" >>ratios
done
start=$(for ((run = 0; run < runs; run++)); do microseconds "$LINTER" --version; done | median)
measure "$LINTER" lint Info.plist
read -r _ memory <figures
measure "$plutil" -lint Info.plist
read -r _ plutilMemory <figures
awk -v ours="$(median <linter.times)" -v theirs="$(median <plutil.times)" -v ratio="$(median <ratios)" \
    -v start="$start" -v memory="$memory" -v plutilMemory="$plutilMemory" 'BEGIN {
    printf "  wall, median      linter %.1f ms, plutil -lint %.1f ms; ratio pair by pair %.2f\n", ours / 1000, theirs / 1000, ratio
    printf "  start (--version) linter %.1f ms, %.0f %% of its run\n", start / 1000, 100 * start / ours
    printf "  peak memory       linter %.1f MiB, plutil %.1f MiB; ratio %.2f\n", memory / 1024, plutilMemory / 1024, memory / plutilMemory
    printf "RESULT {\"benchmark\":\"lint\",\"title\":\"one property list, whole process\",\"value\":%.2f,\"limit\":%.2f,\"unit\":\"ms\",", \
        ours / 1000, theirs / 1000
    printf "\"limitTitle\":\"plutil -lint\",\"ratio\":%.3f,\"atMost\":1.5}\n", ratio
}'

echo "A folder of property lists, a third with findings:"
plists "$files" many
plists $((files / 10)) tenth
for format in text json; do
    for folder in tenth many; do
        # The first run brings the files into the file cache.
        "$LINTER" lint "$folder" --format "$format" >/dev/null 2>&1 || true
        for ((run = 0; run < 3; run++)); do
            measure "$LINTER" lint "$folder" --format "$format"
            cat figures
        done >runs.figures
        seconds=$(cut -d' ' -f1 runs.figures | median)
        memory=$(cut -d' ' -f2 runs.figures | median)
        count=$files
        [[ $folder == many ]] || count=$((files / 10))
        awk -v format="$format" -v count="$count" -v seconds="$seconds" -v memory="$memory" -v output="$(wc -c <output)" 'BEGIN {
            if (seconds == 0) seconds = 0.01
            printf "  %-4s %6d files: %6d files per second, peak %.1f MiB, output %.1f MiB\n", format, count, count / seconds, memory / 1024, output / 1048576
        }'
    done
done
