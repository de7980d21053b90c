import SegmentedDLSupport
internal import SystemPackage

/// The expired cookies of a file: libcurl does not send them, and the site may respond with its login page.
final class ExpiredCookies: Sendable {
    /// The maximum size in bytes of a file that is read; libcurl reads larger ones.
    private static let longest = 16 * 1024 * 1024

    private struct State {
        /// `nil` until the file has been read.
        var counts: [String: Int]?
        var told: Set<String> = []
    }

    private let path: FilePath
    private let state = Lock(State())

    init(in path: FilePath) {
        self.path = path
    }

    /// Returns a sentence about the cookies for a host; `nil` if none has expired, or they were reported
    /// before. Blocks.
    func notice(for host: String) -> String? {
        let count = state.withLock { state -> Int in
            guard state.told.insert(host).inserted else { return 0 }
            let counts = state.counts ?? Self.counts(text(), now: WallClock.seconds())
            state.counts = counts
            return counts.reduce(0) { Self.isSent(to: host, $1.key) ? $0 + $1.value : $0 }
        }
        guard count > 0 else { return nil }
        let cookies = count == 1 ? "1 cookie in '\(path)' is" : "\(count) cookies in '\(path)' are"
        return
            "\(cookies) expired and not sent to \(host); if it answers with a page, log in and save the cookies again"
    }

    private func text() -> String {
        // Reading a pipe would consume the bytes that libcurl needs.
        guard (try? SystemCalls.statusFollowingLinks(path))?.kind == .file,
            let file = try? FileDescriptor.open(path, .readOnly)
        else { return "" }
        defer { try? file.close() }
        var bytes: [UInt8] = []
        let size = 64 * 1024
        while bytes.count < Self.longest {
            let new = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
            }
            guard !new.isEmpty else { break }
            bytes += new
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the number of expired cookies for each domain; one that begins with a dot also applies to its
    /// subdomains.
    ///
    /// - Parameter now: Seconds since 1970.
    static func counts(_ text: String, now: Int64) -> [String: Int] {
        var counts: [String: Int] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let mark = "#HttpOnly_"
            guard line.hasPrefix(mark) || !line.hasPrefix("#") else { continue }
            let fields = (line.hasPrefix(mark) ? line.dropFirst(mark.count) : line).split(
                separator: "\t", omittingEmptySubsequences: false)
            // A date of 0 marks a session cookie.
            guard fields.count >= 6, let date = Int64(fields[4].prefix { $0 != "." }), date > 0, date < now
            else { continue }
            let domain = fields[0].drop { $0 == "." }.lowercased()
            counts[fields[1].lowercased() == "true" ? "." + domain : domain, default: 0] += 1
        }
        return counts
    }

    static func isSent(to host: String, _ domain: String) -> Bool {
        host == domain.drop { $0 == "." } || domain.hasPrefix(".") && host.hasSuffix(domain)
    }
}
