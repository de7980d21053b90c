#ifndef SEG_UNREAD_H
#define SEG_UNREAD_H

#include <stdbool.h>

// Returns true if a TLS connection (OpenSSL's SSL) holds decrypted bytes that have not been read. It does not
// read from the network.
bool seg_tls_has_unread(const void *connection);

#endif
