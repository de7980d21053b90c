internal import SegmentedDL
internal import SegmentedDLDatabase
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// A list of downloads that fills a terminal: its content and selection, independent of the terminal and the
/// manager.
///
/// The queue can be long: an update reads only the state of each receipt, and only visible rows become text.
struct QueueScreen: Sendable {
    enum Filter: Sendable, Hashable {
        /// All except complete downloads, which would push the running ones out of view.
        case unfinished
        case all
    }

    /// The confirmation required for a change.
    struct Question: Sendable, Hashable {
        var verb: String
        var name: String
        var note: String
        var intent: Intent
    }

    struct Message: Sendable, Hashable {
        var text: String
        var isError = false
        var since: Date
    }

    /// How long a message other than an error is shown.
    private static let noteSeconds = 5.0

    let terminal: Terminal
    var size: Terminal.Size {
        didSet { if size != oldValue { scroll() } }
    }

    private(set) var receipts: [Receipt] = []
    private(set) var progress = QueueProgress()
    private(set) var now = Date(timeIntervalSince1970: 0)
    private(set) var filter = Filter.unfinished
    /// The receipts that pass the filter, by position in the queue.
    private(set) var listed: [Int] = []
    /// The number of bytes that will be fetched without user action; `nil` if unknown.
    private(set) var bytesToCome: Double?
    private(set) var selected: Receipt.ID?
    /// The row of the selected download.
    private(set) var row = 0
    /// The first visible row.
    private(set) var top = 0
    var question: Question?
    var message: Message?
    /// The current page of the help.
    var helpPage: Int?
    /// True if the list waits for more downloads after all have ended.
    var waitsForMore = false

    init(size: Terminal.Size, terminal: Terminal = Terminal()) {
        self.size = size
        self.terminal = terminal
    }

    /// Updates the state of the queue.
    ///
    /// - Parameter receipts: The receipts, in queue order.
    mutating func update(_ receipts: [Receipt], _ progress: QueueProgress, now: Date) {
        self.receipts = receipts
        self.progress = progress
        self.now = now
        if let message, !message.isError, now.timeIntervalSince(message.since) >= Self.noteSeconds {
            self.message = nil
        }
        bytesToCome = Self.bytesToCome(receipts)
        let before = row
        list()
        // Rows that appear or disappear above must not move the visible ones. The beginning of a list remains
        // visible.
        if top > 0 { top += row - before }
        scroll()
    }

    /// Shows a message for a short time, unless an error is shown.
    mutating func note(_ text: String) {
        if message?.isError != true { message = Message(text: text, since: now) }
    }

    /// Shows an error until a key is pressed.
    mutating func report(_ error: any Error) {
        message = Message(text: (error as? DownloadError)?.message ?? "\(error)", isError: true, since: now)
    }

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
        // If the selected download is no longer listed, the next one is selected.
        let next = listed.firstIndex { $0 >= place } ?? listed.count - 1
        select(row: next)
    }

    /// Moves a download before the manager does, because the next key may be pressed before the manager has
    /// moved it.
    ///
    /// - Parameters: Positions in the queue.
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
            // The selected download has left the list, so the question about it is dropped, and the next one
            // is selected.
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
        // Servers choose the lengths, so an integer sum could overflow.
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

/// The layout of a window's rows. Every window has the title line; the fewer rows there are, the larger the
/// list's share.
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
