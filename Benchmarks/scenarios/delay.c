#define _GNU_SOURCE
// delay LISTEN_PORT UPSTREAM_PORT MILLISECONDS: a line between two ports of 127.0.0.1 that holds back every
// byte, end and reset for so long, each way, and limits no rate. 0 passes on at once. Prints "ready" when it
// listens, and the port behind it if LISTEN_PORT is 0. Ends with its standard input, a pipe or a terminal.
//
// The kernel completes a client's connect by itself, so a connection costs the client no round trip; the
// server sees it after the delay. There is no slow start either.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    piece = 64 * 1024,
    pieces_per_turn = 4,
    most_held = 64 * 1024 * 1024,  // per direction; with 100 ms still 640 MB/s
    most_connections = 4096,
    events_at_once = 256,
};

typedef enum { DATA, END, RESET, CONNECT } Kind;

typedef struct Side Side;

typedef struct Chunk {
    struct Chunk *next;
    Side *to;
    long long due;
    Kind kind;
    size_t size, sent;
    char bytes[];
} Chunk;

typedef struct {
    Chunk *first, *last;
} Queue;

typedef struct Pair Pair;

struct Side {
    Pair *pair;
    Side *peer, *next;  // next: in the list of those that are to be read
    int socket;         // -1 before and after the connection
    bool connected, readable, finishing, failed, listed;
    bool over;      // its end is on the line
    bool ended;     // the peer's end was passed on to it
    size_t held;    // bytes that were read from it and are not written yet
    Queue arrived;  // chunks for it that are due
};

struct Pair {
    Side client, server;
    int on_line;  // its chunks that are not due
    Pair *next;
    bool dead;
};

static int poller, listener, connections, allowed;
static long long delay;
static struct sockaddr_in upstream;
// Everything is held back equally long, so that the order of arrival is the order of the due times.
static Queue line;
static Side *to_read;
static Pair *dead;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void append(Queue *queue, Chunk *chunk) {
    chunk->next = NULL;
    if (queue->first) queue->last->next = chunk;
    else queue->first = chunk;
    queue->last = chunk;
}

static Chunk *take(Queue *queue) {
    Chunk *chunk = queue->first;
    queue->first = chunk->next;
    return chunk;
}

static Chunk *make(size_t room) {
    Chunk *chunk = malloc(sizeof *chunk + room);
    if (!chunk) fail("malloc");
    return chunk;
}

static void send_off(Chunk *chunk, Side *to, Kind kind, size_t size) {
    chunk->to = to;
    chunk->due = now() + delay;
    chunk->kind = kind;
    chunk->size = size;
    chunk->sent = 0;
    to->pair->on_line++;
    append(&line, chunk);
}

static void watch(int file, uint32_t events, void *data) {
    struct epoll_event event = {.events = events, .data.ptr = data};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, file, &event) < 0) fail(file ? "epoll_ctl" : "standard input");
}

static void list(Side *side) {
    if (side->listed) return;
    side->listed = true;
    side->next = to_read;
    to_read = side;
}

static void check_dead(Pair *pair) {
    if (pair->dead || pair->on_line || pair->client.socket >= 0 || pair->server.socket >= 0) return;
    pair->dead = true;
    pair->next = dead;
    dead = pair;
}

static void discard(Side *side) {
    if (side->socket >= 0) close(side->socket);
    side->socket = -1;
    side->over = true;
    while (side->arrived.first) {
        Chunk *chunk = take(&side->arrived);
        side->peer->held -= chunk->size - chunk->sent;
        free(chunk);
    }
    check_dead(side->pair);
}

// The reset goes over the line even behind an end: a server that goes on sending learns of it that way.
static void broken(Side *side) {
    send_off(make(0), side->peer, RESET, 0);
    discard(side);
}

static void flush(Side *side) {
    while (side->connected && side->socket >= 0 && side->arrived.first) {
        Chunk *chunk = side->arrived.first;
        if (chunk->kind == DATA) {
            size_t rest = chunk->size - chunk->sent;
            ssize_t sent = send(side->socket, chunk->bytes + chunk->sent, rest, MSG_NOSIGNAL);
            if (sent < 0 && errno == EAGAIN) break;
            if (sent < 0) {
                broken(side);
                break;
            }
            chunk->sent += sent;
            side->peer->held -= sent;
            if (chunk->sent < chunk->size) continue;
        } else {
            shutdown(side->socket, SHUT_WR);
            side->ended = true;
        }
        free(take(&side->arrived));
    }
    if (side->peer->readable && side->peer->held < most_held / 2) list(side->peer);
    if (side->ended && side->peer->ended) {
        discard(side);
        discard(side->peer);
    }
}

static void open_server(Side *side) {
    side->socket = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (side->socket < 0) fail("socket");
    setsockopt(side->socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(side->socket, (struct sockaddr *)&upstream, sizeof upstream) < 0 && errno != EINPROGRESS) {
        broken(side);
        return;
    }
    watch(side->socket, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, side);
}

