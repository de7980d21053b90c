import Foundation
import TestContent
import TestSupport

/// A small file system for one test, in an image that is mounted through a loop device.
final class Disk: Sendable {
    enum Kind: String {
        /// With a journal.
        case ext4
        /// Without reservation of blocks.
        case ext2
    }

    struct Failed: Error {
        var command: String
        var errors: String
    }

    static let reason = "needs root, and loop devices that can be mounted"

    /// Tried once: a container may have root but no loop devices.
    static let isAvailable: Bool = {
        #if os(Linux)
            guard getuid() == 0, let directory = try? TemporaryDirectory() else { return false }
            let script =
                "truncate -s 4M i && mkfs.ext2 -q -F i && mkdir m && mount -o loop i m && umount m"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "export PATH=$PATH:/usr/sbin:/sbin; cd '\(directory.path)' && \(script)",
            ]
            process.standardError = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        #else
            return false
        #endif
    }()

    private let home: TemporaryDirectory
    let image: String

    /// The mount point.
    var path: String { home.file("mount") }

    func file(_ name: String) -> String { path + "/" + name }

    /// Runs `body` with a new file system, which is removed however `body` ends.
    static func with<Result>(
        _ kind: Kind, megabytes: Int, options: String = "", _ body: (Disk) async throws -> Result
    ) async throws -> Result {
        let home = try TemporaryDirectory()
        let image = home.file("image")
        try await shell(
            "truncate -s \(megabytes)M '\(image)' && mkfs.\(kind.rawValue) -q -F -m 0 \(options) '\(image)'")
        return try await with(image: image, home, body)
    }

    /// Runs `body` with the file system of an image.
    static func with<Result>(image: String, _ body: (Disk) async throws -> Result) async throws -> Result {
        try await with(image: image, try TemporaryDirectory(), body)
    }

    private static func with<Result>(
        image: String, _ home: TemporaryDirectory, _ body: (Disk) async throws -> Result
    ) async throws -> Result {
        let disk = Disk(image: image, home: home)
        try await shell("mkdir '\(disk.path)' && mount -o loop '\(image)' '\(disk.path)'")
        do {
            let result = try await body(disk)
            try await disk.unmount()
            return result
        } catch {
            try? await disk.unmount()
            throw error
        }
    }

    private init(image: String, home: TemporaryDirectory) {
        self.image = image
        self.home = home
    }

    private func unmount() async throws {
        do {
            try await Self.shell("umount '\(path)'")
        } catch {
            // A process still has it open. It is unmounted when that ends.
            try await Self.shell("umount -l '\(path)'")
        }
    }

    func remount(_ how: String) async throws {
        try await Self.shell("mount -o remount,\(how) '\(path)'")
    }

    /// Writes names and lengths to the disk, but no file's bytes: syncing any file commits the whole journal.
    func commitJournal() async throws {
        try await Self.shell("touch '\(path)/synced' && sync '\(path)/synced'")
    }

    /// Copies the image as the device holds it at one moment: nothing is flushed, and if the kernel writes to
    /// it meanwhile, the copy is repeated.
    func copyImage(to copy: String) async throws {
        try await Self.shell(
            """
            device=$(findmnt -n -o SOURCE '\(path)') && name=$(basename $device)
            state() { awk '{ print $5, $7, $9 }' /sys/block/$name/stat; }
            for try in 1 2 3 4 5 6 7 8 9 10; do
                before=$(state)
                cp --sparse=always '\(image)' '\(copy)'
                [ "$(state)" = "$before" ] && [ "${before##* }" = 0 ] && exit 0
            done
            echo "the device never rests" >&2
            exit 1
            """)
    }

    @discardableResult
    static func shell(_ script: String) async throws -> String {
        let result = try await ChildProcess(
            "/bin/sh", ["-c", "export PATH=$PATH:/usr/sbin:/sbin\n" + script]
        ).result()
        guard result.status == 0 else { throw Failed(command: script, errors: result.errors) }
        return result.output
    }
}
