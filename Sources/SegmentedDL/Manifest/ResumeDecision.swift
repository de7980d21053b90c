/// The decision whether a download can resume from the bytes of an earlier run.
enum ResumeDecision: Equatable, Sendable {
    /// Start at the first byte; the reason is for the log, `nil` if there was no earlier run.
    case fresh(reason: String?)
    /// These byte ranges are on disk and of the same remote file.
    case resume(ByteRangeSet)
    /// Resume with these ranges if a sample of the bytes on disk equals a fresh fetch, because no validator
    /// proves that the remote file is the same.
    case compare(ByteRangeSet)

    /// Decides by the state on disk and the server's present answer.
    ///
    /// - Parameters:
    ///   - inode: The present inode number of the part file.
    ///   - size: The present size of the part file, in bytes.
    ///   - isTouched: True if another program has changed the part file since.
    ///   - probed: The digest of the URL that has answered, if it is not that of the first source.
    ///   - sources: The digests of all sources' URLs.
    static func decide(
        _ content: ManifestStore.Content, resource: ResourceInfo, urlDigest: String, inode: UInt64,
        size: Int64, isTouched: Bool = false, boot: String, probed: String? = nil, sources: [String] = []
    ) -> ResumeDecision {
        let manifest: Manifest
        switch content {
        case .absent: return .fresh(reason: nil)
        case .damaged: return .fresh(reason: "its manifest is damaged or of another version")
        case .manifest(let found): manifest = found
        }
        guard manifest.inode == inode else { return .fresh(reason: "its part file was replaced") }
        guard resource.length == manifest.total else {
            return .fresh(reason: "the remote file's length changed")
        }
        if let before = manifest.serverDigest?.checksum, let now = resource.digest?.checksum,
            before.algorithm == now.algorithm, before != now
        {
            return .fresh(reason: "the remote file's digest changed")
        }
        var trusted = manifest.trusted(boot: boot)
        if size < manifest.total { trusted.remove(contentsOf: max(0, size)..<manifest.total) }
        guard !trusted.isEmpty else { return .fresh(reason: nil) }

        let before = Validators(etag: manifest.etag, lastModified: manifest.lastModified)
        let now = probed ?? urlDigest
        let known = [manifest.urlDigest] + (manifest.mirrors ?? [])
        // Validators of different mirrors cannot be compared.
        if now != manifest.validatorsOf ?? manifest.urlDigest,
            known.contains(now) || sources.contains(manifest.validatorsOf ?? manifest.urlDigest)
        {
            return .compare(trusted)
        }
        let isSameURL = (manifest.validatorsOf ?? manifest.urlDigest) == now
        switch before.compare(with: resource.validators) {
        // An ETag is unique for one URL only (RFC 9110, section 8.8.3).
        case .same: return isSameURL && !isTouched ? .resume(trusted) : .compare(trusted)
        case .unknown: return isSameURL ? .compare(trusted) : .fresh(reason: "it came from another URL")
        case .etagOnly: return .compare(trusted)
        case .different: return .fresh(reason: "the remote file changed")
        }
    }
}
