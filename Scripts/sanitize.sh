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
    # Swift's runtime keeps metadata and constants for the life of a process, which a search for leaks would report.
    export TSAN_OPTIONS="exitcode=66 suppressions=$PWD/Tests/Sanitizers/thread-suppressions.txt ${TSAN_OPTIONS:-}"
    export ASAN_OPTIONS="exitcode=66 detect_leaks=0 suppressions=$PWD/Tests/Sanitizers/address-suppressions.txt ${ASAN_OPTIONS:-}"
    if [ "$sanitizer" = thread ] && [ "$(uname -s)" = Linux ]; then preload_synchronization "$scratch"; fi
    swift test --skip-build --disable-xctest --sanitize="$sanitizer" --scratch-path "$scratch" "$@"
}

# preload_synchronization FOLDER makes ThreadSanitizer see what Swift's Mutex does, and checks that a correct program has no
# report then and that one with a race has.
preload_synchronization() {
    local library=$PWD/$1/synchronization.so program code
    clang -shared -fPIC -O1 -o "$library" Tests/Sanitizers/synchronization.c -ldl
    export LD_PRELOAD=$library
    for program in mutex race; do
        code=0
        LD_PRELOAD='' swiftc -sanitize=thread "Tests/Sanitizers/$program.swift" -o "$1/$program"
        "$1/$program" >"$1/$program.log" 2>&1 || code=$?
        case $program-$code in
        mutex-0 | race-66) ;;
        *) say "ThreadSanitizer ended Tests/Sanitizers/$program.swift with code $code ($1/$program.log)" && exit 1 ;;
        esac
    done
}
