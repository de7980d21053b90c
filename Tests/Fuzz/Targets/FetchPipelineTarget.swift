extension Target {
    /// The answers of a server to requests for small files that were sent ahead.
    static let fetchPipeline = Target(name: "fetch-pipeline") { bytes in
        let whole = deliveries(of: bytes, inPiecesOf: bytes.count)
        for size in [1, 3, 100] {
            promise(deliveries(of: bytes, inPiecesOf: size) == whole, "not the same in pieces of \(size)")
        }
        promise(zip(whole, whole.dropFirst()).allSatisfy { $0.id < $1.id }, "out of order, or twice")
        let received = whole.reduce(0) { sum, delivery in
            guard case .answered(_, let body) = delivery.outcome else { return sum }
            return sum + body.count
        }
        promise(received <= bytes.count, "more than came")
    }

    /// As many requests are under way as the window holds, so that the size of the pieces changes nothing.
    private static func deliveries(
        of bytes: [UInt8], inPiecesOf size: Int
    ) -> [FetchPipeline.Delivery] {
        var pipeline = FetchPipeline()
        for number in 0..<FetchPipeline.window.first { pipeline.add(number, []) }
        _ = pipeline.bytesToSend()
        var deliveries: [FetchPipeline.Delivery] = []
        var rest = bytes[...]
        while !rest.isEmpty, !pipeline.isBroken, !pipeline.isEnding {
            deliveries += rest.prefix(size).withUnsafeBytes { pipeline.receive($0) }
            rest = rest.dropFirst(size)
        }
        return deliveries + pipeline.disconnected()
    }
}
