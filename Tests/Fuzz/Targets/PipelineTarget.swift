extension Target {
    /// The answers of a server to questions about copies, of which some have the same tag.
    static let pipeline = Target(name: "pipeline") { bytes in
        let tags = ["\"a\"", "W/\"a\"", "\"b\""]
        let requests = (0..<90).compactMap { number in
            (try? Source("http://host/\(number)")).flatMap { source in
                ConditionalRequests.Request(
                    source,
                    if: number % 4 == 3
                        ? .lastModified("Sun, 06 Nov 1994 08:49:37 GMT") : .etag(tags[number % 4]))
            }
        }
        guard let origin = (try? Source("http://host/"))?.origin, requests.count == 90 else { return }
        let batch = ConditionalRequests(to: origin, headers: [], requests)
        let whole = said(of: bytes, inPiecesOf: bytes.count, to: batch)
        for size in [1, 3, 100] {
            promise(
                said(of: bytes, inPiecesOf: size, to: batch) == whole, "not the same in pieces of \(size)")
        }
        let heads = String(decoding: bytes, as: UTF8.self).components(of: "HTTP/1.1 ")
        promise(
            whole.count { $0 != .none } <= heads, "\(whole.count { $0 != .none }) answers in \(heads) heads")
        let unchanged = String(decoding: bytes, as: UTF8.self).components(of: "304")
        promise(whole.count { $0 == .unchanged } <= unchanged, "more unchanged than there are 304s")
        promise(!zip(whole, whole.dropFirst()).contains { $0 == .none && $1 != .none }, "one was left out")
    }

    /// As many requests are sent as can be before the first answer: what comes in pieces changes nothing but
    /// that.
    private static func said(
        of bytes: [UInt8], inPiecesOf size: Int, to batch: ConditionalRequests
    ) -> [ConditionalAnswers.Answer] {
        var pipeline = Pipeline(batch, userAgent: "fuzz")
        _ = pipeline.bytesToSend()
        var rest = bytes[...]
        while !rest.isEmpty, !pipeline.isOver {
            rest.prefix(size).withUnsafeBytes { pipeline.receive($0) }
            rest = rest.dropFirst(size)
        }
        return pipeline.answers.answers
    }
}

extension String {
    /// How often a text is in it.
    fileprivate func components(of text: String) -> Int {
        var (count, rest) = (0, utf8[...])
        while let first = rest.first {
            if first == text.utf8.first, rest.starts(with: text.utf8) { count += 1 }
            rest = rest.dropFirst()
        }
        return count
    }
}
