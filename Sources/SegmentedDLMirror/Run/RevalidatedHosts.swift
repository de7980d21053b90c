internal import SegmentedDL
import SegmentedDLSupport

/// The hosts that a run asks about its copies, and how each of them takes questions in batches.
final class RevalidatedHosts: Sendable {
    /// The number of batches without effect in a row after which a host is asked about each copy by itself.
    private static let mostUselessBatches = 3

    private let useless = Lock<[Origin: Int]>([:])

    /// True if a host is asked about each copy by itself: several batches in a row had no effect, so that it
    /// was no accident.
    func isAskedSingly(_ host: Origin) -> Bool {
        useless.withLock { $0[host, default: 0] >= Self.mostUselessBatches }
    }

    /// Records a batch of questions. Once a host is asked singly, it stays so.
    ///
    /// - Parameter wasUseless: True if the batch had no effect: the host refused, or closed connections
    ///   early.
    func record(wasUseless: Bool, for host: Origin) {
        useless.withLock { useless in
            let count = useless[host, default: 0]
            guard count < Self.mostUselessBatches else { return }
            useless[host] = wasUseless ? count + 1 : 0
        }
    }
}
