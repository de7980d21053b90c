// Cyclic redundancy checks by which stores vouch for objects.
#ifndef CSEGCRC_H
#define CSEGCRC_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    SEG_CRC32,      // ISO-HDLC, as in zlib
    SEG_CRC32C,     // Castagnoli
    SEG_CRC64NVME,
} seg_crc_kind;

// Returns the check of some bytes behind others with the check `crc`; 0 is the check of no bytes.
uint64_t seg_crc_update(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count);

// The same on any processor. For tests.
uint64_t seg_crc_update_portable(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count);

// Returns the check of bytes with the check `first`, and `count` bytes with the check `second` behind them.
uint64_t seg_crc_combine(seg_crc_kind kind, uint64_t first, uint64_t second, uint64_t count);

// Returns 1 if this processor multiplies without carries, so that `seg_crc_update` is fast.
int seg_crc_is_accelerated(void);

#endif
