internal import SegmentedDL
internal import SegmentedDLMirror
internal import SystemPackage

extension MirrorView {
    /// The mirror as presented by the API.
    var value: JSONValue { .object(members) }

    /// The same, with the names of the active and changed files.
    var details: JSONValue {
        var members = members
        members["files"] = .array(
            (run?.files ?? []).map { file in
                [
                    "path": .string(file.path), "bytesCompleted": .integer(file.bytesCompleted),
                    "bytesTotal": .optional(file.bytesTotal) { .integer($0) },
                    "bytesPerSecond": .number(file.bytesPerSecond.rounded()),
                ]
            })
        members["changes"] = .array(
            tally.changes.map { change in
                [
                    "kind": .string(change.kind.rawValue), "path": .string(change.path),
                    "message": .optional(change.message) { .string($0) },
                ]
            })
        return .object(members)
    }

    private var members: [String: JSONValue] {
        let order = record.order
        let tally = tally
        let isOver = run == nil
        return [
            "id": .string(id.description), "source": .string(order.shownSource),
            "format": .string(order.format.rawValue), "prefix": .string(order.prefix),
            "directory": .string(order.directory), "include": .array(order.include.map { .string($0) }),
            "exclude": .array(order.exclude.map { .string($0) }),
            "expectedTypes": .array((order.expectedTypes ?? []).map { .string($0) }),
            "depth": .optional(order.depth) { .integer(Int64($0)) }, "deletes": .bool(order.deletes),
            "state": .string(state.rawValue), "added": Self.instant(record.added),
            "began": .optional(began ?? record.last?.began, Self.instant),
            "ended": .optional(isOver ? record.last?.ended : nil, Self.instant),
            "new": .integer(Int64(tally.new)), "changed": .integer(Int64(tally.changed)),
            "kept": .integer(Int64(tally.kept)), "removed": .integer(Int64(tally.removed)),
            "gone": .optional(tally.gone) { .integer(Int64($0)) },
            "failed": .integer(Int64(tally.failed)), "earlier": .integer(Int64(tally.earlier)),
            "listed": .integer(Int64(tally.listed)), "isListed": .bool(tally.isListed),
            "bytes": .integer(tally.bytes), "bytesReceived": .integer(tally.bytesReceived),
            "bytesPerSecond": .number((run?.bytesPerSecond ?? 0).rounded()),
            "connections": .integer(Int64(run?.connections ?? 0)), "cost": DownloadView.cost(tally.cost),
            "problem": .optional(isOver ? record.last?.problem : nil) { .string($0) },
            "proof": .optional(record.last?.proof) { .string(order.root.appending($0).string) },
        ]
    }

    private static func instant(_ seconds: Double) -> JSONValue {
        .number((seconds * 1_000).rounded() / 1_000)
    }
}
