# Sourced by ./run: programs that a check runs and that the build does not need.

# debian_program NAME PATH sets $program to the program NAME, or unpacks Debian's package of that name, whose program is
# at PATH, into .build/NAME without installing it. It fails, with the reason in $reason, where it cannot be had.
debian_program() {
    local name=$1 folder=.build/$1
    reason=
    program=$(command -v "$name" || true)
    [ -z "$program" ] || return 0
    program=$PWD/$folder/root/$2
    [ ! -x "$program" ] || return 0
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        reason="$name is not installed"
        return 1
    fi
    mkdir -p "$folder"
    # A new machine has no package lists yet; without the right to fetch them the download says what is missing.
    apt-get download -qq --print-uris "$name" >/dev/null 2>&1 || apt-get update -qq >"$folder/lists.txt" 2>&1 || true
    if ! (cd "$folder" && apt-get download -qq "$name" && dpkg -x "$name"_*.deb root) >"$folder/log.txt" 2>&1; then
        reason="$name is not installed, and Debian's cannot be fetched ($folder/log.txt)"
        return 1
    fi
    if ldd "$program" 2>/dev/null | grep -q 'not found'; then
        reason="Debian's $name lacks libraries here (ldd $folder/root/$2)"
        return 1
    fi
}
