import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("Fetching keys from services")
struct AWSKeyFetchTests {
    private static let machine = "http://169.254.169.254"
    private static let answer = #"{"AccessKeyId":"A","SecretAccessKey":"S","Token":"T"}"#

    private let requests = Lock<[AWSKeyFetch.Request]>([])
    private let lack = Lock<String?>(nil)

    /// Returns a fetch whose requests are answered by a function of their paths.
    private func fetch(
        _ answer: @escaping @Sendable (String) throws -> String
    ) -> AWSKeyFetch {
        let effects = AWSKeyFetch.Effects(
            output: { _ in [] }, contents: { _ in "token" },
            answer: { [requests] request in
                requests.withLock { $0.append(request) }
                return Array(try answer(request.source.url).utf8)
            })
        return AWSKeyFetch(
            place: "this machine", region: "r", tokenService: nil, effects: effects,
            lacks: { [lack] reason in lack.withLock { $0 = reason } })
    }

    @Test("of a machine send one request for each step, with a timeout of a second")
    func machine() async throws {
        let fetch = fetch { url in
            if url.hasSuffix("/api/token") { return "t" }
            return url.hasSuffix("/security-credentials/") ? "role\n" : Self.answer
        }
        let keys = try await fetch.keys(from: .instance(endpoint: Self.machine))
        #expect(keys?.accessKeyID == "A" && keys?.sessionToken == "T")
        let sent = requests.withLock { $0 }
        #expect(sent.map(\.source.lastPathComponent) == ["token", "", "role"])
        #expect(sent.allSatisfy { $0.isNear && $0.timeoutSeconds == 1 && $0.retries == 0 })
        #expect(lack.withLock { $0 } == nil)
    }

    @Test("of a machine whose role may not be assumed fail with the service's code and text")
    func refused() async throws {
        let fetch = fetch { url in
            if url.hasSuffix("/api/token") { return "t" }
            return url.hasSuffix("/security-credentials/")
                ? "role\n" : #"{"Code": "AssumeRoleUnauthorizedAccess", "Message": "EC2 cannot assume it"}"#
        }
        let error = await #expect(throws: DownloadError.self) {
            try await fetch.keys(from: .instance(endpoint: Self.machine))
        }
        #expect(error?.message.contains("'AssumeRoleUnauthorizedAccess: EC2 cannot assume it'") ?? false)
    }

    @Test(
        "a metadata service that does not respond means that there are no keys, and the reason is kept",
        arguments: [DownloadError.Code.timedOut, .connectionFailed, .cannotResolve], ["token", "role"])
    func silentMachine(code: DownloadError.Code, step: String) async throws {
        let fetch = fetch { url in
            if url.hasSuffix("/\(step)") { throw DownloadError(code, "no answer", isRetryable: true) }
            return url.hasSuffix("/api/token") ? "t" : "role"
        }
        #expect(try await fetch.keys(from: .instance(endpoint: Self.machine)) == nil)
        #expect(lack.withLock { $0 }?.contains("AWS_EC2_METADATA_DISABLED=true") == true)
        #expect(requests.withLock { $0.count } == (step == "token" ? 1 : 3))
    }

    @Test("a machine without a role has no keys; one with another failure is an error")
    func refusals() async throws {
        for status in [403, 404, 405] {
            let fetch = fetch { _ in throw DownloadError(.httpStatus, "no", status: status) }
            #expect(try await fetch.keys(from: .instance(endpoint: Self.machine)) == nil)
        }
        #expect(lack.withLock { $0 } == nil)
        let broken = fetch { _ in throw DownloadError(.httpStatus, "no", status: 500) }
        await #expect(throws: DownloadError.self) {
            try await broken.keys(from: .instance(endpoint: Self.machine))
        }
    }

    @Test("a silent service of a container or of roles is an error that names no option")
    func silentServices() async throws {
        let fetch = fetch { _ in throw DownloadError(.timedOut, "--low-speed-time", isRetryable: true) }
        let origins: [AWSKeyOrigin] = [
            .container(AWSContainer(url: "http://169.254.170.2/x")),
            .webIdentity(AWSRole("a", session: nil), tokenFile: "/t"),
        ]
        for (origin, seconds) in zip(origins, [2, 5]) {
            let error = await #expect(throws: DownloadError.self) { try await fetch.keys(from: origin) }
            #expect(error?.message.contains("did not respond within \(seconds) s") == true)
            #expect(error?.message.contains("--") == false && error?.isRetryable == true)
        }
    }
}
