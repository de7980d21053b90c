#define _GNU_SOURCE
#include "seg_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int seg_allocate(int descriptor, off_t length) {
#ifdef __linux__
    return fallocate(descriptor, 0, 0, length);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int seg_rename_exclusively(const char *old_path, const char *new_path) {
#ifdef RENAME_NOREPLACE
    return renameat2(AT_FDCWD, old_path, AT_FDCWD, new_path, RENAME_NOREPLACE);
#else
    errno = ENOSYS;
    return -1;
#endif
}
