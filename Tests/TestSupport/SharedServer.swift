/// One test server for all tests of a process; each test uses a separate scenario.
public enum SharedServer {
    private static let start = Task { try await TestServerProcess.start() }

    public static func scenario() async throws -> TestServerProcess.Scenario {
        try await start.value.scenario()
    }
}
