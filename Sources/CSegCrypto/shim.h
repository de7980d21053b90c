#ifndef CSEGCRYPTO_SHIM_H
#define CSEGCRYPTO_SHIM_H

#include <openssl/crypto.h>
#include <openssl/evp.h>

#endif
