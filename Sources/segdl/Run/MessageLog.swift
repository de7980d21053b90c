import Logging
import SegmentedDLSupport

/// The library's log messages, kept until the display takes them.
final class MessageLog: Sendable {
    private let pending = Lock<[String]>([])

    /// - Parameter verbosity: How many times `-v` was given.
    func logger(verbosity: Int) -> Logger {
        var logger = Logger(label: "segdl") { _ in Handler(log: self) }
        logger.logLevel = Self.level(verbosity: verbosity)
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
    }

    private struct Handler: LogHandler {
        let log: MessageLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            log.add("\(event.message)")
        }
    }
}
