/// Serves the requests of one connection in sequence.
struct Connection {
    let socket: Socket
    let serial: Int
    let registry: Registry

    func serve() {
        var reader = RequestReader(socket)
        serving: while true {
            switch reader.next() {
            case .closed:
                break serving
            case .tooLarge:
                refuse(431)
                break serving
            case .head(let raw):
                guard let head = RequestHead(raw: raw) else {
                    refuse(400)
                    break serving
                }
                let bodyLength = Int(head["content-length"] ?? "0") ?? 0
                guard bodyLength >= 0, reader.skipBody(of: bodyLength), answer(head), !head.wantsClose else {
                    break serving
                }
            }
        }
        socket.close()
    }

    private func answer(_ head: RequestHead) -> Bool {
        let query = head.query
        if head.path.hasPrefix("/_/") {
            let response = Admin.answer(head.path, query: query, registry: registry)
            return sendUnlogged(response, isHead: head.method == "HEAD")
        }
        guard head.method == "GET" || head.method == "HEAD" else {
            return sendUnlogged(.page(405), isHead: false)
        }
        let target = Target(path: head.path, query: query)
        let state = registry.state(ofCase: query.string("case") ?? "")
        let record = begin(head, target, in: state)
        let registry = registry
        let finish = { (isComplete: Bool) in registry.finish(record, in: state, isComplete: isComplete) }

        let response: Response
        if let target {
            response = Behaviours.answer(
                Exchange(
                    head: head, target: target, record: record, state: state, resource: Resource(target),
                    stopListening: { registry.listener.stop() }))
        } else {
            response = .page(404)
        }
        socket.setSendBuffer(
            query.int("sndbuf").map { Int($0) }
                ?? (query.int("line") ?? response.bytesPerSecond).map {
                    Pacer.sendBuffer(forBytesPerSecond: $0)
                }
        )
        if let delay = query.int("delay"), !socket.pause(seconds: Double(delay) / 1000) {
            finish(false)
            return false
        }
        return ResponseWriter(socket: socket, record: record, finish: finish)
            .write(response, isHead: head.method == "HEAD")
    }

    private func begin(_ head: RequestHead, _ target: Target?, in state: CaseState) -> RequestRecord {
        let origin = RequestRecord.Origin(
            serial: registry.nextSerial(), connection: serial, descriptor: socket.descriptor,
            behaviour: target?.behaviour ?? "", head: head)
        let range = RequestedRange(header: head["range"], size: target?.size ?? 0)
        return state.begin(origin, isLater: range.isLater)
    }

    /// For answers that belong to no test.
    private func sendUnlogged(_ response: Response, isHead: Bool) -> Bool {
        let body = isHead ? [] : response.body.literalBytes
        return (response.head + body).withUnsafeBytes { socket.send($0) }
    }

    private func refuse(_ status: Int) {
        var response = Response.page(status)
        response.closesConnection = true
        _ = sendUnlogged(response, isHead: false)
    }
}
