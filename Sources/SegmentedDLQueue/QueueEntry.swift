public import SegmentedDL

/// A download to add to a queue.
public struct QueueEntry: Sendable {
    /// The request. Its headers and credentials are not stored, see ``ManagerConfiguration/authorize``.
    public var request: DownloadRequest

    /// The caller's name for the download, any text; without one the URL identifies the download.
    public var key: String?

    /// The action that follows the complete file, in the caller's own words:
    /// ``ManagerConfiguration/onComplete`` is called with it. It is stored.
    public var onComplete: String?

    /// True if it waits to be resumed.
    public var startsPaused = false

    /// Creates an entry for a request.
    public init(_ request: DownloadRequest, key: String? = nil, onComplete: String? = nil) {
        self.request = request
        self.key = key
        self.onComplete = onComplete
    }
}

/// Headers and credentials that a server demands before it gives the file. They are sent to the source's host
/// only.
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

/// The downloads of a queue that a caller means.
public enum Selection: Sendable, Hashable {
    /// The download of that number.
    case id(Receipt.ID)
    /// The downloads of these numbers, in this order.
    case ids([Receipt.ID])
    /// The download that was added under that key.
    case key(String)
    /// The downloads from that URL.
    case url(String)
    /// The download at that place of the queue, from 0.
    case position(Int)
    /// The downloads in that state.
    case state(DownloadState)
    /// All downloads.
    case all
}
