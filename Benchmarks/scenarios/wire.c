#define _GNU_SOURCE
// wire NEAR FAR MILLISECONDS LOSS DOWN_MBIT DOWN_QUEUE UP_MBIT UP_QUEUE: a line between two interfaces, frame by frame.
// Down is from FAR, where the server is, to NEAR, where the client is. Each direction holds a frame back for so long,
// loses it with that probability, and has a rate with a queue of so many bytes before it, which drops what does not fit.
//
// Lines of standard input, each of which is answered by lines of which the last is ".":
//     begin SEED [drop FROM UNTIL | reset AT]...    empties the line and its books; seconds from the first frame on
//     end                                           what crossed the line since
// Between FROM and UNTIL nothing passes. At AT all connections are reset, as by a router that forgot them. Ends with its
// standard input. ARP is never lost at random.
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    longest = 2048,
    room = 1 << 17,  // frames of a direction
    batch = 64,
    bin = 100,  // milliseconds
    bins = 3000,
    most_events = 16,
    socket_buffer = 64 * 1024 * 1024,
};

typedef struct Frame {
    struct Frame *next;
    long long due;
    int size;
    unsigned char bytes[longest];
} Frame;

typedef struct {
    bool known, open, dead;  // dead: is answered with resets
    uint32_t first;          // sequence number of its SYN
    uint32_t *received;
} Flow;

typedef struct {
    int in, out;
    double rate;     // bytes for each nanosecond
    double queue;    // bytes
    long long free;  // when the line has sent what is queued
    Frame **frames;
    unsigned head, tail;
    long long crossed, bytes, lost, dropped, cut;
} Direction;

typedef struct {
    bool is_reset, done;
    long long from, until;
} Event;

