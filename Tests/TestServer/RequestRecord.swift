import SegmentedDLSupport

/// One request in the log. Tests may read it while it is being answered.
final class RequestRecord: Sendable {
    struct Origin: Sendable {
        let serial: Int
        let connection: Int
        let descriptor: Int32
        let behaviour: String
        let head: RequestHead
    }

    struct Place: Sendable {
        /// The number of the request in its case, from 1.
        let ordinal: Int64
        /// Its number among those with a range start above 0; 0 if it is not one of them.
        let laterOrdinal: Int64
        let active: Int
    }

    struct Progress: Sendable {
        var status: Int?
        var bodyLength: Int64?
        var ended: Double?
        var isComplete = false
        /// Occupies one of the slots of the behaviour `limit`.
        var isAdmitted = false
    }

    let origin: Origin
    let place: Place
    let started = monotonicSeconds()
    let bytesSent = Lock<Int64>(0)
    let progress = Lock(Progress())

    func sent(_ bytes: Int) {
        bytesSent.withLock { $0 += Int64(bytes) }
    }

    init(origin: Origin, place: Place) {
        self.origin = origin
        self.place = place
    }

    var json: JSON {
        let progress = progress.withLock { $0 }
        let head = origin.head
        return .object([
            ("n", .int(Int64(origin.serial))),
            ("connection", .int(Int64(origin.connection))),
            ("behaviour", .string(origin.behaviour)),
            ("method", .string(head.method)),
            ("target", .string(head.target)),
            ("range", head["range"].map { .string($0) } ?? .null),
            ("status", progress.status.map { .int(Int64($0)) } ?? .null),
            ("bytesSent", .int(bytesSent.withLock { $0 })),
            ("bodyLength", progress.bodyLength.map { .int($0) } ?? .null),
            ("done", .bool(progress.ended != nil)),
            ("complete", .bool(progress.isComplete)),
            ("active", .int(Int64(place.active))),
            ("started", .double(started)),
            ("ended", progress.ended.map { .double($0) } ?? .null),
            ("headers", .object(Self.merged(head.fields))),
        ])
    }

    /// An object cannot contain a name twice; repeated fields are joined, as HTTP allows.
    private static func merged(_ fields: [RequestHead.Field]) -> [(String, JSON)] {
        var names: [String] = []
        var values: [String: String] = [:]
        for field in fields {
            if let earlier = values[field.name] {
                values[field.name] = earlier + ", " + field.value
            } else {
                names.append(field.name)
                values[field.name] = field.value
            }
        }
        return names.map { ($0, .string(values[$0] ?? "")) }
    }
}
