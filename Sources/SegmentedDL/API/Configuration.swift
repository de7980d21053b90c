public import Logging
public import SystemPackage

/// The settings of a `Downloader`, and the defaults of its requests.
public struct Configuration: Sendable {
    /// The number of connections that fetch one file.
    public var segments = SegmentCount.automatic

    /// The minimum size in bytes of a segment that a file is initially split into. 1 or more. A quarter of it
    /// applies to servers with a round-trip time of 2 ms or more, because connections need several round
    /// trips to reach full speed.
    public var minimumSegmentSize: Int64 = 1024 * 1024

    /// Caps over all downloads of the downloader.
    public var limits = Limits()

    /// Bytes per second for each file whose request sets no ``DownloadRequest/rate``, 1 or more; `nil` for no
    /// limit.
    public var ratePerFile: Int64?

    /// Proxies, certificates, timeouts and other settings of connections.
    public var transport = Transport()

    /// The retry policy for transient failures.
    public var retry = RetryPolicy()

    /// The events that a checkpoint survives.
    public var durability = Durability.power

    /// True to keep a fingerprint of each written extent (4 MiB, or more for files above 16 GiB) in the
    /// manifest. A later run compares the bytes on disk with the fingerprints while it fetches the rest, and
    /// fetches changed bytes again.
    public var checksResumedBytes = true

    /// The directory of incomplete files, created if it is missing; `nil` for the directory of the final
    /// name. If it is on another file system than the final name, the complete file is copied before the
    /// rename.
    public var incompleteDirectory: FilePath?

    /// The size in bytes of the window that buffers bytes for a descriptor until the preceding ones have
    /// arrived.
    package var windowBytes: Int64 = 64 * 1024 * 1024

    /// The number of seconds without data after which a download reports a silent host, and repeats a request
    /// that has no response over another connection.
    package var silenceSeconds = 5.0

    /// Returns the header fields for GitHub's API, which a search for a proof may request; `nil` for none.
    package var releaseAccess: @Sendable () -> MirrorAccess? = { nil }

    /// The logger of the downloader; by default it discards all messages.
    public var logger = Logger(label: "SegmentedDL", factory: { _ in SwiftLogNoOpLogHandler() })

    /// Creates a configuration with the default settings.
    public init() {}

    /// Checks all settings.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` that names the setting and its range.
    package func validate() throws(DownloadError) {
        try limits.validate()
        try segments.validate()
        try require(
            minimumSegmentSize >= 1,
            "The minimum segment size is \(minimumSegmentSize); it must be 1 byte or more.")
        try require(
            ratePerFile ?? 1 >= 1,
            "The rate limit is \(ratePerFile ?? 0) bytes per second; it must be 1 or more.")
        try require(
            transport.connectTimeout > .zero && transport.connectTimeout <= .day,
            "The connect timeout is \(transport.connectTimeout.seconds) s; it must be more than 0 and at most a day."
        )
        try require(
            transport.lowSpeedLimit >= 0,
            "The low-speed limit is \(transport.lowSpeedLimit) bytes per second; it must be 0 or more.")
        try require(
            (.zero ... .day).contains(transport.lowSpeedTime),
            "The low-speed time is \(transport.lowSpeedTime.seconds) s; it must be 0 or more, and at most a day."
        )
        try require(
            (.zero ... .day).contains(transport.firstByteTimeout ?? .zero),
            "The first-byte timeout is \(transport.firstByteTimeout?.seconds ?? 0) s; it must be 0 or more, and at most a day."
        )
        for (name, value) in [("User-Agent", transport.userAgent), ("Referer", transport.referer ?? "")] {
            try HTTPHeader(name, value).check()
        }
        try require(
            transport.maxRedirects >= 0,
            "The number of redirects is \(transport.maxRedirects); it must be 0 or more.")
        try incompleteDirectory?.checkIsNotEmpty()
        try retry.validate()
    }
}

extension Duration {
    fileprivate static let day = Duration.seconds(86_400)
}

extension RetryPolicy {
    /// Checks the number of retries and the delays.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    package func validate() throws(DownloadError) {
        try require(retries >= 0, "The number of retries is \(retries); it must be 0 or more.")
        try require(
            retriesAtStart ?? 0 >= 0,
            "The number of retries at the start is \(retriesAtStart ?? 0); it must be 0 or more.")
        try require(
            delay > .zero && longestDelay >= delay && longestDelay <= .day,
            "The retry delay must be more than 0 seconds and at most the maximum delay of \(longestDelay.seconds) s, which must be at most a day."
        )
        try require(
            (.zero ... .day).contains(longestOutage),
            "The maximum outage is \(longestOutage.seconds) s; it must be 0 or more, and at most a day.")
        try require(
            longestRequestedWait.map { $0 > .zero && $0 <= .day } ?? true,
            "The maximum wait that a host may ask for is \(longestRequestedWait?.seconds ?? 0) s; it must be more than 0, and at most a day."
        )
    }
}

extension SegmentCount {
    /// Checks a fixed count. Lower caps are not an error: they override it, as they do when lowered during
    /// downloads.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    package func validate() throws(DownloadError) {
        guard case .fixed(let count) = self else { return }
        try require(count >= 1, "The number of segments is \(count); it must be 1 or more.")
    }
}
