/// Reads request heads from a connection, and keeps bytes received with the previous one.
struct RequestReader {
    enum Outcome {
        case head([UInt8])
        case tooLarge
        case closed
    }

    private static let sizeLimit = 64 << 10
    private let socket: Socket
    private var pending: [UInt8] = []

    init(_ socket: Socket) {
        self.socket = socket
    }

    mutating func next() -> Outcome {
        var searched = 0
        while true {
            if let end = endOfHead(searchingFrom: searched) {
                if end > Self.sizeLimit { return .tooLarge }
                let head = Array(pending[..<end])
                pending.removeFirst(end)
                return .head(head)
            }
            searched = max(0, pending.count - 3)
            if pending.count > Self.sizeLimit { return .tooLarge }
            if !receive() { return .closed }
        }
    }

    /// Bodies are ignored, but would be mistaken for the next request.
    mutating func skipBody(of length: Int) -> Bool {
        var remaining = length
        while true {
            let count = min(remaining, pending.count)
            pending.removeFirst(count)
            remaining -= count
            if remaining == 0 { return true }
            if !receive() { return false }
        }
    }

    private mutating func receive() -> Bool {
        var received: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 16) { buffer in
            received = Array(buffer[..<socket.receive(into: buffer)])
        }
        pending += received
        return !received.isEmpty
    }

    private func endOfHead(searchingFrom start: Int) -> Int? {
        guard pending.count >= 4 else { return nil }
        for index in start..<max(start, pending.count - 3)
        where pending[index] == 13 && pending[index + 1] == 10 && pending[index + 2] == 13
            && pending[index + 3] == 10
        {
            return index + 4
        }
        return nil
    }
}
