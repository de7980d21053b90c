#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The resolver's answer about a name, which libcurl does not distinguish from a network that is down.
package enum NameLookup {
    /// Returns true if a name server says that the name does not exist. A machine whose network is down or
    /// still starting receives no such answer. Blocks.
    @Sendable package static func saysUnknown(_ name: String) -> Bool {
        #if canImport(Glibc) || canImport(Musl)
            var found: UnsafeMutablePointer<addrinfo>?
            let result = getaddrinfo(name, nil, nil, &found)
            if let found { freeaddrinfo(found) }
            return result == EAI_NONAME
        #else
            // Darwin gives the same answer without a network.
            return false
        #endif
    }
}
