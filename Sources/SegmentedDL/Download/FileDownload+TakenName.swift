internal import SystemPackage

extension FileDownload {
    /// Applies the policy for existing files to one that another program has given the final name since the
    /// policy was first applied.
    ///
    /// - Parameter refusal: The error of the rename, for a file that is neither the same nor to be kept.
    /// - Returns: The result if that file has the same bytes, or if the policy is to keep it. The downloaded
    ///   bytes are then removed.
    /// - Throws: `refusal`, or `DownloadError` with code `lengthMismatch` or `checksumMismatch` if the policy
    ///   keeps the file, but it cannot be correct.
    func result(
        of file: IncompleteFile, _ content: VerifiedContent, behind refusal: DownloadError
    ) async throws -> DownloadResult {
        guard recognizesCopies else { throw refusal }
        let (existing, isSame) = try await DiskThread.run { [part = file.part] in
            let copy = ExistingCopy(at: part.destination)
            return (copy, try copy.map { try !$0.isUnfinished && part.equals($0) } ?? false)
        }
        guard let copy = existing, isSame || request.ifExists == .skip else { throw refusal }
        if !isSame {
            let differs = content.proofs.isEmpty ? nil : "its digest differs"
            if let reason = copy.contradiction(ofLength: content.length) ?? differs {
                throw contradiction(of: copy, because: reason, length: content.length)
            }
        }
        try await DiskThread.run { try file.discard() }
        return isSame
            ? result(.unchanged, copy.path, length: copy.size, proofs: content.proofs)
            : result(.skipped, copy.path, length: copy.size)
    }

    /// Returns the error for a file that the policy keeps, although it is not the file to download.
    ///
    /// - Parameters:
    ///   - reason: A clause.
    ///   - length: The length of the server's file; `nil` if unknown.
    func contradiction(of copy: ExistingCopy, because reason: String, length: Int64?) -> DownloadError {
        DownloadError(
            copy.size == length ?? request.expectedLength ?? copy.size ? .checksumMismatch : .lengthMismatch,
            "'\(copy.path)' exists, but \(reason). It was left unchanged; remove it, or replace it.",
            url: request.source.description
        ).remedied(by: .replacement)
    }
}

extension PartFile {
    private static let bytesAtOnce = 256 * 1024

    /// Returns true if an existing file has the same bytes. Blocks.
    fileprivate func equals(_ copy: ExistingCopy) throws -> Bool {
        guard try status().size == copy.size else { return false }
        let file = try storageCall("read", copy.path) {
            try FileDescriptor.open(copy.path, .readOnly, options: [.closeOnExec, .nonBlocking])
        }
        defer { try? file.close() }
        let own = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bytesAtOnce, alignment: 4096)
        let other = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bytesAtOnce, alignment: 4096)
        defer {
            own.deallocate()
            other.deallocate()
        }
        var offset: Int64 = 0
        while offset < copy.size {
            let read = try storageCall("read", copy.path) {
                try file.read(fromAbsoluteOffset: offset, into: other)
            }
            let count = min(try self.read(into: own, at: offset), read)
            guard count > 0, own[..<count].elementsEqual(other[..<count]) else { return false }
            offset += Int64(count)
        }
        return true
    }
}
