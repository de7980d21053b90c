// The CRCs that object stores use as checksums.
#ifndef CSEGCRC_H
#define CSEGCRC_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SEG_CRC32,      // ISO-HDLC, as in zlib
    SEG_CRC32C,     // Castagnoli
    SEG_CRC64NVME,
} seg_crc_kind;

// Returns the CRC of bytes appended to others with the CRC `crc`; 0 is the CRC of zero bytes.
uint64_t seg_crc_update(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count);

// A portable implementation of the same. For tests.
uint64_t seg_crc_update_portable(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count);

// Returns the CRC of bytes with the CRC `first`, followed by `count` bytes with the CRC `second`.
uint64_t seg_crc_combine(seg_crc_kind kind, uint64_t first, uint64_t second, uint64_t count);

#endif
