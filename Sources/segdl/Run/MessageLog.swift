import Logging
import SegmentedDLSupport

/// The library's log messages, buffered until the display reads them.
final class MessageLog: Sendable {
    private let pending = Lock<[String]>([])
    private let added = Lock<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - verbosity: The number of `-v` options.
    ///   - log: Always receives the messages that `-v` shows.
    func logger(verbosity: Int, log: LogFile? = nil) -> Logger {
        Self.logger(shown: Self.level(verbosity: verbosity), log: log) { self.add($0) }
    }

    /// - Parameters:
    ///   - shown: The lowest level of shown messages.
    ///   - show: Called with each shown message.
    static func logger(
        shown: Logger.Level = .notice, log: LogFile? = nil, show: @escaping @Sendable (String) -> Void
    ) -> Logger {
        var logger = Logger(label: "segdl") { _ in Handler(show: show, shown: shown, file: log) }
        logger.logLevel = log == nil ? shown : min(shown, .info)
        return logger
    }

    static func level(verbosity: Int) -> Logger.Level {
        switch verbosity {
        case ..<1: .notice
        case 1: .info
        default: .debug
        }
    }

    /// Removes the messages since the last call, and returns them.
    func take() -> [String] {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    func add(_ message: String) {
        pending.withLock { $0.append(message) }
        added.withLock { $0 }?()
    }

    /// Calls a function after each subsequent message.
    func onAddition(_ action: @escaping @Sendable () -> Void) {
        added.withLock { $0 = action }
    }

    private struct Handler: LogHandler {
        let show: @Sendable (String) -> Void
        let shown: Logger.Level
        let file: LogFile?
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            file?.write("\(event.message)")
            if event.level >= shown { show("\(event.message)") }
        }
    }
}
