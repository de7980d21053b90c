#define _GNU_SOURCE
#include "seg_spawn.h"

#include <signal.h>
#include <spawn.h>

int seg_spawn(pid_t *id, const char *path, char *const arguments[], char *const environment[], const int files[3],
              const char *directory) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int number = 0; number < 3; number++)
        posix_spawn_file_actions_adddup2(&actions, files[number], number);
    if (directory)
        posix_spawn_file_actions_addchdir_np(&actions, directory);
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, flags);
    const int error = posix_spawn(id, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
