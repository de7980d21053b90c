/// Parses a Metalink document, version 4 (RFC 5854) or 3: files with their sources, digests and pieces.
///
/// It ignores torrents, signatures, descriptions, and digests of unknown algorithms.
package struct MetalinkParser: ~Copyable {
    /// The maximum number of sources of one file.
    private static let mostSources = 1000

    /// The maximum size of one file's piece digests.
    private static let mostPieceBytes = 64 * 1024 * 1024

    private static let longestText = 64 * 1024

    private var parser: MarkupParser
    private let name: String
    private var version = MetalinkVersion.four
    private var open: [String] = []
    private var text = ""
    private var file = MetalinkFile()
    private var entries: [MirrorEntry] = []

    /// - Parameter name: The document's name in messages.
    /// - Throws: `DownloadError` with code `badResponse`.
    package init(name: String) throws(DownloadError) {
        parser = try MarkupParser(.xml, name: name)
        self.name = name
    }

    /// Parses the next bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if the document is malformed or not a Metalink.
    package mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [MirrorEntry] {
        try take(parser.feed(bytes))
    }

    /// Ends the document. Call it once.
    ///
    /// - Throws: The errors of `feed(_:)`.
    package mutating func finish() throws(DownloadError) -> [MirrorEntry] {
        try take(parser.finish())
    }

    private mutating func take(_ events: [MarkupEvent]) throws(DownloadError) -> [MirrorEntry] {
        for event in events {
            switch event {
            case .start(let element, let namespace, let attributes):
                if open.isEmpty { version = try version(element, namespace) }
                // Elements of other namespaces are extensions (RFC 5854, section 5).
                open.append(namespace == version.namespace ? element : "")
                text = ""
                begin(attributes)
            case .text(let more):
                guard text.utf8.count + more.utf8.count <= Self.longestText else {
                    throw DownloadError(
                        .badResponse,
                        "'\(name)' contains a text of more than \(Self.longestText) bytes; it was not read.")
                }
                text += more
            case .end:
                try end()
            }
        }
        defer { entries.removeAll() }
        return entries
    }

    private func version(
        _ element: String, _ namespace: String?
    ) throws(DownloadError) -> MetalinkVersion {
        guard element == "metalink", let version = MetalinkVersion(namespace: namespace) else {
            throw DownloadError(
                .badResponse,
                "'\(name)' is not a Metalink 3 or 4: its first element is <\(Printable.text(element))>, in the namespace '\(Printable.text(namespace ?? ""))'."
            )
        }
        return version
    }

    private mutating func begin(_ attributes: [String: String]) {
        switch version.element(open.dropFirst()) {
        case .file:
            file = MetalinkFile()
            file.name = attributes["name"]
        case .hash:
            file.hashType = attributes["type"]
        case .pieces:
            file.pieceType = attributes["type"]
            file.pieceLength = attributes["length"]
        case .piece:
            file.pieceNumber = version.pieceNumber(attributes)
        case .url:
            file.priority = version.priority(attributes)
            file.isOfFile = version.isOfFile(attributes)
        case .size, nil:
            break
        }
    }

    private mutating func end() throws(DownloadError) {
        let content = String(text.trimmingWhiteSpace())
        switch version.element(open.dropFirst()) {
        case .file:
            entries.append(file.entry(place: name))
        case .size:
            file.size = content
        case .hash:
            file.addHash(content)
        case .piece:
            guard file.pieceDigests.count < Self.mostPieceBytes else {
                throw DownloadError(
                    .badResponse,
                    "'\(name)' has more than \(Self.mostPieceBytes) bytes of piece digests for a file.")
            }
            file.addPiece(content)
        case .url:
            guard file.sources.count < Self.mostSources else {
                throw DownloadError(
                    .badResponse, "'\(name)' has more than \(Self.mostSources) URLs for a file.")
            }
            file.addURL(content)
        case .pieces, nil:
            break
        }
        open.removeLast()
        text = ""
    }
}

extension StringProtocol {
    /// Returns the text without surrounding XML white space.
    func trimmingWhiteSpace() -> SubSequence {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return self[startIndex..<startIndex] }
        return self[first..<scalars.index(after: last)]
    }
}
