#include "seg_close_notice.h"

#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>

struct seg_close_notice {
    // Held by the connection and by each caller of watch.
    int owners;
    bool is_received;
};

static int slot = -1;
static pthread_once_t once = PTHREAD_ONCE_INIT;

void seg_close_notice_release(seg_close_notice *notice) {
    if (notice && --notice->owners == 0) free(notice);
}

static void connection_freed(
    void *parent, void *notice, CRYPTO_EX_DATA *data, int index, long number, void *pointer) {
    (void)parent, (void)data, (void)index, (void)number, (void)pointer;
    seg_close_notice_release(notice);
}

static void make_slot(void) { slot = SSL_get_ex_new_index(0, NULL, NULL, NULL, connection_freed); }

static void noted(const SSL *connection, int where, int value) {
    if (where != SSL_CB_READ_ALERT || (value & 0xff) != SSL_AD_CLOSE_NOTIFY) return;
    seg_close_notice *notice = SSL_get_ex_data(connection, slot);
    if (notice) notice->is_received = true;
}

seg_close_notice *seg_close_notice_watch(void *connection) {
    pthread_once(&once, make_slot);
    if (slot < 0) return NULL;
    seg_close_notice *notice = SSL_get_ex_data(connection, slot);
    if (!notice) {
        notice = calloc(1, sizeof *notice);
        if (!notice) return NULL;
        if (!SSL_set_ex_data(connection, slot, notice)) {
            free(notice);
            return NULL;
        }
        notice->owners = 1;
        SSL_set_info_callback(connection, noted);
    }
    notice->owners++;
    return notice;
}

bool seg_close_notice_is_received(const seg_close_notice *notice) { return notice->is_received; }
