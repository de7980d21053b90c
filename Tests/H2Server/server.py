"""A server that speaks HTTP/2 over TLS and misbehaves on demand, for tests.

    server.py

It reads its settings, a JSON object, from the first line of its standard input, prints
{"port": N, "control": N} when it is ready, and ends with its standard input. It listens on 127.0.0.1 only.

Settings:

    certificate, key            paths of PEM files
    alpn                        the protocols it offers, best first: ["h2", "http/1.1"]
    http1_every                 n: each n-th connection offers http/1.1 alone, as behind a load balancer whose
                                servers differ
    max_streams                 SETTINGS_MAX_CONCURRENT_STREAMS; a stream beyond it gets REFUSED_STREAM: 100
    initial_window              SETTINGS_INITIAL_WINDOW_SIZE, which is for what clients send: 65535
    window_shut                 true: never sends DATA, as if the client had left no window
    preface                     "garbage": sends other bytes than HTTP/2, and stays; "close": closes right
                                after the handshake; "http1": answers the preface in HTTP/1.1, with 400
    goaway_after                n: request n + 1 of a connection gets a GOAWAY that names the stream of
                                request n; the connection closes once the streams up to that have ended
    requests_per_connection     n: request n of a connection gets an answer, and a GOAWAY that names its
                                stream; in HTTP/1.1 it gets Connection: close
    on, until                   only connection N, or those up to it, has these faults: window_shut, preface,
                                goaway_after; connections with HTTP/2 count, from 1
    delay_ms, rate              milliseconds before each answer, bytes per second of each stream
    query                       parameters, as in a URL, of each request that does not name them itself

A connection for which ALPN has chosen http/1.1, or nothing while http/1.1 is offered, is served without
faults.

URLs are /file/LENGTH/NAME?PARAMETERS, and the file is TestContent(seed:). The methods are GET and HEAD, and
faults concern GET only. A Range of the form bytes=a- or bytes=a-b is honoured, unless If-Range is not the
ETag; another one is ignored. A parameter or value that the server does not know gets 400.

    seed=N              of the content: 1
    etag=TEXT           in quotes or not; none; "SEED-LENGTH" otherwise
    delay_ms=N, rate=N  for this request, instead of the settings
    body_delay_ms=N     milliseconds between head and body, in HTTP/1.1 only: 0
    streams=N           the answer waits until N requests were under way at a time, at most a minute
    no-length=1         no Content-Length in HTTP/2, and no ranges
    fault=NAME          as below, or none
    on=N, until=N       only request N for this path, or those up to it, is faulty; each GET counts, from 1
    at=N                the bytes of the body before the fault; half of the body otherwise
    code=X              the error code of HTTP/2, as its number or name, or the status

Faults instead of an answer:

    refused, calm       RST_STREAM with REFUSED_STREAM, ENHANCE_YOUR_CALM, or the code
    http11              RST_STREAM with HTTP_1_1_REQUIRED; how=goaway: GOAWAY as in goaway-calm
    goaway              GOAWAY with NO_ERROR, or the code, that names the stream before this one, or the
                        stream last=N. The server never answers later streams, serves earlier ones, and then
                        closes the connection. With at=N it sends so many bytes first.
    graceful            the same, but last is 2^31 - 1: this stream and all that follow are served. The
                        connection closes, with a second GOAWAY, when no stream is open.
    goaway-calm         GOAWAY with ENHANCE_YOUR_CALM, or the code, that names the stream before this one; the
                        server closes the connection at once, with all of its streams
    no-answer           silence
    status              code=503, with retry-after=TEXT if given

Faults within the body:

    reset-middle        RST_STREAM with INTERNAL_ERROR, or the code
    reset-noerror       RST_STREAM with NO_ERROR
    end-early           END_STREAM
    too-long            the whole body, and by=N (1) bytes # behind it
    stall               silence
    close               closes the connection, without close_notify; how=notify: with it
    swap                waits two seconds for another request of the connection with this fault; each of the
                        two streams then gets its own head and the other one's body
    stray               sends one frame of the rest on another stream that is open and has its head (waits two
                        seconds for one), and ends this stream

The control port answers in plain HTTP/1.1: /log, and /reset, which forgets the log and all counts. The log is
{"connections": [...], "requests": [...], "peakConnections": N, "peakStreams": N}. The peaks count requests of
both versions, from the head of the request to the end of the answer, and all connections, idle ones included.

    connection: number, alpn (or null), isOpen, peakStreams, clientGoaway (the code of the client's GOAWAY, or
        null)
    request: connection, stream (null in HTTP/1.1), method, path (with its query), range, status (null: no
        head sent), bytesSent (of the body), excess (beyond max_streams), afterGoaway (beyond the stream that
        a GOAWAY before had named), clientReset (the code of the client's RST_STREAM, or null), end: null
        while it is under way; complete; fault (by the server's will); reset (by the client); closed (by then
        the connection was closed)
"""

