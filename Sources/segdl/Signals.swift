import Dispatch
internal import SegmentedDLQueue
import SegmentedDLSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// SIGINT, SIGTERM and SIGHUP end a run with a checkpoint; a second one ends it at once.
final class Signals {
    private final class Received: Sendable {
        let number = Lock<Int32?>(nil)
    }

    private let received = Received()
    private let sources: [any DispatchSourceSignal]

    /// - Parameter first: Called once, on the first of the signals.
    init(onFirst first: @escaping @Sendable () -> Void) {
        let received = received
        sources = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
            // The default action would end the process before the source is heard.
            let before = signal(number, SIG_IGN)
            // Under nohup the terminal's end is to be ignored. Handlers cannot be compared, their bits can.
            if number == SIGHUP, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                return nil
            }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                let isFirst = received.number.withLock { known in
                    defer { known = known ?? number }
                    return known == nil
                }
                guard isFirst else { _exit(128 + number) }
                first()
            }
            source.resume()
            return source
        }
    }

    /// The exit status that the first signal asks for: 130, 143 or 129.
    var exitStatus: Int32? { received.number.withLock { $0.map { 128 + $0 } } }

    /// A pipe whose reader has gone, and a file as long as the process may write, show as errors of the write
    /// instead.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}
