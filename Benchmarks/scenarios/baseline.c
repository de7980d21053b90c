#define _GNU_SOURCE
// baseline PORT PATH FILE: what a download costs at least. One connection to 127.0.0.1, recv into 256 KiB,
// pwrite. No library, no check of the answer beyond its length, no sync.
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { size = 256 * 1024 };
static char buffer[size + 1];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    int connection = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection, (struct sockaddr *)&address, sizeof address) < 0) fail("connect");
    dprintf(connection, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", arguments[2]);
    int file = open(arguments[3], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) fail(arguments[3]);

    ssize_t held = 0;
    char *body = NULL;
    while (!body) {
        ssize_t got = recv(connection, buffer + held, size - held, 0);
        if (got <= 0) fail("recv");
        held += got;
        buffer[held] = 0;
        body = strstr(buffer, "\r\n\r\n");
    }
    char *field = strcasestr(buffer, "\r\ncontent-length:");
    if (!field || field > body) fail("no length");
    long long rest = atoll(field + 17), offset = 0;
    held -= body + 4 - buffer;
    memmove(buffer, body + 4, held);

    while (rest > 0) {
        ssize_t wanted = rest < size ? rest : size;
        while (held < wanted) {
            ssize_t got = recv(connection, buffer + held, size - held, 0);
            if (got <= 0) fail("recv");
            held += got;
        }
        if (pwrite(file, buffer, held, offset) != held) fail("pwrite");
        offset += held;
        rest -= held;
        held = 0;
    }
    return close(file);
}
