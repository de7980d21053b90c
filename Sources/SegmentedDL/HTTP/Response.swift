/// A response whose body has not been read yet, and the interpretation of its head.
struct Response: Sendable {
    let transfer: any OpenTransfer
    let verdict: ResponseVerdict
    /// The source that sent it, after redirects.
    let source: Source
    /// True if libcurl decodes the body: the decoded bytes differ from those that the head describes.
    var isDecoded = false
    /// The source that was requested, before redirects.
    var asked: Source
    /// The reason in the body of a refusal (`RefusalReason`).
    var reason: String?
    /// True if the request was for a range that begins after the first byte.
    var isOfLaterRange = false
    /// The redirects that led to it, each with the source that sent it.
    var redirects: [(head: ResponseHead, source: Source)] = []

    var head: ResponseHead { transfer.head }
    var validators: Validators { isDecoded ? Validators(head).ofDecoded : Validators(head) }
    /// False if only closing the connection ends the body without TLS; over TLS, close_notify marks the end.
    var hasProvenEnd: Bool { !head.isEndedByClose || source.origin.scheme == "https" }
    /// True if the request was pipelined.
    var isPipelined: Bool { transfer.isShared == true && !head.isHTTP2 }
    /// True if an earlier request has used its connection, in HTTP/1.1: some proxies then send the earlier
    /// body again.
    var isOverKeptConnection: Bool { !transfer.isFirst && !head.isHTTP2 }
    /// True if the response may undetectably belong to another request. A digest verifies a file's body, but
    /// nothing verifies a refusal, so the request is sent again.
    var isDoubtful: Bool {
        guard isPipelined else { return false }
        switch verdict {
        case .range, .whole: return false
        default: return true
        }
    }
    /// True if nothing shows whether the body is complete: in HTTP/2 only its length does, because libcurl
    /// treats a stream that the server resets without an error (NO_ERROR) as ended.
    var isOfUnknownEnd: Bool {
        guard head.isHTTP2, case .whole(nil) = verdict else { return false }
        return true
    }
}

// MARK: Expected answers

extension Response {
    /// Checks that the body is the requested range.
    ///
    /// - Returns: The range of the body, which may be shorter, and the whole file's length in bytes.
    func expectRange() throws(TransferFailure) -> (range: ByteRange, total: Int64) {
        guard case .range(let range, let total) = verdict else {
            throw failure("a response without a range")
        }
        return (range, total)
    }

    /// Checks that the body is the requested range, and compares the file with the known one.
    ///
    /// - Returns: The range of the body, which may be shorter, and the comparison.
    /// - Throws: `TransferFailure.rangeIgnored` if the body is the whole file, `changed` if it belongs to
    ///   another file.
    func expectRange(
        of identity: RemoteIdentity
    ) throws(TransferFailure) -> (range: ByteRange, isSame: Bool) {
        switch verdict {
        case .whole(let length):
            try identity.checkWhole(length: length, type: head["content-type"], validators)
            throw .rangeIgnored
        // Without a total length, it does not indicate another file.
        case .unsatisfiable(let total) where total == nil || total == identity.length:
            throw .wrongRange("416 for bytes that the file has")
        case .unsatisfiable:
            throw .changed("its length")
        default:
            let (range, total) = try expectRange()
            switch identity.check(total: total, validators) {
            case .same: return (range, true)
            case .compare: return (range, false)
            case .changed(let what): throw .changed(what)
            }
        }
    }

    /// Checks that the body is the whole requested document.
    ///
    /// - Parameter document: Its name in messages.
    /// - Returns: Its length in bytes; `nil` if only the end of the body shows it.
    func expectWhole(_ document: String) throws(TransferFailure) -> Int64? {
        guard case .whole(let length) = verdict else { throw failure("a part of the \(document)") }
        return length
    }

    /// Checks that the body is the whole file and, as far as the head shows, the known one.
    func expectWhole(of identity: RemoteIdentity) throws(TransferFailure) {
        try identity.checkWhole(
            length: try expectWhole("file"), type: head["content-type"], validators)
    }

    /// Returns the response as a failure.
    ///
    /// - Parameter answer: The description of a response that would be valid for another request, for the
    ///   message.
    func failure(_ answer: String) -> TransferFailure {
        told(TransferFailure(verdict) ?? .wrongRange(answer))
    }

    /// Returns a failure with the server that sent it.
    func told(_ failure: TransferFailure) -> TransferFailure {
        let failure = isOfLaterRange ? failure.ofLaterRange : failure
        let answer = ResponseInfo(
            source: asked, finalSource: source, status: head.status, headers: head.allFields,
            contentType: head["content-type"], etag: head["etag"], lastModified: head["last-modified"])
        return failure.told(by: source.origin, reason: reason, answer: answer, of: asked)
    }
}
