#!/usr/bin/env bash
# What action.yml runs: fetches the program of a release, checks its SHA-256, and lints.
# RELEASE_URL LINT_VERSION LINT_SHA256 LINT_PATH LINT_ARGUMENTS LINT_SARIF
set -euo pipefail

fail() {
    echo "::error title=external-purchase::$1"
    exit 2
}

[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
    fail "the released linter runs on Linux x86_64 (runs-on: ubuntu-latest); elsewhere, build external-purchase-lint"
folder=$(mktemp -d "${RUNNER_TEMP:-/tmp}/external-purchase.XXXXXX")
trap 'rm -rf "$folder"' EXIT
archive=external-purchase-$LINT_VERSION-linux-x86_64.tar.gz

fetch() {
    curl --fail --silent --show-error --location --retry 3 --output "$folder/$1" "$RELEASE_URL/$1" ||
        fail "$RELEASE_URL/$1 cannot be fetched: is $LINT_VERSION a release?"
}
fetch "$archive"
expected=$LINT_SHA256
if [ -z "$expected" ]; then
    fetch SHA256SUMS
    expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$folder/SHA256SUMS")
fi
printf '%s  %s\n' "$expected" "$folder/$archive" | sha256sum --check --quiet --strict >&2 ||
    fail "$archive has another SHA-256 than ${expected:-a line of SHA256SUMS}"
tar -xzf "$folder/$archive" --strip-components 1 -C "$folder"

mapfile -t paths < <(printf '%s\n' "$LINT_PATH" | sed '/^$/d')
mapfile -t arguments < <(printf '%s\n' "$LINT_ARGUMENTS" | sed '/^$/d')
lint() {
    "$folder/bin/external-purchase" lint "${arguments[@]}" "$@" -- "${paths[@]}"
}
if [ -n "$LINT_SARIF" ]; then
    # Findings are the business of the annotations, which decide how the step ends.
    lint --format sarif >"$LINT_SARIF" || [ $? -eq 1 ]
fi
lint --format github
