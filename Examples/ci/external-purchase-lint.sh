#!/usr/bin/env bash
# Runs the linter from a checkout of this package, building it at the first call. Without a path it checks the current
# folder; options go to `external-purchase-lint lint`.
set -euo pipefail
package=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
linter=$package/.build/release/external-purchase-lint
if [ ! -x "$linter" ]; then
    source "$package/Scripts/toolchain.sh"
    require_swift external-purchase-lint
    swift build --package-path "$package" -c release --product external-purchase-lint >&2
fi
exec "$linter" lint --default-path . "$@"
