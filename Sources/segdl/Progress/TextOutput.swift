#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where renderers write.
///
/// Errors are ignored: a download must not fail because nobody reads how it goes. SIGPIPE has to be ignored
/// by the process.
struct TextOutput: Sendable {
    static let standardOutput = TextOutput(descriptor: STDOUT_FILENO)
    static let standardError = TextOutput(descriptor: STDERR_FILENO)

    private let sink: @Sendable (String) -> Void

    init(descriptor: Int32) {
        sink = { Self.write($0, to: descriptor) }
    }

    /// An output that hands every text to a function.
    init(_ sink: @escaping @Sendable (String) -> Void) {
        self.sink = sink
    }

    /// Writes all of it, if possible in one system call: then nothing of another process comes in between.
    func write(_ text: String) {
        sink(text)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    let count = Musl.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    let count = Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                    // Another process made the shared terminal or pipe non-blocking: half a line helps nobody.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}
