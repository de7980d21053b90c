public import SegmentedDL

/// A download to add to a queue.
///
///     var entry = QueueEntry(request, key: "episode-7", onComplete: "unpack")
///     entry.startsPaused = true
///     try await manager.add(entry)
public struct QueueEntry: Sendable, Hashable {
    /// The request. Its headers and credentials are not stored; see ``ManagerConfiguration/authorize``.
    public var request: DownloadRequest

    /// The caller's name for the download, which may be any text. If there is none, the URL identifies the
    /// download.
    public var key: String?

    /// The completion action, as text that the caller defines: ``ManagerConfiguration/onComplete`` is called
    /// with it. It is stored.
    public var onComplete: String?

    /// True to add it in the paused state.
    public var startsPaused = false

    /// Creates an entry for a request.
    public init(
        _ request: DownloadRequest, key: String? = nil, onComplete: String? = nil, startsPaused: Bool = false
    ) {
        self.request = request
        self.key = key
        self.onComplete = onComplete
        self.startsPaused = startsPaused
    }
}

/// Encoded like its request: without header fields and credentials.
extension QueueEntry: Codable {
    private enum CodingKeys: String, CodingKey { case request, key, onComplete, startsPaused }

    /// Decodes an entry.
    ///
    /// - Throws: The errors of the request's initializer.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(DownloadRequest.self, forKey: .request),
            key: try values.decodeIfPresent(String.self, forKey: .key),
            onComplete: try values.decodeIfPresent(String.self, forKey: .onComplete))
        startsPaused = try values.decodeIfPresent(Bool.self, forKey: .startsPaused) ?? false
    }
}

/// Headers and credentials that a server requires for the file. They are sent only to the source's host.
public struct Authorization: Sendable, Hashable {
    /// Header fields.
    public var headers: [HTTPHeader]
    /// The name and password for HTTP authentication, or the key to sign requests with.
    public var credentials: Credentials?

    /// Creates an authorization from its parts.
    public init(headers: [HTTPHeader] = [], credentials: Credentials? = nil) {
        self.headers = headers
        self.credentials = credentials
    }
}

/// A selection of the downloads in a queue.
///
///     try await manager.pause(.all)
///     try await manager.resume(.key("episode-7"))
///     try await manager.remove(.state(.failed))
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Selection: Sendable, Hashable {
    /// The download with that number.
    case id(Receipt.ID)
    /// The downloads with these numbers, in this order, without duplicates.
    case ids([Receipt.ID])
    /// The download with that key.
    case key(String)
    /// The downloads from that URL.
    case url(String)
    /// The download at that position in the queue, from 0.
    case position(Int)
    /// The downloads in that state.
    case state(DownloadState)
    /// All downloads.
    case all
}
