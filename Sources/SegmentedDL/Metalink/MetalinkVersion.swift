/// The versions of Metalink: 4 is RFC 5854, and 3 is its predecessor, used in `.metalink` files.
enum MetalinkVersion {
    case three, four

    /// The elements that are read in both.
    enum Element {
        case file, size, hash, pieces, piece, url
    }

    /// The maximum preference of a URL in version 3; higher numbers are preferred.
    private static let highestPreference = 100

    /// - Parameter namespace: The namespace of the document's root element.
    init?(namespace: String?) {
        switch namespace {
        case "http://www.metalinker.org/": self = .three
        case "urn:ietf:params:xml:ns:metalink": self = .four
        default: return nil
        }
    }

    var namespace: String {
        switch self {
        case .three: "http://www.metalinker.org/"
        case .four: "urn:ietf:params:xml:ns:metalink"
        }
    }

    /// Returns the element at a path below the root element; `nil` for one that is ignored.
    func element(_ path: ArraySlice<String>) -> Element? {
        switch (self, Array(path)) {
        case (.four, ["file"]), (.three, ["files", "file"]): .file
        case (.four, ["file", "size"]), (.three, ["files", "file", "size"]): .size
        case (.four, ["file", "hash"]), (.three, ["files", "file", "verification", "hash"]): .hash
        case (.four, ["file", "pieces"]), (.three, ["files", "file", "verification", "pieces"]): .pieces
        case (.four, ["file", "pieces", "hash"]),
            (.three, ["files", "file", "verification", "pieces", "hash"]):
            .piece
        case (.four, ["file", "url"]), (.three, ["files", "file", "resources", "url"]): .url
        default: nil
        }
    }

    /// Returns the priority of a URL, 1 or more, where lower numbers are preferred; `nil` if it has none.
    func priority(_ attributes: [String: String]) -> Int? {
        switch self {
        case .four: attributes["priority"].flatMap { Int($0) }
        case .three:
            attributes["preference"].flatMap { Int($0) }.flatMap { preference in
                (0...Self.highestPreference).contains(preference)
                    ? Self.highestPreference - preference + 1 : nil
            }
        }
    }

    /// Returns true if a URL is that of the file, not of a torrent that describes it: version 3 has both in
    /// the same element.
    func isOfFile(_ attributes: [String: String]) -> Bool {
        self == .four || !["bittorrent", "torrent"].contains(attributes["type"]?.lowercased())
    }

    /// Returns the number of a piece, from 0; `nil` if pieces are not numbered.
    func pieceNumber(_ attributes: [String: String]) -> Int? {
        self == .three ? attributes["piece"].flatMap { Int($0) } : nil
    }
}
