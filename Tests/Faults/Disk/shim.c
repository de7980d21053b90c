// A library that is loaded into segdl (LD_PRELOAD) and stands between it and the C library. It counts the
// file system calls that concern one directory, and lets one of them go wrong. Linux only.
//
//   SHIM_DIRECTORY  the directory that is watched; calls for other files pass uncounted
//   SHIM_LOG        where each counted call is noted before it is made: "<number> <call> <file>[ !]"
//   SHIM_ONLY       calls that count, as in "pwrite,write"; all of them if it is not set
//   SHIM_FILE       only calls for files whose names end like this count
//   SHIM_AT         the number of the call at which something happens
//   SHIM_DO         what: "errno:N", "short", "kill-before", "kill-after", "stop-after"; "lose" for a sync that
//                   drops what was written last and says so once, as Linux does after an I/O error
//   SHIM_ALWAYS     set: it happens to each counted call from that number on
//   SHIM_BOOT       a file that is read as the boot's identity
//   SHIM_DELAY      how many milliseconds a losing sync takes
//
// It ends the program that closes a descriptor which is not open.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum fault { NONE, FAIL, SHORT, LOSE, SLOW, KILL_BEFORE, KILL_AFTER, STOP_AFTER };
static const char *const words[] = {"", "errno:", "short", "lose", "slow", "kill-before", "kill-after", "stop-after"};

static const char *directory, *only, *ending, *boot;
static int log_descriptor = -1, is_always, error_number;
static long at, delay;
static enum fault action;
static atomic_long count;
static _Atomic off_t last_offset;
static atomic_size_t last_size;

