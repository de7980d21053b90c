public import SegmentedDL

/// A download to add to a queue.
public struct QueueEntry: Sendable {
    /// What to download. Its headers and credentials are not stored, see ``ManagerConfiguration/authorize``.
    public var request: DownloadRequest

    /// The caller's own name for it, of any form; without one the URL identifies it.
    public var key: String?

    /// What is to follow the complete file, in the caller's own words: ``ManagerConfiguration/onComplete`` is
    /// called with it. It is stored.
    public var onComplete: String?

    /// Whether it waits to be resumed.
    public var startsPaused = false

    /// A download of a request.
    public init(_ request: DownloadRequest, key: String? = nil, onComplete: String? = nil) {
        self.request = request
        self.key = key
        self.onComplete = onComplete
    }
}

/// What a server wants to know before it gives the file. It is sent to the source's host only.
public struct Authorization: Sendable, Hashable {
    /// Header fields.
    public var headers: [HTTPHeader]
    /// For HTTP basic authentication, or to sign requests with.
    public var credentials: Credentials?

    /// An authorization from its parts.
    public init(headers: [HTTPHeader] = [], credentials: Credentials? = nil) {
        self.headers = headers
        self.credentials = credentials
    }
}

/// Which downloads of a queue are meant.
public enum Selection: Sendable, Hashable {
    /// The one of that number.
    case id(Receipt.ID)
    /// Those of these numbers, in this order.
    case ids([Receipt.ID])
    /// The one that was added under that key.
    case key(String)
    /// Those from that URL.
    case url(String)
    /// The one at that place of the queue, from 0.
    case position(Int)
    /// Those in that state.
    case state(DownloadState)
    /// Every one.
    case all
}
