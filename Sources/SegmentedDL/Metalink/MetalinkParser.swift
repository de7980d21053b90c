/// A Metalink 4 document (RFC 5854): files with their sources, digests and pieces.
///
/// It ignores `metaurl` (torrents), signatures, descriptions, and digests of unknown algorithms.
package struct MetalinkParser: ~Copyable {
    private static let namespace = "urn:ietf:params:xml:ns:metalink"

    /// The largest number of sources of one file.
    private static let mostSources = 1000

    /// The largest size of one file's piece digests.
    private static let mostPieceBytes = 64 * 1024 * 1024

    private static let longestText = 64 * 1024

    private var parser: MarkupParser
    private let name: String
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

    /// Takes the next bytes.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if it is malformed or no Metalink 4.
    package mutating func feed(_ bytes: some Collection<UInt8>) throws(DownloadError) -> [MirrorEntry] {
        try take(parser.feed(bytes))
    }

    /// Takes the end of the document. Call it once.
    ///
    /// - Throws: As `feed(_:)`.
    package mutating func finish() throws(DownloadError) -> [MirrorEntry] {
        try take(parser.finish())
    }

    private mutating func take(_ events: [MarkupEvent]) throws(DownloadError) -> [MirrorEntry] {
        for event in events {
            switch event {
            case .start(let element, let namespace, let attributes):
                if open.isEmpty, element != "metalink" || namespace != Self.namespace {
                    throw DownloadError(
                        .badResponse,
                        "'\(name)' is not a Metalink 4: its first element is <\(Printable.text(element))>, in the namespace '\(Printable.text(namespace ?? ""))'."
                    )
                }
                // Elements of other namespaces are extensions (RFC 5854, section 5).
                open.append(namespace == Self.namespace ? element : "")
                text = ""
                begin(attributes)
            case .text(let more):
                guard text.utf8.count + more.utf8.count <= Self.longestText else {
                    throw DownloadError(
                        .badResponse,
                        "'\(name)' holds a text of more than \(Self.longestText) bytes; it is not read.")
                }
                text += more
            case .end:
                try end()
            }
        }
        defer { entries.removeAll() }
        return entries
    }

    private mutating func begin(_ attributes: [String: String]) {
        switch open.dropFirst() {
        case ["file"]:
            file = MetalinkFile()
            file.name = attributes["name"]
        case ["file", "hash"]:
            file.hashType = attributes["type"]
        case ["file", "pieces"]:
            file.pieceType = attributes["type"]
            file.pieceLength = attributes["length"]
        case ["file", "url"]:
            file.priority = attributes["priority"]
        default:
            break
        }
    }

    private mutating func end() throws(DownloadError) {
        let content = String(text.trimmingWhiteSpace())
        switch open.dropFirst() {
        case ["file"]:
            entries.append(file.entry(place: name))
        case ["file", "size"]:
            file.size = content
        case ["file", "hash"]:
            file.addHash(content)
        case ["file", "pieces", "hash"]:
            guard file.pieceDigests.count < Self.mostPieceBytes else {
                throw DownloadError(
                    .badResponse,
                    "'\(name)' has more than \(Self.mostPieceBytes) bytes of piece digests for a file.")
            }
            file.addPiece(content)
        case ["file", "url"]:
            guard file.sources.count < Self.mostSources else {
                throw DownloadError(
                    .badResponse, "'\(name)' has more than \(Self.mostSources) URLs for a file.")
            }
            file.addURL(content)
        default:
            break
        }
        open.removeLast()
        text = ""
    }
}

extension StringProtocol {
    /// Returns the text without XML white space at its ends.
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
