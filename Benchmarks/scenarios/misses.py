"""Why bars are not met: what was tried, and what the limit is. A page shows those of its scenarios that miss one."""

EIGHT = "`auto` takes at most eight connections of a host unless told otherwise; sixteen beat it where each is limited."

WHY = {
    "plain": """By default a file gets its name only when it is on the disk: that is the difference in wall time to the
rows with `--durability process`, which promise what the others do. Of the CPU time four fifths are the kernel's:
copying out of the socket and into the page cache, which the loop in C does as well. With more connections each finds
less in its socket at a time, and each cut ends a connection with what was under way on it. Tried: writes gathered to
256 KiB, epoll instead of poll, one and several engine threads (plain HTTP is slower with several on two cores),
steals priced by the set-up time.
What is sent twice is what was under way on connections that were cut. The next step would be `splice`
(`docs/measurements.md`): a quarter less CPU, for a connection that ends with each segment and a second way for the
data; not built. Where one connection fills the loopback, `auto` has opened others before that is known, and each
costs; the fastest fixed count changes from run to run.""",
    "tls": """Server and client share two cores, and both encrypt. With four connections the client took 1.53 s of CPU
and nginx 1.10 of the 2.82 that both cores have in 1.41 s (on 2026-11-21); curl alone 1.40 and 0.95. So the bar of
0.75 asks that no core is ever idle. Tried: up to four engine threads (which is what beats one stream at all), reads
of 256 KiB instead of 16. `auto` begins with one connection and pays for the handshakes of the others while the file
is under way. What is sent twice was under way on connections that were cut.""",
    "limited": """`auto` begins with one connection and adds the others when its speed is known, so they begin later
than those of `-s 8`; and it takes at most eight connections of a host unless told otherwise
(`--max-connections-per-host`), which is what a server's operator may expect, so sixteen beat it where each connection
is limited.""",
    "limited-steady": """A connection's set-up and the last sync are a larger part of 1.6 s than of the 12 s of one
stream. `auto`: as above.""",
    "crawling": EIGHT,
    "stall": EIGHT,
    "rate-change": """A connection's speed is that of the last second, and one is replaced after half a second below an
eighth of the best: a slow one is noticed within about half a second, and every second replacement is slow, too, and
has to be noticed again. The ideal knows all of that beforehand. Judging sooner was tried in the simulator: servers
that send a second's bytes in one go then look as if they crawled. `auto` takes at most eight connections of a host
unless told otherwise.""",
    "bottleneck": "At the edge of the bar: the first connection's set-up and the last sync, on a download of seconds.",
    "small-http1": """Most of a file's time is a download's own: checks of the answer, a place under an unnamed file, a
name that is given when the bytes are on the disk, an event. A quarter of the CPU time is the engine's (libcurl and
its sockets), a sixth calls to the file system, the rest ours and the Swift runtime's, spread evenly: no part has more
than 6 %, and some 200 allocations are a sixth of all. curl's command opens the name and writes. Tried: bodies that
come along with their heads, one step on a disk thread for each file, syncs, names and notes in batches, the next file
begun while one waits for the disk, heads and URLs read as bytes, simple URLs without libcurl, handles that keep their
options, a scheduler that decides nothing where nothing waits, what has ended shown many at a time; all tasks on one
thread or on the engine's (no gain), other settings of the allocator (none). The bar would need a quarter of it.""",
    "small-http2": """As above, over TLS: without a delay the time is not the network's but ours. On 2026-11-22 segdl
still used HTTP/1.1 here; since 2026-11-23 small files share a connection (HTTP/2), and `line-list-http2` measures what
that saves over a line.""",
    "line-list-http2": """curl has all of its streams under way at once; segdl waits for four small answers first,
because large files must not all begin together. The rest is CPU time, three times curl's.""",
    "line-large": """nginx sends a second's bytes of a limited connection at once, and then nothing for a second.
Parts of 1 MiB, as `-s 8` asks for them, fit into one burst, so none of them waits: a file of 8 MiB is the best case.
`auto` begins with one connection, whose burst is over before others begin; two segments of more than a burst then wait
for the rest of their second. A connection that was fast is not given up within its first second, because in the
simulator servers that send in bursts then looked as if they crawled. Where the same rate comes evenly, the bar is
met.""",
    "connections": """Each request costs 0.2 ms of CPU, as a small file does, and 1,024 connections make 3,400 requests
in three seconds; each connection that is cut loses what is under way on it. Tried: no steals of less than 4 MB (CPU
0.98 and 0.89 of before with 256 and 1,024 connections, wall 0.97 and 0.91: not worth a slower end elsewhere), and
receive windows of 512 KiB (0.86 and 1.09).""",
    "huge": """What is left is the kernel's: segdl's own part is 0.08 s of user time per GiB with 1 GiB, and 0.07 s with
64. A file that memory cannot hold is not kept there any longer once it is on the disk: before that the system had to
look for a page to free for each one that it needed, and the same run took 75.6 s and 1.19 s of CPU per GiB, 2.08
times that of 1 GiB, instead of 34.9 s and 0.60 (2026-11-22, one after the other).""",
    "start-file": """Nearly all of it is the start of the process: the dynamic loader, the Swift runtime's search for
conformances and the command line's parser, see `docs/measurements.md`; the download is 3 ms.""",
    "real-far": """`auto` opens at most eight connections to a host, which is what a server's operator may expect, and a
loss halves one of eight windows instead of one of sixteen. Slow start alone, as stated in the scene, needs less
than any tool does. What crosses twice was under way on two or three connections that were cut because a loss had
made them slow. Tried: windows that end where a segment was cut, starts spread over a round trip, and no cut that
saves less than four round trips.""",
    "real-far-tls": """As for the scene without TLS.""",
    "real-sixty": """As for `real-far`: sixteen requests stay far below the limit.""",
    "real-far-bbr": """What is under way on a connection that is cut crosses twice, and BBR keeps about twice as much
under way as other congestion controls. aria2 sends 6.2 % twice here.""",
    "real-short": """With `-s N` the other connections open beside the first request, which saves a round trip. `auto`
does not know the length of the file before the response, two round trips after the start, and opens nothing that a
small file would not use.""",
    "real-short-tls": """As above. The server's first record of 16 KiB contains the head as well, and is more than the
first window carries, so the length is known five round trips after the start: `auto` opens two more connections
then, and saves nothing. With `-s N` some 90 kB cross twice; a part of them are the
handshakes of the other connections, and the rest is not explained yet.""",
    "real-lossy": """With a loss of 0.5 % a connection's speed depends on its losses and not on the line, so that the
number of connections decides: 8.50 s with four, 5.47 with eight, 4.50 with sixteen; axel has sixteen. `auto` opens
at most eight to one host; `-s 16` is faster than every peer. Connections that a loss has slowed are replaced, and
a window that was under way on each crosses twice. Tried: more replacements, which take 11 % less time here, but send
2.4 % twice, and take 10 % more time over the line `far`; longer ends for the replaced ones, which change nothing.""",
    "real-satellite": """`-s 8` opens its connections beside the first request, a round trip of 0.6 s earlier, and
may open a ninth: of the eight of `auto`, one searches for a published digest for four round trips. A loss in the
first round trips costs seconds, whatever the number of connections.""",
    "real-latency": """One stream fills this line, and its queue. The others begin nine round trips after the first
one, find the queue full, and leave slow start early, so they are slow until it has ended. Whether one stream fills a
line is not known when the file is divided. Tried: a larger first share, of up to half of the file, in one or in eight
pieces that the first connection continues into (4.12 to 4.37 s beside 4.18), and cuts that save less (4.05 to 4.2).""",
    "real-limited": """The server limits each connection, so the number of connections decides, and aria2 and axel have
sixteen. With `-s 16` segdl spreads their starts over a round trip, and a search for a published digest holds one of
them for four round trips (`--no-proof` searches for none).""",
    "real-four": """Which connections the server does not serve is known only after two seconds without a response.
With `-s 4` there are none.""",
    "real-mirrors": """A connection that another server would replace is cut, and what was under way on it crosses
twice.""",
    "real-upload": """One stream fills this line, and the acknowledgements of several share 1 Mbit/s: curl needs 6.44 s
with one connection, wget2 6.20, and all that open several need 6.75 to 6.98.""",
    "real-list-small": """What crosses beyond the files is 200 bytes for each, as with curl's one connection: header
fields, frames and records.""",
    "real-list-middle": """What was under way on connections that were cut for another file crosses twice.""",
    "real-bloat": """A second of what the line carries waits in its queue. What of it belongs to a connection that is
cut crosses all the same. `auto` meets the bar for the time.""",
    "real-shallow": """The queue overflows in slow start, so that connections lose many packets at once; those that
stay slow are replaced, and what was under way on them crosses twice. The time is at the edge of its bar.""",
}
