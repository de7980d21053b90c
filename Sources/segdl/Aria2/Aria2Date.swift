/// The current time as text.
enum Aria2Date {
    /// Console format: `11/23 18:09:24`.
    static var ofMessage: String { text("%m/%d %H:%M:%S") }
    /// Log format: `2026-11-23 18:09:24`.
    static var ofLog: String { text("%Y-%m-%d %H:%M:%S") }
    /// asctime(3) format: `Mon Nov 23 18:09:24 2026`.
    static var ofSummary: String { text("%a %b %e %H:%M:%S %Y") }

    private static let capacity = 64

    /// - Parameter format: See strftime(3).
    private static func text(_ format: String) -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: capacity)
        let count = strftime(&buffer, capacity, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
