import SegmentedDLSupport

/// Sends one answer, and breaks it where its behaviour demands.
struct ResponseWriter {
    private static let pieceSize = 256 << 10

    let socket: Socket
    let record: RequestRecord
    /// Marks the request as finished. It is called before the peer can know that the answer is complete, so
    /// that the peer's next request never finds this one still running.
    let finish: (_ isComplete: Bool) -> Void

    /// True if the connection can be used for another request.
    func write(_ response: Response, isHead: Bool) -> Bool {
        if let fault = response.insteadOfAnswer {
            perform(fault)
            return false
        }
        let total = isHead || !response.hasBody ? 0 : response.body.length
        let cut = isHead ? nil : response.cut
        record.progress.withLock { progress in
            progress.status = response.status
            progress.bodyLength = total
        }
        var isChunked = false
        if case .chunked = response.framing { isChunked = !isHead }

        let endsWithHead = total == 0 && cut == nil && !isChunked
        if endsWithHead { finish(true) }
        guard response.head.withUnsafeBytes({ socket.send($0) }) else {
            finish(false)
            return false
        }
        let end = min(max(0, cut?.at ?? total), total)
        guard writeBody(response, until: end, isChunked: isChunked, holdsLastByte: cut == nil && !isChunked)
        else {
            finish(false)
            return false
        }
        if let cut {
            perform(cut.how)
            return false
        }
        if isChunked {
            finish(true)
            guard send("0\r\n\(response.trailer)\r\n") else { return false }
        } else if total == 0, !isHead {
            _ = response.excess.withUnsafeBytes { socket.send($0) }
        }
        return !response.closesConnection && (response.excess.isEmpty || response.survivesExcess || isHead)
    }

    private func perform(_ fault: Response.Fault) {
        if fault == .stall { socket.waitForPeerToClose() }
        if fault == .garbage { _ = send("no chunk\r\n") }
        finish(false)
        if fault == .reset { socket.reset() }
        socket.close()
    }

    private func send(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { socket.send($0) }
    }

    private func writeBody(_ response: Response, until end: Int64, isChunked: Bool, holdsLastByte: Bool)
        -> Bool
    {
        guard end > 0 else { return true }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(Int64(Self.pieceSize), end)), alignment: 16)
        defer { buffer.deallocate() }
        var pacer = response.bytesPerSecond.map { Pacer(bytesPerSecond: $0) }
        var offset: Int64 = 0
        // A server that receives no further request sends the rest anyway.
        var patience = Self.mostAwaitingSlices
        while offset < end {
            var count = Int(min(Int64(buffer.count), end - offset))
            if let hold = response.hold, offset < hold.start { count = min(count, Int(hold.start - offset)) }
            if offset < response.scanned {
                count = 1
                guard socket.pause(seconds: Self.comforting) else { return false }
            } else if response.hold?.holds(offset) == true {
                count = 1
                guard socket.pause(seconds: Self.trickle) else { return false }
            } else if patience > 0, offset >= end / 4, response.awaiting?.isAwaiting == true {
                patience -= 1
                count = min(count, Self.awaitingBytes)
                guard socket.pause(seconds: Self.awaitingSlice) else { return false }
            } else if let allowance = response.line?.allowance(upTo: count) ?? pacer?.allowance(upTo: count) {
                if allowance == 0 {
                    guard socket.pause(seconds: Pacer.slice) else { return false }
                    continue
                }
                count = allowance
            }
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            response.body.fill(piece, at: offset)
            offset += Int64(count)
            let sent =
                if isChunked {
                    writeChunk(UnsafeRawBufferPointer(piece))
                } else if offset == end, holdsLastByte {
                    writeLast(UnsafeRawBufferPointer(piece), excess: response.excess)
                } else {
                    writeCounted(UnsafeRawBufferPointer(piece))
                }
            guard sent else { return false }
        }
        return true
    }

    /// The seconds before each byte that a scanner forwards until it has received everything.
    private static let comforting = 5.0
    /// The seconds between two bytes of a held answer.
    private static let trickle = 0.1
    /// For an answer that waits for further requests: the bytes of each slice, the seconds before it, and the
    /// maximum number of slices.
    private static let awaitingBytes = 1000
    private static let awaitingSlice = 0.05
    private static let mostAwaitingSlices = 60

    private func writeCounted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        socket.send(bytes) { record.sent($0) }
    }

    private func writeChunk(_ bytes: UnsafeRawBufferPointer) -> Bool {
        send(String(bytes.count, radix: 16) + "\r\n") && writeCounted(bytes) && send("\r\n")
    }

    /// The end of the body: the last byte is sent only after the request has been finished. An excess is sent
    /// with it, as the peer might otherwise finish with the connection before it receives any of it.
    private func writeLast(_ bytes: UnsafeRawBufferPointer, excess: [UInt8]) -> Bool {
        guard writeCounted(UnsafeRawBufferPointer(rebasing: bytes.dropLast())) else { return false }
        record.sent(1)
        finish(true)
        return ([bytes[bytes.count - 1]] + excess).withUnsafeBytes { socket.send($0) }
    }
}