static Direction down, up;
static Flow flows[65536];
static Event events[most_events];
static int event_count, connections, opened, at_once, oversized;
static long long delay, began, latest;
static double loss;
static uint64_t state;
static Frame *unused;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// splitmix64
static double chance(void) {
    uint64_t mixed = (state += 0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return ((mixed ^ (mixed >> 31)) >> 11) * 0x1.0p-53;
}

static Frame *take(void) {
    Frame *frame = unused;
    if (frame) unused = frame->next;
    else if (!(frame = malloc(sizeof *frame))) fail("malloc");
    return frame;
}

static void give(Frame *frame) {
    frame->next = unused;
    unused = frame;
}

// MARK: TCP

static struct iphdr *ip_of(Frame *frame) {
    struct ether_header *ether = (struct ether_header *)frame->bytes;
    struct iphdr *ip = (struct iphdr *)(ether + 1);
    if (frame->size < 34 || ether->ether_type != htons(ETHERTYPE_IP)) return NULL;
    return ip;
}

static struct tcphdr *tcp_of(Frame *frame) {
    struct iphdr *ip = ip_of(frame);
    if (!ip || ip->protocol != IPPROTO_TCP || frame->size < 54) return NULL;
    return (struct tcphdr *)((unsigned char *)ip + ip->ihl * 4);
}

static Flow *flow_of(Frame *frame, bool is_down) {
    struct tcphdr *tcp = tcp_of(frame);
    return tcp ? &flows[ntohs(is_down ? tcp->dest : tcp->source)] : NULL;
}

static uint16_t folded(const void *bytes, int size, uint32_t sum) {
    for (const unsigned char *at = bytes; size > 1; at += 2, size -= 2) sum += at[0] << 8 | at[1];
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return htons(~sum);
}

// Makes a frame into a reset with this sequence number.
static void make_reset(Frame *frame, uint32_t sequence) {
    struct iphdr *ip = ip_of(frame);
    ip->ihl = 5;
    ip->tot_len = htons(40);
    ip->check = 0;
    ip->check = folded(ip, 20, 0);
    struct tcphdr *tcp = (struct tcphdr *)(ip + 1);
    uint16_t source = tcp->source, dest = tcp->dest;
    *tcp = (struct tcphdr){.source = source, .dest = dest, .seq = sequence, .doff = 5, .rst = 1};
    uint32_t pseudo = IPPROTO_TCP + 20;
    for (uint32_t address = ntohl(ip->saddr); address; address >>= 16) pseudo += address & 0xffff;
    for (uint32_t address = ntohl(ip->daddr); address; address >>= 16) pseudo += address & 0xffff;
    tcp->check = folded(tcp, 20, pseudo);
    frame->size = 54;
}

// Answers the sender of a frame whose connection is dead. What it expects next is what it acknowledges.
static void reset_sender(Frame *frame, int out) {
    struct ether_header *ether = (struct ether_header *)frame->bytes;
    struct iphdr *ip = ip_of(frame);
    struct tcphdr *tcp = tcp_of(frame);
    if (tcp->rst || !tcp->ack) return;
    unsigned char hardware[ETH_ALEN];
    memcpy(hardware, ether->ether_shost, ETH_ALEN);
    memcpy(ether->ether_shost, ether->ether_dhost, ETH_ALEN);
    memcpy(ether->ether_dhost, hardware, ETH_ALEN);
    uint32_t address = ip->saddr, acknowledged = tcp->ack_seq;
    ip->saddr = ip->daddr;
    ip->daddr = address;
    uint16_t port = tcp->source;
    tcp->source = tcp->dest;
    tcp->dest = port;
    make_reset(frame, acknowledged);
    send(out, frame->bytes, frame->size, 0);
}

static void note_syn(Frame *frame, Flow *flow) {
    struct tcphdr *tcp = tcp_of(frame);
    if (!tcp->syn || (flow->known && flow->first == tcp->seq)) return;
    if (!flow->received && !(flow->received = calloc(bins, sizeof *flow->received))) fail("calloc");
    flow->known = true;
    flow->dead = false;
    flow->first = tcp->seq;
    connections++;
    if (flow->open) return;
    flow->open = true;
    if (++opened > at_once) at_once = opened;
}

static void note_end(Frame *frame, Flow *flow, bool is_down) {
    struct tcphdr *tcp = tcp_of(frame);
    if (!flow->open || !(tcp->rst || (tcp->fin && !is_down))) return;
    flow->open = false;
    opened--;
}

// MARK: The line

static bool is_cut(long long time) {
    if (!began) return false;
    for (int place = 0; place < event_count; place++) {
        Event *event = &events[place];
        if (!event->is_reset && time >= began + event->from && time < began + event->until) return true;
        if (event->is_reset && !event->done && time >= began + event->from) {
            event->done = true;
            for (int port = 0; port < 65536; port++) {
                flows[port].dead = flows[port].known;
                flows[port].open = false;
            }
            opened = 0;
        }
    }
    return false;
}

// Puts a frame on the line, if it gets there.
static bool enter(Direction *line, Frame *frame, long long time) {
    bool is_down = line == &down;
    if (!began && !is_down && ip_of(frame)) began = time;
    if (is_cut(time)) {
        line->cut++;
        return false;
    }
    Flow *flow = flow_of(frame, is_down);
    if (flow && !is_down) note_syn(frame, flow);
    if (flow) note_end(frame, flow, is_down);
    if (flow && flow->dead) {
        reset_sender(frame, line->in);
        return false;
    }
    if (line->free < time) line->free = time;
    double queued = (line->free - time) * line->rate;
    if (queued + frame->size > line->queue || line->tail - line->head == room) {
        line->dropped++;
        return false;
    }
    line->free += (long long)(frame->size / line->rate);
    if (ip_of(frame) && chance() < loss) {
        line->lost++;
        return false;
    }
    frame->due = line->free + delay;
    line->frames[line->tail++ % room] = frame;
    return true;
}

static void receive(Direction *line) {
    Frame *frames[batch];
    struct iovec parts[batch];
    struct mmsghdr messages[batch];
    memset(messages, 0, sizeof messages);
    for (int place = 0; place < batch; place++) {
        frames[place] = take();
        parts[place] = (struct iovec){frames[place]->bytes, longest};
        messages[place].msg_hdr.msg_iov = &parts[place];
        messages[place].msg_hdr.msg_iovlen = 1;
    }
    int got = recvmmsg(line->in, messages, batch, MSG_DONTWAIT | MSG_TRUNC, NULL);
    if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN) fail("recvmmsg");
    long long time = now();
    for (int place = 0; place < batch; place++) {
        bool entered = false;
        if (place < got) {
            frames[place]->size = (int)messages[place].msg_len;
            if (frames[place]->size > ETH_FRAME_LEN) oversized++;
            else entered = enter(line, frames[place], time);
        }
        if (!entered) give(frames[place]);
    }
}

