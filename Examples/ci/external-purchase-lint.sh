#!/usr/bin/env bash
# Runs the linter from a checkout of this package, building it at the first call. Without a path it checks the current
# folder; options go to `external-purchase-lint lint`.
set -euo pipefail
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
linter=$package/.build/release/external-purchase-lint
if [ ! -x "$linter" ]; then
    if ! command -v swift >/dev/null; then
        echo "external-purchase-lint: error: no Swift toolchain found; install Swift 6.2 or later from https://www.swift.org/install" >&2
        exit 2
    fi
    swift build --package-path "$package" -c release --product external-purchase-lint >&2
fi
exec "$linter" lint --default-path . "$@"
