#include <stddef.h>
#include <stdint.h>

// The toolchain has the library, linked by -sanitize=fuzzer, but no header for it:
// https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
