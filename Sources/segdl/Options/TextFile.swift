import SystemPackage

/// Whole text files, as lists are.
enum TextFile {
    /// Reads a file, or standard input for `-`.
    static func read(_ name: String) throws -> String {
        if name == "-" { return try readAll(.standardInput) }
        let file = try FileDescriptor.open(FilePath(name), .readOnly)
        return try file.closeAfter { try readAll(file) }
    }

    private static func readAll(_ file: FileDescriptor) throws -> String {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try file.read(into: buffer)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(contentsOf: buffer[..<count])
        }
    }
}
