#ifndef CSEGCRYPTO_SHIM_H
#define CSEGCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#endif
