# Sourced by ./run: what the emulator sends and answers, judged by Apple's own library for Python.

# check_interop runs Tests/Interop against the binary that was built. Without Python or PyPI there is nothing to compare
# with: it is skipped, unless INTEROP=required.
check_interop() {
    python_environment .build/interop Tests/Interop/requirements.txt || { skip interop "${INTEROP:-}"; return; }
    .build/interop/bin/python Tests/Interop/notifications.py .build/debug/external-purchase
}
