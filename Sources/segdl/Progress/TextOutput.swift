/// The output of renderers.
///
/// It ignores errors, because otherwise a download would fail when the reader of its progress ends. The
/// process has to ignore SIGPIPE.
struct TextOutput: Sendable {
    static let standardOutput = TextOutput(descriptor: STDOUT_FILENO)
    static let standardError = TextOutput(descriptor: STDERR_FILENO)

    private let sink: @Sendable (String) -> Void

    init(descriptor: Int32) {
        sink = { Self.write($0, to: descriptor) }
    }

    /// Makes an output that passes every text to a function.
    init(_ sink: @escaping @Sendable (String) -> Void) {
        self.sink = sink
    }

    /// Writes all of the text, if possible in one system call, because otherwise the output of another
    /// process may come in between.
    func write(_ text: String) {
        sink(text)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = systemWrite(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
                    // Another process made the shared terminal or pipe non-blocking. Wait, because otherwise
                    // half a line would be lost.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
    }
}
