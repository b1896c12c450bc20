# Sourced by ./run: what the emulator sends and answers, judged by Apple's own library for Python.

# Without Python or PyPI there is nothing to compare with: says so and succeeds, unless INTEROP=required.
skip_interop() {
    say "interop: skipped: $1"
    [ "${INTEROP:-}" != required ]
}

# check_interop runs Tests/Interop against the binary that was built.
check_interop() {
    local folder=.build/interop requirements=Tests/Interop/requirements.txt
    command -v python3 >/dev/null || { skip_interop "python3 is not installed"; return; }
    if ! cmp -s "$requirements" "$folder/installed.txt"; then
        rm -rf "$folder"
        python3 -m venv "$folder" >/dev/null 2>&1 \
            || { skip_interop "python3 cannot make virtual environments (Debian: python3-venv)"; return; }
        mkdir -p "$folder"
        if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
            -r "$requirements" >"$folder/pip.log" 2>&1; then
            sed 's/^/    /' "$folder/pip.log" >&2
            skip_interop "what $requirements names cannot be installed from PyPI"
            return
        fi
        cp "$requirements" "$folder/installed.txt"
    fi
    "$folder/bin/python" Tests/Interop/notifications.py .build/debug/external-purchase
}
