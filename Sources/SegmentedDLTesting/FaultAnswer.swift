internal import SegmentedDL

/// A response of an in-memory server. A plain value.
struct FaultAnswer: Sendable {
    /// The end of the body.
    enum End: Equatable, Sendable {
        case complete, lost, stalled, short, full
    }

    var status: Int
    var fields: [HTTPHeader]
    var body: [UInt8] = []
    var end = End.complete
    /// Bytes per second; `nil` for no limit.
    var rate: Int?

    /// Creates the response to a request.
    ///
    /// - Throws: `EngineError` for a fault below HTTP.
    init(_ request: FaultServer.Request, _ file: FaultServer.File?, _ fault: Fault?) throws(EngineError) {
        switch fault?.kind {
        case .unresolved: throw EngineError(kind: .resolve, message: "could not resolve the host")
        case .refused: throw EngineError(kind: .refused, message: "the host refuses connections")
        case .timedOut: throw EngineError(kind: .timeout, message: "no answer in time")
        case .untrusted: throw EngineError(kind: .tls, message: "the certificate is not trusted")
        case .status(let status, let time):
            let wait = time.map { [HTTPHeader("Retry-After", "\($0.wholeSeconds)")] } ?? []
            self.init(status: status, fields: wait + [HTTPHeader("Content-Length", "0")])
        case .lost, .stalled, .slow, .ignoredRange, .wrongRange, .wrongLength, .corrupted, .diskFull, nil:
            guard let file else {
                self.init(status: 404, fields: [HTTPHeader("Content-Length", "0")])
                return
            }
            self.init(request, file, ignoresRange: fault == .ignoredRange)
            if let fault { spoil(with: fault, start: request.start ?? 0, length: file.content.count) }
        }
    }

    private init(status: Int, fields: [HTTPHeader]) {
        self.status = status
        self.fields = fields
    }

    private init(_ request: FaultServer.Request, _ file: FaultServer.File, ignoresRange: Bool) {
        let total = Int64(file.content.count)
        let fields = (file.etag.map { [HTTPHeader("ETag", $0)] } ?? []) + file.headers
        guard let start = request.start, !ignoresRange else {
            self.init(status: 200, fields: [HTTPHeader("Content-Length", "\(total)")] + fields)
            body = file.content
            return
        }
        let end = min(request.end ?? total, total)
        guard start >= 0, start < end else {
            let range = HTTPHeader("Content-Range", "bytes */\(total)")
            self.init(status: 416, fields: [range, HTTPHeader("Content-Length", "0")])
            return
        }
        let range = HTTPHeader("Content-Range", "bytes \(start)-\(end - 1)/\(total)")
        self.init(status: 206, fields: [range, HTTPHeader("Content-Length", "\(end - start)")] + fields)
        body = Array(file.content[Int(start)..<Int(end)])
    }

    private mutating func spoil(with fault: Fault, start: Int64, length: Int) {
        switch fault.kind {
        case .lost(let bytes):
            body = Array(body.prefix(max(bytes, 0)))
            end = .lost
        case .stalled(let bytes):
            body = Array(body.prefix(max(bytes, 0)))
            end = .stalled
        case .diskFull(let bytes):
            body = Array(body.prefix(max(bytes, 0)))
            end = .full
        case .slow(let bytesPerSecond): rate = max(bytesPerSecond, 1)
        case .wrongLength(let stated):
            set("Content-Length", "\(stated)")
            end = stated > body.count ? .short : .complete
            body = Array(body.prefix(max(stated, 0)))
        case .corrupted(let offset):
            let place = offset ?? 0
            precondition(
                place < length, "A file of \(length) bytes has no byte \(place) that could be corrupted.")
            let index = offset.map { $0 - (status == 206 ? Int(start) : 0) } ?? 0
            if body.indices.contains(index) { body[index] ^= 0xff }
        case .wrongRange where status == 206:
            set("Content-Range", "bytes \(length - 1)-\(length - 1)/\(length)")
        case .status, .unresolved, .refused, .timedOut, .untrusted, .ignoredRange, .wrongRange: break
        }
    }

    /// Sets an existing header field to another value.
    private mutating func set(_ name: String, _ value: String) {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
        fields[index] = HTTPHeader(name, value)
    }
}
