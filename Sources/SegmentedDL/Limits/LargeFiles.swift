/// The files that use several connections, and those that wait until fewer of these are active.
///
/// If requests share a connection, many files are requested before their lengths are known. Large ones among
/// them must not all be fetched simultaneously, because all of them would finish late, and a kill would leave
/// all of them unfinished.
struct LargeFiles: Sendable {
    typealias FileID = SchedulerState.FileID

    private var active: Set<FileID> = []
    /// The waiting files, in the order of their responses.
    private var waiting: [FileID] = []

    /// Records that a file is large.
    ///
    /// - Parameters:
    ///   - mayWait: False if it must begin immediately.
    ///   - maximum: The maximum number of active ones.
    /// - Returns: False if it must wait.
    mutating func begins(_ file: FileID, mayWait: Bool, upTo maximum: Int) -> Bool {
        if mayWait, active.count >= maximum, !active.contains(file) {
            waiting.append(file)
            return false
        }
        active.insert(file)
        return true
    }

    /// Removes a file that has ended or was abandoned.
    mutating func remove(_ file: FileID) {
        if active.remove(file) == nil { waiting.removeAll { $0 == file } }
    }

    /// Removes the next one that may begin.
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
