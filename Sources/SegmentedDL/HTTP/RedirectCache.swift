import SegmentedDLSupport

/// The place that one source's redirects led to, so that later requests go straight there.
final class RedirectCache: Sendable {
    let source: Source
    private let remembered = Lock<Source?>(nil)

    init(_ source: Source) {
        self.source = source
    }

    var target: Source { remembered.withLock { $0 } ?? source }

    func remember(_ target: Source) {
        remembered.withLock { $0 = target.url == source.url ? nil : target }
    }

    /// Forgets a target, unless another connection has found a newer one meanwhile.
    func forget(_ target: Source) {
        remembered.withLock { if $0 == target { $0 = nil } }
    }
}