__attribute__((constructor)) static void set_up(void) {
    const char *text;
    directory = getenv("SHIM_DIRECTORY");
    only = getenv("SHIM_ONLY");
    ending = getenv("SHIM_FILE");
    boot = getenv("SHIM_BOOT");
    is_always = getenv("SHIM_ALWAYS") != NULL;
    if ((text = getenv("SHIM_DELAY"))) delay = atol(text);
    if ((text = getenv("SHIM_AT"))) at = atol(text);
    if ((text = getenv("SHIM_DO"))) {
        for (enum fault fault = FAIL; fault <= STOP_AFTER; fault++)
            if (!strncmp(text, words[fault], strlen(words[fault]))) action = fault;
        if (action == FAIL) error_number = atoi(text + strlen(words[FAIL]));
    }
    if ((text = getenv("SHIM_LOG")))
        log_descriptor = (int)syscall(
            SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Waits for the end that SIGKILL brings: no further call may slip through.
static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

static int is_listed(const char *call) {
    size_t length = strlen(call);
    if (!only) return 1;
    for (const char *word = only; *word;) {
        size_t size = strcspn(word, ",");
        if (size == length && !strncmp(word, call, size)) return 1;
        word += size;
        if (*word == ',') word++;
    }
    return 0;
}

// Counts a call if it concerns the directory, notes it, and says what is to happen to it.
static enum fault arrive(const char *call, const char *path) {
    size_t length = directory ? strlen(directory) : 0;
    if (!length || strncmp(path, directory, length) || (path[length] && path[length] != '/')) return NONE;
    const char *name = path[length] ? path + length + 1 : ".";
    if (!is_listed(call)) return NONE;
    if (ending) {
        size_t size = strlen(name), wanted = strlen(ending);
        if (size < wanted || strcmp(name + size - wanted, ending)) return NONE;
    }
    long number = atomic_fetch_add(&count, 1) + 1;
    int happens = at && (number == at || (is_always && number > at));
    if (log_descriptor >= 0) {
        char line[PATH_MAX + 64];
        int size = snprintf(line, sizeof line, "%ld %s %s%s\n", number, call, name, happens ? " !" : "");
        syscall(SYS_write, log_descriptor, line, (size_t)size);
    }
    if (!happens) return NONE;
    if (action == KILL_BEFORE) die();
    if (action == FAIL) errno = error_number;
    if (action == SLOW) usleep((useconds_t)delay * 1000);
    return action;
}

static enum fault arrive_path(const char *call, const char *path) {
    if (!directory || !path) return NONE;
    if (path[0] == '/') return arrive(call, path);
    char whole[PATH_MAX * 2];
    if (syscall(SYS_getcwd, whole, PATH_MAX) <= 0) return NONE;
    if (strcmp(path, ".")) {
        strcat(whole, "/");
        strncat(whole, path, PATH_MAX - 1);
    }
    return arrive(call, whole);
}

static enum fault arrive_descriptor(const char *call, int descriptor) {
    if (!directory || descriptor == log_descriptor) return NONE;
    char link[32], whole[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int before = errno;
    long size = syscall(SYS_readlinkat, AT_FDCWD, link, whole, sizeof whole - 1);
    errno = before;
    if (size <= 0) return NONE;
    whole[size] = 0;
    return arrive(call, whole);
}

static void follow(enum fault fault) {
    if (fault == KILL_AFTER) die();
    // A signal for the process may go to another thread, and this one would run on until that has it.
    if (fault == STOP_AFTER) syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGSTOP);
}

#define AROUND(type, arrival, call)                                                                          \
    do {                                                                                                     \
        enum fault fault = arrival;                                                                          \
        if (fault == FAIL) return -1;                                                                        \
        type result = call;                                                                                  \
        follow(fault);                                                                                       \
        return result;                                                                                       \
    } while (0)

// Half of the bytes, but not none: that would be the end of the file.
#define MOVING(name, ...)                                                                                    \
    {                                                                                                        \
        enum fault fault = arrive_descriptor(LABEL, descriptor);                                             \
        if (fault == FAIL) return -1;                                                                        \
        if (fault == SHORT && size > 1) size /= 2;                                                           \
        ssize_t result = REAL(name)(descriptor, buffer, size __VA_ARGS__);                                   \
        follow(fault);                                                                                       \
        return result;                                                                                       \
    }

#define LABEL "pwrite"
ssize_t pwrite(int descriptor, const void *buffer, size_t size, off_t offset) {
    atomic_store(&last_offset, offset);
    atomic_store(&last_size, size);
    MOVING(pwrite, , offset)
}
#undef LABEL
#define LABEL "write"
ssize_t write(int descriptor, const void *buffer, size_t size)
MOVING(write)
#undef LABEL
#define LABEL "pread"
ssize_t pread(int descriptor, void *buffer, size_t size, off_t offset)
MOVING(pread, , offset)
#undef LABEL
#define LABEL "read"
ssize_t read(int descriptor, void *buffer, size_t size)
MOVING(read)
#undef LABEL

static int open_at(int base, const char *path, int flags, mode_t mode) {
    if (boot && path && !strcmp(path, "/proc/sys/kernel/random/boot_id")) path = boot;
    // Only absolute paths and those of the current directory are understood; segdl uses no others.
    const char *call = flags & O_CREAT ? "create" : flags & __O_TMPFILE ? "unnamed" : "open";
    AROUND(int, arrive_path(call, path),
        (int)syscall(SYS_openat, base, path, flags, mode));
}

#define MODE(flags, mode)                                                                                    \
    mode_t mode = 0;                                                                                         \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                                   \
        va_list list;                                                                                        \
        va_start(list, flags);                                                                               \
        mode = va_arg(list, mode_t);                                                                         \
        va_end(list);                                                                                        \
    }

int open(const char *path, int flags, ...) { MODE(flags, mode) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int base, const char *path, int flags, ...) { MODE(flags, mode) return open_at(base, path, flags, mode); }

int fdatasync(int descriptor) {
    enum fault fault = arrive_descriptor("fdatasync", descriptor);
    if (fault == FAIL) return -1;
    if (fault == LOSE) {
        usleep((useconds_t)delay * 1000);
        size_t size = atomic_load(&last_size);
        char *zeros = calloc(1, size + 1);
        REAL(pwrite)(descriptor, zeros, size, atomic_load(&last_offset));
        free(zeros);
        errno = EIO;
        return -1;
    }
    int result = REAL(fdatasync)(descriptor);
    follow(fault);
    return result;
}
int fsync(int descriptor) { AROUND(int, arrive_descriptor("fsync", descriptor), REAL(fsync)(descriptor)); }
int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    AROUND(int, arrive_descriptor("fallocate", descriptor), REAL(fallocate)(descriptor, mode, offset, length));
}
int ftruncate(int descriptor, off_t length) {
    AROUND(int, arrive_descriptor("ftruncate", descriptor), REAL(ftruncate)(descriptor, length));
}
int flock(int descriptor, int operation) {
    AROUND(int, arrive_descriptor("flock", descriptor), (int)syscall(SYS_flock, descriptor, operation));
}
int futimens(int descriptor, const struct timespec times[2]) {
    AROUND(int, arrive_descriptor("futimens", descriptor), REAL(futimens)(descriptor, times));
}
int chmod(const char *path, mode_t mode) { AROUND(int, arrive_path("chmod", path), REAL(chmod)(path, mode)); }
int fsetxattr(int descriptor, const char *name, const void *value, size_t size, int flags) {
    AROUND(int, arrive_descriptor("fsetxattr", descriptor), REAL(fsetxattr)(descriptor, name, value, size, flags));
}
// Locks of ranges, as SQLite takes them.
int fcntl(int descriptor, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (command != F_SETLK && command != F_GETLK) return REAL(fcntl)(descriptor, command, argument);
    AROUND(int, arrive_descriptor("lock", descriptor), REAL(fcntl)(descriptor, command, argument));
}
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (descriptor >= 0 && flags & MAP_SHARED && arrive_descriptor("mmap", descriptor) == FAIL) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}
int close(int descriptor) {
    // A descriptor whose close failed is closed all the same.
    enum fault fault = arrive_descriptor("close", descriptor);
    int error = errno, result = REAL(close)(descriptor);
    // A second close may hit a file that another thread has opened meanwhile: then bytes go into a wrong file.
    if (result != 0 && errno == EBADF) abort();
    follow(fault);
    if (fault != FAIL) return result;
    errno = error;
    return -1;
}
int rename(const char *path, const char *new_path) { AROUND(int, arrive_path("rename", path), REAL(rename)(path, new_path)); }
int renameat2(int old_base, const char *old_path, int new_base, const char *new_path, unsigned int flags) {
    AROUND(int, arrive_path("renameat2", old_path),
        REAL(renameat2)(old_base, old_path, new_base, new_path, flags));
}
int link(const char *path, const char *new_path) { AROUND(int, arrive_path("link", path), REAL(link)(path, new_path)); }
int linkat(int old_base, const char *old_path, int new_base, const char *new_path, int flags) {
    AROUND(int, arrive_path("linkat", new_path), REAL(linkat)(old_base, old_path, new_base, new_path, flags));
}
int unlink(const char *path) { AROUND(int, arrive_path("unlink", path), REAL(unlink)(path)); }
int mkdir(const char *path, mode_t mode) { AROUND(int, arrive_path("mkdir", path), REAL(mkdir)(path, mode)); }
int access(const char *path, int mode) { AROUND(int, arrive_path("access", path), REAL(access)(path, mode)); }
int stat(const char *path, struct stat *buffer) { AROUND(int, arrive_path("stat", path), REAL(stat)(path, buffer)); }
int lstat(const char *path, struct stat *buffer) {
    AROUND(int, arrive_path("lstat", path), REAL(lstat)(path, buffer));
}
int fstat(int descriptor, struct stat *buffer) {
    AROUND(int, arrive_descriptor("fstat", descriptor), REAL(fstat)(descriptor, buffer));
}

// On 64-bit systems these are the same calls by other names.
#define SAME(name) extern __typeof__(name##64) name##64 __attribute__((alias(#name)))
SAME(open);
SAME(openat);
SAME(pwrite);
SAME(pread);
SAME(fallocate);
SAME(ftruncate);
SAME(mmap);
SAME(fcntl);
