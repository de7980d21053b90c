#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A system call on the checked file failed.
public struct TestContentError: Error, CustomStringConvertible {
    public let call: String
    public let path: String
    public let code: Int32

    public var description: String {
        "\(call) \(path): \(String(cString: strerror(code)))"
    }
}

extension TestContent {
    /// The file offset of the first of `bytes` that differs from the file's bytes from `offset` on.
    public func firstMismatch(in bytes: UnsafeRawBufferPointer, at offset: Int64) -> Int64? {
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: min(max(bytes.count, 1), NoiseTable.blockSize), alignment: 16)
        defer { scratch.deallocate() }
        return firstMismatch(in: bytes, at: offset, scratch: scratch)
    }

    /// The first offset at which the file differs from the first `length` bytes of this content. A file of
    /// another length differs at the shorter of the two lengths at the latest.
    public func firstMismatch(inFile path: String, length: Int64) throws -> Int64? {
        func failure(_ call: String) -> TestContentError {
            TestContentError(call: call, path: path, code: errno)
        }

        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure("open") }
        defer { close(file) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { piece.deallocate() }
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: NoiseTable.blockSize, alignment: 16)
        defer { scratch.deallocate() }

        // Read up to the end instead of trusting the size reported by the file system: one byte more than
        // `length` is requested, to detect a file that is too long.
        var offset: Int64 = 0
        while true {
            let wanted = Int(min(Int64(piece.count), length - offset + 1))
            let count = read(file, piece.baseAddress, wanted)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("read")
            }
            if count == 0 { return offset == length ? nil : offset }
            let comparable = Int(min(Int64(count), length - offset))
            let part = UnsafeRawBufferPointer(rebasing: piece[..<comparable])
            if let mismatch = firstMismatch(in: part, at: offset, scratch: scratch) { return mismatch }
            if count > comparable { return length }
            offset += Int64(count)
        }
    }

    private func firstMismatch(
        in bytes: UnsafeRawBufferPointer, at offset: Int64, scratch: UnsafeMutableRawBufferPointer
    ) -> Int64? {
        guard let base = bytes.baseAddress, let expected = scratch.baseAddress else { return nil }
        var done = 0
        while done < bytes.count {
            let count = min(scratch.count, bytes.count - done)
            fill(UnsafeMutableRawBufferPointer(rebasing: scratch[..<count]), at: offset + Int64(done))
            if memcmp(base + done, expected, count) != 0 {
                for index in 0..<count where bytes[done + index] != scratch[index] {
                    return offset + Int64(done + index)
                }
            }
            done += count
        }
        return nil
    }
}
