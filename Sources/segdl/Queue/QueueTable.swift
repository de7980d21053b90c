import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLServer
import SystemPackage

/// Receipts as a table for users.
enum QueueTable {
    static let header = row("no.", "state", "done", "size", "file")

    /// Returns a line with the number, the state, the completed fraction, the size and the name.
    ///
    /// - Parameter word: The completed action, which is shown instead of the state; `nil` to show the state.
    static func line(_ receipt: Receipt, as word: String? = nil) -> String {
        row(
            receipt.id.description, word ?? receipt.state.rawValue,
            receipt.fraction.map(ByteFormat.percent) ?? "", receipt.bytesTotal.map(ByteFormat.size) ?? "",
            TextWidth.printable(
                (word == nil ? description(receipt) : name(receipt)) + marks(receipt), ascii: false))
    }

    private static func row(
        _ number: String, _ state: String, _ done: String, _ size: String, _ file: String
    ) -> String {
        [
            TextWidth.padded(number, to: 5, leading: true), TextWidth.padded(state, to: 11),
            TextWidth.padded(done, to: 4, leading: true),
            TextWidth.padded(size, to: ByteFormat.sizeWidth, leading: true), file,
        ].joined(separator: "  ")
    }

    private static func name(_ receipt: Receipt) -> String {
        receipt.claimedPath?.string ?? receipt.source.description
    }

    private static func description(_ receipt: Receipt) -> String {
        let name = name(receipt)
        switch receipt.state {
        case .downloading where receipt.bytesPerSecond > 0:
            let left = receipt.secondsRemaining.map { ", \(ByteFormat.duration($0)) left" } ?? ""
            let reason = receipt.bottleneck.map { "  (\($0))" } ?? ""
            return "\(name)  \(ByteFormat.speed(receipt.bytesPerSecond))\(left)\(reason)"
        case .retrying, .failed:
            let wait = receipt.retriesAt.map {
                "again in \(ByteFormat.duration(max(0, $0.timeIntervalSinceNow))): "
            }
            let message = receipt.error?.queueMessage ?? ""
            // Most messages begin with the name.
            let reason = message.hasPrefix(name + ": ") ? String(message.dropFirst(name.count + 2)) : message
            return "\(name)  (\(wait ?? "")\(reason))"
        default:
            return name
        }
    }

    private static func marks(_ receipt: Receipt) -> String {
        // The daemon assigns each download a key, which is meaningless to users.
        let key = receipt.key.flatMap { GID($0) == nil ? $0 : nil }
        return (key.map { "  key:\($0)" } ?? "")
            + (receipt.priority == 0 ? "" : "  priority \(receipt.priority)")
    }
}

/// Receipts as JSON lines for programs, as described in `docs/queue-json.md`. Members are added, never
/// changed.
enum QueueJSON {
    private struct Line: Encodable {
        let position: Int
        let receipt: Receipt

        private enum CodingKeys: CodingKey { case position }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(position, forKey: .position)
            try receipt.encode(to: encoder)
        }
    }

    /// - Throws: `DownloadError` for a receipt that JSON cannot represent, such as one with a non-finite
    ///   number.
    static func line(_ receipt: Receipt, position: Int) throws(DownloadError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            let line = try encoder.encode(Line(position: position, receipt: receipt))
            return String(decoding: line, as: UTF8.self) + "\n"
        } catch {
            throw DownloadError(
                .badStore, "Download \(receipt.id) of the queue is invalid.", cause: error)
        }
    }
}

extension DownloadError {
    /// The message without the advice to run the command again: a queue does that itself.
    var queueMessage: String {
        guard let advice = message.firstRange(of: "; retry it") else { return message }
        return message[..<advice.lowerBound] + "."
    }
}
