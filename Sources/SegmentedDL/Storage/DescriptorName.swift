package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SystemCalls {
    /// Returns a descriptor's name for messages: the path of its file, such as a named pipe, if the system
    /// knows it.
    package static func name(of descriptor: FileDescriptor) -> FilePath {
        switch descriptor {
        case .standardOutput: return "standard output"
        case .standardError: return "standard error"
        default: break
        }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        _ = readlink("/proc/self/fd/\(descriptor.rawValue)", &bytes, Int(PATH_MAX))
        // A pipe without a name is "pipe:[NUMBER]".
        guard bytes[0] == CChar(bitPattern: UInt8(ascii: "/")) else {
            return FilePath("descriptor \(descriptor.rawValue)")
        }
        return FilePath(platformString: bytes)
    }
}
