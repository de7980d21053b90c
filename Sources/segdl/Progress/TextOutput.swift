import SegmentedDLSupport
import SystemPackage

/// The output of renderers.
///
/// It never throws, so that a download does not fail when the reader of its progress exits. The process must
/// ignore SIGPIPE.
struct TextOutput: Sendable {
    /// The output for programs. The first error is reported and makes the command fail at the end, because
    /// otherwise a program would take half of the lines for all of them.
    static let standardOutput = TextOutput(descriptor: STDOUT_FILENO) { reason in
        StandardError.write(
            "segdl: Cannot write to standard output: \(reason). The command continues without it; "
                + "check the disk, or the program that reads it.\n")
    }
    /// The output for users. Its errors are ignored, because they cannot be reported elsewhere.
    static let standardError = TextOutput(descriptor: STDERR_FILENO)

    private let sink: @Sendable (String) -> Void
    private let failed: Lock<Bool>

    init(descriptor: Int32) {
        failed = Lock(false)
        sink = { _ = Self.write($0, to: descriptor) }
    }

    /// - Parameter onFailure: Called once, with a description of the first error. Nothing is written after
    ///   it, because later lines would be appended to half a line.
    init(descriptor: Int32, onFailure: @escaping @Sendable (String) -> Void) {
        let failed = Lock(false)
        self.failed = failed
        sink = { text in
            guard !failed.withLock({ $0 }), let error = Self.write(text, to: descriptor) else { return }
            let wasKnown = failed.withLock { failed in
                defer { failed = true }
                return failed
            }
            if !wasKnown { onFailure(String(cString: strerror(error))) }
        }
    }

    /// Opens a file, which is closed when the process ends.
    ///
    /// - Parameters:
    ///   - appends: True to keep the content of an existing file.
    ///   - onFailure: As that of a descriptor.
    /// - Throws: `Errno` if the file cannot be opened.
    init(path: String, appends: Bool, onFailure: @escaping @Sendable (String) -> Void) throws {
        let file = try FileDescriptor.open(
            FilePath(path), .writeOnly, options: [.create, appends ? .append : .truncate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead])
        self.init(descriptor: file.rawValue, onFailure: onFailure)
    }

    /// Creates an output that passes every text to a function.
    init(_ sink: @escaping @Sendable (String) -> Void) {
        failed = Lock(false)
        self.sink = sink
    }

    /// True after the first error of an output that reports it.
    var hasFailed: Bool { failed.withLock { $0 } }

    /// Writes all of the text, if possible in one system call, so that the output of another process does not
    /// interrupt it.
    func write(_ text: String) {
        sink(text)
    }

    /// - Returns: The error number; `nil` if everything was written.
    private static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes -> Int32? in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = systemWrite(descriptor, buffer.baseAddress, buffer.count)
                let error = count < 0 ? errno : EIO
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if error == EAGAIN || error == EWOULDBLOCK {
                    // Another process made the shared terminal or pipe non-blocking. Wait: otherwise
                    // half a line could be lost.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&ready, 1, -1)
                } else if error != EINTR {
                    return error
                }
            }
            return nil
        }
    }
}