static void note_crossed(Direction *line, Frame *frame, long long time) {
    line->crossed++;
    line->bytes += frame->size;
    Flow *flow = line == &down ? flow_of(frame, true) : NULL;
    long long place = (time - began) / 1000000 / bin;
    if (flow && flow->received && place < bins) flow->received[place] += frame->size;
}

// Sends what is due.
static void deliver(Direction *line) {
    for (;;) {
        Frame *frames[batch];
        struct iovec parts[batch];
        struct mmsghdr messages[batch];
        memset(messages, 0, sizeof messages);
        int count = 0;
        long long time = now();
        while (count < batch && line->head != line->tail) {
            Frame *frame = line->frames[line->head % room];
            if (frame->due > time) break;
            line->head++;
            if (is_cut(time)) {
                line->cut++;
                give(frame);
                continue;
            }
            if (time - frame->due > latest) latest = time - frame->due;
            Flow *flow = flow_of(frame, line == &down);
            if (flow && flow->dead) make_reset(frame, tcp_of(frame)->seq);
            else note_crossed(line, frame, time);
            frames[count] = frame;
            parts[count] = (struct iovec){frame->bytes, frame->size};
            messages[count].msg_hdr.msg_iov = &parts[count];
            messages[count].msg_hdr.msg_iovlen = 1;
            count++;
        }
        int sent = 0;
        while (sent < count) {
            int more = sendmmsg(line->out, messages + sent, count - sent, 0);
            if (more < 0 && (errno == ENOBUFS || errno == EAGAIN || errno == EINTR)) continue;
            if (more < 0) break;  // an interface that is going down
            sent += more;
        }
        for (int place = 0; place < count; place++) give(frames[place]);
        if (count < batch) return;
    }
}

// MARK: Commands

static void empty(Direction *line) {
    while (line->head != line->tail) give(line->frames[line->head++ % room]);
    line->free = line->crossed = line->bytes = line->lost = line->dropped = line->cut = 0;
}

static void begin(char *words) {
    empty(&down);
    empty(&up);
    for (int port = 0; port < 65536; port++) {
        free(flows[port].received);
        flows[port] = (Flow){0};
    }
    began = latest = event_count = connections = opened = at_once = oversized = 0;
    char *word = strtok(words, " \n");
    state = word ? strtoull(word, NULL, 10) : 0;
    while ((word = strtok(NULL, " \n")) && event_count < most_events) {
        Event *event = &events[event_count++];
        *event = (Event){.is_reset = !strcmp(word, "reset")};
        char *from = strtok(NULL, " \n"), *until = event->is_reset ? from : strtok(NULL, " \n");
        if (!from || !until) exit(64);
        event->from = atof(from) * 1e9;
        event->until = atof(until) * 1e9;
    }
}

static void report(const char *name, Direction *line) {
    printf("%s %lld %lld %lld %lld %lld\n", name, line->crossed, line->bytes, line->lost, line->dropped, line->cut);
}

