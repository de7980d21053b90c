/// A location `hf://org/model@revision/path`: a repository of a model hub, and optionally a file or directory
/// in it.
public struct HubLocation: Sendable, Hashable {
    /// The kind of a repository. The raw value is the path segment in the API.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A model repository.
        case model = "models"
        /// A data set repository (`hf://datasets/…`).
        case dataset = "datasets"
        /// An application repository (`hf://spaces/…`).
        case space = "spaces"
    }

    /// The kind of the repository.
    public let kind: Kind

    /// The repository's name with its owner, as in `org/model`. Some old models have no owner.
    public let repository: String

    /// The branch, tag or commit; `nil` for the default branch.
    public let revision: String?

    /// The path in the repository, without slashes at its ends; empty for the whole repository.
    public let path: String

    /// The prefix of the hub's access tokens.
    private static let tokenPrefix = "hf_"
    package static let defaultRevision = "main"
    /// The public hub.
    package static let usualEndpoint = "https://huggingface.co"

    /// Returns true if a text begins with `hf://`.
    public static func isLocation(_ text: String) -> Bool {
        LocationScheme(of: text) == .hub
    }

    /// Parses `hf://[datasets/|spaces/]OWNER/NAME[@REVISION][/PATH]`. A slash in a revision is written `%2F`,
    /// except in `refs/pr/NUMBER` and `refs/convert/NAME`; the path is taken literally. A model without an
    /// owner is `hf://NAME` or `hf://NAME@REVISION[/PATH]`.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is malformed.
    public init(_ text: String) throws(DownloadError) {
        let shown = Printable.text(text)
        let rest = try LocationScheme.hub.rest(of: text)
        var parts = rest.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        // Text before an `@` may be a model without an owner, but no name contains a colon.
        if let first = parts.first, first.contains(":") || first.hasPrefix(Self.tokenPrefix) {
            try Printable.checkNoLogin(in: text)
        }
        let kind = parts.first.flatMap(Kind.init(rawValue:))
        if kind != nil { parts.removeFirst() }
        self.kind = kind ?? .model
        // Only old models have no owner. If a path follows, the name must have a revision, to distinguish it
        // from an owner.
        let hasOwner =
            self.kind != .model
            || !(parts.first?.contains("@") ?? false)
                && (parts.count != 1 || rest.last == UInt8(ascii: "/"))
        let count = hasOwner ? 2 : 1
        let named = parts.count >= count ? parts[count - 1] : ""
        let name = named.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard let last = name.first, parts.prefix(count - 1).allSatisfy(Self.isName), Self.isName(last)
        else {
            throw DownloadError(
                .invalidURL,
                "'\(shown)' has no repository; write hf://OWNER/NAME, hf://OWNER/NAME@REVISION/PATH, or hf://datasets/OWNER/NAME."
            )
        }
        repository = (parts.prefix(count - 1) + [last]).joined(separator: "/")
        var inner = parts.dropFirst(count)
        if name.count > 1 {
            try Self.checkRevision(name[1], shown)
            let further = name[1] == "refs" ? Self.lengthOfReference(inner) : 0
            revision = ([name[1]] + inner.prefix(further)).joined(separator: "/")
                .replacing("%2F", with: "/").replacing("%2f", with: "/")
            inner = inner.dropFirst(further)
        } else {
            revision = nil
        }
        path = inner.joined(separator: "/")
        guard !inner.contains(where: { $0 == "." || $0 == ".." }) else {
            throw DownloadError(.invalidURL, "The path of '\(shown)' contains '.' or '..'; remove it.")
        }
    }

    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.contains { $0 != UInt8(ascii: ".") }
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
                default: "-_.".utf8.contains(byte)
                }
            }
    }

    private static func checkRevision(_ text: String, _ shown: String) throws(DownloadError) {
        guard !text.isEmpty else {
            throw DownloadError(
                .invalidURL,
                "The revision of '\(shown)' is empty; write hf://OWNER/NAME@REVISION, or remove the @.")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !"?#".utf8.contains($0) }),
            !text.hasSuffix("@")
        else {
            throw DownloadError(
                .invalidURL,
                "The revision of '\(shown)' contains a character that is not allowed in a branch, tag or commit; check it."
            )
        }
    }

    /// Returns the number of parts after `refs` that belong to the name of a pull request or a conversion;
    /// 0 for another revision. The official client accepts these without `%2F`.
    private static func lengthOfReference(_ parts: ArraySlice<String>) -> Int {
        guard let kind = parts.first, let name = parts.dropFirst().first else { return 0 }
        let isReference =
            switch kind {
            case "pr": name.utf8.allSatisfy { (0x30...0x39).contains($0) }
            case "convert": isName(name)
            default: false
            }
        return isReference ? 2 : 0
    }

    /// The revision, or the default branch.
    package var wantedRevision: String { revision ?? Self.defaultRevision }

    /// Returns the location of a file of the repository at a revision.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package func file(_ path: String, at revision: String) throws(DownloadError) -> HubLocation {
        let prefix = kind == .model ? "" : "\(kind.rawValue)/"
        let version = revision.replacing("/", with: "%2F")
        return try HubLocation("\(LocationScheme.hub.prefix)\(prefix)\(repository)@\(version)/\(path)")
    }

    /// - Throws: `DownloadError` with code `invalidURL` if the location is a whole repository, not a file.
    package func checkNamesFile() throws(DownloadError) {
        guard path.isEmpty else { return }
        throw DownloadError(
            .invalidURL, "'\(self)' is not a file; write its full path, or mirror the repository."
        ).remedied(by: .mirror)
    }
}

extension HubLocation: CustomStringConvertible {
    /// The location as text, with control characters made printable.
    public var description: String { Printable.text(text) }

    /// The location as text, which the initializer reads.
    package var text: String {
        let prefix = kind == .model ? "" : "\(kind.rawValue)/"
        let version = revision.map { "@" + $0.replacing("/", with: "%2F") } ?? ""
        return "\(LocationScheme.hub.prefix)\(prefix)\(repository)\(version)\(path.isEmpty ? "" : "/" + path)"
    }
}
