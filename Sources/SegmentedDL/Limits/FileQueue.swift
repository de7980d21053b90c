internal import DequeModule

/// The waiting files, by priority and order of arrival. Every operation takes constant time on average, so
/// that a hundred thousand files may wait.
struct FileQueue: Sendable {
    typealias FileID = SchedulerState.FileID

    private var waiting: [FileID: Int] = [:]
    /// The files of each priority. A removed file remains here until it is reached.
    private var lanes: [Int: Deque<FileID>] = [:]

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    /// True if a file of more than the default priority may be waiting.
    var hasPriority: Bool { !waiting.isEmpty && lanes.contains { $0 > 0 && !$1.isEmpty } }

    mutating func append(_ file: FileID, priority: Int) {
        waiting[file] = priority
        lanes[priority, default: []].append(file)
    }

    mutating func remove(_ file: FileID) {
        waiting[file] = nil
    }

    /// Removes the first file: the highest priority, then the oldest or newest.
    mutating func takeNext(_ order: QueueOrder) -> (file: FileID, priority: Int)? {
        while let priority = lanes.keys.max() {
            let next = order == .fifo ? lanes[priority]?.popFirst() : lanes[priority]?.popLast()
            guard let next else {
                lanes[priority] = nil
                continue
            }
            if waiting.removeValue(forKey: next) != nil { return (next, priority) }
        }
        return nil
    }
}
