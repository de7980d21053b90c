extension SourceClient {
    /// Returns the URL that a redirect leads to.
    ///
    /// - Throws: `TransferFailure` for a redirect that is not followed.
    func next(
        after place: Source, _ location: String, _ earlier: [(head: ResponseHead, source: Source)]
    ) throws -> Source {
        let cookie = earlier.lazy.compactMap { $0.head["set-cookie"] }.first
        let next = try redirectRule.target(
            of: location, from: place, hops: earlier.count,
            cookie: cookie.map { String($0.prefix { $0 != "=" && $0 != ";" }) })
        if RedirectRule.isInsecure(from: place, to: next) {
            logger.tell(.redirectedInsecurely(from: place.origin, to: next.origin))
        }
        return next
    }
}
