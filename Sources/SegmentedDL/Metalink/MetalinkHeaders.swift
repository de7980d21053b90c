/// The information in a response about other sources of its file (Metalink over HTTP, RFC 6249).
struct MetalinkHeaders: Equatable, Sendable {
    /// Further sources of the same file, the preferred one first.
    var duplicates: [Source] = []

    /// Metalink documents that describe the file.
    var descriptions: [Source] = []

    /// Digests of the whole file, from Repr-Digest (RFC 9530), Digest (RFC 3230) and similar fields.
    var digests: [Checksum] = []

    /// The maximum number of links; the rest is ignored.
    static let mostLinks = 1000

    /// The lowest priority (RFC 6249, section 3.1), which applies to links without one.
    private static let lowest = 999_999

    /// - Parameters:
    ///   - head: A response's head.
    ///   - source: The source that was requested; links may be relative to it.
    ///   - bodyIsWhole: True if the body is the whole file, not a range of it.
    init(_ head: ResponseHead, of source: Source, bodyIsWhole: Bool) {
        digests = ServerDigest.all(in: head, bodyIsWhole: bodyIsWhole).map(\.checksum)
        var found: [(source: Source, priority: Int, isPreferred: Bool)] = []
        for link in head.values("link").lazy.flatMap({ LinkHeader.parse($0) }).prefix(Self.mostLinks) {
            // A link with an anchor refers to another resource (RFC 8288, section 3.2).
            guard link.parameters["anchor"] == nil,
                let target = try? URLParser.parse(link.target, relativeTo: source)
            else { continue }
            if link.relations.contains("duplicate"), target != source {
                let priority = link.parameters["pri"].flatMap { Int($0) } ?? Self.lowest
                found.append(
                    (
                        target, (1...Self.lowest).contains(priority) ? priority : Self.lowest,
                        link.parameters["pref"] != nil
                    ))
            }
            if link.relations.contains("describedby"), target.url != source.url,
                link.parameters["type"]?.lowercased() == "application/metalink4+xml"
            {
                descriptions.append(target)
            }
        }
        duplicates = found.enumerated().sorted { one, other in
            let (first, second) = (one.element, other.element)
            if first.isPreferred != second.isPreferred { return first.isPreferred }
            return (first.priority, one.offset) < (second.priority, other.offset)
        }.map(\.element.source)
    }
}
