import SegmentedDLSupport

/// The plan of one download, shared by its connections, checkpoints and observers.
///
/// The lock is acquired once per claimed or written piece, never per libcurl callback.
final class SharedPlan: Sendable {
    private let plan: Lock<SegmentPlan>

    init(_ plan: SegmentPlan) {
        self.plan = Lock(plan)
    }

    func withLock<Result>(_ body: (inout SegmentPlan, _ now: Double) -> Result) -> Result {
        let now = Monotonic.now()
        return plan.withLock { body(&$0, now) }
    }

    /// A copy of the current plan.
    var snapshot: SegmentPlan { plan.withLock { $0 } }

    var isComplete: Bool { plan.withLock { $0.isComplete } }
}
