/// How to use the bytes that an earlier run left.
enum ResumeDecision: Equatable, Sendable {
    /// Start at the first byte; the reason is for the log, `nil` if no bytes existed.
    case fresh(reason: String?)
    /// These byte ranges are on disk and belong to the same remote file.
    case resume(ByteRangeSet)
    /// Like `resume`, but nothing proves that the remote file is the same: samples of the bytes on disk must
    /// first be compared with the server's.
    case compare(ByteRangeSet)
    /// The server sends a web page or a message, and the bytes on disk belong to another file. The reason is
    /// for the log.
    case page(reason: String)
    /// The bytes come from a URL that is not one of the download's, and the response does not prove that the
    /// file is the same. The reason is a clause.
    case otherURL(String)

    /// Decides from the manifest, the part file and the server's first response.
    static func decide(
        _ content: ManifestStore.Content, _ part: PartFileState, resource: ResourceInfo,
        sources: SourceDigests, boot: String
    ) -> ResumeDecision {
        let manifest: Manifest
        switch content {
        case .absent: return .fresh(reason: nil)
        case .damaged: return .fresh(reason: "its manifest is damaged")
        case .manifest(let found): manifest = found
        }
        guard manifest.inode == part.inode else { return .fresh(reason: "its part file was replaced") }
        var trusted = manifest.trusted(boot: boot)
        if part.size < manifest.total {
            trusted.remove(contentsOf: max(0, part.size)..<manifest.total)
        }
        guard !trusted.isEmpty else { return .fresh(reason: nil) }

        let validatorSource = manifest.validatorsOf ?? manifest.urlDigest
        let isSameURL = validatorSource == sources.answered
        let isKnown = isKnown(manifest, sources)
        let before = Validators(etag: manifest.etag, lastModified: manifest.lastModified)
        func another(_ difference: String) -> ResumeDecision {
            guard isKnown else { return .otherURL("its \(difference) differs") }
            let reason = "the remote file's \(difference) changed"
            // A short body without a length has mostly arrived with its head.
            let isMessage =
                resource.length.map { $0 < trusted.byteCount } ?? WebPage.isText(resource.contentType)
                && WebPage.isMessage(
                    length: resource.length, type: resource.contentType, resource.validators,
                    insteadOf: before)
            return resource.isPage || isMessage ? .page(reason: reason) : .fresh(reason: reason)
        }
        guard resource.length == manifest.total else { return another("length") }
        let digests = ServerDigest.difference(between: manifest.serverDigest, and: resource.digest)
        if digests == .certain { return another("digest") }
        // Validators of different mirrors are unrelated.
        if !isSameURL, isKnown { return .compare(trusted) }
        switch before.compare(with: resource.validators) {
        // An ETag is unique for one URL only (RFC 9110, section 8.8.3).
        case .same:
            // Fingerprints of all trusted bytes prove more than samples.
            let isChecked =
                (!part.isTouched || part.isCompared && manifest.extents != nil) && digests != .possible
            return isSameURL && isChecked ? .resume(trusted) : .compare(trusted)
        case .unknown: return isSameURL ? .compare(trusted) : .otherURL("it is not known to be the same")
        case .etagOnly, .ofAnswer: return .compare(trusted)
        case .different: return another("ETag or Last-Modified")
        }
    }

    /// Returns true if a manifest's bytes came from a source of this download, or if the responding source
    /// was also a source of the earlier download.
    static func isKnown(_ manifest: Manifest, _ sources: SourceDigests) -> Bool {
        let validatorSource = manifest.validatorsOf ?? manifest.urlDigest
        let known = [manifest.urlDigest] + (manifest.mirrors ?? [])
        return validatorSource == sources.answered || known.contains(sources.answered)
            || sources.all.contains(validatorSource)
    }
}

/// The part file as it is on disk.
struct PartFileState: Equatable, Sendable {
    var inode: UInt64
    /// Bytes.
    var size: Int64
    /// True if the file was changed after the manifest was written: by another program, or by a write that
    /// was not recorded because of a kill.
    var isTouched = false
    /// True if its bytes are compared with their fingerprints while the missing ones are fetched.
    var isCompared = false
}
