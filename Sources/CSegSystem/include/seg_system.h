// Linux calls that glibc declares only under _GNU_SOURCE, which Swift's Glibc module is built without.
#ifndef CSEGSYSTEM_H
#define CSEGSYSTEM_H

#include <sys/types.h>

// fallocate(2) with mode 0. Returns 0, or -1 with errno set; ENOSYS where the system has no such call.
int seg_allocate(int descriptor, off_t length);

// renameat2(2) with RENAME_NOREPLACE. Returns 0, or -1 with errno set; ENOSYS where there is no such call.
int seg_rename_exclusively(const char *old_path, const char *new_path);

#endif
