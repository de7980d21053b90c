#include <sys/types.h>

/// Starts a program without blocked or ignored signals.
///
/// files: its standard input, output and errors; it has no others. directory: where it runs, or NULL.
/// Returns an error's number, or 0 and the process's id.
int seg_spawn(pid_t *id, const char *path, char *const arguments[], char *const environment[], const int files[3],
              const char *directory);
