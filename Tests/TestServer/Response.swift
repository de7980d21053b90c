/// A behaviour's decision about a request.
struct Response {
    enum Framing {
        /// With the value of Content-Length, which may be wrong.
        case length(String)
        case chunked
        case untilClose
    }

    enum Fault {
        case close
        case reset
        case stall
        /// Bytes that are not a chunk, then the end.
        case garbage
    }

    struct Field {
        let name: String
        let value: [UInt8]
    }

    var status: Int
    var fields: [Field] = []
    var body = Body()
    var framing: Framing
    /// Sent after the body although the head has not announced it.
    var excess: [UInt8] = []
    /// True if the connection stays open after an excess.
    var survivesExcess = false
    /// The event instead of the whole answer.
    var insteadOfAnswer: Fault?
    /// The number of bytes of the body after which the answer breaks, and the fault.
    var cut: (at: Int64, how: Fault)?
    /// The number of 103 Early Hints before the head.
    var interimHeads: Int64 = 0
    /// Sent instead of the head.
    var rawHead: [UInt8]?
    var version = "HTTP/1.1"
    /// Sent instead of the status line.
    var statusLine: String?
    var lineEnd = "\r\n"
    /// The fields after the last chunk.
    var trailer = ""
    var bytesPerSecond: Int64?
    /// The line that the answer shares with others.
    var line: SharedPacer?
    var hold: Hold?
    /// The case whose further requests the body may wait for.
    var awaiting: CaseState?
    /// The number of bytes of the body that are sent one by one before the rest, as by a virus scanner.
    var scanned: Int64 = 0
    var closesConnection = false

    init(status: Int, body: Body = Body()) {
        self.status = status
        self.body = body
        framing = .length("\(body.length)")
    }

    /// The bytes after an offset in the body are sent one by one until a test releases the case.
    struct Hold {
        var start: Int64
        var state: CaseState

        func holds(_ offset: Int64) -> Bool { offset >= start && !state.isReleased }
    }

    /// A connection that breaks instead of giving an answer.
    static func none(_ fault: Fault) -> Response {
        var response = Response(status: 0)
        response.insteadOfAnswer = fault
        return response
    }

    /// A small page, as servers send with an error.
    static func page(_ status: Int) -> Response {
        let title = "\(status) \(reason(status))"
        var response = Response(
            status: status,
            body: .text("<html><head><title>\(title)</title></head><body><h1>\(title)</h1></body></html>\n"))
        response.add("Content-Type", "text/html; charset=utf-8")
        return response
    }

    mutating func add(_ name: String, _ value: String) {
        add(name, Array(value.utf8))
    }

    mutating func add(_ name: String, _ value: [UInt8]) {
        fields.append(Field(name: name, value: value))
    }

    mutating func set(_ name: String, _ value: String?) {
        fields.removeAll { $0.name == name }
        if let value { add(name, value) }
    }

    var hasBody: Bool {
        status >= 200 && status != 204 && status != 304
    }

    var head: [UInt8] {
        if let rawHead { return rawHead }
        var head: [UInt8] = []
        for _ in 0..<interimHeads {
            head += Array(
                "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\nX-Hint: 1\r\n\r\n".utf8)
        }
        let first = statusLine ?? "\(version) \(status) \(Self.reason(status))"
        head += Array("\(first)\(lineEnd)".utf8)
        func line(_ name: String, _ value: [UInt8]) {
            head += Array(name.utf8) + Array(": ".utf8) + value + Array(lineEnd.utf8)
        }
        for field in fields { line(field.name, field.value) }
        if hasBody {
            switch framing {
            case .length(let length): line("Content-Length", Array(length.utf8))
            case .chunked: line("Transfer-Encoding", Array("chunked".utf8))
            case .untilClose: break
            }
        }
        if closesConnection { line("Connection", Array("close".utf8)) }
        return head + Array(lineEnd.utf8)
    }

    static func reason(_ status: Int) -> String {
        let reasons = [
            200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently",
            302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
            308: "Permanent Redirect",
            400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
            405: "Method Not Allowed",
            407: "Proxy Authentication Required", 408: "Request Timeout", 410: "Gone",
            412: "Precondition Failed",
            416: "Range Not Satisfiable", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
            451: "Unavailable For Legal Reasons", 500: "Internal Server Error", 502: "Bad Gateway",
            503: "Service Unavailable", 504: "Gateway Timeout", 509: "Bandwidth Limit Exceeded",
        ]
        return reasons[status] ?? "Status"
    }
}
