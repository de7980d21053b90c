// Decompresses gzip and xz with the system's zlib and liblzma, which are loaded on first use.
#ifndef CSEGUNPACK_H
#define CSEGUNPACK_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SEG_GZIP,  // RFC 1952, including several members
    SEG_XZ,    // the .xz file format 1.2, including several streams
} seg_packing;

typedef struct seg_unpacker seg_unpacker;

// Returns a decompressor; NULL if the system lacks the library or is out of memory.
seg_unpacker *seg_unpacker_open(seg_packing packing);

// Decompresses a piece. Stores the numbers of bytes read and written in `taken` and `made`. Returns 1 at the
// end of a member or stream, 0 if it continues, and -1 if it is damaged or needs more than 256 MiB.
int seg_unpack(seg_unpacker *unpacker, const uint8_t *input, size_t input_count, size_t *taken, uint8_t *output,
               size_t output_count, size_t *made);

void seg_unpacker_close(seg_unpacker *unpacker);

#endif
