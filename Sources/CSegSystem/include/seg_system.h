// Linux calls that glibc declares only if _GNU_SOURCE is defined, which is not the case in Swift's Glibc
// module.
#ifndef CSEGSYSTEM_H
#define CSEGSYSTEM_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __linux__
// Not in Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

// The arguments of this process as passed by the kernel, beginning with the command name; their number is
// stored in `count`; NULL if the C library does not pass them to constructors.
const char *const *seg_arguments(int *count);

// getrlimit(2) of RLIMIT_NPROC: the maximum number of processes and threads of the user.
uint64_t seg_process_limit(void);

// Starts `count` simultaneous threads, and ends them. Returns 0, or the error if one could not be started.
int seg_try_threads(int count);

// Enlarges the stacks of this process if its limit (RLIMIT_STACK) is too low for Swift, libcurl and OpenSSL:
// glibc also uses it as the stack size of every other thread. Returns 0, or -1 if the stack of the main
// thread remains too small. To be called before other threads exist.
int seg_widen_stacks(void);

// Limits malloc to two arenas for all threads. glibc allows up to eight per processor, and each keeps what
// its threads have freed. To be called before other threads exist.
void seg_share_memory(void);

// fallocate(2) with mode 0. Returns 0, or -1 with errno set; ENOSYS if the system lacks the call.
int seg_allocate(int descriptor, off_t length);

// renameat2(2) with RENAME_NOREPLACE. Returns 0, or -1 with errno set; ENOSYS if the system lacks the call.
int seg_rename_exclusively(const char *old_path, const char *new_path);

// open(2) with O_TMPFILE. Returns a descriptor, or -1 with errno set; EOPNOTSUPP if unnamed files are not
// supported.
int seg_open_unnamed(const char *directory);

// linkat(2) of a descriptor, through /proc. Returns 0, or -1 with errno set.
int seg_link_descriptor(int descriptor, const char *path);

// openat(2) of a directory, never through a symbolic link. Returns a descriptor, or -1 with errno set.
int seg_open_directory(int parent, const char *name);

// futimens(2) for the modification date only, in seconds since 1970. Returns 0, or -1 with errno set.
int seg_set_modified(int descriptor, int64_t seconds);

// fsetxattr(2). Returns 0, or -1 with errno set.
int seg_set_attribute(int descriptor, const char *name, const void *value, size_t size);

// removexattr(2). Returns 0, or -1 with errno set.
int seg_remove_attribute(const char *path, const char *name);

// getxattr(2). Returns the number of bytes, or -1 with errno set.
ssize_t seg_attribute(const char *path, const char *name, void *value, size_t size);

// sync_file_range(2): starts writing to disk without waiting for completion. Only a hint.
void seg_begin_writeback(int descriptor);

// statfs(2): the file system's magic number (linux/magic.h; on macOS its f_type), and the free bytes
// available to users other than root. Returns 0, or -1 with errno set.
int seg_file_system(const char *path, uint32_t *magic, uint64_t *free_bytes);

// statfs(2): returns 1 if the file system has free blocks, but no inode for another file; otherwise 0.
int seg_lacks_inodes(const char *path);

// posix_fadvise(2) with POSIX_FADV_DONTNEED: releases cached pages that are on disk. Only a hint.
void seg_forget_pages(int descriptor);

#endif
