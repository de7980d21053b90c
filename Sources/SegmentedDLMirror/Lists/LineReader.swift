internal import SegmentedDL

/// Converts the lines of a list into entries.
protocol LineReader: Sendable {
    /// Parses a line.
    ///
    /// - Returns: The entry that is now complete, if any.
    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry?

    /// Ends the list.
    ///
    /// - Returns: The last entry, if it was not yet returned.
    mutating func finish() -> MirrorEntry?
}

extension LineReader {
    static func unusable(_ line: Int, _ error: DownloadError) -> MirrorEntry {
        .unusable(UnusableEntry(place: "line \(line)", error))
    }
}

extension RelativePath {
    /// Creates the path of a file from the last component of its URL.
    ///
    /// - Throws: `DownloadError` with code `badPath` if the URL's last component is not a valid name.
    init(namedBy source: Source) throws(DownloadError) {
        guard !source.lastPathComponent.isEmpty else {
            throw DownloadError(.badPath, "'\(source)' does not end in a name; specify a path for the file.")
        }
        guard !source.lastPathComponent.utf8.contains(UInt8(ascii: "/")) else {
            throw DownloadError(
                .badPath,
                "The last component of '\(source)' contains an encoded slash; specify a path for the file."
            )
        }
        try self.init(source.lastPathComponent)
    }
}

extension Checksum {
    /// Parses `sha256=HEX`, `sha-256=HEX`, or hexadecimal whose length determines the algorithm.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    init(ofList text: String) throws(DownloadError) {
        if !text.contains("="),
            let algorithm = Algorithm.hashes.first(where: { $0.length * 2 == text.utf8.count })
        {
            try self.init(algorithm, text)
        } else {
            try self.init(parsing: text)
        }
    }
}
