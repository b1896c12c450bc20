# Sourced by ./run: this script, the folder Scripts, and what runs on GitHub.

# check_shell reads the scripts with ShellCheck, which follows what ./run sources and .shellcheckrc names the dialect of.
# It is skipped without ShellCheck, unless SHELLCHECK=required; `bash -n` alone accepts `local` outside a function.
check_shell() {
    debian_program shellcheck usr/bin/shellcheck || { skip shell "${SHELLCHECK:-}"; return; }
    "$program" --severity=warning run .ci/run Scripts/*.sh Packaging/github/*.sh Tests/Package/github/*.sh
}

# check_watch holds Scripts/watch-sources against a server of its own; it is skipped without python3.
check_watch() {
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip "the watch of sources" ""; return; }
    at_most 120 python3 Tests/Scripts/watch_sources.py
}

# check_github judges the action, the workflows and the forms of issues by their schemas. It is skipped without PyPI, unless
# PACKAGE=required.
check_github() {
    local tools=.build/package-tools
    python_environment "$tools" Tests/Package/requirements.txt || { skip "files of GitHub" "${PACKAGE:-}"; return; }
    "$tools/bin/check-jsonschema" --builtin-schema vendor.github-actions action.yml
    "$tools/bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml Examples/ci/github-action.yml
    find .github/ISSUE_TEMPLATE -name '*.yml' ! -name config.yml -exec \
        "$tools/bin/check-jsonschema" --builtin-schema vendor.github-issue-forms {} +
    "$tools/bin/check-jsonschema" --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
}
