#!/usr/bin/env bash
# Runs the script of action.yml against the files of a release, as GitHub would.
# usage: action.sh FOLDER, the folder that `./run release` made
set -euo pipefail
release=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
archive=$(basename "$release"/external-purchase-*-linux-x86_64.tar.gz)
version=${archive#external-purchase-}
version=${version%-linux-x86_64.tar.gz}

# lint EXPECTED [NAME=VALUE…]: runs the script with these inputs, and compares its exit code.
lint() {
    local expected=$1 code=0
    shift
    env RUNNER_TEMP="$work" RELEASE_URL="file://$release" LINT_VERSION="$version" LINT_SHA256='' LINT_ARGUMENTS='' LINT_SARIF='' \
        LINT_PATH=Examples/LintedApp "$@" Packaging/github/lint.sh >"$work/out" 2>&1 || code=$?
    [ $code = "$expected" ] && return
    echo "action: exit code $code, expected $expected: $*" >&2
    cat "$work/out" >&2
    exit 1
}
# says TEXT: that the last run printed it.
says() {
    grep -q -F -- "$1" "$work/out" || { echo "action: '$1' was not printed:" >&2; cat "$work/out" >&2; exit 1; }
}

sha256=$(sha256sum "$release/$archive" | cut -d ' ' -f 1)
lint 0
lint 0 LINT_SHA256="$sha256"
lint 2 LINT_SHA256="${sha256//[0-7]/8}"
says '::error title=external-purchase::'
says 'another SHA-256'
lint 2 LINT_VERSION=9.9.9
says 'is 9.9.9 a release?'

# A release whose archive was changed afterwards, and one without sums.
mkdir "$work/changed"
cp "$release/SHA256SUMS" "$work/changed/"
printf 'other' >"$work/changed/$archive"
lint 2 RELEASE_URL="file://$work/changed"
says 'another SHA-256'
grep -v -F "$archive" "$release/SHA256SUMS" >"$work/changed/SHA256SUMS"
cp "$release/$archive" "$work/changed/$archive"
lint 2 RELEASE_URL="file://$work/changed"

# Findings end the step with 1, as annotations and as SARIF; a name with spaces and an option reach the linter.
mkdir "$work/an app"
sed 's|<string>nl</string>|<string>NL</string>|; s|<key>nl</key>|<key>NL</key>|' \
    Examples/LintedApp/Sources/LintedApp/Info.plist >"$work/an app/Info.plist"
cp Examples/LintedApp/Sources/LintedApp/LintedApp.entitlements "$work/an app/"
lint 1 LINT_PATH="$work/an app" LINT_SARIF="$work/findings.sarif"
says '::error file='
python3 -c 'import json, sys; assert json.load(open(sys.argv[1]))["version"] == "2.1.0"' "$work/findings.sarif"
lint 2 LINT_ARGUMENTS=--no-such-option
echo "action: its script lints with the archive of a release, and refuses one with another SHA-256"
