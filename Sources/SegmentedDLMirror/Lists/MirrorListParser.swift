public import SegmentedDL

/// An incremental parser for a list of files, which is fed bytes and returns entries.
///
/// An invalid line becomes an unusable entry; the following lines are still read.
public struct MirrorListParser: ~Copyable {
    private var lines: LineSplitter
    private var reader: any LineReader
    private var metalink: MetalinkParser?

    /// Creates a parser at the start of a list.
    ///
    /// - Parameters:
    ///   - format: The format of the list.
    ///   - name: The name of the list in messages: a path, or a URL without credentials and query.
    ///   - base: The list's URL. Names in a list of checksums are relative to it; other formats do not use
    ///     it.
    /// - Throws: `DownloadError` with code `invalidSetting` if a list of checksums has no URL.
    public init(_ format: ListFormat, name: String, base: Source? = nil) throws(DownloadError) {
        try self.init(format, name: name, base: base, hub: nil)
    }

    /// - Parameter hub: The URLs of `hf://` locations; `nil` to refuse locations.
    init(_ format: ListFormat, name: String, base: Source?, hub: HubFileURL?) throws(DownloadError) {
        lines = LineSplitter(name: name)
        metalink = format == .metalink ? try MetalinkParser(name: name) : nil
        switch format {
        case .urls, .metalink: reader = URLLineReader(hub: hub)
        case .jsonLines: reader = JSONLineReader(hub: hub)
        case .tabSeparated: reader = TabLineReader(hub: hub)
        case .checksums:
            guard let base else {
                throw DownloadError(
                    .invalidSetting, "'\(name)' lists names without URLs; give the base URL.")
            }
            reader = ChecksumLineReader(base: base)
        }
    }

    /// Parses the next bytes.
    ///
    /// - Returns: The entries completed by these bytes.
    /// - Throws: `DownloadError` with code `invalidSetting` if a line is longer than 1 MiB, `badResponse` if
    ///   a Metalink is malformed; the message includes the position.
    public mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [MirrorEntry] {
        if let entries = try metalink?.feed(bytes) { return entries }
        return try lines.feed(bytes).compactMap { reader.take($0) }
    }

    /// Ends the list. Call it once.
    ///
    /// - Returns: The last entries.
    /// - Throws: The errors of `feed(_:)`.
    public mutating func finish() throws(DownloadError) -> [MirrorEntry] {
        if let entries = try metalink?.finish() { return entries }
        let last = try lines.finish().flatMap { reader.take($0) }
        return [last, reader.finish()].compactMap(\.self)
    }
}
