import SegmentedDLSupport

/// The final target of one source's redirects, with the cookies set on the way. Later requests are sent
/// directly to it.
final class RedirectCache: Sendable {
    let source: Source
    private let remembered = Lock<(target: Source, cookies: RedirectCookies)?>(nil)

    init(_ source: Source) {
        self.source = source
    }

    var target: Source { remembered.withLock { $0?.target } ?? source }

    /// Returns the cookies for requests to a target.
    func cookies(for target: Source) -> RedirectCookies {
        remembered.withLock { $0?.target == target ? $0?.cookies : nil } ?? RedirectCookies()
    }

    func remember(_ target: Source, _ cookies: RedirectCookies = RedirectCookies()) {
        remembered.withLock { $0 = target.url == source.url && cookies.isEmpty ? nil : (target, cookies) }
    }

    /// Removes a target, unless another connection has since stored a newer one.
    func forget(_ target: Source) {
        remembered.withLock { if $0?.target == target { $0 = nil } }
    }
}
