import Foundation
import TestSupport

/// A directory on a file system of another kind, mounted through FUSE for one test.
enum MountedDirectory: String, CaseIterable, Sendable {
    case ntfs
    /// Names that differ only in case are the same name.
    case lowntfs
    case exfat
    case rclone
    case sshfs
    /// It takes whole new files only: none can be changed in place.
    case rcloneWithoutCache

    /// The file systems that hold databases.
    static let allCases: [MountedDirectory] = [.ntfs, .lowntfs, .exfat, .rclone, .sshfs]

    /// True if names must not contain a colon.
    var refusesColons: Bool { ![.rclone, .sshfs, .rcloneWithoutCache].contains(self) }

    /// A script that creates it in a working directory and mounts it at `mount`.
    private var script: String {
        switch self {
        case .ntfs: "truncate -s 32M i && mkntfs -Q -F -q i && ntfs-3g -o windows_names i mount"
        case .lowntfs:
            "truncate -s 32M i && mkntfs -Q -F -q i && lowntfs-3g -o ignore_case,windows_names i mount"
        case .exfat:
            """
            truncate -s 32M i && mkfs.exfat i && losetup -f --show i >device &&
            mount.exfat-fuse "$(cat device)" mount
            """
        // Uploads begin after rclone's usual five seconds: it stores a file that is removed during its upload,
        // and lists that again later.
        case .rclone:
            """
            mkdir store && rclone mount store mount --config /dev/null --cache-dir cache \
            --vfs-cache-mode full --daemon
            """
        case .rcloneWithoutCache:
            "mkdir store && rclone mount store mount --config /dev/null --vfs-cache-mode off --daemon"
        // Without a server: runs the program that a server would start.
        case .sshfs:
            """
            mkdir store && printf '#!/bin/sh\nexec /usr/lib/openssh/sftp-server\n' >ssh && chmod +x ssh &&
            sshfs -o ssh_command="$PWD/ssh" "host:$PWD/store" mount
            """
        }
    }

    /// The required commands.
    private var tools: [String] {
        switch self {
        case .ntfs: ["mkntfs", "ntfs-3g"]
        case .lowntfs: ["mkntfs", "lowntfs-3g"]
        case .exfat: ["mkfs.exfat", "mount.exfat-fuse", "losetup"]
        case .rclone, .rcloneWithoutCache: ["rclone", "fusermount3"]
        case .sshfs: ["sshfs", "/usr/lib/openssh/sftp-server"]
        }
    }

    /// Runs `body` in a new directory; prints the reason if this machine cannot mount it.
    func with(_ body: (TemporaryDirectory) async throws -> Void) async throws {
        for tool in tools {
            do {
                try await Disk.shell("command -v \(tool)")
            } catch {
                return print("not tried on \(rawValue): there is no \(tool)")
            }
        }
        guard access("/dev/fuse", R_OK | W_OK) == 0, getuid() == 0 else {
            return print("not tried on \(rawValue): it needs root and /dev/fuse")
        }
        let home = try TemporaryDirectory()
        do {
            try await Disk.shell("cd '\(home.path)' && mkdir mount && { \(script); } >log 2>&1 </dev/null")
        } catch {
            let log = (try? home.read("log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return print("not tried on \(rawValue): it cannot be mounted: \(log)")
        }
        do {
            try await body(try TemporaryDirectory(in: home.file("mount")))
        } catch {
            try? await unmount(home)
            throw error
        }
        try await unmount(home)
    }

    private func unmount(_ home: TemporaryDirectory) async throws {
        try await Disk.shell(
            """
            cd '\(home.path)' && { umount mount || umount -l mount; }
            if [ -e device ]; then losetup -d "$(cat device)"; fi
            """)
    }
}
