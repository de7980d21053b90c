internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

/// Which part of the list a caller wants.
struct InterfaceQuery: Sendable, Equatable {
    /// The most downloads of one answer.
    static let most = 1_000

    private static let groups: [String: Set<DownloadState>] = [
        "active": [.probing, .downloading, .verifying, .finalizing], "waiting": [.queued, .retrying],
        "done": [.completed], "failed": [.failed, .cancelled],
        "unfinished": [.probing, .downloading, .verifying, .finalizing, .queued, .retrying, .paused],
    ]

    /// All without a state.
    var states: Set<DownloadState>?
    /// A part of the URL or the path, whatever its case.
    var search = ""
    var offset = 0
    var limit = 100

    /// Reads the query of a URL.
    init(_ query: String) throws(InterfaceError) {
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? URLParser.decoded(parts[1].replacing("+", with: " ")) : ""
            switch parts[0] {
            case "state": states = try Self.states(value)
            case "search": search = value.lowercased()
            case "offset": offset = try Self.number(value, in: 0...Int.max, "offset")
            case "limit": limit = try Self.number(value, in: 1...Self.most, "limit")
            default: break
            }
        }
    }

    private static func states(_ text: String) throws(InterfaceError) -> Set<DownloadState>? {
        if text.isEmpty || text == "all" { return nil }
        if let states = groups[text] { return states }
        guard let state = DownloadState(rawValue: text) else {
            throw InterfaceError.bad("'\(Printable.text(text))' is not a state.")
        }
        return [state]
    }

    private static func number(
        _ text: String, in range: ClosedRange<Int>, _ name: String
    ) throws(InterfaceError) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw InterfaceError.bad(
                "'\(name)' wants a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    func includes(_ receipt: Receipt) -> Bool {
        guard states?.contains(receipt.state) ?? true else { return false }
        return search.isEmpty || receipt.source.url.lowercased().contains(search)
            || (receipt.path?.string.lowercased().contains(search) ?? false)
    }
}
