import Logging
import SegmentedDLSupport

/// What the library logs, kept until the progress display has a place for it.
final class MessageLog: Sendable {
    private let waiting = Lock<[String]>([])

    func logger(isVerbose: Bool) -> Logger {
        var logger = Logger(label: "segdl") { _ in Handler(log: self) }
        logger.logLevel = isVerbose ? .debug : .notice
        return logger
    }

    /// Takes out what has come in since the last call.
    func take() -> [String] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    func add(_ message: String) {
        waiting.withLock { $0.append(message) }
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
