/// Conditional requests to one host for existing copies. They differ only in the file and the condition.
package struct ConditionalRequests: Sendable {
    /// The request for one copy.
    package struct Request: Sendable {
        /// The path and query, as sent (RFC 9112, section 3.2.1).
        let target: String
        package let condition: Condition

        /// - Returns: `nil` if a part of the URL would have to be encoded or dropped. This is left to libcurl
        ///   so that it is done in the same way for all requests.
        package init?(_ source: Source, if condition: Condition) {
            guard let target = RequestText.target(of: source),
                condition.header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
            else { return nil }
            self.target = target
            self.condition = condition
        }
    }

    /// The host whose cap includes the connection.
    let host: String
    /// The URL to connect to.
    package var url: String
    /// The Host field (RFC 9110, section 7.2).
    package var authority: String
    /// The fields of each request, in addition to the condition.
    package var headers: [HTTPHeader]
    package var requests: [Request]
    /// True if the host has answered such requests before, so that many may be sent at once.
    var isProven = false
    /// Returns true if the head of the first response limits requests, so that no more may be sent.
    var stopsAfter: @Sendable (ResponseHead) -> Bool = { _ in false }

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
    /// A host's response for one copy.
    package enum Answer: Sendable {
        /// No response: the request was not sent, or its response was not received.
        case none
        /// The copy is still current: 304, with the validator of the request.
        case unchanged
        /// Any other response, for example because the file has changed.
        case other
    }

    /// One response for each request, in order.
    package var answers: [Answer]
    /// True if pipelining does not work with this host: it refuses requests, closes connections early,
    /// garbles responses, or never sends 304.
    package var wasUseless = false
    /// The head with which the host refused such requests, or their rate.
    var refusal: ResponseHead?
    /// The head for which `ConditionalRequests.stopsAfter` returned true.
    var limiting: ResponseHead?
    /// True if the task was cancelled or the engine stopped.
    package var isCancelled = false

    package init(answers: [Answer], wasUseless: Bool = false) {
        self.answers = answers
        self.wasUseless = wasUseless
    }
}
