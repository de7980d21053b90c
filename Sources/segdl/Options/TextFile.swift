import SystemPackage

/// Whole text files, as lists are.
enum TextFile {
    struct TooLong: Error {}

    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: `TooLong` if it has more than so many bytes, else `Errno`.
    static func read(
        _ name: String, atMost longest: Int = .max, options: FileDescriptor.OpenOptions = []
    ) throws -> String {
        if name == "-" { return try readAll(.standardInput, atMost: longest) }
        let file = try FileDescriptor.open(FilePath(name), .readOnly, options: options)
        return try file.closeAfter { try readAll(file, atMost: longest) }
    }

    private static func readAll(_ file: FileDescriptor, atMost longest: Int) throws -> String {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= longest else { throw TooLong() }
        }
    }
}
