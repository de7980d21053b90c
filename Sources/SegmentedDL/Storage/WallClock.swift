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

    /// Returns the local time of day, such as `09:41`.
    ///
    /// - Parameter seconds: Since 1970.
    package static func timeOfDay(_ seconds: Int64) -> String {
        var (now, parts) = (time_t(seconds), tm())
        localtime_r(&now, &parts)
        func twoDigits(_ number: Int32) -> String { (number < 10 ? "0" : "") + String(number) }
        return twoDigits(parts.tm_hour) + ":" + twoDigits(parts.tm_min)
    }
}
