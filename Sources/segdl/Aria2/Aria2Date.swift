/// The present time in words.
enum Aria2Date {
    /// As in a message of the console: `11/23 18:09:24`.
    static var ofMessage: String { text("%m/%d %H:%M:%S") }
    /// As in a log: `2026-11-23 18:09:24`.
    static var ofLog: String { text("%Y-%m-%d %H:%M:%S") }
    /// As asctime(3) has it: `Mon Nov 23 18:09:24 2026`.
    static var ofSummary: String { text("%a %b %e %H:%M:%S %Y") }

    private static let capacity = 64

    /// - Parameter format: As for strftime(3).
    private static func text(_ format: String) -> String {
        var now = time(nil)
        var parts = tm()
        localtime_r(&now, &parts)
        var buffer = [CChar](repeating: 0, count: capacity)
        let count = strftime(&buffer, capacity, format, &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
