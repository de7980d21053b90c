internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

/// A download as presented by the API.
struct DownloadView {
    let receipt: Receipt
    /// The transfer, if one is active.
    var progress: DownloadProgress?

    var value: JSONValue { .object(members) }

    /// The same, with the byte ranges on disk and the active connections.
    ///
    /// - Parameter checksumFrom: The origin of the request's digest; `nil` to omit it.
    func details(_ ranges: [ByteRange], checksumFrom: String? = nil) -> JSONValue {
        var members = members
        members["ranges"] = .array(ranges.map { [.integer($0.lowerBound), .integer($0.upperBound)] })
        members["segments"] = .array(
            (progress?.activeSegments ?? []).map {
                ["start": .integer($0.start), "position": .integer($0.position), "end": .integer($0.end)]
            })
        if let checksumFrom, !receipt.checksums.isEmpty { members["checksumFrom"] = .string(checksumFrom) }
        return .object(members)
    }

    private var members: [String: JSONValue] {
        [
            "id": .string(GID(of: receipt).description), "number": .integer(receipt.id.rawValue),
            "url": .string(receipt.source.url), "mirrors": .array(receipt.mirrors.map { .string($0.url) }),
            "name": .string(name), "path": .optional(receipt.claimedPath) { .string($0.string) },
            "directory": .optional(receipt.destination.directory) { .string($0.string) },
            "state": .string(receipt.state.rawValue),
            "priority": .integer(Int64(receipt.priority)), "bytesCompleted": .integer(receipt.bytesCompleted),
            "bytesTotal": .optional(receipt.bytesTotal) { .integer($0) },
            "bytesPerSecond": .number(receipt.bytesPerSecond.rounded()),
            "secondsRemaining": .optional(receipt.secondsRemaining) { .number($0.rounded()) },
            "connections": .integer(Int64(receipt.connections)),
            "attempts": .integer(Int64(receipt.attempts)),
            "seconds": .number((receipt.seconds * 10).rounded() / 10),
            "error": .optional(receipt.error, Self.error),
            "checksums": .array(
                receipt.checksums.map {
                    ["algorithm": .string($0.algorithm.rawValue), "hex": .string($0.hexadecimal)]
                }),
            "proofs": .array(receipt.proofs.map(Self.proof)), "cost": Self.cost(receipt.cost),
            "retriesAt": Instant.value(receipt.retriesAt), "added": Instant.value(receipt.added),
            "started": Instant.value(receipt.started), "ended": Instant.value(receipt.ended),
            "bottleneck": .optional(receipt.bottleneck, Self.bottleneck),
            "slowBecause": .optional(SlowReason.sentence(receipt, progress)) { .string($0) },
        ]
    }

    private static func proof(_ proof: DigestProof) -> JSONValue {
        [
            "algorithm": .string(proof.checksum.algorithm.rawValue),
            "hex": .string(proof.checksum.hexadecimal),
            "isRequested": .bool(proof.isRequested), "field": .optional(proof.field) { .string($0) },
            "document": .optional(proof.document) { .string($0.url) },
            "isOfOtherHost": .bool(proof.isOfOtherHost),
            "signature": .optional(proof.document?.signature) {
                ["kind": .string($0.kind.rawValue), "key": .string($0.key)]
            },
            "parts": .optional(proof.parts) { .integer(Int64($0)) },
        ]
    }

    static func cost(_ cost: TransferCost) -> JSONValue {
        [
            "bytesUnused": .integer(cost.bytesUnused), "refusals": .integer(Int64(cost.refusals)),
            "drops": .integer(Int64(cost.drops)), "retries": .integer(Int64(cost.retries)),
        ]
    }

    private static func bottleneck(_ bottleneck: Bottleneck) -> JSONValue {
        [
            "kind": .string(bottleneck.kind.rawValue), "share": .number(bottleneck.share),
            "connections": .optional(bottleneck.connections) { .integer(Int64($0)) },
            "bytesPerSecond": .optional(bottleneck.bytesPerSecond) { .number($0.rounded()) },
            "roundTrip": .optional(bottleneck.roundTripSeconds, JSONValue.number),
        ]
    }

    private static func error(_ failure: DownloadError) -> JSONValue {
        [
            "code": .string(failure.code.word), "message": .string(failure.message),
            "status": .optional(failure.status) { .integer(Int64($0)) },
            "isRetryable": .bool(failure.isRetryable),
        ]
    }

    private var name: String {
        if let name = receipt.claimedPath?.lastComponent?.string { return name }
        if let path = receipt.destination.file { return path.lastComponent?.string ?? "" }
        return receipt.source.lastPathComponent
    }
}

/// A sentence about why a download is or was not faster, or is not running.
enum SlowReason {
    /// - Returns: `nil` if no reason is known.
    static func sentence(_ receipt: Receipt, _ progress: DownloadProgress? = nil) -> String? {
        switch receipt.state {
        case .queued: "It is queued: other downloads use all allowed files or connections."
        case .retrying: receipt.error.map { "It is waiting before the next attempt: \($0.message)" }
        case .probing where receipt.bytesPerSecond == 0: "It is waiting for the server's first response."
        case .downloading where hasStartedOver(receipt, progress):
            "It started over because the server sends no byte ranges; earlier bytes do not count."
        case .downloading: receipt.bottleneck?.description
        case .completed: receipt.bottleneck?.pastDescription
        default: nil
        }
    }

    private static func hasStartedOver(_ receipt: Receipt, _ progress: DownloadProgress?) -> Bool {
        guard let progress, !progress.isResumable else { return false }
        return receipt.attempts > 1 || progress.cost.bytesUnused > 0
    }
}
