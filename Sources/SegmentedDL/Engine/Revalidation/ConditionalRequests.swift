/// Requests to one host for copies that it may say have not changed: all alike but for the file and the condition.
struct ConditionalRequests: Sendable {
    /// About one copy.
    struct Request: Sendable {
        /// Path and query, as they are sent (RFC 9112, section 3.2.1).
        let target: String
        let condition: Condition

        /// - Returns: `nil` if something would have to be encoded or left out, which only libcurl does as it always does.
        init?(_ source: Source, if condition: Condition) {
            guard let target = Self.target(of: source),
                condition.header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
            else { return nil }
            self.target = target
            self.condition = condition
        }

        private static func target(of source: Source) -> String? {
            let rest = source.url.utf8.dropFirst(source.origin.scheme.utf8.count + 3)
            guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
            let target = rest[slash...]
            var last = UInt8(0)
            for byte in target {
                guard (0x21...0x7e).contains(byte), byte != UInt8(ascii: "#"),
                    byte != UInt8(ascii: ".") || last != UInt8(ascii: "/")
                else { return nil }
                last = byte
            }
            return String(Substring(target))
        }
    }

    /// A URL of the host.
    var url: String
    /// The Host field (RFC 9110, section 7.2).
    var authority: String
    /// What goes with each of them, besides the condition.
    var headers: [HTTPHeader]
    var requests: [Request]

    /// - Parameter headers: What goes with each of them besides the Host field, the user agent and the condition.
    init(to origin: Origin, headers: [HTTPHeader], _ requests: [Request]) {
        let isUsual = origin.port == (origin.scheme == "https" ? 443 : 80)
        authority = isUsual ? origin.host : origin.description
        url = "\(origin.scheme)://\(authority)/"
        self.headers = headers
        self.requests = requests
    }
}

/// What came of conditional requests.
struct ConditionalAnswers: Sendable {
    /// What a host has said of a copy.
    enum Answer: Sendable {
        /// Nothing: the request has not been sent, or its answer did not come.
        case none
        /// It is still the file: 304, with the validator that was asked for.
        case unchanged
        /// Something else, as that the file has changed.
        case other
    }

    /// One for each request, in order.
    var answers: [Answer]
    /// Whether asking the host like this had no use: it refuses, ends connections early, garbles answers, or never says 304.
    var isInVain = false
    /// What the host said that wants no such requests, or not so many.
    var refusal: ResponseHead?
    /// Whether the task was cancelled, or the engine stopped.
    var isCancelled = false
}
