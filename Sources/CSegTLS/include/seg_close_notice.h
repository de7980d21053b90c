#ifndef SEG_CLOSE_NOTICE_H
#define SEG_CLOSE_NOTICE_H

#include <stdbool.h>

// Records whether the peer of a TLS connection has announced that it has sent everything (close_notify, RFC
// 8446, section 6.1).
//
// Only one thread may use the connection and its notices.
typedef struct seg_close_notice seg_close_notice;

// Watches a connection (OpenSSL's SSL) from now on. The connection may be freed before or after the notice.
// Returns NULL if out of memory.
seg_close_notice *seg_close_notice_watch(void *connection);

bool seg_close_notice_is_received(const seg_close_notice *notice);

void seg_close_notice_release(seg_close_notice *notice);

#endif
