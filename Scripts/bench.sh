# Sourced by ./run: benchmarks of the release configuration.

# bench_build PRODUCT… builds what is measured as `./run release` builds it, where it can: with Swift's runtime linked in.
bench_build() {
    local product
    if [ "$(uname -s)" = Linux ]; then
        programs=$release_scratch/release
        for product in "$@"; do release_build "$product"; done
        return
    fi
    programs=.build/release
    for product in "$@"; do swift build -c release --product "$product" 1>&2; done
}

# start_bench_postgres starts a database, where it can, until the script ends.
start_bench_postgres() {
    install_postgres
    if [ -z "$(postgres_programs)" ]; then
        say "bench: PostgreSQL is not measured: its server (initdb) is not installed"
        return
    fi
    local port
    postgres_folder=$(mktemp -d)
    chmod 755 "$postgres_folder"
    trap 'stop_postgres "$postgres_folder"' EXIT
    port=$(start_postgres "$postgres_folder" | sed 's/.*port=\([0-9]*\).*/\1/')
    options+=(--postgres-program "$programs/external-purchase")
    options+=(--postgres-database "postgres://ledger@127.0.0.1:$port/postgres")
}

# run_bench [NAME…] [--busy-anyway] builds the programs, runs benchmarks and, if all of them ran, writes Benchmarks/REPORT.md.
run_bench() {
    install_prerequisites
    command -v python3 >/dev/null || { say "bench needs python3"; exit 2; }
    local programs names=() options=() argument
    for argument in "$@"; do
        case "$argument" in
        --*) options+=("$argument") ;;
        *) names+=("$argument") ;;
        esac
    done
    # A wrong name is refused before half an hour of building.
    python3 Benchmarks/bench.py --programs .build/release --check "${names[@]}"
    say "building the release configuration: 10 to 30 minutes the first time"
    bench_build external-purchase external-purchase-lint ledger-benchmarks emulator-benchmarks
    if [ ${#names[@]} -eq 0 ]; then options+=(--report Benchmarks/REPORT.md); fi
    if [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " == *" eligibility "* ]]; then
        swift build -c release --package-path Benchmarks --product EligibilityBenchmarks 1>&2
        options+=(--eligibility Benchmarks/.build/release/EligibilityBenchmarks)
    fi
    if [ ${#names[@]} -eq 0 ] || [[ " ${names[*]} " =~ " postgres "|" stored-postgres "|" network "|" size-postgres " ]]; then start_bench_postgres; fi
    if python_environment .build/interop Tests/Interop/requirements.txt; then
        options+=(--python .build/interop/bin/python)
    else
        say "bench: notifications are not compared: $reason"
    fi
    python3 Benchmarks/bench.py --programs "$programs" --version "$(swift --version 2>/dev/null | head -1)" \
        "${options[@]}" "${names[@]}"
}
