#ifndef SEG_ALPN_H
#define SEG_ALPN_H

#include <stdbool.h>

// Tells whether a TLS connection (OpenSSL's SSL) has HTTP/2, by the protocol that the server chose (ALPN,
// RFC 7301; "h2", RFC 9113, section 3.2).
bool seg_alpn_is_http2(const void *connection);

#endif
