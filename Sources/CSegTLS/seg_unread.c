#include "seg_unread.h"

#include <openssl/ssl.h>

bool seg_tls_has_unread(const void *connection) { return SSL_pending(connection) > 0; }
