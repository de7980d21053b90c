#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The current date, for records that outlive the process.
package enum WallClock {
    /// Returns seconds since 1970.
    package static func seconds() -> Int64 {
        Int64(time(nil))
    }

    /// Returns a date and a time in UTC, such as `2026-11-27 09:41:07 UTC`.
    ///
    /// - Parameter seconds: Since 1970.
    package static func universalTime(_ seconds: Int64) -> String {
        var (now, parts) = (time_t(seconds), tm())
        gmtime_r(&now, &parts)
        let date = [parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday].map(twoDigits)
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map(twoDigits)
        return "\(date.joined(separator: "-")) \(time.joined(separator: ":")) UTC"
    }

    /// Returns the local time of day, such as `09:41`.
    ///
    /// - Parameter seconds: Since 1970.
    package static func timeOfDay(_ seconds: Int64) -> String {
        var (now, parts) = (time_t(seconds), tm())
        localtime_r(&now, &parts)
        return twoDigits(parts.tm_hour) + ":" + twoDigits(parts.tm_min)
    }

    private static func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
}
