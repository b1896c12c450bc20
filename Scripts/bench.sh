# Sourced by ./run: benchmarks of the release configuration.

# run_bench [NAME…] [--busy-anyway] builds the programs, runs benchmarks and, if all of them ran, writes Benchmarks/REPORT.md.
run_bench() {
    install_prerequisites
    command -v python3 >/dev/null || { say "bench needs python3"; exit 2; }
    local product names=() options=() argument
    for argument in "$@"; do
        case "$argument" in
        --*) options+=("$argument") ;;
        *) names+=("$argument") ;;
        esac
    done
    # A wrong name is refused before half an hour of building.
    python3 Benchmarks/bench.py --programs .build/release --check "${names[@]}"
    say "building the release configuration: 10 to 30 minutes the first time"
    for product in external-purchase external-purchase-lint ledger-benchmarks emulator-benchmarks; do
        swift build -c release --product "$product" 1>&2
    done
    if [ ${#names[@]} -eq 0 ]; then options+=(--report Benchmarks/REPORT.md); fi
    if [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" eligibility "* ]]; then
        swift build -c release --package-path Benchmarks --product EligibilityBenchmarks 1>&2
        options+=(--eligibility Benchmarks/.build/release/EligibilityBenchmarks)
    fi
    if python_environment .build/interop Tests/Interop/requirements.txt; then
        options+=(--python .build/interop/bin/python)
    else
        say "bench: notifications are not compared: $reason"
    fi
    python3 Benchmarks/bench.py --programs .build/release --version "$(swift --version 2>/dev/null | head -1)" \
        "${options[@]}" "${names[@]}"
}
