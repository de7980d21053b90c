public import SegmentedDL

extension Shard {
    /// The environment variables that a scheduler sets for the tasks of an array.
    private struct Array {
        var name: String
        var index: String
        /// The index of the first task; 0 if no variable contains it.
        var first: String?
        var step: String?
        var count: String?

        static let all = [
            Array(
                name: "Slurm", index: "SLURM_ARRAY_TASK_ID", first: "SLURM_ARRAY_TASK_MIN",
                step: "SLURM_ARRAY_TASK_STEP", count: "SLURM_ARRAY_TASK_COUNT"),
            Array(name: "Kubernetes", index: "JOB_COMPLETION_INDEX"),
            Array(
                name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"),
        ]
    }

    /// Returns the shard of this task in an array of Slurm, an indexed job of Kubernetes, or an array of AWS
    /// Batch.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - count: The number of shards; `nil` to use the scheduler's. Kubernetes does not provide one.
    /// - Throws: `DownloadError` with code `invalidSetting` if the process is not a task of an array, or the
    ///   array does not match.
    public init(ofTaskIn environment: [String: String], count: Int? = nil) throws(DownloadError) {
        let found = Array.all.filter { environment[$0.index] != nil }
        guard let array = found.first, found.count == 1 else {
            throw Self.error(
                found.isEmpty
                    ? "none of \(Array.all.map(\.index).joined(separator: ", ")) is set"
                    : found.map(\.index).joined(separator: " and ") + " are set")
        }
        let scheduled = try Self.number(array.count, environment)
        guard let count = count ?? scheduled else {
            throw DownloadError(
                .invalidSetting, "\(array.name) does not provide the number of tasks; specify it as auto/N.")
        }
        // If a part of an array was resubmitted, its tasks would be numbered from the start and fetch files
        // of other shards.
        guard scheduled == nil || scheduled == count else {
            throw Self.error("the array of \(array.name) has \(scheduled ?? 0) tasks, not \(count)")
        }
        let index = try Self.number(array.index, environment) ?? 0
        let first = try Self.number(array.first, environment) ?? 0
        let step = try Self.number(array.step, environment) ?? 1
        guard index >= first, step > 0, (index - first) % step == 0, (index - first) / step < count else {
            throw Self.error(
                "\(array.index) is \(index), which is not one of \(count) consecutive numbers from \(first)")
        }
        try self.init((index - first) / step + 1, of: count)
    }

    private static func number(
        _ name: String?, _ environment: [String: String]
    ) throws(DownloadError) -> Int? {
        guard let name, let text = environment[name] else { return nil }
        guard let number = Int(text), (0...Int(Int32.max)).contains(number) else {
            throw error("\(name) is '\(Printable.text(text))'")
        }
        return number
    }

    private static func error(_ reason: String) -> DownloadError {
        DownloadError(
            .invalidSetting, "The shard of this task is unknown: \(reason); specify it."
        ).remedied(by: .shard)
    }
}
