extension Target {
    /// The requested range, as a Range header has it or `-` for none; then the status line; then the fields.
    static let responseHead = Target(name: "response-head") { bytes in
        var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)[...]
        guard let first = lines.popFirst(), let status = lines.popFirst(),
            let asked = asked(String(decoding: first, as: UTF8.self)),
            var head = status.withUnsafeBytes({ ResponseHead(statusLine: $0) })
        else { return }
        for field in fields(lines) { head.append(field) }
        for region in [nil, "eu-west-1"] {
            check(ResponseVerdict(head, asked: asked, now: 784_111_777, signedFor: region), to: asked, head)
        }
    }

    private static func asked(_ text: String) -> TransferRequest.Range? {
        if text == "-" { return TransferRequest.Range.none }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]) else { return nil }
        if ends[1].isEmpty { return .from(first) }
        guard let last = ContentRange.number(ends[1]), first <= last else { return nil }
        return .exactly(first..<(last + 1))
    }

    private static func check(
        _ answer: ResponseVerdict, to asked: TransferRequest.Range, _ head: ResponseHead
    ) {
        switch answer {
        case .unchanged:
            promise(head.status == 304, "unchanged although the status is \(head.status)")
        case .range(let range, let total):
            promise(mayHaveBody(head), "a range although the status is \(head.status)")
            promise(!head.values("content-range").isEmpty, "a range without a Content-Range")
            promise(0 <= range.lowerBound && range.lowerBound < range.upperBound, "\(range)")
            promise(range.upperBound <= total && total <= ContentRange.largest, "\(range) of \(total)")
            switch asked {
            case .none: fatalError("a range that was not asked for")
            case .from(let offset): promise(range.lowerBound == offset, "\(range) instead of \(offset)-")
            // A server may send less than was asked for (RFC 9110, section 15.3.7).
            case .exactly(let wanted):
                promise(
                    range.lowerBound == wanted.lowerBound && range.upperBound <= wanted.upperBound,
                    "\(range) instead of \(wanted)")
            }
            // A Transfer-Encoding overrides any length.
            guard head.values("transfer-encoding").isEmpty else { break }
            let lengths = head.values("content-length").flatMap { $0.split(separator: ",") }.map {
                ContentRange.number($0.trimmingBlanks())
            }
            promise(lengths.allSatisfy { $0 == range.length }, "\(lengths) for \(range)")
        case .whole(let length):
            promise(mayHaveBody(head), "a file from status \(head.status)")
            for case .range(let range, let total?)? in head.values("content-range").map(ContentRange.init) {
                promise(range == 0..<total, "a file from the bytes \(range) of \(total)")
            }
            promise((0...ContentRange.largest).contains(length ?? 0), "\(length ?? -1)")
        case .unsatisfiable(let total):
            promise((0...ContentRange.largest).contains(total ?? 0), "\(total ?? -1)")
        case .busy(_, let retryAfter), .busyForFile(_, let retryAfter):
            promise((0...RetryAfter.maximumSeconds).contains(retryAfter ?? 0), "\(retryAfter ?? -1)")
        case .encoded(let encoding):
            promise(!encoding.isEmpty, "an encoding without a name")
        case .signatureRefused(let refusal):
            promise(refusal.text.contains("\(head.status)"), "\(refusal.text) for \(head.status)")
        case .redirect, .gone, .expired, .failing, .refused, .wrongRange, .malformed:
            break
        }
    }

    private static func mayHaveBody(_ head: ResponseHead) -> Bool {
        [200, 203, 206].contains(head.status) || (209...299).contains(head.status)
    }
}
