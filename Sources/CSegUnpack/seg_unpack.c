#include "seg_unpack.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#ifdef __APPLE__
#define ZLIB_FILE "libz.1.dylib"
#define LZMA_FILE "liblzma.5.dylib"
#else
#define ZLIB_FILE "libz.so.1"
#define LZMA_FILE "liblzma.so.5"
#endif

// `z_stream` of zlib.h. The number in the library's name identifies this layout, and zlib compares the size.
typedef struct {
    const uint8_t *next_in;
    unsigned avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
} zlib_stream;

// `lzma_stream` of lzma/base.h. The number in the library's name identifies this layout.
typedef struct {
    const uint8_t *next_in;
    size_t avail_in;
    uint64_t total_in;
    uint8_t *next_out;
    size_t avail_out;
    uint64_t total_out;
    const void *allocator;
    void *internal;
    void *reserved_pointers[4];
    uint64_t reserved_numbers[2];
    size_t reserved_sizes[2];
    int reserved_choices[2];
} lzma_stream;

enum { ZLIB_NO_FLUSH = 0, ZLIB_OK = 0, ZLIB_STREAM_END = 1, ZLIB_BUFFER_ERROR = -5 };
enum { LZMA_RUN = 0, LZMA_OK = 0, LZMA_STREAM_END = 1, LZMA_BUFFER_ERROR = 10 };

// A window of 15 bits, plus 16 for the gzip header and trailer (zlib.h, `inflateInit2`).
static const int gzip_window = 15 + 16;
static const uint64_t most_memory = 256 << 20;

static struct {
    int (*init)(zlib_stream *, int, const char *, int);
    int (*run)(zlib_stream *, int);
    int (*reset)(zlib_stream *);
    int (*end)(zlib_stream *);
    const char *(*version)(void);
} zlib;

static struct {
    int (*init)(lzma_stream *, uint64_t, uint32_t);
    int (*run)(lzma_stream *, int);
    void (*end)(lzma_stream *);
} lzma;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *function(void *library, const char *name, int *is_whole) {
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) *is_whole = 0;
    return found;
}

static int has_zlib = 1, has_lzma = 1;

static void load(void) {
    void *library = dlopen(ZLIB_FILE, RTLD_NOW | RTLD_LOCAL);
    *(void **)&zlib.init = function(library, "inflateInit2_", &has_zlib);
    *(void **)&zlib.run = function(library, "inflate", &has_zlib);
    *(void **)&zlib.reset = function(library, "inflateReset", &has_zlib);
    *(void **)&zlib.end = function(library, "inflateEnd", &has_zlib);
    *(void **)&zlib.version = function(library, "zlibVersion", &has_zlib);
    library = dlopen(LZMA_FILE, RTLD_NOW | RTLD_LOCAL);
    *(void **)&lzma.init = function(library, "lzma_stream_decoder", &has_lzma);
    *(void **)&lzma.run = function(library, "lzma_code", &has_lzma);
    *(void **)&lzma.end = function(library, "lzma_end", &has_lzma);
}

struct seg_unpacker {
    seg_packing packing;
    // True between two members or streams.
    int is_between;
    zlib_stream gzip;
    lzma_stream xz;
};

seg_unpacker *seg_unpacker_open(seg_packing packing) {
    pthread_once(&once, load);
    if (packing == SEG_GZIP ? !has_zlib : !has_lzma) return NULL;
    seg_unpacker *unpacker = calloc(1, sizeof *unpacker);
    if (!unpacker) return NULL;
    unpacker->packing = packing;
    int status = packing == SEG_GZIP
                     ? zlib.init(&unpacker->gzip, gzip_window, zlib.version(), (int)sizeof unpacker->gzip)
                     : lzma.init(&unpacker->xz, most_memory, 0);
    if (status == 0) return unpacker;
    free(unpacker);
    return NULL;
}

static size_t bounded(size_t count) { return count < UINT_MAX ? count : UINT_MAX; }

static int run_gzip(seg_unpacker *unpacker, const uint8_t *input, size_t input_count, size_t *taken,
                    uint8_t *output, size_t output_count, size_t *made) {
    zlib_stream *stream = &unpacker->gzip;
    if (unpacker->is_between && zlib.reset(stream) != ZLIB_OK) return -1;
    size_t in = bounded(input_count), out = bounded(output_count);
    stream->next_in = input;
    stream->avail_in = (unsigned)in;
    stream->next_out = output;
    stream->avail_out = (unsigned)out;
    int status = zlib.run(stream, ZLIB_NO_FLUSH);
    *taken = in - stream->avail_in;
    *made = out - stream->avail_out;
    if (status == ZLIB_STREAM_END) return 1;
    return status == ZLIB_OK || status == ZLIB_BUFFER_ERROR ? 0 : -1;
}

static int run_xz(seg_unpacker *unpacker, const uint8_t *input, size_t input_count, size_t *taken,
                  uint8_t *output, size_t output_count, size_t *made) {
    lzma_stream *stream = &unpacker->xz;
    if (unpacker->is_between && lzma.init(stream, most_memory, 0) != LZMA_OK) return -1;
    stream->next_in = input;
    stream->avail_in = input_count;
    stream->next_out = output;
    stream->avail_out = output_count;
    int status = lzma.run(stream, LZMA_RUN);
    *taken = input_count - stream->avail_in;
    *made = output_count - stream->avail_out;
    if (status == LZMA_STREAM_END) return 1;
    return status == LZMA_OK || status == LZMA_BUFFER_ERROR ? 0 : -1;
}

int seg_unpack(seg_unpacker *unpacker, const uint8_t *input, size_t input_count, size_t *taken, uint8_t *output,
               size_t output_count, size_t *made) {
    int status = unpacker->packing == SEG_GZIP
                     ? run_gzip(unpacker, input, input_count, taken, output, output_count, made)
                     : run_xz(unpacker, input, input_count, taken, output, output_count, made);
    unpacker->is_between = status == 1;
    return status;
}

void seg_unpacker_close(seg_unpacker *unpacker) {
    if (!unpacker) return;
    if (unpacker->packing == SEG_GZIP) {
        zlib.end(&unpacker->gzip);
    } else {
        lzma.end(&unpacker->xz);
    }
    free(unpacker);
}
