public import SegmentedDL

/// A location `oci://registry/name:tag`: an image, or another artifact, in a registry (OCI distribution
/// specification 1.1).
public struct RegistryLocation: Sendable, Hashable {
    /// The registry's host, with a port if one is given.
    public let registry: String

    /// The name of the repository, as in `library/alpine`.
    public let repository: String

    /// The tag; `nil` if only a digest is given.
    public let tag: String?

    /// The digest of the manifest; `nil` for the current manifest of the tag.
    public let digest: Checksum?

    /// The hosts of Docker Hub; its API has a separate host.
    private static let dockerHosts: Set = ["docker.io", "index.docker.io", "registry-1.docker.io"]
    private static let defaultTag = "latest"

    /// Returns true if a text begins with `oci://`.
    public static func isLocation(_ text: String) -> Bool {
        LocationScheme(of: text) == .image
    }

    /// Parses `oci://HOST[:PORT]/NAME[:TAG][@DIGEST]`. Without a tag and a digest, the tag is `latest`; an
    /// official image of Docker Hub needs no `library/`.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if the text is malformed.
    public init(_ text: String) throws(DownloadError) {
        let shown = Printable.text(text)
        let rest = String(Substring(try LocationScheme.image.rest(of: text)))
        try Printable.checkNoLogin(in: text)
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count == 2, Self.isHost(parts[0]) else {
            throw DownloadError(
                .invalidURL,
                "'\(shown)' has no registry; write oci://HOST/NAME:TAG, such as oci://docker.io/library/alpine:3.20."
            )
        }
        let named = parts[1].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        let name = named[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        guard Self.isRepository(name[0]) else {
            throw DownloadError(
                .invalidURL,
                "'\(shown)' has no repository: its name consists of lower-case letters, digits, '.', '_', '-' and '/'."
            )
        }
        guard name.count == 1 || Self.isTag(name[1]) else {
            throw DownloadError(
                .invalidURL, "'\(shown)' has no valid tag: write up to 128 letters, digits, '.', '_' and '-'."
            )
        }
        let isDocker = Self.dockerHosts.contains(parts[0].lowercased())
        registry = isDocker ? "docker.io" : parts[0].lowercased()
        repository = isDocker && !name[0].contains("/") ? "library/\(name[0])" : name[0]
        digest = named.count > 1 ? try Self.digest(named[1]) : nil
        tag = name.count > 1 ? name[1] : digest == nil ? Self.defaultTag : nil
    }

    /// Parses `sha256:HEX` or `sha512:HEX`.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    static func digest(_ text: String) throws(DownloadError) -> Checksum {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2,
            let algorithm = [Checksum.Algorithm.sha256, .sha512].first(where: {
                $0.rawValue == parts[0]
            }), parts[1] == parts[1].lowercased(), let digest = try? Checksum(algorithm, parts[1])
        else {
            throw DownloadError(
                .invalidURL,
                "'\(Printable.text(text))' is not a digest; write sha256: and 64 hexadecimal digits.")
        }
        return digest
    }

    /// True for a host's name or address, with or without a port. As in other tools, text without a dot, a
    /// port or brackets is an image name.
    private static func isHost(_ text: String) -> Bool {
        let isAddress = text.hasPrefix("[")
        guard
            let end = isAddress
                ? text.firstIndex(of: "]").map(text.index(after:))
                : text.firstIndex(of: ":")
                    ?? text.endIndex
        else { return false }
        let (name, rest) = (text[..<end], text[end...])
        let isName =
            isAddress
            ? name.utf8.allSatisfy { isAlphanumeric($0) || ".:[]".utf8.contains($0) }
            : name.first.map { $0 != "." && $0 != "-" } ?? false
                && name.utf8.allSatisfy { isAlphanumeric($0) || "-.".utf8.contains($0) }
        let port = rest.dropFirst()
        guard isName, rest.isEmpty || rest.hasPrefix(":"), rest.isEmpty || UInt16(port) ?? 0 > 0 else {
            return false
        }
        return isAddress || !rest.isEmpty || name.contains(".") || name.lowercased() == "localhost"
    }

    private static func isRepository(_ text: String) -> Bool {
        text.utf8.count <= 255
            && text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                guard let first = $0.first, let last = $0.last else { return false }
                return [first, last].allSatisfy(isLowercase)
                    && $0.allSatisfy { isLowercase($0) || "-._".utf8.contains($0) }
            }
    }

    private static func isTag(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 128 else { return false }
        return (isAlphanumeric(first) || first == UInt8(ascii: "_"))
            && text.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) && !(0x41...0x5a).contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: false
        }
    }

    /// The host of the API, with a port if one is given.
    var host: String { registry == "docker.io" ? "registry-1.docker.io" : registry }

    /// The tag or digest by which the API identifies the manifest.
    var reference: String { digest.map(Self.text) ?? tag ?? Self.defaultTag }

    /// Returns a digest in the API's notation.
    static func text(_ digest: Checksum) -> String { "\(digest.algorithm.rawValue):\(digest.hexadecimal)" }

    /// Returns the URL of a manifest.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func manifestURL(_ reference: String, on endpoint: Source) throws(DownloadError) -> Source {
        try Source("\(endpoint.url)v2/\(repository)/manifests/\(reference)")
    }

    /// Returns the URL of a blob.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func blobURL(_ digest: Checksum, on endpoint: Source) throws(DownloadError) -> Source {
        try Source("\(endpoint.url)v2/\(repository)/blobs/\(Self.text(digest))")
    }

    /// Returns the URL of the list of artifacts that refer to a manifest, such as signatures.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func referrersURL(_ digest: Checksum, on endpoint: Source) throws(DownloadError) -> Source {
        try Source("\(endpoint.url)v2/\(repository)/referrers/\(Self.text(digest))")
    }
}

extension RegistryLocation: CustomStringConvertible {
    /// The location as text, with the tag.
    public var description: String {
        LocationScheme.image.prefix + "\(registry)/\(repository)" + (tag.map { ":\($0)" } ?? "")
            + (digest.map { "@\(Self.text($0))" } ?? "")
    }
}
