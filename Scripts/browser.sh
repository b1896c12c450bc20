# The device page in headless Chromium: choose, tap, continue, and the token arrives at a website; and the matrix.
# Debian's chromium and Playwright's Python module drive it; neither is a dependency of the package.
browser_test() {
    local chromium=${CHROMIUM:-/usr/bin/chromium} environment=.build/browser python
    if [ ! -x "$chromium" ]; then
        say "no Chromium at $chromium; install Debian's package chromium, or set CHROMIUM"
        exit 2
    fi
    python=python3
    if ! python3 -c 'import playwright' 2>/dev/null; then
        python=$environment/bin/python3
        [ -x "$python" ] || python3 -m venv "$environment"
        "$python" -c 'import playwright' 2>/dev/null || "$python" -m pip install --quiet playwright
    fi
    build_command_line
    "$python" Tests/Browser/device_page.py .build/debug/external-purchase --chromium "$chromium" "$@"
}
