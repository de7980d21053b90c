import SegmentedDL
import SegmentedDLQueue
import SystemPackage

/// The queue of a `segdl serve`, which accepts the same commands as a process on this machine.
struct RemoteQueue: QueueClient {
    /// The number of receipts per response.
    private static let page = 1_000

    /// The URL of the daemon's page, without its secret.
    let base: String
    let secret: String
    /// The daemon runs it.
    let isRunning = true
    private let transport: Transport

    /// - Parameters:
    ///   - address: The address as the daemon prints it, possibly with `#token=SECRET`.
    ///   - secretFile: A file whose first line is the secret; it overrides the environment's.
    ///   - authorities: A file of certificate authorities; it overrides the environment's.
    /// - Throws: `DownloadError` with code `invalidURL` or `badPath`.
    init(
        _ address: String, secretFile: String?, authorities: String?, environment: (String) -> String?
    ) throws(DownloadError) {
        let parts = address.split(separator: "#", maxSplits: 1).map(String.init)
        let url = try Source(parts.first ?? "").url
        base = url.hasSuffix("/") ? url : url + "/"
        let token = parts.dropFirst().first.flatMap { $0.hasPrefix("token=") ? String($0.dropFirst(6)) : nil }
        if let secretFile {
            secret = try SecretSource.file(FilePath(secretFile)).read().text
        } else {
            secret = token ?? environment("SEGDL_RPC_SECRET") ?? ""
        }
        var transport = Transport()
        transport.certificateAuthorities = TransportOptions.authorities(authorities, environment)
        self.transport = transport
    }

    func send(_ commands: some Sequence<QueueCommand>, replied: (QueueReply) -> Void) async throws {
        for command in commands {
            try Task.checkCancellation()
            replied(try await reply(to: command))
        }
    }

    func forEachReceipt(_ body: (Receipt) throws(DownloadError) -> Void) async throws {
        var start = 0
        while true {
            let receipts = try await reply(to: .list(from: start, count: Self.page)).receipts
            for receipt in receipts { try body(receipt) }
            guard receipts.count == Self.page else { return }
            start += receipts.count
        }
    }

    private func reply(to command: QueueCommand) async throws -> QueueReply {
        let call = HTTPCall(
            url: base + "api/v1/commands",
            headers: [
                HTTPHeader("Authorization", "Bearer \(secret)"),
                HTTPHeader("Content-Type", "application/json"),
            ],
            body: Array(try JSONEncoder().encode(command)))
        let answer: (status: Int, body: [UInt8])
        do {
            answer = try await call.send(transport)
        } catch var error as DownloadError where error.code == .tlsFailed {
            error.message += " If the daemon's certificate is self-signed, specify its file (--cacert FILE)."
            throw error
        }
        guard answer.status == 200 else { throw refusal(answer.status, answer.body) }
        do {
            return try JSONDecoder().decode(QueueReply.self, from: Data(answer.body))
        } catch {
            throw DownloadError(
                .badResponse,
                "'\(base)' runs an incompatible version of segdl; use the same version on both sides."
            )
        }
    }

    private struct Refusal: Decodable {
        struct Reason: Decodable { let message: String }
        let error: Reason
    }

    private func refusal(_ status: Int, _ body: [UInt8]) -> DownloadError {
        let reason = (try? JSONDecoder().decode(Refusal.self, from: Data(body)))?.error.message
        guard let reason, status != 404 else {
            return DownloadError(
                .httpStatus, "'\(base)' is not the page of a segdl serve with this version.", status: status)
        }
        guard status != 401 else {
            return DownloadError(
                .httpStatus,
                "The daemon at '\(base)' does not accept this secret; specify the daemon's secret (--remote-secret-file, or SEGDL_RPC_SECRET).",
                status: status)
        }
        return DownloadError(
            .httpStatus, "The daemon at '\(base)' refused the command: \(reason)", status: status)
    }
}
