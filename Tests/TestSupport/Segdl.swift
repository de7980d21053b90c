/// The real binary.
public enum Segdl {
    /// Starts it without waiting for its end.
    public static func start(
        _ arguments: [String], in directory: TemporaryDirectory? = nil, environment: [String: String] = [:],
        input: String? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            BuiltProducts.path(of: "segdl"), arguments, directory: directory?.path, environment: environment,
            input: input)
    }

    public static func run(
        _ arguments: [String], in directory: TemporaryDirectory? = nil, environment: [String: String] = [:],
        input: String? = nil
    ) async throws -> ChildProcess.Result {
        try await start(arguments, in: directory, environment: environment, input: input).result()
    }
}
