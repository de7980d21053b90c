internal import CSegUnpack
internal import SegmentedDL

/// Decompresses a document incrementally. Not `Sendable`: use it from one task at a time.
final class Unpacker {
    /// The compression format of a document.
    enum Packing: String, Sendable, CaseIterable {
        case xz = ".xz"
        case gzip = ".gz"
        case none = ""
    }

    /// The size of the output buffer in bytes.
    private static let pieceSize = 256 * 1024

    private let name: String
    /// `nil` for a document that is not compressed.
    private let unpacker: OpaquePointer?
    private let limit: Int64
    private var count: Int64 = 0
    private var isWhole: Bool

    /// - Parameters:
    ///   - limit: The maximum length of the decompressed document, in bytes.
    ///   - name: The name of the document in messages.
    /// - Throws: `DownloadError` with code `ioFailed` if the library is not installed.
    init(_ packing: Packing, limit: Int64, name: String) throws(DownloadError) {
        self.name = name
        self.limit = limit
        isWhole = packing == .none
        unpacker =
            switch packing {
            case .none: nil
            case .gzip: seg_unpacker_open(SEG_GZIP)
            case .xz: seg_unpacker_open(SEG_XZ)
            }
        guard packing == .none || unpacker != nil else {
            throw DownloadError(
                .ioFailed,
                "'\(name)' needs \(packing == .xz ? "liblzma" : "zlib"), which cannot be loaded; install it.")
        }
    }

    deinit {
        seg_unpacker_close(unpacker)
    }

    /// Returns true if the system has the library for a compression format.
    static func supports(_ packing: Packing) -> Bool {
        (try? Unpacker(packing, limit: 0, name: "")) != nil
    }

    /// Decompresses further bytes of the document.
    ///
    /// - Parameter take: Receives the decompressed bytes in pieces.
    /// - Throws: `DownloadError` with code `badResponse` if the document is damaged or too long, or an error
    ///   of `take`.
    func feed(
        _ bytes: ArraySlice<UInt8>, _ take: (ArraySlice<UInt8>) throws(DownloadError) -> Void
    ) throws(DownloadError) {
        guard let unpacker else {
            try add(bytes.count)
            return try take(bytes)
        }
        var rest = bytes
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            if isWhole, rest.isEmpty { return }
            var (taken, made) = (0, 0)
            let status = rest.withUnsafeBufferPointer { input in
                piece.withUnsafeMutableBufferPointer { output in
                    seg_unpack(
                        unpacker, input.baseAddress, input.count, &taken, output.baseAddress, output.count,
                        &made)
                }
            }
            guard status >= 0 else { throw damaged("is damaged") }
            rest = rest.dropFirst(taken)
            isWhole = status == 1
            try add(made)
            try take(piece[..<made])
            // If the output buffer is full, the library may have more output.
            if !isWhole, rest.isEmpty, made < piece.count { return }
            if taken == 0, made == 0 { throw damaged("is damaged") }
        }
    }

    /// Ends the document.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if it is truncated.
    func finish() throws(DownloadError) {
        guard isWhole else { throw damaged("is truncated") }
    }

    private func add(_ bytes: Int) throws(DownloadError) {
        count += Int64(bytes)
        guard count <= limit else { throw damaged("is longer than announced") }
    }

    private func damaged(_ fault: String) -> DownloadError {
        DownloadError(.badResponse, "'\(name)' \(fault), so its files are not known.", url: name)
    }
}
