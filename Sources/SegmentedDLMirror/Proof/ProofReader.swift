internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reads a proof line by line, holding only a few lines in memory. Every call blocks.
final class ProofReader {
    /// One file of the proof.
    struct Line {
        var path: RelativePath
        var size: Int64
        var sha256: Checksum
        /// The URL of the file's source; `nil` if the line has none.
        var url: String?
        /// The bytes of the line, without the terminator.
        var bytes: ArraySlice<UInt8>
    }

    private static let pieceSize = 64 * 1024

    let path: FilePath
    private let descriptor: FileDescriptor
    private var splitter: LineSplitter
    private var lines: ArraySlice<LineSplitter.Line> = []
    private var isAtEnd = false
    private var last: RelativePath?

    /// - Throws: `StorageError`.
    init(_ path: FilePath) throws(StorageError) {
        self.path = path
        splitter = LineSplitter(name: path.string)
        descriptor = try storageCall("read", path) {
            try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
        }
    }

    deinit {
        try? descriptor.close()
    }

    /// Returns the next line; `nil` at the end.
    ///
    /// - Throws: `DownloadError` with code `badStore` if it is not a proof, or a `StorageError`.
    func next() throws -> Line? {
        while lines.isEmpty, !isAtEnd {
            let bytes = try read()
            isAtEnd = bytes.isEmpty
            lines = isAtEnd ? try splitter.finish().map { [$0] } ?? [] : try splitter.feed(bytes)[...]
        }
        guard let line = lines.popFirst() else { return nil }
        let entry = try parse(line)
        // The merge relies on the order of the paths.
        if let last, !(last < entry.path) { throw damaged(line.number, "is out of order") }
        last = entry.path
        return entry
    }

    private func read() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
            count = try storageCall("read", path) {
                try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private struct Fields: Decodable {
        var path: RelativePath
        var size: Int64
        var sha256: String
        var url: String?
    }

    private func parse(_ line: LineSplitter.Line) throws -> Line {
        do {
            let fields = try JSONDecoder().decode(Fields.self, from: Data(line.bytes))
            guard fields.size >= 0 else { throw damaged(line.number, "has a negative size") }
            return Line(
                path: fields.path, size: fields.size, sha256: try Checksum(.sha256, fields.sha256),
                url: fields.url, bytes: line.bytes)
        } catch {
            throw damaged(line.number, "has no path, size and SHA-256")
        }
    }

    private func damaged(_ number: Int, _ fault: String) -> DownloadError {
        DownloadError(
            .badStore, "Line \(number) of '\(path)' \(fault): it is not a proof; mirror its shard again.")
    }
}
