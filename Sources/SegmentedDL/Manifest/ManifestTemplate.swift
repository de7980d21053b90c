/// The parts of a manifest that do not change while a file is downloaded.
struct ManifestTemplate: Sendable {
    /// The file's sources, in order of preference; at least one.
    let sources: [Source]
    /// The source that answered first, which supplied the validators.
    let validatorSource: Source
    let resource: ResourceInfo

    var digests: SourceDigests {
        SourceDigests(answered: validatorSource.digest, all: sources.map(\.digest))
    }

    /// Returns the manifest of a part file.
    func manifest(inode: UInt64, written: ByteRangeSet = ByteRangeSet()) -> Manifest {
        let preferred = sources.first ?? validatorSource
        return Manifest(
            url: preferred.description, urlDigest: preferred.digest,
            validatorsOf: validatorSource == preferred ? nil : validatorSource.digest,
            mirrors: sources.count < 2 ? nil : sources.dropFirst().map(\.digest), total: resource.length ?? 0,
            etag: resource.validators.etag, lastModified: resource.validators.lastModified,
            serverDigest: resource.digest, inode: inode, boot: BootIdentity.current,
            written: Manifest.list(written), durable: [], updated: WallClock.seconds())
    }
}

extension Manifest {
    /// Returns the manifest with current URL digests of these sources instead of those that an earlier
    /// version wrote.
    func recognizing(_ sources: [Source]) -> Manifest {
        let present = Dictionary(
            sources.flatMap { source in source.formerDigests.map { ($0, source.digest) } },
            uniquingKeysWith: { first, _ in first })
        guard !present.isEmpty else { return self }
        var manifest = self
        manifest.urlDigest = present[urlDigest] ?? urlDigest
        manifest.validatorsOf = validatorsOf.map { present[$0] ?? $0 }
        manifest.mirrors = mirrors?.map { present[$0] ?? $0 }
        return manifest
    }
}

/// The URL digests of a file's sources, which identify sources without storing their secrets.
struct SourceDigests: Equatable, Sendable {
    /// The source that answered first in this run.
    var answered: String
    /// All sources of the request.
    var all: [String] = []
}

extension Source {
    /// Identifies the URL without storing its secrets.
    var digest: String { Digest.sha256(identity.utf8) }

    /// The SHA-256 of the URL without the signature in its query; `nil` if it has none.
    var unsignedDigest: String? { SignedQuery.unsigned(identity).map { Digest.sha256($0.utf8) } }

    /// The digests of this URL in versions before 0.2.0.
    var formerDigests: [String] {
        [url, formerURL].compactMap(\.self).filter { $0 != identity }.map { Digest.sha256($0.utf8) }
    }
}
