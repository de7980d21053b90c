import SegmentedDLSupport

/// The place that one source's redirects led to, so that later requests go straight there, with the cookies
/// that they set.
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

    /// Forgets a target, unless another connection has found a newer one meanwhile.
    func forget(_ target: Source) {
        remembered.withLock { if $0?.target == target { $0 = nil } }
    }
}
