/// Formats numbers for users. Each text has a known maximum width, so that columns do not move.
enum ByteFormat {
    /// The maximum width of `size`: `1023 MiB`.
    static let sizeWidth = 8
    /// The maximum width of `speed`: `1023 MiB/s`.
    static let speedWidth = 10
    /// The maximum width of `duration`: `23:59:59`.
    static let durationWidth = 8

    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]

    /// Returns `12.3 MiB`, with at most four characters for the number.
    static func size(_ bytes: Int64) -> String {
        size(Double(bytes))
    }

    /// Returns `12.3 MiB/s`.
    static func speed(_ bytesPerSecond: Double) -> String {
        size(bytesPerSecond) + "/s"
    }

    /// Returns `1:02`, `1:02:03`, `2d 03h`; `--:--` if unknown.
    ///
    /// Rounds up: otherwise a short remaining time would be shown as `0:00`.
    static func duration(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0 else { return "--:--" }
        let longest = 999.0 * 86_400
        guard seconds < longest else { return ">999d" }
        let whole = Int(seconds.rounded(.up))
        let (minutes, hours, days) = (whole / 60 % 60, whole / 3600 % 24, whole / 86_400)
        if days > 0 { return "\(days)d \(twoDigits(hours))h" }
        let tail = ":" + twoDigits(whole % 60)
        return hours > 0 ? "\(hours):" + twoDigits(minutes) + tail : "\(minutes)" + tail
    }

    /// Returns an elapsed time: `0.4 s`, `12.3 s`, and like `duration` from one minute.
    static func elapsed(_ duration: Duration) -> String {
        let seconds = seconds(duration)
        guard seconds < 59.95 else { return Self.duration(seconds) }
        return fixed(max(0, seconds), decimals: 1) + " s"
    }

    /// Returns `45%`, rounded down: only a complete file is at 100 %.
    static func percent(_ fraction: Double) -> String {
        guard fraction.isFinite else { return "0%" }
        return "\(Int(min(max(fraction, 0), 1) * 100))%"
    }

    static func seconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    private static func size(_ bytes: Double) -> String {
        guard bytes.isFinite, bytes >= 1 else { return "0 B" }
        var value = bytes
        var unit = 0
        // 1023.5 would be rounded to 1024, which is 1 of the next unit.
        while value >= (unit == 0 ? 1024 : 1023.5), unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        if unit == 0 { return "\(Int(value)) B" }
        let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return fixed(min(value, 9999), decimals: decimals) + " " + units[unit]
    }

    private static func fixed(_ value: Double, decimals: Int) -> String {
        switch decimals {
        case 0: return "\(Int(value.rounded()))"
        case 1:
            let tenths = Int((value * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        default:
            let hundredths = Int((value * 100).rounded())
            return "\(hundredths / 100)." + twoDigits(hundredths % 100)
        }
    }

    private static func twoDigits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