import asyncio
import contextlib
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import RequestReceived
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes
from h2.settings import Settings as H2Settings
from hyperframe.frame import GoAwayFrame, RstStreamFrame, SettingsFrame

PIECE = 16384
PATIENCE = 2
LAST_STREAM = 2**31 - 1
PREFACE_SIZE = 24
FRAME_HEAD = 9

# The content is that of Tests/TestContent, so that Swift tests can compare files with it.

BLOCK = 1 << 16
WINDOWS = 1 << 20
STEP = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def mix(value):
    """The output function of splitmix64."""
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB & MASK
    return value ^ (value >> 31)


def noise():
    count = (WINDOWS + BLOCK) // 8
    states = (0x0123456789ABCDEF + STEP * n & MASK for n in range(1, count + 1))
    return struct.pack(f"<{count}Q", *map(mix, states))


NOISE = noise()


def content(seed, offset, count):
    """The bytes of a file from an offset on."""
    pieces = []
    end = offset + count
    while offset < end:
        block, start = divmod(offset, BLOCK)
        window = (mix(block * STEP & MASK ^ mix(seed >> 20)) + (seed & 0xFFFFF) * 0x9E3779B1) % WINDOWS
        stamp = mix(mix(seed ^ 0x5EED) + block & MASK).to_bytes(8, "little")
        stop = min(BLOCK, start + end - offset)
        pieces.append(stamp[start:stop])
        pieces.append(NOISE[window + max(start, 8):window + stop])
        offset += stop - start
    return b"".join(pieces)


@dataclass
class Settings:
    certificate: str
    key: str
    alpn: list = field(default_factory=lambda: ["h2", "http/1.1"])
    http1_every: int | None = None
    max_streams: int = 100
    initial_window: int = 65535
    window_shut: bool = False
    preface: str | None = None
    goaway_after: int | None = None
    requests_per_connection: int | None = None
    on: int | None = None
    until: int | None = None
    delay_ms: int = 0
    rate: int | None = None
    query: str = ""


def concerns(number, on, until):
    """True if a fault is for the connection or request of that number."""
    return number == on if on is not None else until is None or number <= until


# The names of the log are those of Swift's properties, so that no table translates them.


@dataclass
class ConnectionRecord:
    number: int
    alpn: str | None
    isOpen: bool = True
    peakStreams: int = 0
    clientGoaway: int | None = None


@dataclass
class RequestRecord:
    connection: int
    stream: int | None
    method: str
    path: str
    range: str | None
    status: int | None = None
    bytesSent: int = 0
    excess: bool = False
    afterGoaway: bool = False
    clientReset: int | None = None
    end: str | None = None


def is_established(connection):
    """False once the client has closed its side."""
    try:
        return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] == 1  # TCP_ESTABLISHED
    except OSError:
        # Closed here, too, and not yet forgotten.
        return False


