# Sourced by ./run: the merchant's server behind a proxy that keeps its connections open.

# find_nginx sets $nginx to the program, or unpacks Debian's into .build/nginx without installing it. It fails, with the
# reason in $reason, where it cannot be had.
find_nginx() {
    reason=
    nginx=$(command -v nginx || true)
    [ -z "$nginx" ] || return 0
    nginx=$PWD/.build/nginx/root/usr/sbin/nginx
    [ ! -x "$nginx" ] || return 0
    if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
        reason="nginx is not installed"
        return 1
    fi
    mkdir -p .build/nginx
    # A new machine has no package lists yet; without the right to fetch them the download says what is missing.
    apt-get download -qq --print-uris nginx >/dev/null 2>&1 || apt-get update -qq >.build/nginx/lists.txt 2>&1 || true
    if ! (cd .build/nginx && apt-get download -qq nginx && dpkg -x nginx_*.deb root) >.build/nginx/log.txt 2>&1; then
        reason="nginx is not installed, and Debian's cannot be fetched (.build/nginx/log.txt)"
        return 1
    fi
    if ! "$nginx" -v >>.build/nginx/log.txt 2>&1; then
        reason="Debian's nginx lacks libraries here (.build/nginx/log.txt)"
        return 1
    fi
}

# check_proxy runs Tests/Proxy against the binary that was built; it is skipped without nginx, unless NGINX=required.
check_proxy() {
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip proxy "${NGINX:-}"; return; }
    find_nginx || { skip proxy "${NGINX:-}"; return; }
    at_most 600 python3 Tests/Proxy/desync.py .build/debug/external-purchase "$nginx"
}
