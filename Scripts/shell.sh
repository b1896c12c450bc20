# Sourced by ./run: this script and the folder Scripts.

# check_shell reads the scripts with ShellCheck, which follows what ./run sources and .shellcheckrc names the dialect of.
# It is skipped without ShellCheck, unless SHELLCHECK=required; `bash -n` alone accepts `local` outside a function.
check_shell() {
    debian_program shellcheck usr/bin/shellcheck || { skip shell "${SHELLCHECK:-}"; return; }
    "$program" --severity=warning run .ci/run Scripts/*.sh
}

# check_watch holds Scripts/watch-sources against a server of its own; it is skipped without python3.
check_watch() {
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip "the watch of sources" ""; return; }
    at_most 120 python3 Tests/Scripts/watch_sources.py
}
