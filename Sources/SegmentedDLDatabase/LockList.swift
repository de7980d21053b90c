import SegmentedDL
internal import SystemPackage

/// The locks that processes hold, as listed by Linux (`proc_locks(5)`).
struct LockList {
    private static let path: FilePath = "/proc/locks"
    /// In bytes. A system with so many locks needs no better message.
    private static let longest = 1 << 20

    /// One line: the kind of lock, its process and its file.
    private let locks: [(kind: Substring, process: Int32, file: Substring)]

    /// - Parameter text: The content of `/proc/locks`.
    init(_ text: String) {
        // 1: FLOCK  ADVISORY  READ 1234 08:01:5678 0 EOF
        locks = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // A process that waits for a lock has an arrow in its second field.
            guard fields.count >= 6, let process = Int32(fields[4]), process > 0 else { return nil }
            return (fields[1], process, fields[5])
        }
    }

    /// Reads the list of this system. Blocks.
    ///
    /// - Returns: `nil` if the system has none.
    init?() {
        guard let file = try? FileDescriptor.open(Self.path, .readOnly, options: [.closeOnExec]) else {
            return nil
        }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count < Self.longest {
            guard let count = try? piece.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 else {
                break
            }
            bytes += piece[..<count]
        }
        self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the process that holds a lock of `flock(2)` on a file; `nil` if it is unknown, as in another
    /// container.
    func holder(of status: SystemCalls.FileStatus) -> Int32? {
        let (major, minor) = Self.numbers(of: status.device)
        func padded(_ number: UInt64) -> String {
            let text = String(number, radix: 16)
            return text.count < 2 ? "0" + text : text
        }
        let file = "\(padded(major)):\(padded(minor)):\(status.inode)"
        return locks.first { $0.kind == "FLOCK" && $0.file == file[...] }?.process
    }

    /// Returns the major and the minor number of a device (`makedev(3)` of glibc).
    private static func numbers(of device: UInt64) -> (major: UInt64, minor: UInt64) {
        ((device >> 8) & 0xfff | (device >> 32) & ~0xfff, device & 0xff | (device >> 12) & ~0xff)
    }
}
