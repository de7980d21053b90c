@testable import SegmentedDL

/// Small bodies from the tests' own servers.
public enum HTTPGet {
    struct NoAnswer: Error {}

    /// - Throws: An error if the status is not 200.
    public static func body(_ url: String) async throws -> [UInt8] {
        let engine = try CurlEngine(transport: Transport(), maxConnections: 1)
        let transfer = try await engine.open(TransferRequest(url: url, range: .none))
        let sink = MemorySink(limit: 64 * 1024 * 1024)
        let report = await transfer.receive(into: sink)
        await engine.shutdown()
        guard report.error == nil, transfer.head.status == 200 else { throw NoAnswer() }
        return sink.bytes
    }
}
