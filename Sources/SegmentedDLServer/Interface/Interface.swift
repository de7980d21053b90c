internal import SegmentedDL

/// The daemon's own API, at `/api/v1`, and its metrics for Prometheus. `docs/openapi.yaml` describes it.
package struct Interface: Sendable {
    /// The delay before responding to a wrong secret.
    private static let penalty = Duration.seconds(1)
    private static let prefix = "/api/v1/"

    let downloads: Downloads
    let mirrors: Mirrors
    let settings: RPCSettings
    let session = Secret.random()
    let started = Instant.now
    /// Runs a command of `segdl queue`, and returns the reply; `nil` for an unknown command.
    private let commands: @Sendable ([UInt8]) async -> [UInt8]?

    package init(
        _ downloads: Downloads, _ mirrors: Mirrors, settings: RPCSettings,
        commands: @escaping @Sendable ([UInt8]) async -> [UInt8]? = { _ in nil }
    ) {
        self.downloads = downloads
        self.mirrors = mirrors
        self.settings = settings
        self.commands = commands
    }

    /// Returns the components of a path of this API; `nil` for another path.
    static func steps(of path: String) -> [String]? {
        if path == "/metrics" { return ["metrics"] }
        guard path.hasPrefix(prefix) else { return nil }
        return path.dropFirst(prefix.count).split(separator: "/").map { URLParser.decoded($0) }
    }

    func answer(_ request: HTTPRequest, _ steps: [String]) async -> HTTPAnswer {
        guard settings.accepts(Self.token(of: request)) else {
            try? await Task.sleep(for: Self.penalty)
            var answer = Self.failure(
                401, "unauthorized", "Send the secret of the daemon as 'Authorization: Bearer SECRET'.",
                secretFile: settings.secretFile)
            answer.fields.append(("WWW-Authenticate", "Bearer"))
            return answer
        }
        do throws(InterfaceError) {
            var answer = try await dispatch(request, steps)
            answer.fields.append(("Cache-Control", "no-store"))
            return answer
        } catch {
            return Self.failure(error.status, error.code, error.message)
        }
    }

    private static func token(of request: HTTPRequest) -> String? {
        guard let value = request.value("authorization"), value.lowercased().hasPrefix("bearer ") else {
            return nil
        }
        return String(value.dropFirst(7))
    }

    private static func failure(
        _ status: Int, _ code: String, _ message: String, secretFile: String? = nil
    ) -> HTTPAnswer {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(message)]
        if let secretFile { error["secretFile"] = .string(secretFile) }
        let body: JSONValue = ["error": .object(error)]
        return .json(status, body.bytes)
    }

    /// The names of all endpoints, for a message.
    private static let names = Set(methods.keys.map { String($0.prefix { $0 != "/" }) }).sorted()
        .joined(separator: ", ")

    private func dispatch(_ request: HTTPRequest, _ steps: [String]) async throws(InterfaceError)
        -> HTTPAnswer
    {
        switch (request.method, steps.first, steps.count) {
        case ("GET", "status", 1): return .json(200, await status().bytes)
        case ("GET", "metrics", 1):
            return HTTPAnswer(200, type: "text/plain; version=0.0.4", .bytes(Array(await metrics().utf8)))
        case ("GET", "events", 1): return HTTPAnswer(200, type: "text/event-stream", .stream(sendEvents))
        case ("PATCH", "limits", 1): return .json(200, try await changeLimits(Self.body(request)).bytes)
        case ("GET", "downloads", 1): return .json(200, try await list(InterfaceQuery(request.query)).bytes)
        case ("POST", "downloads", 1): return .json(200, try await add(Self.body(request)).bytes)
        case ("GET", "downloads", 2): return .json(200, try await details(steps[1]).bytes)
        case ("GET", "mirrors", 1): return .json(200, await listMirrors().bytes)
        case ("POST", "mirrors", 1): return .json(200, try await addMirror(Self.body(request)).bytes)
        case ("GET", "mirrors", 2): return .json(200, try await mirror(steps[1]).bytes)
        case ("POST", "mirrors", 2):
            return .json(200, try await actOnMirror(steps[1], Self.body(request)).bytes)
        case ("POST", "actions", 1): return .json(200, try await act(Self.body(request)).bytes)
        case ("POST", "commands", 1):
            guard let reply = await commands(request.body) else {
                throw .bad("The daemon runs another version of segdl, which does not support the command.")
            }
            return .json(200, reply)
        default:
            guard let methods = Self.methods["\(steps.first ?? "")/\(steps.count)"] else {
                throw InterfaceError(
                    404, "notFound",
                    "'\(request.path)' does not exist; /api/v1/ is followed by one of \(Self.names)."
                )
            }
            return .methodNotAllowed(methods)
        }
    }

    private static let methods = [
        "status/1": "GET", "metrics/1": "GET", "events/1": "GET", "limits/1": "PATCH",
        "downloads/1": "GET, POST", "downloads/2": "GET", "mirrors/1": "GET, POST",
        "mirrors/2": "GET, POST", "actions/1": "POST", "commands/1": "POST",
    ]

    private static func body(_ request: HTTPRequest) throws(InterfaceError) -> [String: JSONValue] {
        do {
            if let members = try JSONValue(parsing: request.body).members { return members }
        } catch {
            throw InterfaceError(400, "badRequest", error.reason)
        }
        throw InterfaceError(400, "badRequest", "The body is not a JSON object.")
    }
}
