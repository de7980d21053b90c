internal import SegmentedDL
internal import SystemPackage

/// Reads a list from a URL.
final class ListPager: EntryPager {
    private let source: Source
    private let format: ListFormat
    private let fetch: ListingFetch
    private var open: OpenList?
    private var rest: ArraySlice<UInt8> = []

    init(source: Source, format: ListFormat, fetch: ListingFetch) {
        self.source = source
        self.format = format
        self.fetch = fetch
    }

    func next() async throws -> [MirrorEntry]? {
        guard let open else {
            let listing = try await fetch.fetch(source)
            // Names are relative to the given URL, because a redirect may lead to a store without the files.
            self.open = OpenList(try MirrorListParser(format, name: source.description, base: source))
            rest = listing.bytes[...]
            return []
        }
        guard !rest.isEmpty else { return try open.finish() }
        defer { rest = rest.dropFirst(IndexPager.pieceSize) }
        return try open.feed(rest.prefix(IndexPager.pieceSize))
    }

    var isAtHand: Bool { !rest.isEmpty }
}

/// Reads a list from a file.
final class FilePager: EntryPager {
    private let path: FilePath
    private let open: OpenList
    private var file: FileDescriptor?

    /// - Parameter hub: The hub of `hf://` locations in the list; `nil` to refuse them.
    init(path: FilePath, format: ListFormat, base: Source?, hub: HubSettings?) throws(DownloadError) {
        self.path = path
        var files: HubFileURL?
        if let hub { files = { location throws(DownloadError) in try HubSource(location, hub).file() } }
        open = OpenList(try MirrorListParser(format, name: path.string, base: base, hub: files))
    }

    deinit {
        try? file?.close()
    }

    func next() async throws -> [MirrorEntry]? {
        let bytes = try await read()
        return bytes.isEmpty ? try open.finish() : try open.feed(bytes[...])
    }

    private func read() async throws -> [UInt8] {
        let (path, known) = (path, file)
        do {
            let (file, bytes) = try await DiskThread.run {
                let file =
                    try known
                    ?? storageCall("read", path) {
                        try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
                    }
                let bytes = try [UInt8](unsafeUninitializedCapacity: IndexPager.pieceSize) { buffer, count in
                    count = try storageCall("read", path) {
                        try file.read(into: UnsafeMutableRawBufferPointer(buffer))
                    }
                }
                return (file, bytes)
            }
            self.file = file
            return bytes
        } catch let error as StorageError {
            throw error.asDownloadError
        }
    }
}

/// A list that is being parsed.
private final class OpenList {
    private var parser: MirrorListParser
    private var isFinished = false

    init(_ parser: consuming MirrorListParser) {
        self.parser = parser
    }

    func feed(_ bytes: ArraySlice<UInt8>) throws(DownloadError) -> [MirrorEntry] { try parser.feed(bytes) }

    /// Ends the list.
    ///
    /// - Returns: The last entries; `nil` from the second call on.
    func finish() throws(DownloadError) -> [MirrorEntry]? {
        guard !isFinished else { return nil }
        isFinished = true
        return try parser.finish()
    }
}
