# Sourced by ./run: the pages in headless Chromium, with Playwright and axe from PyPI. Neither is a dependency of the
# package: without them, or without Chromium, the check is skipped, unless BROWSER=required.

# browser_environment sets $chromium and installs what Tests/Browser needs. It fails, with the reason in $reason, where
# something cannot be had.
browser_environment() {
    chromium=${CHROMIUM:-/usr/bin/chromium}
    if [ ! -x "$chromium" ]; then
        reason="no Chromium at $chromium; install Debian's package chromium, or set CHROMIUM"
        return 1
    fi
    python_environment .build/browser Tests/Browser/requirements.txt
}

# browser_test uses the device page, the matrix and the dashboard.
browser_test() {
    browser_environment || { say "$reason"; exit 2; }
    build_command_line
    local page
    for page in device_page dashboard; do
        at_most 900 .build/browser/bin/python Tests/Browser/$page.py .build/debug/external-purchase --chromium "$chromium" "$@"
    done
}

# check_browser uses the dashboard of the binary that was built.
check_browser() {
    browser_environment || { skip browser "${BROWSER:-}"; return; }
    at_most 900 .build/browser/bin/python Tests/Browser/dashboard.py .build/debug/external-purchase --chromium "$chromium"
}
