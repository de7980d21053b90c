import SegmentedDL

/// The file of `--log`: a line with a timestamp for each message and for the end of each file.
struct LogFile: Sendable {
    private let output: TextOutput

    /// Opens the file, keeping its content. `-` is standard error.
    ///
    /// - Throws: `DownloadError` with code `badPath` if it cannot be written.
    init(path: String) throws(DownloadError) {
        guard path != "-" else {
            output = .standardError
            return
        }
        do {
            output = try TextOutput(path: path, appends: true) { reason in
                StandardError.write("segdl: Cannot write to the log '\(path)': \(reason).\n")
            }
        } catch {
            throw DownloadError(.badPath, "Cannot write to the log '\(path)': \(error); choose another path.")
        }
    }

    func write(_ text: String) {
        // Such as `2026-11-24T09:41:51+0100`.
        let now = LocalTime.text("%Y-%m-%dT%H:%M:%S%z")
        output.write("\(now) \(TextWidth.printable(text, ascii: false))\n")
    }
}

/// The current local time.
enum LocalTime {
    private static let capacity = 64

    /// - Parameter format: See strftime(3).
    static func text(_ format: String) -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: capacity)
        let count = strftime(&buffer, capacity, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
