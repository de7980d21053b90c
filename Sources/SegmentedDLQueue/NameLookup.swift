#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Determines whether a host name exists, because libcurl does not distinguish a missing name from a network
/// that is down.
package enum NameLookup {
    /// Returns true if a name server reports that the name does not exist, which does not happen while the
    /// network is down or still starting. Blocks.
    @Sendable package static func saysUnknown(_ name: String) -> Bool {
        #if canImport(Glibc) || canImport(Musl)
            var found: UnsafeMutablePointer<addrinfo>?
            let result = getaddrinfo(name, nil, nil, &found)
            if let found { freeaddrinfo(found) }
            return result == EAI_NONAME
        #else
            // Without a network, Darwin reports the same error.
            return false
        #endif
    }
}
