import Dispatch

/// Runs an actor on its own dispatch queue, so that it may block.
public final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    /// - Parameter label: The queue's name, for debuggers.
    public init(label: String) {
        queue = DispatchQueue(label: label)
    }

    /// Runs the job after all earlier ones.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