class Log:
    def __init__(self):
        self.sockets = {}
        self.last_number = self.open_streams = 0
        self.connections = []
        self.reset()

    def reset(self):
        self.connections = [record for record in self.connections if record.isOpen]
        self.requests = []
        self.counts = {}
        self.peak_connections, self.peak_streams = self.established(), self.open_streams

    def count(self, key):
        self.counts[key] = self.counts.get(key, 0) + 1
        return self.counts[key]

    def connect(self, alpn, connection):
        self.last_number += 1
        record = ConnectionRecord(self.last_number, alpn)
        self.connections.append(record)
        self.sockets[record.number] = connection
        self.peak_connections = max(self.peak_connections, self.established())
        return record

    def established(self):
        # On a busy machine a connection that its client has closed may be noticed after the one that replaces it.
        return sum(map(is_established, self.sockets.values()))

    def disconnect(self, record):
        if record.isOpen:
            record.isOpen = False
            del self.sockets[record.number]

    def begin(self, connection, *request):
        record = RequestRecord(connection.number, *request)
        self.requests.append(record)
        self.open_streams += 1
        self.peak_streams = max(self.peak_streams, self.open_streams)
        return record

    def end(self, record, how):
        record.end = how
        self.open_streams -= 1

    def json(self):
        return {
            "connections": [asdict(record) for record in self.connections],
            "requests": [asdict(record) for record in self.requests],
            "peakConnections": self.peak_connections,
            "peakStreams": self.peak_streams,
        }


class Bad(Exception):
    """A request that the server does not understand."""


NUMBERS = {"seed", "at", "by", "last", "on", "until", "delay_ms", "body_delay_ms", "rate", "streams"}
WORDS = {"fault", "how", "etag", "retry-after", "no-length"}


def error_code(text):
    return int(text) if text.isdigit() else int(ErrorCodes[text])


def parameter(name, text):
    if name in NUMBERS:
        return int(text)
    if name == "code":
        return error_code(text)
    if name not in WORDS or (name == "fault" and text not in HTTP2.FAULTS):
        raise Bad(f"unknown: {name}={text}")
    return text


class Answer:
    """A status, fields, and a body of which pieces are read when they are sent."""

    def __init__(self, status, fields, length, read):
        self.status, self.fields, self.length, self.read = status, fields, length, read

    @staticmethod
    def text(status, message, *fields):
        body = message.encode() + b"\n"
        fields = [("content-type", "text/plain"), *fields]
        return Answer(status, fields, len(body), lambda offset, count: body[offset:offset + count])

    @staticmethod
    def file(length, options, headers):
        seed = options.get("seed", 1)
        etag = options.get("etag", f"{seed}-{length}")
        if etag[:1] != '"' and etag[:3] != 'W/"':
            etag = f'"{etag}"'
        fields = [("content-type", "application/octet-stream"), ("accept-ranges", "bytes")]
        if etag != '"none"':
            fields.append(("etag", etag))
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("range", ""))
        if "if-range" in headers and (headers["if-range"] != etag or etag.startswith("W/")):
            wanted = None
        if options.get("no-length"):
            wanted = None
        first, end = 0, length
        if wanted:
            first = int(wanted[1])
            end = min(length, int(wanted[2]) + 1) if wanted[2] else length
            if first >= length:
                return Answer.text(416, "no such bytes", ("content-range", f"bytes */{length}"))
            if end <= first:
                wanted, first, end = None, 0, length
            else:
                fields.append(("content-range", f"bytes {first}-{end - 1}/{length}"))
        status = 206 if wanted else 200
        return Answer(
            status, fields, end - first, lambda offset, count: content(seed, first + offset, count))