static void end(void) {
    report("down", &down);
    report("up", &up);
    printf("connections %d\nat_once %d\noversized %d\nlate %.3f\n", connections, at_once, oversized, latest / 1e6);
    for (int port = 0; port < 65536; port++) {
        uint32_t *received = flows[port].received;
        if (!received) continue;
        int first = 0, last = bins;
        while (first < bins && !received[first]) first++;
        while (last > first && !received[last - 1]) last--;
        printf("flow %d", first);
        for (int place = first; place < last; place++) printf(" %u", received[place]);
        puts("");
    }
}

static bool obey(void) {
    static char buffer[4096];
    static size_t filled;
    ssize_t got = read(STDIN_FILENO, buffer + filled, sizeof buffer - 1 - filled);
    if (got <= 0) return false;
    filled += got;
    buffer[filled] = 0;
    char *line_end;
    while ((line_end = strchr(buffer, '\n'))) {
        *line_end = 0;
        if (!strncmp(buffer, "begin ", 6)) begin(buffer + 6);
        else end();
        puts(".");
        fflush(stdout);
        filled -= line_end + 1 - buffer;
        memmove(buffer, line_end + 1, filled + 1);
    }
    return true;
}

static int open_interface(const char *name) {
    int opened = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
    if (opened < 0) fail("socket");
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(name)};
    if (!address.sll_ifindex || bind(opened, (struct sockaddr *)&address, sizeof address) < 0) fail(name);
    if (setsockopt(opened, SOL_PACKET, PACKET_IGNORE_OUTGOING, &(int){1}, sizeof(int)) < 0) fail("PACKET_IGNORE_OUTGOING");
    setsockopt(opened, SOL_SOCKET, SO_RCVBUFFORCE, &(int){socket_buffer}, sizeof(int));
    setsockopt(opened, SOL_SOCKET, SO_SNDBUFFORCE, &(int){socket_buffer}, sizeof(int));
    return opened;
}

static void prepare(Direction *line, int in, int out, char **words) {
    *line = (Direction){.in = in, .out = out, .rate = atof(words[0]) * 1e6 / 8 / 1e9, .queue = atof(words[1])};
    if (!(line->frames = calloc(room, sizeof *line->frames))) fail("calloc");
}

static struct timespec *time_left(struct timespec *left) {
    long long due = -1;
    for (Direction *line = &down; line; line = line == &down ? &up : NULL) {
        if (line->head == line->tail) continue;
        long long first = line->frames[line->head % room]->due;
        if (due < 0 || first < due) due = first;
    }
    if (due < 0) return NULL;
    long long wait = due - now();
    if (wait < 0) wait = 0;
    *left = (struct timespec){wait / 1000000000, wait % 1000000000};
    return left;
}

int main(int count, char **arguments) {
    if (count != 9) return 64;
    int near = open_interface(arguments[1]), far = open_interface(arguments[2]);
    delay = atof(arguments[3]) * 1e6;
    loss = atof(arguments[4]);
    prepare(&down, far, near, arguments + 5);
    prepare(&up, near, far, arguments + 7);
    // A frame that waits for a core would be a longer line: before all that is measured.
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1});
    prctl(PR_SET_TIMERSLACK, 1UL);
    int poller = epoll_create1(EPOLL_CLOEXEC);
    int watched[] = {near, far, STDIN_FILENO};
    for (int place = 0; place < 3; place++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = watched[place]};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, watched[place], &event) < 0) fail("epoll_ctl");
    }
    puts(".");
    fflush(stdout);

    for (;;) {
        struct epoll_event happened[3];
        struct timespec left;
        int got = epoll_pwait2(poller, happened, 3, time_left(&left), NULL);
        if (got < 0 && errno != EINTR) fail("epoll_pwait2");
        for (int place = 0; place < got; place++) {
            if (happened[place].data.fd == far) receive(&down);
            else if (happened[place].data.fd == near) receive(&up);
            else if (!obey()) return 0;
        }
        deliver(&down);
        deliver(&up);
    }
}
