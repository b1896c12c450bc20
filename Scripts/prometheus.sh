# Sourced by ./run: the rules of alerts for Prometheus.

# check_prometheus lints and tests Packaging/prometheus with promtool, and holds the rules against the server that was built, by a
# running Prometheus; it is skipped without it, unless PROMETHEUS=required.
check_prometheus() {
    local promtool
    command -v python3 >/dev/null || { reason="python3 is not installed" && skip prometheus "${PROMETHEUS:-}"; return; }
    debian_program prometheus usr/bin/prometheus || { skip prometheus "${PROMETHEUS:-}"; return; }
    promtool=$(dirname "$program")/promtool
    "$promtool" check rules Packaging/prometheus/external-purchase.rules.yml >/dev/null
    "$promtool" test rules Tests/Prometheus/rules.test.yml >/dev/null
    at_most 600 python3 Tests/Prometheus/live.py .build/debug/external-purchase "$program"
}
