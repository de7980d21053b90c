internal import SegmentedDL
import SegmentedDLSupport

/// The hosts that a run asks about its copies, and whether each of them supports questions in batches.
final class RevalidatedHosts: Sendable {
    /// The maximum number of consecutive useless batches, after which a host is asked about each copy
    /// separately.
    private static let mostUselessBatches = 3

    private let useless = Lock<[Origin: Int]>([:])

    /// Returns true if a host is asked about each copy separately, because several consecutive batches had no
    /// effect, which is not a coincidence.
    func isAskedSingly(_ host: Origin) -> Bool {
        useless.withLock { $0[host, default: 0] >= Self.mostUselessBatches }
    }

    /// Records a batch of questions. Once a host is asked separately, this does not change.
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
