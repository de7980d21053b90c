import SegmentedDL

/// The real binary.
public enum Segdl {
    public static var path: String { BuiltProducts.path(of: "segdl") }

    /// The number of bytes that the manifest of an unfinished file records.
    public static func kept(_ file: String, in directory: TemporaryDirectory) throws -> Int64 {
        let info = try ManifestInfo(path: DownloadPaths(directory.filePath(file)).manifest)
        return info.writtenRanges.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    }

    public struct NeverCame: Error {}

    /// Waits until the manifest of an unfinished file records this many bytes.
    public static func waitUntilKept(
        _ file: String, atLeast bytes: Int64, in directory: TemporaryDirectory
    ) async throws {
        for _ in 0..<12_000 {
            if let kept = try? kept(file, in: directory), kept >= bytes { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverCame()
    }

    /// Starts it without waiting for its end.
    public static func start(
        _ arguments: [String], in directory: TemporaryDirectory? = nil, environment: [String: String] = [:],
        input: String? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            path, arguments, directory: directory?.path, environment: environment,
            input: input)
    }

    public static func run(
        _ arguments: [String], in directory: TemporaryDirectory? = nil, environment: [String: String] = [:],
        input: String? = nil
    ) async throws -> ChildProcess.Result {
        try await start(arguments, in: directory, environment: environment, input: input).result()
    }
}