class Request:
    """A request, the honest answer to it, and how the server departs from that."""

    def __init__(self, server, connection, stream, method, target, headers):
        self.server, self.stream, self.method = server, stream, method
        self.record = server.log.begin(connection, stream, method, target, headers.get("range"))
        self.options = {}
        self.fault = "none"
        self.task = self.mate = None
        self.has_head = self.is_spoiled = False
        try:
            self.answer = self.understand(target, headers)
        except (Bad, KeyError, ValueError) as error:
            self.answer = Answer.text(400, str(error))

    def understand(self, target, headers):
        path, _, query = target.partition("?")
        fields = dict(parse_qsl(self.server.settings.query) + parse_qsl(query, keep_blank_values=True))
        options = {name: parameter(name, text) for name, text in fields.items()}
        parts = re.fullmatch(r"/file/(\d+)/(.*)", path)
        if not parts:
            return Answer.text(404, "not found")
        if self.method not in ("GET", "HEAD"):
            return Answer.text(405, "GET and HEAD only")
        self.options = options
        if self.method == "GET":
            number = self.server.log.count(path)
            if concerns(number, options.get("on"), options.get("until")):
                self.fault = options.get("fault", "none")
        return Answer.file(int(parts[1]), options, headers)

    @property
    def cut(self):
        """The bytes of the body before the fault."""
        return min(self.options.get("at", self.answer.length // 2), self.answer.length)

    @property
    def before(self):
        """The stream that the client opened before this one; 0 if there is none."""
        return max(0, self.stream - 2)

    @property
    def rate(self):
        return self.options.get("rate", self.server.settings.rate)

    @property
    def piece(self):
        """The bytes that are sent at once: of a twentieth of a second, if there is a rate."""
        return max(1, min(PIECE, self.rate // 20)) if self.rate else PIECE

    async def pace(self, count):
        if self.rate:
            await asyncio.sleep(count / self.rate)

    async def delay(self):
        await asyncio.sleep(self.options.get("delay_ms", self.server.settings.delay_ms) / 1000)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(60):
                while self.server.log.peak_streams < self.options.get("streams", 0):
                    await asyncio.sleep(0.01)


class HTTP2:
    """A connection for which ALPN has chosen h2."""

    def __init__(self, server, reader, writer, record):
        self.server, self.settings, self.log = server, server.settings, server.log
        self.reader, self.writer, self.record = reader, writer, record
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
        self.open = {}
        self.requests = self.highest = 0
        # The last stream that is served, once a GOAWAY has named it.
        self.last = None
        self.windows = asyncio.Event()
        self.swapping = None
        self.unread = bytearray()
        self.preface_left = PREFACE_SIZE
        self.is_faulty = concerns(server.log.count("connections"), self.settings.on, self.settings.until)

    async def run(self):
        preface = self.settings.preface if self.is_faulty else None
        if preface == "close":
            return
        if preface == "http1":
            await self.reader.read(PIECE)
            self.writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        if preface == "garbage":
            self.writer.write(b"These bytes are no frames of HTTP/2.\r\n" * 10)
            while await self.reader.read(PIECE):
                pass
            return
        self.greet()
        try:
            while data := await self.reader.read(PIECE):
                self.receive(data)
        except ProtocolError:
            self.flush()
        finally:
            self.end_all("closed")

    def greet(self):
        # A client may open streams before it has read the SETTINGS: h2 would end the connection then.
        self.h2.local_settings = H2Settings(
            client=False, initial_values={SettingCodes.MAX_CONCURRENT_STREAMS: LAST_STREAM})
        self.h2.initiate_connection()
        self.h2.clear_outbound_data_buffer()
        self.frame(SettingsFrame(0, settings={
            SettingsFrame.MAX_CONCURRENT_STREAMS: self.settings.max_streams,
            SettingsFrame.INITIAL_WINDOW_SIZE: self.settings.initial_window,
        }))

    # MARK: Receiving

    def receive(self, data):
        for event in self.h2.receive_data(data):
            if isinstance(event, RequestReceived):
                self.request(event)
        # h2 does not tell of a RST_STREAM for a stream that has ended on this side.
        for kind, stream, body in self.frames(data):
            if kind == RstStreamFrame.type:
                self.was_reset(stream, int.from_bytes(body[:4], "big"))
            elif kind == GoAwayFrame.type:
                self.record.clientGoaway = int.from_bytes(body[4:8], "big")
                self.end_all("closed")
                self.shut()
        self.windows.set()
        self.windows.clear()
        self.flush()

    def frames(self, data):
        """The type, stream and body of each frame that is there in full."""
        self.unread += data[self.preface_left:]
        self.preface_left = max(0, self.preface_left - len(data))
        while len(self.unread) >= FRAME_HEAD:
            end = FRAME_HEAD + int.from_bytes(self.unread[:3], "big")
            if len(self.unread) < end:
                return
            stream = int.from_bytes(self.unread[5:FRAME_HEAD], "big") & LAST_STREAM
            yield self.unread[3], stream, bytes(self.unread[FRAME_HEAD:end])
            del self.unread[:end]

    def request(self, event):
        headers = dict(event.headers)
        request = Request(
            self.server, self.record, event.stream_id, headers[":method"], headers[":path"], headers)
        self.open[request.stream] = request
        self.requests += 1
        self.record.peakStreams = max(self.record.peakStreams, len(self.open))
        if self.last is not None and request.stream > self.last:
            request.record.afterGoaway = True
            self.end(request, "fault")
        elif len(self.open) > self.settings.max_streams:
            request.record.excess = True
            self.reset(request, ErrorCodes.REFUSED_STREAM)
        elif self.is_faulty and self.requests - 1 == self.settings.goaway_after:
            self.goaway(ErrorCodes.NO_ERROR, self.highest)
        else:
            self.highest = request.stream
            if self.requests == self.settings.requests_per_connection:
                self.goaway(ErrorCodes.NO_ERROR, self.highest)
            request.task = asyncio.create_task(self.serve(request))

    def was_reset(self, stream, code):
        for record in reversed(self.log.requests):
            if (record.connection, record.stream) == (self.record.number, stream):
                record.clientReset = code
        if stream in self.open:
            self.end(self.open[stream], "reset")

    # MARK: Sending

    def flush(self):
        self.writer.write(self.h2.data_to_send())

    def frame(self, frame):
        """Sends a frame of which h2 knows nothing."""
        self.flush()
        self.writer.write(frame.serialize())

    def head(self, request, is_all=False):
        answer = request.answer
        fields = [(":status", str(answer.status)), *answer.fields]
        if not request.options.get("no-length"):
            fields.append(("content-length", str(answer.length)))
        self.h2.send_headers(request.stream, fields, end_stream=is_all)
        request.record.status = answer.status
        request.has_head = True
        self.flush()

    async def room(self, request, count):
        """Waits for the windows, and tells how many bytes may be sent."""
        while self.is_faulty and self.settings.window_shut:
            await self.windows.wait()
        while (window := self.h2.local_flow_control_window(request.stream)) <= 0:
            await self.windows.wait()
        return min(count, window, request.piece, self.h2.max_outbound_frame_size)

    async def send(self, request, read, offset, end, is_end=False):
        """Sends the bytes up to `end`, and END_STREAM with the last of them."""
        if is_end and offset == end:
            self.h2.end_stream(request.stream)
            self.flush()
        while offset < end:
            count = await self.room(request, end - offset)
            is_last = is_end and offset + count == end
            self.h2.send_data(request.stream, read(offset, count), end_stream=is_last)
            self.flush()
            offset += count
            request.record.bytesSent += count
            if not is_last:
                await self.writer.drain()
                await request.pace(count)

    def reset(self, request, code):
        self.h2.reset_stream(request.stream, code)
        self.flush()
        self.end(request, "fault")

    def goaway(self, code, last, served=None):
        """Ends the streams behind `served`, or else `last`; closes the connection when no other is open."""
        self.frame(GoAwayFrame(0, last_stream_id=last, error_code=code))
        self.last = last if served is None else served
        for request in list(self.open.values()):
            if request.stream > self.last:
                self.end(request, "fault")
        self.close_if_done()

    def shut(self):
        # The transport waits for the client's close_notify, and the client may connect again meanwhile.
        self.log.disconnect(self.record)
        self.writer.close()

    def end(self, request, how):
        del self.open[request.stream]
        self.log.end(request.record, "fault" if request.is_spoiled else how)
        if request.task and request.task is not asyncio.current_task():
            request.task.cancel()
        self.close_if_done()

    def end_all(self, how):
        for request in list(self.open.values()):
            self.end(request, how)

    def close_if_done(self):
        if self.last is None or self.open or self.writer.is_closing():
            return
        if self.last == LAST_STREAM:
            self.frame(GoAwayFrame(0, last_stream_id=self.highest))
        self.shut()

    # MARK: Answers

    async def serve(self, request):
        # The connection's own task tells of its end.
        with contextlib.suppress(OSError):
            await request.delay()
            await self.FAULTS[request.fault](self, request)

    async def honest(self, request):
        length = request.answer.length
        is_all = request.method == "HEAD" or length == 0
        if not request.has_head:
            self.head(request, is_all)
        if not is_all:
            await self.send(request, request.answer.read, request.record.bytesSent, length, is_end=True)
        self.end(request, "complete")

    async def part(self, request):
        """The head, and the bytes before the fault."""
        self.head(request)
        await self.send(request, request.answer.read, 0, request.cut)

    async def refused(self, request):
        self.reset(request, request.options.get("code", ErrorCodes.REFUSED_STREAM))

    async def calm(self, request):
        self.reset(request, request.options.get("code", ErrorCodes.ENHANCE_YOUR_CALM))

    async def http11(self, request):
        if request.options.get("how") == "goaway":
            self.goaway(ErrorCodes.HTTP_1_1_REQUIRED, request.before, served=0)
        else:
            self.reset(request, ErrorCodes.HTTP_1_1_REQUIRED)

    async def leave(self, request, last):
        if "at" in request.options:
            await self.part(request)
        self.goaway(request.options.get("code", ErrorCodes.NO_ERROR), request.options.get("last", last))
        if request.stream in self.open:
            await self.honest(request)

    async def leave_now(self, request):
        await self.leave(request, request.before)

    async def leave_gracefully(self, request):
        await self.leave(request, LAST_STREAM)

    async def goaway_calm(self, request):
        self.goaway(request.options.get("code", ErrorCodes.ENHANCE_YOUR_CALM), request.before, served=0)

    async def no_answer(self, _):
        await asyncio.Future()

    async def status(self, request):
        code = request.options.get("code", 503)
        fields = [("retry-after", request.options["retry-after"])] if "retry-after" in request.options else []
        request.answer = Answer.text(code, "not now", *fields)
        await self.honest(request)

    async def reset_middle(self, request):
        await self.part(request)
        self.reset(request, request.options.get("code", ErrorCodes.INTERNAL_ERROR))

    async def reset_noerror(self, request):
        await self.part(request)
        self.reset(request, ErrorCodes.NO_ERROR)

    async def end_early(self, request):
        await self.part(request)
        self.h2.end_stream(request.stream)
        self.flush()
        self.end(request, "fault")

    async def too_long(self, request):
        self.head(request)
        length = request.answer.length
        await self.send(request, request.answer.read, 0, length)
        more = request.options.get("by", 1)
        await self.send(request, lambda _, count: b"#" * count, length, length + more, is_end=True)
        self.end(request, "fault")

    async def stall(self, request):
        await self.part(request)
        await asyncio.Future()

    async def close(self, request):
        await self.part(request)
        self.end_all("fault")
        if request.options.get("how") == "notify":
            self.shut()
        else:
            self.writer.transport.abort()

    async def swap(self, request):
        self.head(request)
        mate = self.swapping
        if mate and not mate.mate.done():
            mate.mate.set_result(request)
        else:
            self.swapping = request
            request.mate = asyncio.get_running_loop().create_future()
            try:
                async with asyncio.timeout(PATIENCE):
                    mate = await request.mate
            except TimeoutError:
                await self.honest(request)
                return
        await self.send(request, mate.answer.read, 0, mate.answer.length, is_end=True)
        self.end(request, "fault")

    async def stray(self, request):
        await self.part(request)
        rest = request.answer.length - request.cut
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while not (other := self.stray_target(request)):
                    await asyncio.sleep(0.01)
                count = await self.room(other, rest)
                self.h2.send_data(other.stream, request.answer.read(request.cut, count))
                other.is_spoiled = True
        self.h2.end_stream(request.stream)
        self.flush()
        self.end(request, "fault")

    def stray_target(self, request):
        return next(
            (other for other in self.open.values() if other is not request and other.has_head
             and self.h2.local_flow_control_window(other.stream) > 0), None)

    FAULTS = {
        "none": honest, "refused": refused, "calm": calm, "http11": http11, "goaway": leave_now,
        "graceful": leave_gracefully, "goaway-calm": goaway_calm, "no-answer": no_answer, "status": status,
        "reset-middle": reset_middle, "reset-noerror": reset_noerror, "end-early": end_early,
        "too-long": too_long, "stall": stall, "close": close, "swap": swap, "stray": stray,
    }


class HTTP1:
    """A connection for which ALPN has chosen HTTP/1.1, or nothing."""

    def __init__(self, server, reader, writer, record):
        self.server, self.reader, self.writer, self.record = server, reader, writer, record
        self.is_kept = True
        self.requests = 0

    async def run(self):
        while self.is_kept and (lines := await read_head(self.reader)):
            method, target, _ = lines[0].split(" ", 2)
            fields = (line.partition(":") for line in lines[1:])
            headers = {name.lower(): value.strip() for name, _, value in fields}
            self.requests += 1
            self.is_kept = (
                headers.get("connection", "").lower() != "close"
                and self.requests != self.server.settings.requests_per_connection)
            request = Request(self.server, self.record, None, method, target, headers)
            self.record.peakStreams = 1
            try:
                await self.serve(request)
            finally:
                if request.record.end is None:
                    self.server.log.end(request.record, "closed")

    async def serve(self, request):
        await request.delay()
        answer = request.answer
        fields = [*answer.fields, ("content-length", str(answer.length))]
        if not self.is_kept:
            fields.append(("connection", "close"))
        self.writer.write(http1_head(answer.status, fields))
        request.record.status = answer.status
        await asyncio.sleep(request.options.get("body_delay_ms", 0) / 1000)
        offset, end = 0, 0 if request.method == "HEAD" else answer.length
        while offset < end:
            count = min(end - offset, request.piece)
            self.writer.write(answer.read(offset, count))
            offset += count
            request.record.bytesSent += count
            await self.writer.drain()
            if offset < end:
                await request.pace(count)
        self.server.log.end(request.record, "complete")


def http1_head(status, fields):
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in fields]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def read_head(reader):
    """The lines of a request's head; none at the end of the connection."""
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").rstrip("\r\n").split("\r\n")
    except asyncio.IncompleteReadError:
        return []


class Server:
    def __init__(self, settings):
        self.settings = settings
        self.log = Log()
        self.handshakes = 0

    async def accept(self, reader, writer):
        alpn = writer.get_extra_info("ssl_object").selected_alpn_protocol()
        record = self.log.connect(alpn, writer.get_extra_info("socket"))
        try:
            if alpn == "h2":
                await HTTP2(self, reader, writer, record).run()
            elif "http/1.1" in self.settings.alpn:
                await HTTP1(self, reader, writer, record).run()
        except OSError:
            # The client has gone, which is its right.
            pass
        finally:
            self.log.disconnect(record)
            writer.close()

    async def control(self, reader, writer):
        lines = await read_head(reader)
        path = lines[0].split(" ")[1] if lines else ""
        if path == "/reset":
            self.log.reset()
        status = 200 if path in ("/log", "/reset") else 404
        body = json.dumps(self.log.json() if path == "/log" else {}).encode()
        fields = [
            ("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        writer.write(http1_head(status, fields) + body)
        writer.close()

    def context(self, alpn):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(self.settings.certificate, self.settings.key)
        tls.set_alpn_protocols(alpn)
        return tls

    def choose_protocol(self, connection, name, tls):
        # Called for each handshake, before a protocol is chosen.
        self.handshakes += 1
        if self.handshakes % self.settings.http1_every == 0:
            connection.context = self.context(["http/1.1"])

    async def run(self):
        tls = self.context(self.settings.alpn)
        if self.settings.http1_every:
            tls.sni_callback = self.choose_protocol
        files = await asyncio.start_server(
            self.accept, "127.0.0.1", 0, ssl=tls, ssl_shutdown_timeout=1, backlog=1000)
        control = await asyncio.start_server(self.control, "127.0.0.1", 0)
        ports = {
            name: server.sockets[0].getsockname()[1]
            for name, server in [("port", files), ("control", control)]}
        print(json.dumps(ports), flush=True)
        await asyncio.Event().wait()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


def main():
    settings = Settings(**json.loads(sys.stdin.readline()))
    threading.Thread(target=end_with_input, daemon=True).start()
    asyncio.run(Server(settings).run())


main()
