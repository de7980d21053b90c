#define _GNU_SOURCE
#include "seg_system.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <stdio.h>
#ifdef __linux__
#include <sys/vfs.h>
#else
#include <sys/mount.h>
#include <sys/param.h>
#endif
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static int argument_count;
static const char *const *arguments;

#ifdef __GLIBC__
// glibc passes the arguments of main to constructors.
__attribute__((constructor)) static void keep_arguments(int count, char **texts) {
    argument_count = count;
    arguments = (const char *const *)texts;
}
#endif

const char *const *seg_arguments(int *count) {
    *count = argument_count;
    return arguments;
}

uint64_t seg_process_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit) == 0 ? limit.rlim_cur : UINT64_MAX;
}

int seg_widen_stacks(void) {
    const rlim_t least = 1 << 20;
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return 0;
#ifdef __linux__
    // Darwin's threads have stacks of 512 KiB, whatever the limit is.
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, least) == 0) pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
#endif
    limit.rlim_cur = limit.rlim_max < least ? limit.rlim_max : least;
    // The kernel extends the stack of the main thread up to the present limit.
    return setrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= least ? 0 : -1;
}

void seg_share_memory(void) {
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 2);
#endif
}

static void *wait_for(void *barrier) {
    pthread_mutex_lock(barrier);
    pthread_mutex_unlock(barrier);
    return NULL;
}

int seg_try_threads(int count) {
    pthread_t threads[16];
    const int most = sizeof threads / sizeof *threads;
    pthread_mutex_t barrier = PTHREAD_MUTEX_INITIALIZER;
    int started = 0, error = 0;
    pthread_mutex_lock(&barrier);
    while (error == 0 && started < count && started < most) {
        error = pthread_create(&threads[started], NULL, wait_for, &barrier);
        if (error == 0) started++;
    }
    pthread_mutex_unlock(&barrier);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return error;
}

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

int seg_open_unnamed(const char *directory) {
#ifdef O_TMPFILE
    return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
#else
    errno = EOPNOTSUPP;
    return -1;
#endif
}

int seg_link_descriptor(int descriptor, const char *path) {
#ifdef O_TMPFILE
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, own, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
#else
    errno = ENOSYS;
    return -1;
#endif
}

int seg_open_directory(int parent, const char *name) {
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int seg_set_modified(int descriptor, int64_t seconds) {
    // Not UTIME_OMIT: libfuse 2 passes the dates to a file system only if both are set.
    const struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = seconds}};
    return futimens(descriptor, times);
}

int seg_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
#ifdef __APPLE__
    return fsetxattr(descriptor, name, value, size, 0, 0);
#else
    return fsetxattr(descriptor, name, value, size, 0);
#endif
}

ssize_t seg_attribute(const char *path, const char *name, void *value, size_t size) {
#ifdef __APPLE__
    return getxattr(path, name, value, size, 0, 0);
#else
    return getxattr(path, name, value, size);
#endif
}

int seg_remove_attribute(const char *path, const char *name) {
#ifdef __APPLE__
    return removexattr(path, name, 0);
#else
    return removexattr(path, name);
#endif
}

void seg_begin_writeback(int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
    sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#endif
}

void seg_forget_pages(int descriptor) {
#ifdef POSIX_FADV_DONTNEED
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
#endif
}

int seg_file_system(const char *path, uint32_t *magic, uint64_t *free_bytes) {
    struct statfs status;
    if (statfs(path, &status) != 0) return -1;
    *magic = (uint32_t)status.f_type;
    *free_bytes = (uint64_t)status.f_bavail * (uint64_t)status.f_bsize;
    return 0;
}

int seg_lacks_inodes(const char *path) {
    struct statfs status;
    if (statfs(path, &status) != 0) return 0;
    // Some file systems, such as btrfs, have no fixed number of inodes, and state 0.
    return status.f_files > 0 && status.f_ffree == 0 && status.f_bavail > 0;
}
