import SegmentedDL
import SystemPackage

/// Whole text files, such as lists.
enum TextFile {
    struct TooLong: Error {}

    /// Reads a file, or standard input for `-`.
    ///
    /// - Throws: `TooLong` if it has more bytes than `longest`, or `Errno`.
    static func read(
        _ name: String, atMost longest: Int = .max, options: FileDescriptor.OpenOptions = []
    ) throws -> String {
        String(decoding: try bytes(name, atMost: longest, options: options), as: UTF8.self)
    }

    /// Reads a file unchanged, or standard input for `-`.
    ///
    /// - Throws: `TooLong` if it has more bytes than `longest`, or `Errno`.
    static func bytes(
        _ name: String, atMost longest: Int = .max, options: FileDescriptor.OpenOptions = []
    ) throws -> [UInt8] {
        if name == "-" { return try readAll(.standardInput, atMost: longest) }
        let file = try FileDescriptor.open(FilePath(name), .readOnly, options: options)
        return try file.closeAfter { try readAll(file, atMost: longest) }
    }

    /// Returns the first 64 KiB of a file; empty if it cannot be read.
    static func beginning(of path: FilePath) -> [UInt8] {
        // Non-blocking: otherwise the command would wait forever if it is a named pipe.
        guard let file = try? FileDescriptor.open(path, .readOnly, options: .nonBlocking) else { return [] }
        defer { try? file.close() }
        return [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
    }

    /// Writes a file, replacing an existing one.
    ///
    /// - Throws: `Errno`.
    static func write(_ text: String, to name: String) throws {
        let file = try FileDescriptor.open(
            FilePath(name), .writeOnly, options: [.create, .truncate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        _ = try file.closeAfter { try file.writeAll(text.utf8) }
    }

    private static func readAll(_ file: FileDescriptor, atMost longest: Int) throws -> [UInt8] {
        let bytes = try file.readAll(atMost: longest)
        guard bytes.count <= longest else { throw TooLong() }
        return bytes
    }
}
