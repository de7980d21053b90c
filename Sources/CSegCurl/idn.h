// Converts host names to ASCII with the system's libidn2, which is loaded on first use. libcurl itself does
// so only in a UTF-8 locale that the program has set, and a library must not set the locale.
#ifndef CSEGCURL_IDN_H
#define CSEGCURL_IDN_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
#define SEG_IDN_FILE "libidn2.0.dylib"
#else
#define SEG_IDN_FILE "libidn2.so.0"
#endif

// Flags of idn2.h, in the order in which libcurl tries them.
enum { SEG_IDN_NFC_INPUT = 1, SEG_IDN_TRANSITIONAL = 4, SEG_IDN_NONTRANSITIONAL = 8 };

// Returns a host name in ASCII (IDNA 2008 and UTS 46), which `seg_host_free` frees. NULL if the name has no
// such form, with libidn2's reason in `reason`; with no reason if the system lacks libidn2.
static inline char *_Nullable seg_host_in_ascii(
    const char *_Nonnull host, const char *_Nullable *_Nonnull reason) {
    *reason = NULL;
    void *library = dlopen(SEG_IDN_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    int (*convert)(const char *, char **, int) =
        (int (*)(const char *, char **, int))dlsym(library, "idn2_to_ascii_8z");
    void (*release)(void *) = (void (*)(void *))dlsym(library, "idn2_free");
    const char *(*text)(int) = (const char *(*)(int))dlsym(library, "idn2_strerror");
    if (!convert || !release || !text) return NULL;
    char *ascii = NULL;
    int status = convert(host, &ascii, SEG_IDN_NFC_INPUT | SEG_IDN_NONTRANSITIONAL);
    if (status != 0 && convert(host, &ascii, SEG_IDN_NFC_INPUT | SEG_IDN_TRANSITIONAL) == 0) status = 0;
    if (status != 0) {
        *reason = text(status);
        return NULL;
    }
    char *copy = strdup(ascii);
    release(ascii);
    return copy;
}

static inline void seg_host_free(char *_Nullable host) { free(host); }

#endif
