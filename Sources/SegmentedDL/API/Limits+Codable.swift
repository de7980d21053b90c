/// Encoded as an object, for the preferences of a program. A missing member gets its default.
extension Limits: Codable {
    private enum CodingKeys: String, CodingKey {
        case activeFiles, connections, connectionsPerHost, requestsPerHost, queueOrder, rate
    }

    /// Decodes caps. They are checked when they are used.
    ///
    /// - Throws: `DecodingError` if a member is of another type.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        activeFiles = try values.decodeIfPresent(FileCount.self, forKey: .activeFiles) ?? activeFiles
        connections = try values.decodeIfPresent(Int.self, forKey: .connections) ?? connections
        connectionsPerHost =
            try values.decodeIfPresent(Int.self, forKey: .connectionsPerHost) ?? connectionsPerHost
        requestsPerHost = try values.decodeIfPresent(Int.self, forKey: .requestsPerHost) ?? requestsPerHost
        queueOrder = try values.decodeIfPresent(QueueOrder.self, forKey: .queueOrder) ?? queueOrder
        rate = try values.decodeIfPresent(Int64.self, forKey: .rate)
    }

    /// Encodes all caps.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(activeFiles, forKey: .activeFiles)
        try values.encode(connections, forKey: .connections)
        try values.encode(connectionsPerHost, forKey: .connectionsPerHost)
        try values.encode(requestsPerHost, forKey: .requestsPerHost)
        try values.encode(queueOrder, forKey: .queueOrder)
        try values.encodeIfPresent(rate, forKey: .rate)
    }
}
