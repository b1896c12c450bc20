# Sourced by ./run: the tests under ThreadSanitizer or AddressSanitizer.

# run_sanitizer thread|address [OPTION…] builds the programs and tests with a sanitizer into a folder of their own and runs the
# tests (options go to `swift test`). Programs that a test starts are built with the sanitizer too. A report of either ends
# the process that caused it with exit code 66, which fails its test.
run_sanitizer() {
    local sanitizer=${1:-} scratch
    case "$sanitizer" in
    thread | address) shift ;;
    *) say "sanitize needs thread or address, not '$sanitizer'" && exit 2 ;;
    esac
    install_prerequisites
    scratch=.build/sanitize-$sanitizer
    say "building with the $sanitizer sanitizer into $scratch: 10 to 20 minutes the first time"
    swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch" 1>&2
    [ "$sanitizer" = address ] || check_mutex "$scratch"
    # Swift's runtime keeps metadata and constants for the life of a process, which a search for leaks would report.
    export TSAN_OPTIONS="exitcode=66 ${TSAN_OPTIONS:-}" ASAN_OPTIONS="exitcode=66 detect_leaks=0 ${ASAN_OPTIONS:-}"
    swift test --skip-build --disable-xctest --sanitize="$sanitizer" --scratch-path "$scratch" "$@"
}

# check_mutex FOLDER runs a correct program of a few lines and says whether ThreadSanitizer reports races in it.
check_mutex() {
    swiftc -sanitize=thread Tests/Sanitizers/mutex.swift -o "$1/mutex"
    if "$1/mutex" >"$1/mutex.log" 2>&1; then return; fi
    say "ThreadSanitizer of this toolchain reports races in Tests/Sanitizers/mutex.swift, which has none ($1/mutex.log): a report whose"
    say "two accesses are both in bodies of Mutex.withLock is one of those; it ends the tests with exit code 66"
}
