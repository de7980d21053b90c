/// The bytes that an earlier run left, in the form needed by the first request.
struct EarlierBytes: Sendable {
    /// The first missing byte: the one to request.
    private(set) var firstMissing: Int64 = 0
    private let manifest: Manifest?

    /// Creates an empty value.
    init() {
        manifest = nil
    }

    init(_ manifest: Manifest, boot: String) {
        self.manifest = manifest
        let plan = SegmentPlan(total: manifest.total, written: manifest.trusted(boot: boot))
        firstMissing = plan.firstMissing ?? 0
    }

    /// Returns the file that they belong to, as described by a source; `nil` if unknown.
    func file(at source: Source) -> KnownFile? {
        guard let manifest else { return nil }
        // Validators of different URLs are unrelated, but the length applies to all of them.
        let isSame = (manifest.validatorsOf ?? manifest.urlDigest) == source.digest
        return KnownFile(
            total: manifest.total,
            validators: isSame
                ? Validators(etag: manifest.etag, lastModified: manifest.lastModified)
                : Validators(etag: nil, lastModified: nil))
    }
}
