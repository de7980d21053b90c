#include "seg_crc.h"

#include <pthread.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

// All three CRCs are reflected: the lowest bit of a value is the coefficient of the highest power of x. A
// 32-bit value is in the low half of its 64 bits.
struct check {
    int width;
    uint64_t polynomial;
    uint64_t table[8][256];
    // x^(distance + 63) and x^(distance - 1), for the low and the high half of a register; see `fold`.
    uint64_t by_64_bytes[2], by_16_bytes[2];
};

static struct check checks[] = {
    [SEG_CRC32] = {.width = 32, .polynomial = 0xedb88320},
    [SEG_CRC32C] = {.width = 32, .polynomial = 0x82f63b78},
    [SEG_CRC64NVME] = {.width = 64, .polynomial = 0x9a6c9329ac4bc9b5},
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_accelerated;

static uint64_t times_x(const struct check *check, uint64_t value) {
    return (value >> 1) ^ (value & 1 ? check->polynomial : 0);
}

static uint64_t one(const struct check *check) { return (uint64_t)1 << (check->width - 1); }

// Returns the power of x as a 64-bit factor.
static uint64_t factor(const struct check *check, int power) {
    uint64_t value = one(check);
    while (power-- > 0) value = times_x(check, value);
    return value << (64 - check->width);
}

static void prepare(void) {
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        struct check *check = &checks[i];
        for (int byte = 0; byte < 256; byte++) {
            uint64_t value = byte;
            for (int bit = 0; bit < 8; bit++) value = times_x(check, value);
            check->table[0][byte] = value;
        }
        for (int row = 1; row < 8; row++) {
            for (int byte = 0; byte < 256; byte++) {
                const uint64_t value = check->table[row - 1][byte];
                check->table[row][byte] = (value >> 8) ^ check->table[0][value & 0xff];
            }
        }
        check->by_64_bytes[0] = factor(check, 512 + 63);
        check->by_64_bytes[1] = factor(check, 512 - 1);
        check->by_16_bytes[0] = factor(check, 128 + 63);
        check->by_16_bytes[1] = factor(check, 128 - 1);
    }
#ifdef __x86_64__
    __builtin_cpu_init();
    is_accelerated = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
}

static uint64_t mask(const struct check *check) { return UINT64_MAX >> (64 - check->width); }

// Eight bytes at a time (slicing-by-8).
static uint64_t by_table(const struct check *check, uint64_t crc, const uint8_t *bytes, size_t count) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        word ^= crc;
        crc = 0;
        for (int i = 0; i < 8; i++) crc ^= check->table[7 - i][(word >> (8 * i)) & 0xff];
    }
#endif
    for (; count > 0; bytes++, count--) crc = (crc >> 8) ^ check->table[0][(crc ^ *bytes) & 0xff];
    return crc;
}

#ifdef __x86_64__
// Returns `value` times x^distance modulo the polynomial. The product of two reflected halves is one bit too
// low, so the powers are one less than the distances.
__attribute__((target("pclmul,sse4.1"))) static inline __m128i fold(__m128i value, __m128i factors) {
    return _mm_xor_si128(
        _mm_clmulepi64_si128(value, factors, 0x00), _mm_clmulepi64_si128(value, factors, 0x11));
}

// Folds the bytes into the last sixteen (Gopal et al., Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ), which the table reduces. Requires at least 64 bytes.
__attribute__((target("pclmul,sse4.1"))) static uint64_t by_folding(
    const struct check *check, uint64_t crc, const uint8_t *bytes, size_t count) {
    const __m128i far = _mm_set_epi64x((int64_t)check->by_64_bytes[1], (int64_t)check->by_64_bytes[0]);
    const __m128i near = _mm_set_epi64x((int64_t)check->by_16_bytes[1], (int64_t)check->by_16_bytes[0]);
    const __m128i *next = (const __m128i *)bytes;
    __m128i part[4];
    for (int i = 0; i < 4; i++) part[i] = _mm_loadu_si128(next++);
    part[0] = _mm_xor_si128(part[0], _mm_cvtsi64_si128((int64_t)crc));
    for (count -= 64; count >= 64; count -= 64) {
        for (int i = 0; i < 4; i++) part[i] = _mm_xor_si128(fold(part[i], far), _mm_loadu_si128(next++));
    }
    __m128i all = part[0];
    for (int i = 1; i < 4; i++) all = _mm_xor_si128(fold(all, near), part[i]);
    for (; count >= 16; count -= 16) all = _mm_xor_si128(fold(all, near), _mm_loadu_si128(next++));
    uint8_t last[16];
    _mm_storeu_si128((__m128i *)last, all);
    crc = by_table(check, 0, last, sizeof last);
    return by_table(check, crc, (const uint8_t *)next, count);
}
#endif

uint64_t seg_crc_update(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count) {
    pthread_once(&once, prepare);
#ifdef __x86_64__
    const struct check *check = &checks[kind];
    if (is_accelerated && count >= 64) {
        return by_folding(check, crc ^ mask(check), bytes, count) ^ mask(check);
    }
#endif
    return seg_crc_update_portable(kind, crc, bytes, count);
}

uint64_t seg_crc_update_portable(seg_crc_kind kind, uint64_t crc, const void *bytes, size_t count) {
    pthread_once(&once, prepare);
    const struct check *check = &checks[kind];
    return by_table(check, crc ^ mask(check), bytes, count) ^ mask(check);
}

static uint64_t product(const struct check *check, uint64_t one_factor, uint64_t other) {
    uint64_t product = 0;
    for (uint64_t bit = one(check); bit != 0; bit >>= 1) {
        if (one_factor & bit) product ^= other;
        other = times_x(check, other);
    }
    return product;
}

uint64_t seg_crc_combine(seg_crc_kind kind, uint64_t first, uint64_t second, uint64_t count) {
    const struct check *check = &checks[kind];
    // x to the power of the number of following bits, by squaring.
    uint64_t shift = one(check), square = one(check) >> 8;
    for (; count > 0; count >>= 1) {
        if (count & 1) shift = product(check, shift, square);
        square = product(check, square, square);
    }
    return product(check, shift, first) ^ second;
}
