internal import SystemPackage

/// The identity of one boot of the machine: the content of the page cache does not survive a reboot.
package enum BootIdentity {
    /// The current boot's identity; empty if the system has none, so that only durable ranges are trusted.
    package static let current: String = {
        #if canImport(Darwin)
            SystemCalls.bootSession()
        #else
            let file = try? FileDescriptor.open(
                "/proc/sys/kernel/random/boot_id", .readOnly, options: [.closeOnExec])
            guard let file else { return "" }
            defer { try? file.close() }
            let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
                count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
            }
            return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        #endif
    }()
}
