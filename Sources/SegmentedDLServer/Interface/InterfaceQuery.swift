internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

/// The part of the list requested by a caller.
struct InterfaceQuery: Sendable, Equatable {
    /// The maximum number of downloads in one response.
    static let most = 1_000

    private static let groups: [String: Set<DownloadState>] = [
        "active": [.probing, .downloading, .verifying, .finalizing], "waiting": [.queued, .retrying],
        "done": [.completed], "failed": [.failed, .cancelled],
        "unfinished": Set(DownloadState.allCases.filter { !$0.isFinal }),
    ]

    /// `nil` for all states.
    var states: Set<DownloadState>?
    /// A substring of the URL or the path, case-insensitive.
    var search = ""
    var offset = 0
    var limit = 100
    var order = Order.queue
    /// The gid of a download that the returned part must contain; replaces `offset`.
    var around: String?

    enum Order: String, Sendable {
        case queue
        /// The unfinished ones in queue order, then the ended ones, the latest first.
        case work
    }

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
            case "order": order = try Self.order(value)
            case "around": around = value.isEmpty ? nil : value
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
                "'\(name)' must be a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    private static func order(_ text: String) throws(InterfaceError) -> Order {
        guard let order = Order(rawValue: text) else {
            throw InterfaceError.bad("'order' must be queue or work.")
        }
        return order
    }

    /// Returns the requested downloads in the requested order.
    ///
    /// - Parameter receipts: All receipts, in queue order.
    func select(from receipts: [Receipt]) -> [Receipt] {
        let found = receipts.filter(includes)
        guard order == .work else { return found }
        var open: [Receipt] = []
        var ended: [(receipt: Receipt, end: Double, place: Int)] = []
        for (place, receipt) in found.enumerated() {
            if receipt.state.isFinal {
                ended.append((receipt, Instant.seconds(receipt.ended), place))
            } else {
                open.append(receipt)
            }
        }
        ended.sort { ($0.end, $0.place) > ($1.end, $1.place) }
        return open + ended.map(\.receipt)
    }

    /// Returns the offset of the part that contains a download: a multiple of `limit`.
    ///
    /// - Returns: `offset` if the download is not in the list.
    func offset(of id: Receipt.ID, in list: [Receipt]) -> Int {
        guard let place = list.firstIndex(where: { $0.id == id }) else { return offset }
        return place / limit * limit
    }

    func includes(_ receipt: Receipt) -> Bool {
        guard states?.contains(receipt.state) ?? true else { return false }
        return search.isEmpty || receipt.source.url.lowercased().contains(search)
            || (receipt.claimedPath?.string.lowercased().contains(search) ?? false)
    }
}
