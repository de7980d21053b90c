#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The HTTP date (IMF-fixdate) of a time relative to now.
func httpDate(secondsFromNow seconds: Int) -> String {
    var time = time(nil) + time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    // Not strftime: the names of days and months must not depend on the locale.
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day =
        "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
    return "\(day) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
}
