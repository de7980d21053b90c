import SegmentedDLQueue
import SegmentedDLServer

/// A command to a queue. Run by the process that has the queue open, otherwise by the process that issues it.
enum QueueCommand: Codable, Sendable {
    enum Verb: String, Codable, Sendable {
        case pause, resume, cancel, restart
    }

    enum Position: Codable, Sendable {
        case front, back
        case before(Selector)
    }

    /// The caps to change; others are kept.
    struct LimitChange: Codable, Equatable, Sendable {
        /// A number, or `auto`.
        var activeFiles: String?
        var connections: Int?
        var connectionsPerHost: Int?
        /// Bytes per second; 0 for no limit.
        var rate: Int64?

        /// True if no cap is changed.
        var isEmpty: Bool {
            activeFiles == nil && connections == nil && connectionsPerHost == nil && rate == nil
        }
    }

    /// Requests the receipts of running downloads; all others are in the database.
    case active
    /// Requests a part of the receipts, in queue order.
    case list(from: Int, count: Int)
    /// Adds downloads. The access contains the header fields and credentials of some of them by index,
    /// because encoded requests have none.
    case add([QueueEntry], access: [Int: StoredAuthorization])
    case verb(Verb, [Selector])
    case remove([Selector], withFiles: Bool)
    case move([Selector], Position)
    case setURL(Selector, String)
    case setPriority([Selector], Int)
    case limit(LimitChange)

    static func add(_ entries: [QueueEntry]) -> QueueCommand {
        var access: [Int: StoredAuthorization] = [:]
        for (place, entry) in entries.enumerated() where entry.request.authorization != Authorization() {
            access[place] = StoredAuthorization(entry.request.authorization)
        }
        return .add(entries, access: access)
    }

    /// True if the command can safely be repeated.
    var isQuestion: Bool {
        switch self {
        case .active, .list: true
        case .limit(let change): change.isEmpty
        default: false
        }
    }
}
