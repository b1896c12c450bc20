# Sourced by ./run: what the emulator sends and answers, judged by Apple's own library for Python and used by the
# programs of Examples; and the dashboard's sign-in at a provider of PyPI's.

# check_interop runs Tests/Interop against the binary that was built, or that EXTERNAL_PURCHASE names. Without Python or
# PyPI there is nothing to compare with: it is skipped, unless INTEROP=required. A program whose language is not
# installed is skipped in the same way (Debian: nodejs php-cli golang-go ruby).
check_interop() {
    local binary=${EXTERNAL_PURCHASE:-.build/debug/external-purchase} required=
    python_environment .build/interop Tests/Interop/requirements.txt || { skip interop "${INTEROP:-}"; return; }
    [ "${INTEROP:-}" != required ] || required=--required
    at_most 600 .build/interop/bin/python -B Tests/Interop/notifications.py "$binary"
    at_most 600 .build/interop/bin/python -B Tests/Interop/examples.py $required "$binary"
    at_most 600 .build/interop/bin/python -B Tests/Interop/conformance.py "$binary"
    at_most 600 .build/interop/bin/python -B Tests/Interop/signin.py "$binary"
    EXTERNAL_PURCHASE=$binary PYTHONPATH=Packaging/python/src at_most 300 .build/interop/bin/python -B -m pytest -q -p no:cacheprovider \
        -p external_purchase.pytest_plugin Examples/python
    check_node "$binary"
}

# check_node BINARY runs the host of Examples/wrapper over `external-purchase bridge`, and the test of Examples/node over the emulator.
check_node() {
    if ! command -v node >/dev/null; then
        reason="node is not installed (Debian: nodejs)"
        skip "tests in JavaScript" "${INTEROP:-}"
        return
    fi
    EXTERNAL_PURCHASE=$1 at_most 300 node --test Examples/wrapper/ Examples/node/
}
