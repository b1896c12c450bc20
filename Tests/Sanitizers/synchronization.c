// Preloaded under ThreadSanitizer: tells it of the waits and wakes of Swift's Mutex, which the toolchain's library does
// without instrumentation. The locks and unlocks without contention are inlined into the callers and instrumented there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define swiftcall __attribute__((swiftcall))
#define swiftself __attribute__((swift_context))

// Absent in programs without the sanitizer, which inherit the preloaded library.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

// Synchronization._MutexHandle._lockSlow(UInt32)
swiftcall void lock(uint32_t thread, swiftself void *self) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
swiftcall void lock(uint32_t thread, swiftself void *self) {
    static swiftcall void (*original)(uint32_t, swiftself void *);
    if (!original) original = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    original(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

// Synchronization._MutexHandle._unlockSlow()
swiftcall void unlock(swiftself void *self) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
swiftcall void unlock(swiftself void *self) {
    static swiftcall void (*original)(swiftself void *);
    if (!original) original = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(self);
    original(self);
}
