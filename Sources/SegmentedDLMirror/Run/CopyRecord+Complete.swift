internal import SegmentedDL

extension CopyRecord {
    /// Creates the record of a complete file.
    ///
    /// - Parameter source: The source that sent the file.
    init(_ copy: CompleteCopy, of item: MirrorItem, from source: Source, in session: MirrorSession) {
        self.init(
            url: source.url, identity: copy.identity,
            sha256: copy.digests.first { $0.algorithm == .sha256 }?.hexadecimal ?? "",
            digest: copy.digests.first { $0.algorithm != .sha256 }, etag: copy.validators.etag,
            lastModified: copy.validators.lastModified,
            // A file that was not synced cannot be trusted after a reboot.
            boot: session.downloader.durability == .power ? nil : BootIdentity.current,
            checked: session.run.id, proof: CopyProof(of: copy, item, in: session.source)?.text)
    }
}
