/// The retries of one request whose Authorization field the host refuses.
///
/// A token may be valid for a few requests or seconds, so other requests may use up a new one before this
/// request is sent. A value that the host accepted for another request has expired, and another one may be
/// accepted. If the host has accepted no request with the values that it refuses, it probably refuses all.
struct FieldRetries: Equatable, Sendable {
    /// The maximum number of retries.
    static let most = 8
    /// How many of them follow the refusal of a value with which no request was accepted. More than one,
    /// because another request may have used the value up although its response has not arrived.
    static let mostUnproven = 3

    /// Returns true if a response proves that the host accepted the field of its request.
    ///
    /// Conditions and ranges are evaluated only if the response would otherwise be the file (RFC 9110,
    /// section 13.2.1). All other refusals and failures may precede the check of the field: a limit, a
    /// gateway, a missing file. So may a redirect to the same origin, where the field is checked next. A
    /// redirect to another origin, as from a hub to its store, is how a host sends a file that needs the
    /// field.
    ///
    /// - Parameter leavesOrigin: True for a redirect to another origin.
    static func isAcceptance(status: Int, leavesOrigin: Bool) -> Bool {
        switch status {
        case 200...299, 304, 416: true
        case 300...399: leavesOrigin
        default: false
        }
    }

    private var count = 0
    private var unproven = 0

    /// Returns true if the request may be sent again, with another value.
    ///
    /// - Parameters:
    ///   - refused: The refused value; `nil` for a request without the field.
    ///   - hasWorked: True if the host accepted another request with the value.
    mutating func mayRetry(after refused: String?, hasWorked: Bool) -> Bool {
        let isUnproven = refused != nil && !hasWorked
        guard count < Self.most, !isUnproven || unproven < Self.mostUnproven else { return false }
        count += 1
        if isUnproven { unproven += 1 }
        return true
    }
}
