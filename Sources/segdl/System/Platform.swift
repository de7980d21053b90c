// Imports for all files of this module: one of three C libraries, and the small part of Foundation.
#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#else
    @_exported import Darwin
#endif
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif

/// Opens a datagram socket for names in the file system (`socket(2)`).
func localDatagramSocket() -> Int32 {
    #if os(Linux)
        socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
        socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
}

/// Opens a stream socket for names in the file system (`socket(2)`).
func localStreamSocket() -> Int32 {
    #if os(Linux)
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
        socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
}

/// Calls `exit(3)` through a name that is not shadowed by a member function.
func endProcess(_ status: Int32) -> Never {
    exit(status)
}

/// Calls `write(2)` through a name that is not shadowed by a member function.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Reads the process's descriptor limit (`getrlimit(2)`). Returns 0, or -1.
func openFileLimit(_ limit: inout rlimit) -> Int32 {
    #if canImport(Glibc)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    #else
        getrlimit(RLIMIT_NOFILE, &limit)
    #endif
}
