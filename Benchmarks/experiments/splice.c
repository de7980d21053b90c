// How much CPU a body costs on its way from a socket into a file: by libcurl's write callback, by recv and
// pwrite on libcurl's socket once it has read the head, and by splice on the same.
//
//     gcc -O2 -o splice splice.c -lcurl && ./splice curl|recv|splice URL FILE
//
// It prints wall, user and system seconds. The last two end the connection: libcurl does not know what was
// taken.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, PIPE = 1024 * 1024 };

static int file;
static off_t offset;
static char buffer[CHUNK];
static size_t filled;
static int is_held;
static int connection;

static void check(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static void flush_buffer(void) {
    for (size_t done = 0; done < filled;) {
        ssize_t n = pwrite(file, buffer + done, filled - done, offset);
        check(n > 0, "pwrite");
        done += n;
        offset += n;
    }
    filled = 0;
}

static size_t gather(char *bytes, size_t size, size_t count, void *unused) {
    size_t length = size * count;
    for (size_t done = 0; done < length;) {
        size_t part = length - done < CHUNK - filled ? length - done : CHUNK - filled;
        memcpy(buffer + filled, bytes + done, part);
        filled += part;
        done += part;
        if (filled == CHUNK) flush_buffer();
    }
    return length;
}

// The first bytes of the body: they are kept by libcurl, which reads no further.
static size_t hold(char *bytes, size_t size, size_t count, void *unused) {
    if (is_held == 2) return gather(bytes, size, count, unused);
    is_held = 1;
    return CURL_WRITEFUNC_PAUSE;
}

static int remember(void *unused, curl_socket_t socket, curlsocktype purpose) {
    connection = socket;
    return CURL_SOCKOPT_OK;
}

static void wait_for(int socket) {
    struct pollfd poll_for = {.fd = socket, .events = POLLIN};
    check(poll(&poll_for, 1, 10000) == 1, "poll");
}

static void receive(int socket, off_t end) {
    while (offset < end) {
        ssize_t n = recv(socket, buffer, CHUNK, 0);
        if (n < 0 && errno == EAGAIN) {
            wait_for(socket);
            continue;
        }
        check(n > 0, "recv");
        filled = n;
        flush_buffer();
    }
}

static void splice_all(int socket, off_t end) {
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    check(fcntl(ends[1], F_SETPIPE_SZ, PIPE) >= PIPE, "F_SETPIPE_SZ");
    while (offset < end) {
        ssize_t n = splice(socket, NULL, ends[1], NULL, PIPE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
        if (n < 0 && errno == EAGAIN) {
            wait_for(socket);
            continue;
        }
        check(n > 0, "splice from the socket");
        while (n > 0) {
            ssize_t written = splice(ends[0], NULL, file, &offset, n, SPLICE_F_MOVE);
            check(written > 0, "splice to the file");
            n -= written;
        }
    }
}

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int argc, char **argv) {
    struct timespec begin, end;
    if (argc != 4) {
        fprintf(stderr, "usage: %s curl|recv|splice URL FILE\n", argv[0]);
        return 64;
    }
    clock_gettime(CLOCK_MONOTONIC, &begin);
    file = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    check(file >= 0, "open");
    int is_curl = !strcmp(argv[1], "curl");
    CURLM *multi = curl_multi_init();
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[2]);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, is_curl ? (long)CHUNK : 16384L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, is_curl ? gather : hold);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, remember);
    curl_multi_add_handle(multi, easy);
    int running = 1;
    while (running && !is_held) {
        curl_multi_perform(multi, &running);
        if (running && !is_held) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    if (is_held) {
        curl_off_t length;
        curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        // The bytes that libcurl has read already come first; it reads no more before it is asked to.
        is_held = 2;
        curl_easy_pause(easy, CURLPAUSE_CONT);
        flush_buffer();
        if (!strcmp(argv[1], "recv")) receive(connection, length);
        else splice_all(connection, length);
    } else {
        flush_buffer();
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%s %.3f %.3f %.3f\n", argv[1], end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9,
           seconds(usage.ru_utime), seconds(usage.ru_stime));
    return 0;
}
