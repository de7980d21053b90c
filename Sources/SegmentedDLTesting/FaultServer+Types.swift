public import SegmentedDL

extension FaultServer {
    /// A file on the server.
    public struct File: Sendable, Hashable {
        /// The bytes.
        public var content: [UInt8]
        /// The entity tag, quotes included; `nil` for none.
        public var etag: String?
        /// Further header fields of its responses, such as Content-Disposition or Last-Modified.
        public var headers: [HTTPHeader]

        /// Creates a file from its parts.
        public init(_ content: [UInt8], etag: String? = "\"1\"", headers: [HTTPHeader] = []) {
            self.content = content
            self.etag = etag
            self.headers = headers
        }
    }

    /// A received request.
    public struct Request: Sendable, Hashable {
        /// The URL.
        public var url: String
        /// The offset of the first requested byte; `nil` for a request without a range.
        public var start: Int64?
        /// The offset after the last requested byte; `nil` for an open-ended range.
        public var end: Int64?
        /// The header fields that the caller has added to the request.
        public var headers: [HTTPHeader]
    }
}
