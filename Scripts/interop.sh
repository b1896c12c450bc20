# Sourced by ./run: what the emulator sends and answers, judged by Apple's own library for Python and used by the
# programs of Examples.

# check_interop runs Tests/Interop against the binary that was built, or that EXTERNAL_PURCHASE names. Without Python or
# PyPI there is nothing to compare with: it is skipped, unless INTEROP=required. A program whose language is not
# installed is skipped in the same way (Debian: nodejs php-cli golang-go ruby).
check_interop() {
    local binary=${EXTERNAL_PURCHASE:-.build/debug/external-purchase} required=
    python_environment .build/interop Tests/Interop/requirements.txt || { skip interop "${INTEROP:-}"; return; }
    [ "${INTEROP:-}" != required ] || required=--required
    .build/interop/bin/python -B Tests/Interop/notifications.py "$binary"
    .build/interop/bin/python -B Tests/Interop/examples.py $required "$binary"
    .build/interop/bin/python -B Tests/Interop/conformance.py "$binary"
}
