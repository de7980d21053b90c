internal import SystemPackage

/// A descriptor that receives a file's bytes in order, and the digests of those written. All calls block.
///
/// `@unchecked Sendable`: used by one thread at a time.
final class PipeOutput: @unchecked Sendable {
    /// Its name in messages.
    let name: FilePath
    private let descriptor: FileDescriptor
    private let digests: [Digest]
    private let parts: PartsDigest?
    /// The first bytes of the file, to detect a part that begins with them.
    let beginning = FileBeginning()
    /// The offset of the next byte.
    private(set) var position: Int64 = 0

    /// - Parameters:
    ///   - composite: The checksum that the parts of the file may have.
    ///   - length: The file's length; `nil` if unknown.
    init(
        _ descriptor: FileDescriptor, digests: [Checksum.Algorithm], composite: CompositeDigest? = nil,
        length: Int64?
    ) throws(DownloadError) {
        self.descriptor = descriptor
        name = SystemCalls.name(of: descriptor)
        var made: [Digest] = []
        for algorithm in digests { made.append(try Digest(algorithm, length: length)) }
        self.digests = made
        parts = composite.map(PartsDigest.init)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        for digest in digests { digest.update(bytes) }
        parts?.update(bytes)
        do {
            try storageCall("write to", name) { _ = try descriptor.writeAll(bytes) }
        } catch {
            var failure = error
            failure.kept = .nothing
            throw failure
        }
        beginning.note(bytes, at: position)
        position += Int64(bytes.count)
    }

    /// Like `write`, but returns the error; `nil` on success.
    func failure(ofWriting bytes: UnsafeRawBufferPointer) -> StorageError? {
        do {
            try write(bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the digests of everything written. Call it once.
    func finishDigests() -> [Checksum] { digests.map { $0.finishChecksum() } }

    /// Returns the proof of the composite checksum; `nil` if there is none. Call it once.
    func compositeProof() -> DigestProof? { parts?.finish() }
}
