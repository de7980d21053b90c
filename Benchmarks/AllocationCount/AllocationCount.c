// Counts allocations by standing in front of glibc's allocator: a program's own malloc goes before the
// library's, also for the shared libraries that it loads.
#include "AllocationCount.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef __GLIBC__

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static atomic_long count;

static void counted(void) { atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); }

long allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }

void *malloc(size_t size) {
    counted();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    counted();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    counted();
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    counted();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    counted();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    counted();
    void *fresh = __libc_memalign(alignment, size);
    if (fresh == NULL) return ENOMEM;
    *block = fresh;
    return 0;
}
#else
long allocation_count(void) { return 0; }
#endif
