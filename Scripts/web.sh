# Sourced by ./run: the pages, style sheets and scripts in the folders Web, judged and formatted by tools from PyPI.
# Without Python or PyPI this is skipped, unless WEB_LINT=required.
# No name of these files has white space, so their list is split by it.
# shellcheck disable=SC2046

# web_files SUFFIX… names the files of the folders Web with these suffixes.
web_files() {
    local suffix
    for suffix; do find Sources Scripts -path "*/Web/*.$suffix"; done | sort
}

# check_web lints pages and scripts, and compares style sheets and scripts with what the formatter makes of them. The
# formatter also refuses a style sheet that does not parse.
check_web() {
    local tools=.build/web/bin
    check_bridge_types || return
    python_environment .build/web Tests/Web/requirements.txt || { skip web "${WEB_LINT:-}"; return; }
    "$tools/python" Tests/Web/pages.py $(web_files html) || return
    "$tools/oxlint" --config .oxlintrc.json $(web_files js) || return
    "$tools/oxfmt" --config .oxfmtrc.json --check $(web_files css js) \
        || { say "web: ./run format formats style sheets and scripts"; return 1; }
}

# check_bridge_types compiles the generated TypeScript, and a host that uses it, by Debian's node-typescript.
check_bridge_types() {
    reason="node is not installed"
    if ! command -v node >/dev/null || ! debian_program node-typescript usr/share/nodejs/typescript/lib/tsc.js; then
        skip "bridge types" "${WEB_LINT:-}"
        return
    fi
    node "$program" --noEmit --strict --lib es2020 Tests/Web/bridge-types.ts
}

format_web() {
    python_environment .build/web Tests/Web/requirements.txt || { skip web "${WEB_LINT:-}"; return; }
    .build/web/bin/oxfmt --config .oxfmtrc.json $(web_files css js)
}
