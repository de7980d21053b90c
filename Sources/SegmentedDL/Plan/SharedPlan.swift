import SegmentedDLSupport

/// The plan of one download, as its connections, its checkpoints and its observers share it.
///
/// The lock is taken once per claimed or written piece, never per callback of libcurl.
final class SharedPlan: Sendable {
    private let plan: Lock<SegmentPlan>

    init(_ plan: SegmentPlan) {
        self.plan = Lock(plan)
    }

    func withLock<Result>(_ body: (inout SegmentPlan, _ now: Double) -> Result) -> Result {
        let now = Monotonic.now()
        return plan.withLock { body(&$0, now) }
    }

    /// A copy of the plan as it is now.
    var snapshot: SegmentPlan { plan.withLock { $0 } }

    var isComplete: Bool { plan.withLock { $0.isComplete } }
}
