// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which
// Swift cannot call. Each wrapper below fixes one argument type.
#ifndef CSEGCURL_SHIM_H
#define CSEGCURL_SHIM_H

#include <curl/curl.h>

#include "idn.h"

typedef size_t (*seg_data_callback)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode seg_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode seg_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode seg_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode seg_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode seg_set_data_callback(CURL *easy, CURLoption option, seg_data_callback value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode seg_set_progress_callback(CURL *easy, curl_xferinfo_callback value) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode seg_set_sockopt_callback(CURL *easy, curl_sockopt_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, value);
}

static inline CURLcode seg_set_close_callback(CURL *easy, curl_closesocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLcode seg_set_request_callback(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

// Returns the OpenSSL SSL object of a transfer's connection while its bytes arrive (CURLINFO_TLS_SSL_PTR), or
// NULL.
static inline void *seg_get_openssl_connection(CURL *easy) {
    struct curl_tlssessioninfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info) return NULL;
    return info->backend == CURLSSLBACKEND_OPENSSL ? info->internals : NULL;
}

static inline CURLcode seg_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode seg_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode seg_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, (char **)value);
}

static inline CURLcode seg_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode seg_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode seg_multi_set_socket_callback(
    CURLM *multi, curl_socket_callback value, void *context) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    return result != CURLM_OK ? result : curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode seg_multi_set_timer_callback(
    CURLM *multi, curl_multi_timer_callback value, void *context) {
    CURLMcode result = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return result != CURLM_OK ? result : curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

static inline CURLSHcode seg_share_set_data(CURLSH *share, curl_lock_data data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// The result of a finished transfer is in a union, whose members Swift can only access by name.
static inline CURLcode seg_message_result(const CURLMsg *message) {
    return message->data.result;
}

// Swift does not import macros with casts.
static inline long seg_auth_basic(void) {
    return (long)CURLAUTH_BASIC;
}

static inline long seg_auth_digest(void) {
    return (long)CURLAUTH_DIGEST;
}

static inline size_t seg_write_pause(void) {
    return CURL_WRITEFUNC_PAUSE;
}

static inline curl_socket_t seg_socket_timeout(void) {
    return CURL_SOCKET_TIMEOUT;
}

static inline curl_socket_t seg_no_socket(void) {
    return CURL_SOCKET_BAD;
}

static inline long seg_global_default(void) {
    return CURL_GLOBAL_DEFAULT;
}

#endif
