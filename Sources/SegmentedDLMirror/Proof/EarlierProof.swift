internal import SegmentedDL
internal import SystemPackage

/// A proof that a mirror wrote before its state was lost or moved away.
struct EarlierProof {
    /// The SHA-256 of the list of digests (`SHA256SUMS`) that was written with it.
    let digestOfSums: String

    /// Reads the proof as JSON lines. Blocks.
    ///
    /// - Parameter isOfMirror: Returns true if the mirror fetched a file from this URL.
    /// - Returns: `nil` if the file is not a proof, or contains no file that this mirror fetched.
    init?(at path: FilePath, isOfMirror: (RelativePath, _ url: String) throws -> Bool) {
        do {
            let reader = try ProofReader(path)
            let digest = try Digest(.sha256)
            var isKnown = false
            while let line = try reader.next() {
                if !isKnown, let url = line.url { isKnown = try isOfMirror(line.path, url) }
                let entry = ChecksumList.Entry(name: line.path.text, checksum: line.sha256)
                Array("\(entry)\n".utf8).withUnsafeBytes { digest.update($0) }
            }
            guard isKnown else { return nil }
            digestOfSums = digest.finishChecksum().hexadecimal
        } catch {
            return nil
        }
    }
}
