/// The bytes that an earlier run left, as far as the first request depends on them.
struct EarlierBytes: Sendable {
    /// The first byte that is missing: the one to ask for.
    private(set) var firstMissing: Int64 = 0
    private let manifest: Manifest?

    /// There are none.
    init() {
        manifest = nil
    }

    init(_ manifest: Manifest, boot: String) {
        self.manifest = manifest
        let plan = SegmentPlan(total: manifest.total, written: manifest.trusted(boot: boot))
        firstMissing = plan.firstMissing ?? 0
    }

    /// Returns the file that they are of, as a source described it; `nil` if nothing is known.
    func file(at source: Source) -> KnownFile? {
        guard let manifest else { return nil }
        // Validators of different URLs have nothing to do with one another, but the length is the file's.
        let isSame = (manifest.validatorsOf ?? manifest.urlDigest) == source.digest
        return KnownFile(
            total: manifest.total,
            validators: isSame
                ? Validators(etag: manifest.etag, lastModified: manifest.lastModified)
                : Validators(etag: nil, lastModified: nil))
    }
}
