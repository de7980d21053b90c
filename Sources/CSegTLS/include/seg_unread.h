#ifndef SEG_UNREAD_H
#define SEG_UNREAD_H

#include <stdbool.h>

// Tells whether a TLS connection (OpenSSL's SSL) holds decrypted bytes that were not read. It reads nothing
// from the network.
bool seg_tls_has_unread(const void *connection);

#endif
