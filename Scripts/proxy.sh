# Sourced by ./run: the merchant's server behind a proxy that keeps its connections open.

# check_proxy runs Tests/Proxy against the binary that was built; it is skipped without nginx, unless NGINX=required.
check_proxy() {
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip proxy "${NGINX:-}"; return; }
    debian_program nginx usr/sbin/nginx || { skip proxy "${NGINX:-}"; return; }
    at_most 600 python3 Tests/Proxy/desync.py .build/debug/external-purchase "$program"
}
