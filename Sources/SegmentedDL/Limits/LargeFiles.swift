/// The files that use several connections, and those that wait until there are fewer of these.
///
/// If requests share a connection, many files are asked for before their lengths are known. Large ones among
/// them must not all be fetched at the same time, because each would take long, and a kill would leave all of
/// them unfinished.
struct LargeFiles: Sendable {
    typealias FileID = SchedulerState.FileID

    private var active: Set<FileID> = []
    /// The files that wait, in the order of their answers.
    private var waiting: [FileID] = []

    /// Learns that a file is large.
    ///
    /// - Parameters:
    ///   - mayWait: False if it begins in any case.
    ///   - maximum: The most that may be active.
    /// - Returns: False if it has to wait.
    mutating func begins(_ file: FileID, mayWait: Bool, upTo maximum: Int) -> Bool {
        if mayWait, active.count >= maximum, !active.contains(file) {
            waiting.append(file)
            return false
        }
        active.insert(file)
        return true
    }

    /// Removes a file that has ended or is given up.
    mutating func remove(_ file: FileID) {
        if active.remove(file) == nil { waiting.removeAll { $0 == file } }
    }

    /// Takes the next one that may begin.
    ///
    /// - Parameter order: The order of the files.
    mutating func takeNext(upTo maximum: Int, by order: (FileID) -> (Int, Int)) -> FileID? {
        guard active.count < maximum,
            let next = waiting.indices.min(by: { order(waiting[$0]) < order(waiting[$1]) })
        else { return nil }
        let file = waiting.remove(at: next)
        active.insert(file)
        return file
    }
}
