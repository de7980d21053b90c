/// Decides which redirects are followed.
struct RedirectRule: Sendable {
    /// The most redirects of one request.
    var maximum: Int
    /// True if a redirect from https to http is followed.
    var allowsInsecure: Bool

    /// Returns the target of a redirect.
    ///
    /// - Parameters:
    ///   - location: The Location field (RFC 9110, section 10.2.2).
    ///   - hops: The number of redirects of the request, with this one.
    /// - Throws: `TransferFailure.redirect` if it is not followed.
    func target(of location: String, from place: Source, hops: Int) throws(TransferFailure) -> Source {
        guard hops <= maximum else {
            throw .redirect("was redirected more than \(maximum) times.")
        }
        let next: Source
        do {
            next = try URLParser.parse(location, relativeTo: place)
        } catch {
            throw .redirect("was redirected to a place that cannot be used: \(error.message)")
        }
        guard allowsInsecure || !Self.isInsecure(from: place, to: next) else {
            throw .redirect(
                "was redirected from https to \(next.origin), where any machine on the way can change the file; allow that (--insecure-redirects), or use another URL."
            )
        }
        return next
    }

    /// Returns true for a redirect from https to http.
    static func isInsecure(from place: Source, to next: Source) -> Bool {
        place.origin.scheme == "https" && next.origin.scheme == "http"
    }
}
