# Sourced: refuses a Swift toolchain that cannot build the package, before the compiler fails in the middle of it.

# Swift 6.2.3 is the first with @nonexhaustive, which the enums of the simulated StoreKit carry. The same number stands
# in the first line of Package.swift, README.md and CONTRIBUTING.md.
minimum_swift=6.2.3

# The version in the text that `swift --version` prints, nothing when there is none:
# "Swift version 6.3.1 (swift-6.3.1-RELEASE)", "Apple Swift version 6.2.3 (swiftlang-… clang-…)", "Swift version 6.4-dev …".
swift_version_in() {
    printf '%s\n' "$1" | sed -nE 's/.*Swift version ([0-9]+(\.[0-9]+)*).*/\1/p' | head -n 1
}

# True when version $1 is version $2 or later; numbers compare as numbers, a missing one counts as 0.
version_is_at_least() {
    local IFS=. index have want
    # shellcheck disable=SC2206 # the points are to split the words
    local found=($1) needed=($2)
    for index in 0 1 2; do
        have=${found[index]:-0} want=${needed[index]:-0}
        if ((10#$have != 10#$want)); then
            ((10#$have > 10#$want))
            return
        fi
    done
}

# Ends the script with 2 unless a toolchain of $minimum_swift or later is found; $1 begins the message.
require_swift() {
    local name=$1 text version
    if ! command -v swift >/dev/null; then
        printf '%s\n' "$name: no Swift toolchain found; install Swift $minimum_swift or later from https://www.swift.org/install" >&2
        exit 2
    fi
    text=$(swift --version 2>/dev/null) || text=
    version=$(swift_version_in "$text")
    if [ -z "$version" ]; then
        printf '%s\n' "$name: the version of $(command -v swift) cannot be read; going on, Swift $minimum_swift or later is needed" >&2
    elif ! version_is_at_least "$version" "$minimum_swift"; then
        printf '%s\n' "$name: found Swift $version ($(command -v swift)), needs $minimum_swift or later, the first with @nonexhaustive;" \
            "$name: install it from https://www.swift.org/install" >&2
        exit 2
    fi
}
