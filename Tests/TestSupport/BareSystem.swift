import Foundation

/// Programs that run without parts of the system, by `unshare` and `setpriv`.
public enum BareSystem {
    /// Determined by one attempt: a container may have root, but not be allowed its own mounts.
    public static let isAvailable: Bool = {
        #if os(Linux)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [
                "-c", "[ $(id -u) = 0 ] && command -v setpriv && unshare -m --propagation private true",
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
}
