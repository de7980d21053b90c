internal import SegmentedDLSupport

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Receipt {
    /// The reason why a `queued` download has not begun although a slot is free. It is not stored: the next
    /// manager checks again.
    public struct Hold: Sendable, Hashable, Codable {
        /// The kind of reason. New ones may be added.
        public struct Reason: RawRepresentable, Sendable, Hashable, Codable {
            /// The name of the kind.
            public let rawValue: String

            /// Creates a kind from its name.
            public init(rawValue: String) {
                self.rawValue = rawValue
            }

            /// ``ManagerConfiguration/mayStart`` returned it.
            public static let gate = Reason(rawValue: "gate")
            /// The disk has too little space (``ManagerConfiguration/reservedSpace``).
            public static let space = Reason(rawValue: "space")
        }

        /// The kind of reason.
        public var reason: Reason
        /// The reason in words; `nil` if none was given.
        public var message: String?
        /// The time of the next check; `nil` if only ``DownloadManager/reconsider(_:)`` triggers one.
        public var until: Date?

        /// Creates a reason from its parts.
        public init(_ reason: Reason, message: String? = nil, until: Date? = nil) {
            self.reason = reason
            self.message = message
            self.until = until
        }
    }
}

/// The decision whether a download may begin.
public struct Gate: Sendable, Hashable {
    enum Answer: Sendable, Hashable {
        case start
        case wait(Duration?, String?)
    }

    let answer: Answer

    /// The download begins.
    public static let start = Gate(answer: .start)

    /// The download waits, and is checked again after a time.
    ///
    /// - Parameters:
    ///   - duration: The time; less than 100 ms, including zero or less, counts as 100 ms, and more than 50
    ///     years as 50 years.
    ///   - message: The reason, which the receipt shows (``Receipt/hold``).
    public static func wait(for duration: Duration, _ message: String? = nil) -> Gate {
        Gate(answer: .wait(max(duration.asSleep, .milliseconds(100)), message))
    }

    /// The download waits until ``DownloadManager/reconsider(_:)`` or ``DownloadManager/start(_:)`` is called
    /// for it.
    ///
    /// - Parameter message: The reason, which the receipt shows (``Receipt/hold``).
    public static func waitForSignal(_ message: String? = nil) -> Gate {
        Gate(answer: .wait(nil, message))
    }
}
