internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

/// A download in aria2's terms.
struct RPCStatus {
    let receipt: Receipt
    /// The byte ranges on disk, if requested.
    let ranges: [ByteRange]

    /// aria2's name of a state.
    static func name(_ state: DownloadState) -> String {
        switch state {
        case .probing, .downloading, .verifying, .finalizing: "active"
        case .queued, .retrying: "waiting"
        case .paused: "paused"
        case .completed: "complete"
        case .failed: "error"
        case .cancelled: "removed"
        }
    }

    /// - Parameter keys: The requested members; `nil` for all.
    func value(_ keys: Set<String>?) -> JSONValue {
        var members: [String: JSONValue] = [:]
        for (name, make) in Self.members where keys?.contains(name) ?? true { members[name] = make(self) }
        return .object(members)
    }

    private static let members: [(name: String, make: @Sendable (RPCStatus) -> JSONValue?)] = [
        ("gid", { .string(GID(of: $0.receipt).description) }),
        ("status", { .string(name($0.receipt.state)) }),
        ("totalLength", { .digits($0.receipt.bytesTotal ?? 0) }),
        ("completedLength", { .digits($0.receipt.bytesCompleted) }),
        ("uploadLength", { _ in "0" }),
        ("bitfield", { status in status.pieces.bitfield(status.ranges).map { .string($0) } }),
        ("downloadSpeed", { .digits(Int64($0.receipt.bytesPerSecond)) }),
        ("uploadSpeed", { _ in "0" }),
        ("connections", { .digits(Int64($0.receipt.connections)) }),
        ("errorCode", { $0.errorCode.map { .digits(Int64($0)) } }),
        ("errorMessage", { $0.errorCode == nil ? nil : .string($0.receipt.error?.message ?? "") }),
        ("pieceLength", { .digits($0.pieces.pieceLength) }),
        ("numPieces", { .digits($0.pieces.count) }),
        ("dir", { .string($0.directory) }),
        ("files", { $0.files }),
    ]

    /// Known once the download has stopped.
    private var errorCode: Int? {
        switch receipt.state {
        case .completed: 0
        case .cancelled: 31
        case .failed: receipt.error.map { StatusCode.of($0.code, status: $0.status) } ?? 1
        default: nil
        }
    }

    private var pieces: PieceMap { PieceMap(length: receipt.bytesTotal) }

    private var directory: String { receipt.destination.directory?.string ?? "" }

    /// The path, empty until the name is known.
    private var path: String { receipt.path?.string ?? "" }

    /// A download always has one file.
    var files: JSONValue {
        [
            [
                "index": "1", "path": .string(path), "length": .digits(receipt.bytesTotal ?? 0),
                "completedLength": .digits(receipt.bytesCompleted), "selected": "true", "uris": uris,
            ]
        ]
    }

    var uris: JSONValue {
        let isUsed = receipt.attempts > 0
        return .array(
            ([receipt.source] + receipt.mirrors).map {
                ["uri": .string($0.url), "status": isUsed ? "used" : "waiting"]
            })
    }

    /// - Parameter target: The final URL after redirects.
    func servers(at target: Source?) -> JSONValue {
        [
            [
                "index": "1",
                "servers": [
                    [
                        "uri": .string(receipt.source.url),
                        "currentUri": .string((target ?? receipt.source).url),
                        "downloadSpeed": .digits(Int64(receipt.bytesPerSecond)),
                    ]
                ],
            ]
        ]
    }
}

extension JSONValue {
    /// A number as aria2 encodes it: a string.
    static func digits(_ number: Int64) -> JSONValue { .string(String(number)) }
}
