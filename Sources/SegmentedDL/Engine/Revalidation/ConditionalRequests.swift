/// Conditional requests to one host for known copies, which differ only in the file and the condition.
package struct ConditionalRequests: Sendable {
    /// The request for one copy.
    package struct Request: Sendable {
        /// Path and query, as sent (RFC 9112, section 3.2.1).
        let target: String
        package let condition: Condition

        /// - Returns: `nil` if a part of the URL would have to be encoded or dropped, which is left to
        ///   libcurl so that all requests do it alike.
        package init?(_ source: Source, if condition: Condition) {
            guard let target = RequestText.target(of: source),
                condition.header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
            else { return nil }
            self.target = target
            self.condition = condition
        }
    }

    /// The host whose cap its connection counts for.
    let host: String
    /// The URL to connect to.
    package var url: String
    /// The Host field (RFC 9110, section 7.2).
    package var authority: String
    /// The fields of each request, in addition to the condition.
    package var headers: [HTTPHeader]
    package var requests: [Request]

    /// - Parameter headers: The fields of each request, in addition to the Host field, the user agent and the
    ///   condition.
    package init(to origin: Origin, headers: [HTTPHeader], _ requests: [Request]) {
        host = origin.description
        authority = origin.authority
        url = "\(origin.scheme)://\(authority)/"
        self.headers = headers
        self.requests = requests
    }
}

package struct ConditionalAnswers: Sendable {
    /// A host's answer about one copy.
    package enum Answer: Sendable {
        /// No answer: the request was not sent, or its answer did not arrive.
        case none
        /// The copy still equals the file: 304, with the validator of the request.
        case unchanged
        /// Any other answer, such as that the file has changed.
        case other
    }

    /// One for each request, in order.
    package var answers: [Answer]
    /// True if pipelining is useless with this host: it refuses, ends connections early, garbles answers, or
    /// never sends 304.
    package var wasUseless = false
    /// The head with which the host refused such requests, or their number.
    var refusal: ResponseHead?
    /// True if the task was cancelled or the engine stopped.
    package var isCancelled = false

    package init(answers: [Answer], wasUseless: Bool = false) {
        self.answers = answers
        self.wasUseless = wasUseless
    }
}
