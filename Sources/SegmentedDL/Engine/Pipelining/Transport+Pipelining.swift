#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Transport {
    /// True if requests may be pipelined: no proxy can reorder the responses, and requests need nothing that
    /// only libcurl supports.
    var pipelines: Bool {
        let variables: [String] = ["http_proxy", "all_proxy", "ALL_PROXY"]
        let hasProxy = variables.contains { name in getenv(name).map { $0.pointee != 0 } ?? false }
        return proxy == nil && !hasProxy && !usesNetrc && cookieFile == nil
    }
}