static void deliver(Chunk *chunk) {
    Side *to = chunk->to;
    to->pair->on_line--;
    if (chunk->kind == CONNECT) {
        open_server(to);
    } else if (to->socket < 0) {
        to->peer->held -= chunk->size;
    } else if (chunk->kind == RESET) {
        setsockopt(to->socket, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
        discard(to);
    } else {
        append(&to->arrived, chunk);
        flush(to);
        check_dead(to->pair);
        return;
    }
    free(chunk);
    check_dead(to->pair);
}

static void accept_clients(void) {
    while (connections < allowed) {
        int socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0 && (errno == EAGAIN || errno == ECONNABORTED)) return;
        if (socket < 0) fail("accept");
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        Pair *pair = calloc(1, sizeof *pair);
        if (!pair) fail("calloc");
        pair->client = (Side){.pair = pair, .peer = &pair->server, .socket = socket, .connected = true};
        pair->server = (Side){.pair = pair, .peer = &pair->client, .socket = -1};
        connections++;
        send_off(make(0), &pair->server, CONNECT, 0);
        watch(socket, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, &pair->client);
    }
    epoll_ctl(poller, EPOLL_CTL_DEL, listener, NULL);
}

static void read_some(Side *side) {
    for (int turn = 0; turn < pieces_per_turn; turn++) {
        if (side->over || side->held >= most_held) return;
        Chunk *chunk = make(piece);
        ssize_t got = recv(side->socket, chunk->bytes, piece, 0);
        if (got > 0) {
            side->held += got;
            send_off(got < piece ? realloc(chunk, sizeof *chunk + got) : chunk, side->peer, DATA, got);
            if (got == piece || side->finishing) continue;
            side->readable = false;  // Further bytes, or an end, come with an event of their own.
            return;
        }
        bool nothing = got < 0 && errno == EAGAIN;
        side->readable = false;
        if (!nothing && (got < 0 || side->failed)) {
            free(chunk);
            broken(side);
        } else if (!nothing) {
            side->over = true;
            send_off(chunk, side->peer, END, 0);
        } else {
            free(chunk);
        }
        return;
    }
    list(side);
}

static void happened(Side *side, uint32_t events) {
    if (side->socket < 0) return;
    if (!side->connected) {
        int error = 0;
        getsockopt(side->socket, SOL_SOCKET, SO_ERROR, &error, &(socklen_t){sizeof error});
        if (error) {
            broken(side);
            return;
        }
        side->connected = true;
    }
    if (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) side->finishing = true;
    if (events & EPOLLERR) side->failed = true;
    if (side->over && side->failed) {
        broken(side);
        return;
    }
    if ((events & EPOLLIN || side->finishing) && !side->over) {
        side->readable = true;
        list(side);
    }
    if (events & EPOLLOUT) flush(side);
}

static void read_listed(void) {
    Side *side = to_read;
    to_read = NULL;
    while (side) {
        Side *next = side->next;
        side->listed = false;
        read_some(side);
        side = next;
    }
}

// Only here: earlier in the same round an event or the list may still name a side.
static void free_dead(void) {
    Pair *pair = dead;
    dead = NULL;
    while (pair) {
        Pair *next = pair->next;
        if (pair->client.listed || pair->server.listed) {
            pair->next = dead;
            dead = pair;
        } else {
            free(pair);
            if (connections-- == allowed) watch(listener, EPOLLIN, &listener);
        }
        pair = next;
    }
}

static struct sockaddr_in at(int port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int listen_on(int port) {
    struct sockaddr_in address = at(port);
    socklen_t length = sizeof address;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&address, length) < 0) fail("bind");
    if (listen(listener, most_connections) < 0) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);
    return ntohs(address.sin_port);
}

static void prepare(void) {
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    rlim_t pairs = (files.rlim_cur - 16) / 2;
    allowed = pairs < most_connections ? (int)pairs : most_connections;
    prctl(PR_SET_TIMERSLACK, 1UL);
}

static struct timespec *time_left(struct timespec *left) {
    if (!to_read && !line.first) return NULL;
    long long wait = to_read ? 0 : line.first->due - now();
    if (wait < 0) wait = 0;
    *left = (struct timespec){wait / 1000000000, wait % 1000000000};
    return left;
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    upstream = at(atoi(arguments[2]));
    delay = atof(arguments[3]) * 1e6;
    prepare();
    poller = epoll_create1(EPOLL_CLOEXEC);
    int port = listen_on(atoi(arguments[1]));
    watch(STDIN_FILENO, EPOLLIN | EPOLLRDHUP, NULL);
    watch(listener, EPOLLIN, &listener);
    if (atoi(arguments[1])) puts("ready");
    else printf("ready %d\n", port);
    fflush(stdout);

    for (;;) {
        struct epoll_event events[events_at_once];
        struct timespec left;
        int got = epoll_pwait2(poller, events, events_at_once, time_left(&left), NULL);
        if (got < 0 && errno != EINTR) fail("epoll_pwait2");
        for (int place = 0; place < got; place++) {
            void *data = events[place].data.ptr;
            char rest[256];
            if (data == &listener) accept_clients();
            else if (data) happened(data, events[place].events);
            else if (read(STDIN_FILENO, rest, sizeof rest) <= 0) return 0;
        }
        read_listed();
        while (line.first && line.first->due <= now()) deliver(take(&line));
        free_dead();
    }
}
