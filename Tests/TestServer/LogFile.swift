#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

struct LogFile: Sendable {
    private let descriptor: Int32

    init?(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        if descriptor < 0 { return nil }
    }

    /// One write per line keeps lines of different threads separate.
    func append(_ line: String) {
        let bytes = Array(line.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
