internal import SystemPackage

/// A descriptor that gets a file's bytes in order, and the digests of what it got. All calls block.
///
/// `@unchecked Sendable`: one thread at a time uses it.
final class PipeOutput: @unchecked Sendable {
    /// Its name in messages.
    let name: FilePath
    private let descriptor: FileDescriptor
    private let digests: [Digest]
    /// The first bytes of the file, to tell a part from them.
    let beginning = FileBeginning()
    /// The offset of the next byte.
    private(set) var position: Int64 = 0

    init(_ descriptor: FileDescriptor, digests: [Checksum.Algorithm]) throws(DownloadError) {
        self.descriptor = descriptor
        name = SystemCalls.name(of: descriptor)
        var made: [Digest] = []
        for algorithm in digests { made.append(try Digest(algorithm)) }
        self.digests = made
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
        for digest in digests { digest.update(bytes) }
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

    /// Writes as `write` does, and returns its error; `nil` if there is none.
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
}
