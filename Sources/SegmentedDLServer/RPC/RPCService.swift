internal import SegmentedDL
internal import SegmentedDLQueue
internal import SegmentedDLSupport

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The response to a call, or to several in one message.
package struct RPCAnswer: Sendable {
    /// The HTTP status; not used on a WebSocket.
    package var status: Int
    /// JSON.
    package var body: [UInt8]
}

/// aria2's JSON-RPC for one queue (aria2's manual, RPC INTERFACE), independent of the transport.
package final class RPCService: Sendable {
    /// The delay before responding to a wrong secret.
    private static let penalty = Duration.seconds(1)
    /// The maximum number of calls in one message. Without it, the response to many short calls, at 80 bytes
    /// each, could be 25 times as long as the message.
    static let callsOfMessage = 20_000

    let downloads: Downloads
    let settings: RPCSettings
    let session = Secret.random()
    private let messages = Multicast<[UInt8]>()
    private let events: AsyncStream<QueueEvent>

    /// - Parameter downloads: The queue with the options of its clients.
    package init(_ downloads: Downloads, settings: RPCSettings) {
        self.downloads = downloads
        self.settings = settings
        events = downloads.events()
    }

    /// Sends the events of the queue as notifications until the queue is shut down or the task is cancelled.
    package func run() async {
        var events = events
        while true {
            var rule = NotificationRule()
            var count = 0
            for await event in events {
                count += 1
                if let message = rule.message(event) { messages.send(message.bytes) }
            }
            // The stream ends early, after the events that it holds, if more were waiting.
            guard count >= Downloads.mostEvents, !Task.isCancelled else { break }
            events = downloads.events()
            // Clients connect again, and read what they have missed.
            messages.endStreams()
        }
        messages.finish()
    }

    /// Messages for a WebSocket, from now on. The stream ends with the queue, or if its reader is too slow.
    package func notifications() -> AsyncStream<[UInt8]> { messages.makeStream(limit: 10_000) }

    // MARK: Messages

    /// Answers the body of a POST, or the text of a WebSocket's message.
    package func answer(_ request: [UInt8]) async -> RPCAnswer {
        guard let message = try? JSONValue(parsing: request) else {
            return Self.answer(.parseError, id: .null)
        }
        return await answer(message)
    }

    /// Answers `GET /jsonrpc?method=…&id=…&params=…`, whose parameters are JSON in Base64.
    package func answer(query: String) async -> RPCAnswer {
        var fields: [String: String] = [:]
        for field in query.split(separator: "&") {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[String(parts[0])] = parts.count > 1 ? URLParser.decoded(parts[1]) : ""
        }
        var message: [String: JSONValue] = [:]
        if let text = fields["params"], !text.isEmpty {
            guard let data = Data(base64Encoded: text), let params = try? JSONValue(parsing: Array(data))
            else {
                return Self.answer(.parseError, id: .null)
            }
            guard fields["method"] != nil else { return await answer(params) }
            message["params"] = params
        }
        message["method"] = fields["method"].map { .string($0) }
        message["id"] = fields["id"].map { .string($0) }
        return await answer(.object(message))
    }

    private func answer(_ message: JSONValue) async -> RPCAnswer {
        var guesses = Guesses()
        switch message {
        case .object:
            let (value, failure) = await answerOne(message, &guesses)
            return RPCAnswer(status: failure?.status ?? 200, body: value.bytes)
        case .array(let messages) where messages.count <= Self.callsOfMessage:
            var answers: [JSONValue] = []
            for message in messages where message.members != nil {
                answers.append(await answerOne(message, &guesses).value)
            }
            return RPCAnswer(status: 200, body: JSONValue.array(answers).bytes)
        // Follows aria2's parser: text begins neither with a digit nor with a sign.
        case .integer, .number: return Self.answer(.parseError, id: .null)
        default: return Self.answer(.invalidRequest, id: .null)
        }
    }

    private static func answer(_ failure: RPCFailure, id: JSONValue) -> RPCAnswer {
        RPCAnswer(status: failure.status, body: envelope(id, "error", failure.value).bytes)
    }

    private static func envelope(_ id: JSONValue, _ name: String, _ value: JSONValue) -> JSONValue {
        .object(["id": id, "jsonrpc": "2.0", name: value])
    }

    private func answerOne(
        _ message: JSONValue, _ guesses: inout Guesses
    ) async -> (value: JSONValue, failure: RPCFailure?) {
        let id = message["id"] ?? .null
        do {
            guard message["id"] != nil, let method = message["method"]?.text else {
                throw RPCFailure.invalidRequest
            }
            let params = message["params"] ?? []
            guard let values = params.elements else { throw RPCFailure.invalidParameters }
            return (Self.envelope(id, "result", try await call(method, values, &guesses)), nil)
        } catch {
            let failure = RPCFailure(error)
            return (Self.envelope(id, "error", failure.value), failure)
        }
    }

    // MARK: Calls

    /// The wrong secrets in one message. Each causes a delay of a second, but only once, because a front-end
    /// with an old secret would otherwise wait a second for each call in a batch.
    private typealias Guesses = Set<String?>

    private func call(
        _ name: String, _ values: [JSONValue], _ guesses: inout Guesses, isNested: Bool = false
    ) async throws -> JSONValue {
        switch name {
        case "system.multicall":
            guard !isNested else { throw RPCFailure("Recursive system.multicall forbidden.") }
            return try await callMany(RPCParameters(values), &guesses)
        case "system.listMethods": return .array(RPCMethods.names.map { .string($0) })
        case "system.listNotifications": return .array(RPCMethods.notifications.map { .string($0) })
        default: break
        }
        let token = values.first?.text.flatMap { $0.hasPrefix("token:") ? String($0.dropFirst(6)) : nil }
        guard settings.accepts(token) else {
            if guesses.insert(token).inserted { try? await Task.sleep(for: Self.penalty) }
            throw RPCFailure.unauthorized
        }
        let parameters = RPCParameters(token == nil ? values : Array(values.dropFirst()))
        guard let method = RPCMethods.all[name] else { throw RPCFailure("No such method: \(name)") }
        do {
            return try await method(self, parameters)
        } catch let error as DownloadError where error.code == .notFound {
            // Another client removed it after the method had looked it up.
            throw (try? parameters.text(0)).map(RPCFailure.notFound) ?? RPCFailure(error)
        }
    }

    private func callMany(_ parameters: RPCParameters, _ guesses: inout Guesses) async throws -> JSONValue {
        guard let calls = try parameters.required(0).elements else {
            throw RPCFailure("The parameter at 0 has wrong type.")
        }
        guard calls.count <= Self.callsOfMessage else {
            throw RPCFailure("A message has at most \(Self.callsOfMessage) calls, this one \(calls.count).")
        }
        var results: [JSONValue] = []
        for call in calls {
            do {
                guard call.members != nil else { throw RPCFailure("system.multicall expected struct.") }
                guard let name = call["methodName"]?.text else { throw RPCFailure("Missing methodName.") }
                let values = call["params"]?.elements ?? []
                results.append([try await self.call(name, values, &guesses, isNested: true)])
            } catch {
                results.append(RPCFailure(error).value)
            }
        }
        return .array(results)
    }
}
