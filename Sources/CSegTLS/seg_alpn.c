#include "seg_alpn.h"

#include <openssl/ssl.h>
#include <string.h>

bool seg_alpn_is_http2(const void *connection) {
    const unsigned char *name = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(connection, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}
