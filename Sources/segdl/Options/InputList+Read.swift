import SegmentedDL
import SystemPackage

extension InputList {
    /// Reports that a list is read from the terminal, because nothing else indicates it.
    static func tellIfTyped(_ name: String) {
        guard name == "-", Terminal.isTerminal(0) else { return }
        StandardError.write("segdl: reading URLs from the terminal, one per line; Ctrl-D ends the list.\n")
    }

    /// Reads a list from a file, or from standard input for `-`.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if it cannot be read.
    static func read(_ name: String) throws(DownloadError) -> [Entry] {
        var entries: [Entry] = []
        for piece in try pieces(name) { entries += try piece.get() }
        return entries
    }

    /// Reads a list in pieces on demand, so that a long file is never in memory as a whole. A list from a
    /// pipe or a terminal is read completely first: otherwise its writer would have to wait.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if it cannot be read; reading a later piece may
    ///   fail in the same way.
    static func pieces(_ name: String) throws(DownloadError) -> Pieces {
        do {
            return try Pieces(name)
        } catch {
            throw unreadable(name, error)
        }
    }

    fileprivate static func unreadable(_ name: String, _ error: any Error) -> DownloadError {
        guard !name.hasURLScheme else {
            return DownloadError(
                .invalidSetting,
                "A list is read from a file, not from '\(name)'. To fetch it first: segdl -qo - URL | segdl -i -. For curl's -i (--include), use -vv, which shows response heads."
            )
        }
        return DownloadError(.invalidSetting, "Cannot read the list '\(name)': \(error).")
    }

    private struct LongLine: Error, CustomStringConvertible {
        let bytes: Int

        var description: String { "a line is longer than \(bytes) bytes, so this is not a list" }
    }

    private struct WideCharacters: Error, CustomStringConvertible {
        let description = "it is UTF-16; save it as UTF-8"
    }

    private struct BinaryFile: Error, CustomStringConvertible {
        let description = "it contains NUL bytes, so it is not a list"
    }

    final class Pieces: Sequence, IteratorProtocol {
        private static let size = 256 * 1024
        /// The maximum length of a line in bytes; lines of lists are never longer.
        private static let longestLine = 1024 * 1024
        private static let newline = UInt8(ascii: "\n")

        private let name: String
        /// `nil` once everything has been read.
        private var file: FileDescriptor?
        private var unparsed: ArraySlice<UInt8> = []
        /// The number of bytes after the last line end.
        private var openLine = 0
        private var parser = Parser()
        private var isAtStart = true

        fileprivate init(_ name: String) throws {
            self.name = name
            let file = name == "-" ? .standardInput : try FileDescriptor.open(FilePath(name), .readOnly)
            self.file = file
            let isPipe = (try? file.seek(offset: 0, from: .current)) == nil
            while unparsed.count < (isPipe ? .max : Self.size), try read() {}
        }

        deinit {
            close()
        }

        func next() -> Result<[Entry], DownloadError>? {
            do {
                while unparsed.count < Self.size || openLine == unparsed.count, try read() {}
                if !unparsed.isEmpty { return .success(parseLines()) }
                let last = parser.finish()
                return last.isEmpty ? nil : .success(last)
            } catch {
                close()
                unparsed = []
                return .failure(unreadable(name, error))
            }
        }

        /// - Returns: True if it read more.
        private func read() throws -> Bool {
            guard let file else { return false }
            let new = try [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
            if isAtStart, ByteOrderMark.isUTF16(new) { throw WideCharacters() }
            isAtStart = false
            if new.contains(0) { throw BinaryFile() }
            unparsed += new
            openLine = new.lastIndex(of: Self.newline).map { new.count - $0 - 1 } ?? openLine + new.count
            guard openLine <= Self.longestLine else { throw LongLine(bytes: Self.longestLine) }
            if new.isEmpty { close() }
            return !new.isEmpty
        }

        private func parseLines() -> [Entry] {
            // An incomplete line is left for the next piece.
            let part = unparsed.prefix(Self.size)
            let end = part.lastIndex(of: Self.newline) ?? unparsed.firstIndex(of: Self.newline)
            var bytes = unparsed[..<(end ?? unparsed.endIndex)]
            unparsed = unparsed.dropFirst(bytes.count + 1)
            // The rest of the last line ending would count as another line.
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
            // Non-ASCII bytes are kept in the URL.
            var text = PercentEncoding.text(bytes)[...]
            if parser.lines == 0 { text = withoutMark(text) }
            return parser.parse(text)
        }

        private func close() {
            if file != .standardInput { try? file?.close() }
            file = nil
        }
    }
}
