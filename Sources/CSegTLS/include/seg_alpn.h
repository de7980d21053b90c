#ifndef SEG_ALPN_H
#define SEG_ALPN_H

#include <stdbool.h>

// Returns true if a TLS connection (OpenSSL's SSL) uses HTTP/2, according to the protocol selected by the
// server (ALPN, RFC 7301; "h2", RFC 9113, section 3.2).
bool seg_alpn_is_http2(const void *connection);

#endif
