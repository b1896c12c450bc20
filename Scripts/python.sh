# Sourced by ./run: checks that need packages from PyPI, which the build does not.

# python_environment FOLDER REQUIREMENTS installs what the file names into a virtual environment, once. It fails, with
# the reason in $reason, where Python or PyPI cannot be had.
python_environment() {
    local folder=$1 requirements=$2
    reason=
    if ! command -v python3 >/dev/null; then
        reason="python3 is not installed"
        return 1
    fi
    cmp -s "$requirements" "$folder/installed.txt" && return
    rm -rf "$folder"
    if ! python3 -m venv "$folder" >/dev/null 2>&1; then
        reason="python3 cannot make virtual environments (Debian: python3-venv)"
        return 1
    fi
    if ! "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 \
        -r "$requirements" >"$folder/pip.log" 2>&1; then
        sed 's/^/    /' "$folder/pip.log" >&2
        reason="what $requirements names cannot be installed from PyPI"
        return 1
    fi
    cp "$requirements" "$folder/installed.txt"
}

# skip NAME SWITCH says why a check is left out; it fails if the switch says that the check is required.
skip() {
    say "$1: skipped: $reason"
    [ "$2" != required ]
}
