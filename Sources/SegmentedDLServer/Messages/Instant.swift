#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Points in time in the API's form: seconds since 1970.
enum Instant {
    static var now: Double { Date().timeIntervalSince1970 }

    /// The seconds of a date; 0 for none.
    static func seconds(_ date: Date?) -> Double { date?.timeIntervalSince1970 ?? 0 }

    static func value(_ date: Date?) -> JSONValue {
        date.map { .number(($0.timeIntervalSince1970 * 1_000).rounded() / 1_000) } ?? .null
    }
}
