# Sourced by ./run: this script and the folder Scripts.

# check_shell reads the scripts with ShellCheck, which follows what ./run sources and .shellcheckrc names the dialect of.
# It is skipped without ShellCheck, unless SHELLCHECK=required; `bash -n` alone accepts `local` outside a function.
check_shell() {
    debian_program shellcheck usr/bin/shellcheck || { skip shell "${SHELLCHECK:-}"; return; }
    "$program" --severity=warning run .ci/run Scripts/*.sh
}
