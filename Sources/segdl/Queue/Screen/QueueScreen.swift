internal import SegmentedDL
internal import SegmentedDLDatabase
internal import SegmentedDLMirror
internal import SegmentedDLQueue

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A list of downloads that fills a terminal: what it shows and what is selected. It knows neither the terminal nor
/// the manager.
///
/// The queue can be long: an update looks at each receipt's state, and only rows in view become text.
struct QueueScreen: Sendable {
    enum Filter: Sendable, Hashable {
        /// What is not complete. Otherwise what is done would push what runs out of view.
        case unfinished
        case all
    }

    /// Something that is done only after a yes.
    struct Question: Sendable, Hashable {
        var verb: String
        var name: String
        var note: String
        var intent: Intent
    }

    struct Message: Sendable, Hashable {
        var text: String
        var isError = false
        var told: Date
    }

    /// Seconds for which a message is shown that is no error.
    private static let noteSeconds = 5.0

    let terminal: Terminal
    var size: Terminal.Size {
        didSet { if size != oldValue { scroll() } }
    }

    private(set) var receipts: [Receipt] = []
    private(set) var progress = QueueProgress()
    private(set) var now = Date(timeIntervalSince1970: 0)
    private(set) var filter = Filter.unfinished
    /// The receipts that pass the filter, by their place in the queue.
    private(set) var listed: [Int] = []
    /// Bytes that are still to come by themselves; `nil` if that is not known.
    private(set) var bytesToCome: Double?
    private(set) var selected: Receipt.ID?
    /// Where the selected one is in the list.
    private(set) var row = 0
    /// The first row in view.
    private(set) var top = 0
    var question: Question?
    var message: Message?
    /// Which page of the help is shown.
    var helpPage: Int?

    init(size: Terminal.Size, terminal: Terminal = Terminal()) {
        self.size = size
        self.terminal = terminal
    }

    /// How the queue is now.
    ///
    /// - Parameter receipts: In the order of the queue.
    mutating func update(_ receipts: [Receipt], _ progress: QueueProgress, now: Date) {
        self.receipts = receipts
        self.progress = progress
        self.now = now
        if let message, !message.isError, now.timeIntervalSince(message.told) >= Self.noteSeconds {
            self.message = nil
        }
        bytesToCome = Self.bytesToCome(receipts)
        let before = row
        list()
        // Rows that come and go above must not push the others about; a list's beginning stays in view.
        if top > 0 { top += row - before }
        scroll()
    }

    /// Something to tell for a moment. It does not take an error's place.
    mutating func note(_ text: String) {
        if message?.isError != true { message = Message(text: text, told: now) }
    }

    /// Something that stays until a key is pressed.
    mutating func report(_ error: any Error) {
        message = Message(text: (error as? DownloadError)?.message ?? "\(error)", isError: true, told: now)
    }

    /// The selected download.
    var selection: Receipt? {
        listed.indices.contains(row) ? receipts[listed[row]] : nil
    }

    // MARK: Selecting

    mutating func select(row: Int) {
        self.row = max(0, min(row, listed.count - 1))
        selected = listed.isEmpty ? nil : receipts[listed[self.row]].id
        scroll()
    }

    mutating func show(_ filter: Filter) {
        let place = listed.indices.contains(row) ? listed[row] : 0
        self.filter = filter
        list()
        // Where the selected one is not listed any more, the next one is.
        let next = listed.firstIndex { $0 >= place } ?? listed.count - 1
        select(row: next)
    }

    /// Moves a download before the manager has done so: the next key may come sooner than its answer.
    ///
    /// - Parameters: Places in the queue.
    mutating func move(from: Int, to: Int) {
        receipts.insert(receipts.remove(at: from), at: to)
        list()
        scroll()
    }

    private mutating func list() {
        listed = receipts.indices.filter { filter == .all || receipts[$0].state != .completed }
        if listed.indices.contains(row), receipts[listed[row]].id == selected { return }
        if let found = listed.firstIndex(where: { receipts[$0].id == selected }) {
            row = found
        } else {
            // It is gone, and with it what was asked about it. What took its place is selected.
            question = nil
            row = max(0, min(row, listed.count - 1))
            selected = listed.isEmpty ? nil : receipts[listed[row]].id
        }
    }

    private mutating func scroll() {
        let rows = max(1, ScreenRows(size.rows).list)
        top = min(max(top, row - rows + 1), row)
        top = max(0, min(top, listed.count - rows))
    }

    private static func bytesToCome(_ receipts: [Receipt]) -> Double? {
        // Lengths are what servers say: as integers their sum could overflow.
        var sum = 0.0
        for index in receipts.indices {
            switch receipts[index].state {
            case .paused, .completed, .failed, .cancelled: continue
            default: break
            }
            guard let total = receipts[index].bytesTotal else { return nil }
            sum += max(0, Double(total) - Double(receipts[index].bytesCompleted))
        }
        return sum
    }
}

/// What a window's rows are used for. Each has the title line; the fewer rows, the more of them are for the list.
struct ScreenRows: Sendable, Hashable {
    let list: Int
    let hasColumnTitles: Bool
    let hasDetail: Bool
    let hasKeys: Bool

    init(_ rows: Int) {
        hasColumnTitles = rows >= 8
        hasDetail = rows >= 8
        hasKeys = rows >= 3
        list = max(0, rows - 1 - [hasColumnTitles, hasDetail, hasKeys].count { $0 })
    }
}
