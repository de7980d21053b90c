internal import SegmentedDL

/// Splits bytes, received in pieces of any size, into lines.
struct LineSplitter: Sendable {
    /// The maximum length of a line in bytes.
    static let maximumLineBytes = 1024 * 1024

    /// A line without its terminator, and its number, from 1.
    struct Line: Sendable {
        var number: Int
        var bytes: ArraySlice<UInt8>
    }

    private let name: String
    private var pending: [UInt8] = []
    private var count = 0

    /// - Parameter name: The name of the text in messages.
    init(name: String) {
        self.name = name
    }

    /// Returns the lines completed by these bytes.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if a line is too long, or the text is UTF-16.
    mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [Line] {
        // Search only the new bytes: a long line may arrive byte by byte.
        var from = pending.count
        pending.append(contentsOf: bytes)
        var start = 0
        var lines: [Line] = []
        while let end = pending[from...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(try line(pending[start..<end]))
            start = end + 1
            from = start
        }
        pending.removeFirst(start)
        guard pending.count <= Self.maximumLineBytes else { throw tooLong() }
        return lines
    }

    /// Returns the last line if it has no terminator.
    ///
    /// - Throws: The errors of `feed(_:)`.
    mutating func finish() throws(DownloadError) -> Line? {
        defer { pending = [] }
        return pending.isEmpty ? nil : try line(pending[...])
    }

    private mutating func line(_ bytes: ArraySlice<UInt8>) throws(DownloadError) -> Line {
        guard bytes.count <= Self.maximumLineBytes else { throw tooLong() }
        count += 1
        var bytes = bytes
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        // Skip the byte order mark that some editors write.
        if count == 1, bytes.starts(with: ByteOrderMark.utf8) { bytes = bytes.dropFirst(3) }
        if count == 1, ByteOrderMark.isUTF16(bytes) {
            throw DownloadError(.invalidSetting, "The list '\(name)' is UTF-16; save it as UTF-8.")
        }
        return Line(number: count, bytes: bytes)
    }

    private func tooLong() -> DownloadError {
        DownloadError(
            .invalidSetting,
            "Line \(count + 1) of '\(name)' has more than \(Self.maximumLineBytes) bytes; it is not a list of files."
        )
    }
}
