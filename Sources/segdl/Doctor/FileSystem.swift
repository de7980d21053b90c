import SegmentedDL
import SystemPackage

/// The file system of a directory.
struct FileSystem: Sendable, Equatable {
    let name: String
    /// The bytes available to an unprivileged user.
    let free: UInt64

    /// - Returns: `nil` if the directory does not exist.
    init?(of directory: String) {
        guard let system = try? SystemCalls.fileSystem(of: FilePath(directory)) else { return nil }
        name = Self.name(system.magic)
        free = system.free
    }

    var isOfNetwork: Bool { ["nfs", "cifs", "smb2", "fuse", "9p"].contains(name) }

    /// Returns the name for a magic number (`linux/magic.h`).
    static func name(_ magic: UInt32) -> String {
        switch magic {
        case 0xef53: "ext4"
        case 0x5846_5342: "xfs"
        case 0x9123_683e: "btrfs"
        case 0x2fc1_2fc1: "zfs"
        case 0x0102_1994: "tmpfs"
        case 0x794c_7630: "overlay"
        case 0x6969: "nfs"
        case 0xff53_4d42: "cifs"
        case 0xfe53_4d42: "smb2"
        case 0x6573_5546: "fuse"
        case 0x0102_1997: "9p"
        case 0x4d44: "vfat"
        case 0x2011_bab0: "exfat"
        case 0x7366_746e: "ntfs3"
        case 0xf2f5_2010: "f2fs"
        default: "type 0x\(String(magic, radix: 16))"
        }
    }
}
