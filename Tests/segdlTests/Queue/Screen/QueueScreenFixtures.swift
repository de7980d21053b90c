import Foundation
import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLQueue

@testable import segdl

/// The current time of the screens.
let screenNow = Date(timeIntervalSinceReferenceDate: 1000)

/// Receipts are only created by a manager, or decoded.
func receipt(
    _ id: Int, _ state: DownloadState = .queued, name: String? = nil, url: String? = nil, done: Int64 = 0,
    total: Int64? = nil, speed: Double = 0, remaining: Double? = nil, connections: Int = 0,
    error: String? = nil, retriesIn: Double? = nil
) throws -> Receipt {
    var fields: [String: Any] = [
        "id": id, "source": url ?? "https://example.com/file-\(id).iso",
        "destination": ["directory": "out"],
        "state": state.rawValue, "priority": 0, "bytesCompleted": done, "bytesPerSecond": speed,
        "connections": connections, "attempts": 1, "seconds": 0, "added": 0, "checksums": [String](),
    ]
    if let name { fields["path"] = "out/\(name)" }
    if let total { fields["bytesTotal"] = total }
    if let remaining { fields["secondsRemaining"] = remaining }
    if let retriesIn { fields["retriesAt"] = 1000 + retriesIn }
    if let error { fields["error"] = ["code": 301, "message": error, "isRetryable": true] }
    return try JSONDecoder().decode(Receipt.self, from: JSONSerialization.data(withJSONObject: fields))
}

/// Returns this many waiting downloads, numbered from 1.
func waiting(_ count: Int) throws -> [Receipt] {
    try (1...count).map { try receipt($0) }
}

extension QueueScreen {
    init(
        _ receipts: [Receipt], columns: Int = 80, rows: Int = 24, unicode: Bool = true, color: Bool = false
    ) {
        let terminal = Terminal { name in
            switch name {
            case "LANG": unicode ? "C.UTF-8" : "C"
            case "TERM": "xterm"
            case "NO_COLOR": color ? nil : "1"
            default: nil
            }
        }
        self.init(size: Terminal.Size(columns: columns, rows: rows), terminal: terminal)
        update(receipts)
    }

    mutating func update(_ receipts: [Receipt]) {
        var progress = QueueProgress()
        for receipt in receipts { progress.add(receipt) }
        update(receipts, progress, now: screenNow)
    }

    mutating func press(_ text: String) -> [Intent] {
        text.compactMap { press(.character($0)) }
    }

    var text: [String] { frame.map(\.text) }
    /// The numbers of the receipts in the displayed order.
    var order: [Int64] { listed.map { receipts[$0].id.rawValue } }
    /// The text of the selected line.
    var selectedLine: String? { text.first { $0.hasPrefix(">") } }
}

func id(_ number: Int64) -> Receipt.ID { Receipt.ID(rawValue: number) }
