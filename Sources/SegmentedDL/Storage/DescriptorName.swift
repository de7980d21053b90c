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

    /// Returns the descriptor that the shell has opened and that a path names, such as `/dev/stdout` and
    /// `/dev/fd/3`; `nil` for any other path.
    package static func inheritedDescriptor(at path: String) -> FileDescriptor? {
        switch path {
        case "/dev/stdout": return .standardOutput
        case "/dev/stderr": return .standardError
        default: break
        }
        for directory in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(directory) {
            let number = path.dropFirst(directory.count)
            guard number.allSatisfy({ $0.isASCII && $0.isNumber }), let value = CInt(number) else {
                return nil
            }
            return FileDescriptor(rawValue: value)
        }
        return nil
    }
}
