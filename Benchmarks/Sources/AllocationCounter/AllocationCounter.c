#include "AllocationCounter.h"

#if defined(__linux__)
#include <stdatomic.h>
#include <stddef.h>

// The executable's own definitions come before the C library's, which keeps its under these names.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_long count;

void *malloc(size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return __libc_realloc(old, size);
}

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
#else
long allocation_count(void) { return 0; }
#endif
