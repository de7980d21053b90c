/// The current time as text.
enum Aria2Date {
    /// Console format: `11/23 18:09:24`.
    static var ofMessage: String { LocalTime.text("%m/%d %H:%M:%S") }
    /// Log format: `2026-11-23 18:09:24`.
    static var ofLog: String { LocalTime.text("%Y-%m-%d %H:%M:%S") }
    /// asctime(3) format: `Mon Nov 23 18:09:24 2026`.
    static var ofSummary: String { LocalTime.text("%a %b %e %H:%M:%S %Y") }
}
