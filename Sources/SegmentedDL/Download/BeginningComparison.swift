internal import Logging
internal import SystemPackage

/// Compares a copy's first bytes with the server's if the server sends neither an ETag nor a date.
///
/// It reads the response that has been received anyway, which for a small file is the whole file, and
/// therefore proves it.
struct BeginningComparison {
    /// The maximum number of bytes that are compared.
    private static let mostBytes: Int64 = 1024 * 1024

    let copy: ExistingCopy
    let first: FirstResponse
    let client: SourceClient

    /// - Returns: True if the bytes are the same. The first response is always discarded.
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func matches(_ configuration: Configuration) async throws -> Bool {
        let bytes = try await DiskThread.run { try Self.beginning(of: copy) }
        let isEqual = try await isEqual(to: bytes, configuration.retry)
        if isEqual, Int64(bytes.count) < copy.size {
            configuration.logger.notice(
                "'\(copy.path.shown)': the server sends neither a date nor an ETag. The length and the first bytes are the same; only a checksum would prove the rest."
            )
        }
        return isEqual
    }

    private func isEqual(to bytes: [UInt8], _ retry: RetryPolicy) async throws -> Bool {
        if let body = first.body, first.isOpen, body.lowerBound == 0 {
            defer { first.abandon() }
            return try await begins(first.response, with: bytes.prefix(Int(clamping: body.length)))
        }
        // An earlier comparison has consumed it, or it was abandoned to wait for a slot.
        guard !bytes.isEmpty else { return copy.size == first.resource.length }
        return try await retry.retrying(for: client, hasAnswered: true) {
            try await client.withPermit { permit in
                let resource = first.resource
                let known = resource.length.map { KnownFile(total: $0, validators: resource.validators) }
                let response = try await client.open(
                    .exactly(0..<Int64(bytes.count)), &permit, RequestOptions(known: known))
                defer { response.transfer.abandon() }
                if case .whole = response.verdict { return try await begins(response, with: bytes[...]) }
                _ = try response.expectRange()
                return try await begins(response, with: bytes[...])
            }
        }
    }

    /// Receives a body, and returns true if it begins with the copy's first bytes.
    private func begins(_ response: Response, with bytes: ArraySlice<UInt8>) async throws -> Bool {
        let sink = MemorySink(limit: bytes.count)
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        let received = sink.bytes
        // Without a length, only the end of the body shows that the file is not longer than the copy.
        guard first.resource.length != nil else {
            return bytes.count < copy.size ? received.starts(with: bytes) : received.elementsEqual(bytes)
        }
        guard received.count >= bytes.count else { throw TransferFailure.shortBody }
        return received.starts(with: bytes)
    }

    /// Blocks.
    private static func beginning(of copy: ExistingCopy) throws -> [UInt8] {
        let file = try storageCall("read", copy.path) {
            try FileDescriptor.open(copy.path, .readOnly, options: [.closeOnExec, .nonBlocking])
        }
        defer { try? file.close() }
        return try storageCall("read", copy.path) {
            try [UInt8](unsafeUninitializedCapacity: Int(min(copy.size, mostBytes))) { buffer, count in
                while count < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(buffer)[count...]
                    let more = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: rest))
                    if more == 0 { break }
                    count += more
                }
            }
        }
    }
}
