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

/// The digest that proves a file of a mirror, and its origin (`docs/mirror-proof.md`).
struct CopyProof {
    /// A JSON object with its keys in alphabetical order.
    let text: String

    /// - Returns: `nil` if nothing states a digest of the file.
    init?(of copy: CompleteCopy, _ item: MirrorItem, in source: MirrorSource?) {
        guard let proof = copy.proofs.max(by: { Self.rank($0) < Self.rank($1) }) else { return nil }
        let listing = proof.isRequested ? source?.listing : nil
        let isOfOtherListing = listing.map { listing in
            // Other sources may have sent some of the bytes.
            item.sources.count == 1 && copy.server.map { $0.origin.host != listing.origin.host } ?? false
        }
        func quoted(_ text: String?) -> String {
            text.map { String(decoding: JSONString.quoted($0), as: UTF8.self) } ?? "null"
        }
        text =
            #"{"digest":\#(quoted(proof.checksum.description)),"document":\#(quoted(listing?.description)),"#
            + #""field":\#(quoted(proof.isRequested ? nil : proof.field)),"#
            + #""other_host":\#(isOfOtherListing ?? proof.isOfOtherHost),"#
            + (proof.parts.map { #""parts":\#($0),"# } ?? "") + #""signature":null}"#
    }

    /// Prefers the longer digest, and then the listing's. The file's own digest precedes that of its parts.
    private static func rank(_ proof: DigestProof) -> Int {
        guard proof.parts == nil else { return 0 }
        return 2 * proof.checksum.algorithm.length + (proof.isRequested ? 1 : 0)
    }
}
