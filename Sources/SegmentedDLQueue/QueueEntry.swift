public import SegmentedDL

/// A download to add to a queue.
public struct QueueEntry: Sendable {
    /// The request. Its headers and credentials are not stored, see ``ManagerConfiguration/authorize``.
    public var request: DownloadRequest

    /// The caller's name for the download, any text; without one the URL identifies the download.
    public var key: String?

    /// The text that ``ManagerConfiguration/onComplete`` gets when the file is complete. It is stored.
    public var onComplete: String?

    /// True if the download is added as paused.
    public var startsPaused = false

    /// Creates an entry for a request.
    public init(_ request: DownloadRequest, key: String? = nil, onComplete: String? = nil) {
        self.request = request
        self.key = key
        self.onComplete = onComplete
    }
}

/// Headers and credentials for a download. They are sent only to the source's host.
public struct Authorization: Sendable, Hashable {
    /// Header fields.
    public var headers: [HTTPHeader]
    /// Credentials for HTTP basic authentication, or to sign requests.
    public var credentials: Credentials?

    /// Creates an authorization from its parts.
    public init(headers: [HTTPHeader] = [], credentials: Credentials? = nil) {
        self.headers = headers
        self.credentials = credentials
    }
}

/// A selection of a queue's downloads.
public enum Selection: Sendable, Hashable {
    /// The download with that number.
    case id(Receipt.ID)
    /// The downloads with these numbers, in this order.
    case ids([Receipt.ID])
    /// The download that was added with that key.
    case key(String)
    /// All downloads from that URL.
    case url(String)
    /// The download at that place of the queue, from 0.
    case position(Int)
    /// All downloads in that state.
    case state(DownloadState)
    /// All downloads.
    case all
}
