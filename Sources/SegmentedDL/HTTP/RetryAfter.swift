/// The value of a `Retry-After` header (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// The maximum delay of a download by a single response.
    static let maximumSeconds = 3600.0

    /// Returns the seconds to wait according to a response's head, including the end of an exhausted quota;
    /// `nil` if it states none.
    ///
    /// - Parameter now: Seconds since 1970, for a head without a Date. A date refers to the server's clock,
    ///   so it is compared with the Date field.
    static func seconds(in head: ResponseHead, now: Int64) -> Double? {
        let date = head["date"].flatMap(HTTPDate.seconds)
        return head["retry-after"].flatMap { seconds($0, now: date ?? now) }
            ?? RequestQuota(head, now: now).flatMap { quota in
                guard quota.left == 0, !quota.isPolicy else { return nil }
                // A host that rounds down states 0 in the last second of its window.
                return min(quota.resetSeconds > 0 ? quota.resetSeconds : quota.longestReset, maximumSeconds)
            }
    }

    /// Returns the seconds to wait, from a number of seconds or an HTTP date.
    ///
    /// - Parameter now: Seconds since 1970.
    static func seconds(_ text: String, now: Int64) -> Double? {
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return min(Double(text) ?? maximumSeconds, maximumSeconds)
        }
        guard let date = HTTPDate.seconds(text) else { return nil }
        return min(max(0, Double(date - now)), maximumSeconds)
    }
}
